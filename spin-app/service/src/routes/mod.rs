//! The endpoints of {base_url} (spec §4): a parsed request in, an answer out.

mod detect;
mod detectors;
mod health;
mod protect;
mod restore;
mod validate;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header::CONTENT_TYPE};
use http_body::Body;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use textveil_engine::{limits::MAX_BATCH, wire};

use crate::{
    body::{self, StreamError},
    credentials::ApiKeyRecord,
    error::ApiError,
    host::{Host, Stopwatch},
    limits::{MAX_BATCH_BODY_BYTES, MAX_BODY_BYTES},
    log::Counts,
    router::Endpoint,
};

/// A request whose key was accepted.
pub(crate) struct Call<'a, H> {
    pub host: &'a H,
    pub key: &'a ApiKeyRecord,
    /// Runs since the request came in.
    pub clock: &'a Stopwatch<'a, H>,
    /// What was found, for the log.
    pub counts: &'a mut Counts,
}

type Answer = Result<Response<Bytes>, ApiError>;

/// Answers on a route that asks for no key.
pub(crate) async fn open<H: Host>(host: &H, endpoint: Endpoint) -> Answer {
    match endpoint {
        Endpoint::Alive => health::alive(),
        Endpoint::Ready => health::ready(host).await,
        _ => Err(ApiError::not_found()),
    }
}

/// Answers on a route that asks for a key.
pub(crate) async fn keyed<H, B>(call: Call<'_, H>, endpoint: Endpoint, request: Request<B>) -> Answer
where
    H: Host,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    match endpoint {
        Endpoint::Detect => detect::one(call, body::object(request, MAX_BODY_BYTES).await?),
        Endpoint::DetectBatch => detect::batch(call, body::object(request, MAX_BATCH_BODY_BYTES).await?),
        Endpoint::Validate => validate::one(&body::object(request, MAX_BODY_BYTES).await?),
        Endpoint::Detectors => detectors::list(request.uri().query().unwrap_or_default()),
        Endpoint::Protect => protect::one(call, body::object(request, MAX_BODY_BYTES).await?).await,
        Endpoint::ProtectBatch => {
            protect::batch(call, body::object(request, MAX_BATCH_BODY_BYTES).await?).await
        }
        Endpoint::Restore => restore::one(call, body::object(request, MAX_BODY_BYTES).await?).await,
        Endpoint::Health => health::report(call).await,
        Endpoint::Alive | Endpoint::Ready => Err(ApiError::not_found()),
    }
}

/// An answer with a JSON body.
pub(crate) fn json(status: StatusCode, body: impl Into<Bytes>) -> Response<Bytes> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn ok(answer: &impl Serialize) -> Answer {
    let body = serde_json::to_vec(answer).map_err(|_| ApiError::internal())?;
    Ok(json(StatusCode::OK, body))
}

/// One part of a request, read from the whole.
fn part<T: DeserializeOwned>(request: &Value) -> Result<T, ApiError> {
    Ok(wire::decode(request)?)
}

/// The texts of a batch: 1 to 50 (spec §8).
fn texts(request: Value) -> Result<Vec<String>, ApiError> {
    let wire::ManyTexts { texts } = wire::decode(request)?;
    if (1..=MAX_BATCH).contains(&texts.len()) {
        return Ok(texts);
    }
    Err(ApiError::invalid("texts", format!("texts must be a list of 1 to {MAX_BATCH} strings")))
}
