//! The endpoints: a parsed request in, an answer out.

pub(crate) mod api_keys;
mod detect;
mod detectors;
pub(crate) mod documentation;
pub(crate) mod gateway;
pub(crate) mod guardrails;
pub(crate) mod health;
pub(crate) mod llm_providers;
pub(crate) mod mcp;
mod metrics;
mod page;
pub(crate) mod presidio;
mod protect;
pub(crate) mod protect_document;
mod restore;
pub(crate) mod settings;
pub(crate) mod sign_in;
pub(crate) mod telemetry;
mod validate;

pub use health::alive;

use std::sync::Arc;

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Response, StatusCode,
    header::{CONTENT_TYPE, LOCATION},
};
use serde::Serialize;
use serde_json::Value;
use textveil_engine::{
    DetectOptions, Finder,
    limits::MAX_BATCH,
    options::{AllowRule, DenyRule},
    tree::FromTree,
    wire,
};

use crate::{
    auth::Principal,
    cache,
    documents::{Origin, Stamp},
    error::ApiError,
    host::{Host, Stopwatch},
    log::Counts,
    query::Query,
    router::{Keyed, Open, SignedIn},
    usage::metrics::Sample,
    workspace::Settings,
};

/// A request that was admitted, with the principal that makes it.
pub(crate) struct Call<'a, H> {
    pub host: &'a H,
    pub principal: &'a Principal,
    /// The value of the path's parameter.
    pub parameter: &'a str,
    pub query: &'a Query,
    pub headers: &'a HeaderMap,
    pub request_id: &'a str,
    /// Runs since the request arrived.
    pub clock: &'a Stopwatch<H>,
    /// Findings by type, for the log.
    pub counts: &'a mut Counts,
    /// Further metrics.
    pub samples: &'a mut Vec<Sample>,
    /// The stamp of the workspace, where authentication has read it.
    pub stamp: Option<&'a Stamp>,
}

impl<H: Host> Call<'_, H> {
    /// The settings of the workspace.
    pub(crate) async fn settings(&self) -> Result<Arc<Settings>, ApiError> {
        cache::settings(self.host, self.workspace(), self.stamp).await
    }
}

impl<H> Call<'_, H> {
    /// The workspace that the request is about.
    pub(crate) fn workspace(&self) -> &str {
        &self.principal.workspace
    }

    /// Returns the author of a change, for the audit.
    pub(crate) fn origin(&self) -> Origin<'_> {
        Origin { principal: self.principal, request_id: self.request_id }
    }
}

pub(crate) type RouteResult = Result<Response<Bytes>, ApiError>;

/// Answers requests of operation and documentation.
pub(crate) async fn open<H: Host>(call: Call<'_, H>, endpoint: Open) -> RouteResult {
    match endpoint {
        Open::Alive => Ok(alive()),
        Open::Ready => health::ready(call.host).await,
        Open::Metrics => metrics::show(call.host).await,
        Open::OpenApi => documentation::document(call.headers),
        Open::Docs => documentation::page(call.headers),
        Open::SignIn => sign_in::show(call.host).await,
    }
}

/// Answers the holder of an API key.
pub(crate) async fn keyed<H: Host>(call: Call<'_, H>, endpoint: Keyed, request: Value) -> RouteResult {
    match endpoint {
        Keyed::Detect
        | Keyed::DetectBatch
        | Keyed::Validate
        | Keyed::Detectors
        | Keyed::Protect
        | Keyed::ProtectBatch
        | Keyed::ProtectDocument
        | Keyed::Restore
        | Keyed::Mcp
        | Keyed::Health => core(call, endpoint, &request).await.unwrap_or_else(|| Err(ApiError::not_found())),
        Keyed::CustomDetectors => settings::custom_detectors(call).await,
        Keyed::CreateCustomDetector => settings::create_custom_detector(call, request).await,
        Keyed::DeleteCustomDetector => settings::delete_custom_detector(call).await,
        Keyed::AllowList => settings::rules::<AllowRule, _>(call).await,
        Keyed::CreateAllowRule => settings::create_rule::<AllowRule, _>(call, request).await,
        Keyed::DeleteAllowRule => settings::delete_rule::<AllowRule, _>(call).await,
        Keyed::DenyList => settings::rules::<DenyRule, _>(call).await,
        Keyed::CreateDenyRule => settings::create_rule::<DenyRule, _>(call, request).await,
        Keyed::DeleteDenyRule => settings::delete_rule::<DenyRule, _>(call).await,
        Keyed::Presidio(endpoint) => presidio::answer(call, endpoint, request).await,
        Keyed::Guardrail(endpoint) => guardrails::answer(call, endpoint, request).await,
    }
}

/// Answers an endpoint that needs no store; `None` for others.
pub(crate) async fn core<H: Host>(
    call: Call<'_, H>,
    endpoint: Keyed,
    request: &Value,
) -> Option<RouteResult> {
    Some(match endpoint {
        Keyed::Detect => detect::one(call, request).await,
        Keyed::DetectBatch => detect::batch(call, request).await,
        Keyed::Validate => validate::one(request),
        Keyed::Detectors => detectors::list(call.query.as_str()),
        Keyed::Protect => protect::one(call, request).await,
        Keyed::ProtectBatch => protect::batch(call, request).await,
        Keyed::ProtectDocument => protect_document::one(call, request).await,
        Keyed::Restore => restore::one(call, request).await,
        Keyed::Mcp => mcp::answer(call, request).await,
        Keyed::Health => health::report(call).await,
        _ => return None,
    })
}

/// Answers a signed-in user.
pub(crate) async fn user<H: Host>(call: Call<'_, H>, endpoint: SignedIn, request: Value) -> RouteResult {
    match endpoint {
        SignedIn::ApiKeys => api_keys::list(call).await,
        SignedIn::CreateApiKey => api_keys::create(call, request).await,
        SignedIn::ApiKey => api_keys::show(call).await,
        SignedIn::RevokeApiKey => api_keys::revoke(call).await,
        SignedIn::LlmProviders => llm_providers::list(call).await,
        SignedIn::CreateLlmProvider => llm_providers::create(call, request).await,
        SignedIn::LlmProvider => llm_providers::show(call).await,
        SignedIn::ReplaceLlmProvider => llm_providers::replace(call, request).await,
        SignedIn::ChangeLlmProvider => llm_providers::change(call, request).await,
        SignedIn::DeleteLlmProvider => llm_providers::delete(call).await,
    }
}

/// An answer with a JSON body.
pub(crate) fn json(status: StatusCode, body: impl Into<Bytes>) -> Response<Bytes> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// An answer that leads to another address, for good.
pub(crate) fn redirect(address: &'static str) -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    response.headers_mut().insert(LOCATION, HeaderValue::from_static(address));
    response
}

fn answer(status: StatusCode, answer: &impl Serialize) -> RouteResult {
    let body =
        serde_json::to_vec(answer).map_err(|_| ApiError::internal("the answer cannot be written as JSON"))?;
    Ok(json(status, body))
}

fn ok(body: &impl Serialize) -> RouteResult {
    answer(StatusCode::OK, body)
}

/// Reads a request and its detection options at once, and compiles them with the workspace's settings.
async fn detection<H: Host, T: FromTree>(
    call: &Call<'_, H>,
    request: &Value,
) -> Result<(T, Arc<Finder>), ApiError> {
    let (read, options): (T, DetectOptions) = wire::decode(request)?;
    Ok((read, call.settings().await?.finder(&options)?))
}

/// The texts of a batch, 1 to 50.
fn texts(request: wire::ManyTexts) -> Result<Vec<String>, ApiError> {
    if (1..=MAX_BATCH).contains(&request.texts.len()) {
        return Ok(request.texts);
    }
    Err(ApiError::invalid("texts", format!("texts must be a list of 1 to {MAX_BATCH} strings")))
}

/// Each text of a batch with its share of the milliseconds of the whole, in proportion to its length.
fn shares(texts: &[String], elapsed_ms: f64) -> impl Iterator<Item = (&String, f64)> {
    let total: usize = texts.iter().map(String::len).sum();
    texts.iter().map(move |text| (text, elapsed_ms * text.len() as f64 / total.max(1) as f64))
}
