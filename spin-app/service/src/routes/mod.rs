//! The endpoints of {base_url} (spec §4, design §6): a parsed request in, an answer out.

pub(crate) mod api_keys;
mod detect;
mod detectors;
pub(crate) mod documentation;
pub(crate) mod gateway;
pub(crate) mod health;
pub(crate) mod llm_providers;
mod metrics;
mod page;
pub(crate) mod presidio;
mod protect;
mod restore;
pub(crate) mod settings;
mod validate;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header::CONTENT_TYPE};
use http_body::Body;
use serde::Serialize;
use serde_json::Value;
use textveil_engine::{
    DetectOptions,
    limits::MAX_BATCH,
    options::{AllowRule, DenyRule},
    schema::tree::FromTree,
    wire,
};

use crate::{
    auth::user_token,
    body::{self, StreamError},
    credentials::ApiKeyRecord,
    error::ApiError,
    host::{Host, Stopwatch},
    limits::{MAX_BATCH_BODY_BYTES, MAX_BODY_BYTES, MAX_RECORD_BODY_BYTES},
    log::Counts,
    router::{Keyed, Open, User},
    workspace::Settings,
};

/// A request whose key was accepted.
pub(crate) struct Call<'a, H> {
    pub host: &'a H,
    pub key: &'a ApiKeyRecord,
    /// What stands in the place of the path's parameter.
    pub parameter: &'a str,
    /// Runs since the request came in.
    pub clock: &'a Stopwatch<&'a H>,
    /// What was found, for the log.
    pub counts: &'a mut Counts,
}

/// A request whose user is known.
pub(crate) struct UserCall<'a, H> {
    pub host: &'a H,
    pub user: &'a user_token::User,
    /// What stands in the place of the path's parameter.
    pub parameter: &'a str,
}

pub(crate) type Answer = Result<Response<Bytes>, ApiError>;

/// Answers anybody.
pub(crate) async fn open<H: Host>(host: &H, endpoint: Open, headers: &HeaderMap) -> Answer {
    match endpoint {
        Open::Alive => health::alive(),
        Open::Ready => health::ready(host).await,
        Open::Metrics => metrics::show(host).await,
        Open::OpenApi => documentation::document(headers),
        Open::Docs => documentation::page(headers),
    }
}

/// Answers the holder of a key.
pub(crate) async fn keyed<H, B>(call: Call<'_, H>, endpoint: Keyed, request: Request<B>) -> Answer
where
    H: Host,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let host = call.host;
    let text = async |request| body::object(host, request, MAX_BODY_BYTES).await;
    let texts = async |request| body::object(host, request, MAX_BATCH_BODY_BYTES).await;
    let record = async |request| body::object(host, request, MAX_RECORD_BODY_BYTES).await;
    match endpoint {
        Keyed::Detect => detect::one(call, text(request).await?).await,
        Keyed::DetectBatch => detect::batch(call, texts(request).await?).await,
        Keyed::Validate => validate::one(&text(request).await?),
        Keyed::Detectors => detectors::list(request.uri().query().unwrap_or_default()),
        Keyed::Protect => protect::one(call, text(request).await?).await,
        Keyed::ProtectBatch => protect::batch(call, texts(request).await?).await,
        Keyed::Restore => restore::one(call, text(request).await?).await,
        Keyed::Health => health::report(call).await,
        Keyed::CustomDetectors => settings::custom_detectors(call).await,
        Keyed::CreateCustomDetector => settings::create_custom_detector(call, record(request).await?).await,
        Keyed::DeleteCustomDetector => settings::delete_custom_detector(call).await,
        Keyed::AllowList => settings::rules::<AllowRule, _>(call).await,
        Keyed::CreateAllowRule => settings::create_rule::<AllowRule, _>(call, record(request).await?).await,
        Keyed::DeleteAllowRule => settings::delete_rule::<AllowRule, _>(call).await,
        Keyed::DenyList => settings::rules::<DenyRule, _>(call).await,
        Keyed::CreateDenyRule => settings::create_rule::<DenyRule, _>(call, record(request).await?).await,
        Keyed::DeleteDenyRule => settings::delete_rule::<DenyRule, _>(call).await,
        Keyed::Presidio(endpoint) => presidio::answer(call, endpoint, request).await,
    }
}

/// Answers a signed-in user.
pub(crate) async fn user<H, B>(call: UserCall<'_, H>, endpoint: User, request: Request<B>) -> Answer
where
    H: Host,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let host = call.host;
    let record = async |request| body::object(host, request, MAX_RECORD_BODY_BYTES).await;
    match endpoint {
        User::ApiKeys => api_keys::list(call).await,
        User::CreateApiKey => api_keys::create(call, record(request).await?).await,
        User::ApiKey => api_keys::show(call).await,
        User::RevokeApiKey => api_keys::revoke(call).await,
        User::LlmProviders => llm_providers::list(call, request.uri().query().unwrap_or_default()).await,
        User::CreateLlmProvider => llm_providers::create(call, record(request).await?).await,
        User::LlmProvider => llm_providers::show(call).await,
        User::ReplaceLlmProvider => llm_providers::replace(call, record(request).await?).await,
        User::ChangeLlmProvider => llm_providers::change(call, record(request).await?).await,
        User::DeleteLlmProvider => llm_providers::delete(call).await,
    }
}

/// An answer with a JSON body.
pub(crate) fn json(status: StatusCode, body: impl Into<Bytes>) -> Response<Bytes> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn answer(status: StatusCode, answer: &impl Serialize) -> Answer {
    let body =
        serde_json::to_vec(answer).map_err(|_| ApiError::internal("the answer cannot be written as JSON"))?;
    Ok(json(status, body))
}

fn ok(body: &impl Serialize) -> Answer {
    answer(StatusCode::OK, body)
}

/// One part of a request about texts, read from the whole.
fn part<T: FromTree>(request: &Value) -> Result<T, ApiError> {
    Ok(wire::decode(request)?)
}

/// What to detect: as the request says, and as the workspace always does.
async fn detection<H: Host>(call: &Call<'_, H>, request: &Value) -> Result<DetectOptions, ApiError> {
    let mut options = part(request)?;
    Settings::of(call.host, &call.key.workspace).await?.add_to(&mut options);
    Ok(options)
}

/// The texts of a batch: 1 to 50 (spec §8).
fn texts(request: Value) -> Result<Vec<String>, ApiError> {
    let wire::ManyTexts { texts } = wire::decode(request)?;
    if (1..=MAX_BATCH).contains(&texts.len()) {
        return Ok(texts);
    }
    Err(ApiError::invalid("texts", format!("texts must be a list of 1 to {MAX_BATCH} strings")))
}

/// Each text of a batch, and its share of the milliseconds that all took: the engine takes time in
/// proportion to the length.
fn shares(texts: &[String], elapsed_ms: f64) -> impl Iterator<Item = (&String, f64)> {
    let total: usize = texts.iter().map(String::len).sum();
    texts.iter().map(move |text| (text, elapsed_ms * text.len() as f64 / total.max(1) as f64))
}
