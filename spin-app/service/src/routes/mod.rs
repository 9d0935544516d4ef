//! The endpoints: a parsed request in, an answer out.

pub(crate) mod api_keys;
pub(crate) mod detect;
pub(crate) mod detectors;
pub(crate) mod documentation;
pub(crate) mod gateway;
pub(crate) mod guardrails;
pub(crate) mod health;
pub(crate) mod llm_providers;
pub(crate) mod mcp;
pub(crate) mod metrics;
mod page;
pub(crate) mod presidio;
pub(crate) mod protect;
pub(crate) mod protect_document;
pub(crate) mod restore;
pub(crate) mod settings;
pub(crate) mod sign_in;
pub(crate) mod telemetry;
pub(crate) mod validate;

use std::sync::Arc;

use serde_json::Value;
use textveil_engine::{DetectOptions, Finder, limits::MAX_BATCH, tree::FromTree, wire};

use crate::{call::Call, error::ApiError, host::Host};

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
