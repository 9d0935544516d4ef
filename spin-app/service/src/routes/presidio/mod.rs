//! Presidio's protocol, so that what speaks to Presidio's analyzer and anonymizer can speak to this service:
//! `/analyze`, `/recognizers`, `/supportedentities`, `/anonymize`, `/anonymizers`, `/deanonymize` and
//! `/deanonymizers`. Shapes, operators and the order of things are those of Presidio 2.2; offsets count
//! code points. What is found, and how sure it is, is this engine's.

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

use bytes::Bytes;
use http::Request;
use http_body::Body;
use serde_json::Value;

use super::{Answer, Call, ok};
use crate::{
    body::{self, StreamError},
    error::ApiError,
    host::Host,
    limits::{MAX_BATCH_BODY_BYTES, MAX_BODY_BYTES},
    router::Presidio,
    workspace::Settings,
};

/// Answers one of Presidio's clients. A `language` in a query is not looked at: what finds something finds
/// it in every language.
pub(super) async fn answer<H, B>(call: Call<'_, H>, endpoint: Presidio, request: Request<B>) -> Answer
where
    H: Host,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let host = call.host;
    let object = async |request, limit| filled(body::object(host, request, limit).await?);
    match endpoint {
        Presidio::Analyze => analyze::answer(call, object(request, MAX_BATCH_BODY_BYTES).await?).await,
        Presidio::Recognizers => ok(&names::recognizers(&Settings::of(host, &call.key.workspace).await?)),
        Presidio::SupportedEntities => ok(&names::supported(&Settings::of(host, &call.key.workspace).await?)),
        Presidio::Anonymize => anonymize::answer(host, object(request, MAX_BODY_BYTES).await?),
        Presidio::Anonymizers => ok(&operators::ANONYMIZERS),
        Presidio::Deanonymize => deanonymize::answer(object(request, MAX_BODY_BYTES).await?),
        Presidio::Deanonymizers => ok(&operators::DEANONYMIZERS),
    }
}

/// An object with nothing in it is no request.
fn filled(object: Value) -> Result<Value, ApiError> {
    if object.as_object().is_none_or(serde_json::Map::is_empty) {
        return Err(ApiError::invalid("body", "body must be a JSON object with a text"));
    }
    Ok(object)
}
