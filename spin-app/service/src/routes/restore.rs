//! `POST /api/v1/restore`: restores the tokens of mode `tokenize`.

use std::collections::BTreeMap;

use serde_json::Value;
use textveil_engine::{
    restore_observed,
    wire::{self, RestoreRequest, RestoreResponse},
};

use crate::{
    call::{Call, RouteResult, ok},
    host::Host,
    secrets,
    usage::metrics::{Sample, families},
};

/// Tokens are longer than their values, so the text may be longer than one that is protected: the size of the body
/// is its limit.
pub(crate) async fn one<H: Host>(call: Call<'_, H>, request: &Value) -> RouteResult {
    let RestoreRequest { text } = wire::decode(request)?;
    let keys = secrets::keyring(call.host, call.workspace()).await?;
    let mut tokens: BTreeMap<(u8, bool), usize> = BTreeMap::new();
    let restored = restore_observed(&text, &keys, |version, is_restored| {
        *tokens.entry((version, is_restored)).or_default() += 1;
    })?;
    for ((version, is_restored), count) in tokens {
        let outcome = if is_restored { "ok" } else { "unknown" };
        let labels = format!("version=\"{version}\",outcome=\"{outcome}\"");
        call.samples.push(Sample::count(&families::TOKENS, labels, count));
    }
    ok(&RestoreResponse::new(restored))
}
