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
pub(crate) mod metrics;
mod page;
pub(crate) mod presidio;
mod protect;
pub(crate) mod protect_document;
mod restore;
pub(crate) mod settings;
pub(crate) mod sign_in;
pub(crate) mod telemetry;
mod validate;

use std::sync::Arc;

use serde_json::Value;
use textveil_engine::{
    DetectOptions, Finder,
    limits::MAX_BATCH,
    options::{AllowRule, DenyRule},
    tree::FromTree,
    wire,
};

use crate::{
    call::{Call, RouteResult},
    error::ApiError,
    host::Host,
    router::{Keyed, SignedIn},
};

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
