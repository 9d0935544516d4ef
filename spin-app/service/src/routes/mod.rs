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
    router::{Operation, Probe},
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

/// Answers a load balancer.
pub(crate) async fn probe<H: Host>(host: &H, probe: Probe) -> Answer {
    match probe {
        Probe::Alive => health::alive(),
        Probe::Ready => health::ready(host).await,
    }
}

/// Answers the holder of a key.
pub(crate) async fn operation<H, B>(call: Call<'_, H>, operation: Operation, request: Request<B>) -> Answer
where
    H: Host,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    match operation {
        Operation::Detect => detect::one(call, body::object(request, MAX_BODY_BYTES).await?),
        Operation::DetectBatch => detect::batch(call, body::object(request, MAX_BATCH_BODY_BYTES).await?),
        Operation::Validate => validate::one(&body::object(request, MAX_BODY_BYTES).await?),
        Operation::Detectors => detectors::list(request.uri().query().unwrap_or_default()),
        Operation::Protect => protect::one(call, body::object(request, MAX_BODY_BYTES).await?).await,
        Operation::ProtectBatch => {
            protect::batch(call, body::object(request, MAX_BATCH_BODY_BYTES).await?).await
        }
        Operation::Restore => restore::one(call, body::object(request, MAX_BODY_BYTES).await?).await,
        Operation::Health => health::report(call).await,
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
    let body =
        serde_json::to_vec(answer).map_err(|_| ApiError::internal("the answer cannot be written as JSON"))?;
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
