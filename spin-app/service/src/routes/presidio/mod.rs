//! Presidio's protocol, so that clients of Presidio's analyzer and anonymizer can use this service:
//! `/analyze`, `/recognizers`, `/supportedentities`, `/anonymize`, `/anonymizers`, `/deanonymize` and
//! `/deanonymizers`. Shapes, operators and the order of things are those of Presidio 2.2; offsets count
//! code points. The findings and their scores are this engine's. The parameter `language` of a query is ignored: every
//! recognizer works in every language.

mod ad_hoc;
pub(crate) mod analyze;
pub(crate) mod anonymize;
mod cipher;
mod code_points;
mod conflicts;
pub(crate) mod deanonymize;
mod explanation;
mod findings;
mod names;
mod operators;
pub(crate) mod rewrite;

use serde_json::Value;

use crate::{
    call::{Call, RouteResult, ok},
    error::ApiError,
    host::Host,
};

pub(crate) async fn analyze<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    analyze::answer(call, filled(request)?).await
}

pub(crate) async fn recognizers<H: Host>(call: Call<'_, H>) -> RouteResult {
    ok(&names::recognizers(&*call.settings().await?))
}

pub(crate) async fn supported_entities<H: Host>(call: Call<'_, H>) -> RouteResult {
    ok(&names::supported(&*call.settings().await?))
}

pub(crate) fn anonymize<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    anonymize::answer(call.host, filled(request)?)
}

pub(crate) fn anonymizers() -> RouteResult {
    ok(&operators::ANONYMIZERS)
}

pub(crate) fn deanonymize(request: Value) -> RouteResult {
    deanonymize::answer(filled(request)?)
}

pub(crate) fn deanonymizers() -> RouteResult {
    ok(&operators::DEANONYMIZERS)
}

/// Rejects an object without members.
fn filled(object: Value) -> Result<Value, ApiError> {
    if object.as_object().is_none_or(serde_json::Map::is_empty) {
        return Err(ApiError::invalid("body", "body must be a JSON object with a text"));
    }
    Ok(object)
}
