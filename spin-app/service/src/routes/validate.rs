//! `POST /api/v1/validate`.

use serde_json::Value;
use textveil_engine::{
    validate,
    wire::{self, ValidateRequest, ValidateResponse},
};

use crate::call::{RouteResult, ok};

pub(crate) fn one(request: &Value) -> RouteResult {
    let ValidateRequest { value, entity_type, country } = wire::decode(request)?;
    let validation = validate(&value, &entity_type, country.as_deref())?;
    ok(&ValidateResponse::new(&value, validation))
}
