//! `POST /api/v1/validate`.

use serde_json::Value;
use textveil_engine::{
    validate,
    wire::{ValidateRequest, ValidateResponse},
};

use super::{Answer, ok, part};

pub(super) fn one(request: &Value) -> Answer {
    let ValidateRequest { value, entity_type, country } = part(request)?;
    let validation = validate(&value, &entity_type, country.as_deref())?;
    ok(&ValidateResponse::new(&value, validation))
}
