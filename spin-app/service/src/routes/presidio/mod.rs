//! Presidio's protocol, so that clients of Presidio's analyzer and anonymizer can use this service:
//! `/analyze`, `/recognizers`, `/supportedentities`, `/anonymize`, `/anonymizers`, `/deanonymize` and
//! `/deanonymizers`. Shapes, operators and the order of things are those of Presidio 2.2; offsets count
//! code points. The findings and their scores are this engine's.

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
    router::Presidio,
};

/// Answers one of Presidio's clients. The parameter `language` of a query is ignored: every recognizer works in
/// every language.
pub(super) async fn answer<H: Host>(call: Call<'_, H>, endpoint: Presidio, request: Value) -> RouteResult {
    let host = call.host;
    match endpoint {
        Presidio::Analyze => analyze::answer(call, filled(request)?).await,
        Presidio::Recognizers => ok(&names::recognizers(&*call.settings().await?)),
        Presidio::SupportedEntities => ok(&names::supported(&*call.settings().await?)),
        Presidio::Anonymize => anonymize::answer(host, filled(request)?),
        Presidio::Anonymizers => ok(&operators::ANONYMIZERS),
        Presidio::Deanonymize => deanonymize::answer(filled(request)?),
        Presidio::Deanonymizers => ok(&operators::DEANONYMIZERS),
    }
}

/// Rejects an object without members.
fn filled(object: Value) -> Result<Value, ApiError> {
    if object.as_object().is_none_or(serde_json::Map::is_empty) {
        return Err(ApiError::invalid("body", "body must be a JSON object with a text"));
    }
    Ok(object)
}
