//! `POST /api/v1/restore`: restores the tokens of mode `tokenize`.

use serde_json::Value;
use textveil_engine::{
    restore,
    wire::{self, RestoreRequest, RestoreResponse},
};

use super::{Answer, Call, ok};
use crate::{host::Host, secrets};

/// Tokens are longer than their values, so the text may be longer than one that is protected: the size of the body
/// is its limit.
pub(super) async fn one<H: Host>(call: Call<'_, H>, request: &Value) -> Answer {
    let RestoreRequest { text } = wire::decode(request)?;
    let keys = secrets::keyring(call.host, call.workspace()).await?;
    ok(&RestoreResponse::new(restore(&text, &keys)?))
}
