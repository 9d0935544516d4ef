//! The options of a request to a language model.

use serde_json::Value;

use super::{endpoint::Chat, sessions::Continuation, stored::Wanted};
use crate::{error::ApiError, limits::MAX_MODEL_BYTES, sent::Sent, setup::Setup};

/// The options of a body.
#[derive(Default)]
pub(super) struct Asked {
    pub model: Option<String>,
    /// Whether the answer is streamed.
    pub streamed: bool,
    /// Whether its last event contains the token counts.
    pub with_usage: bool,
    /// The response that the request continues, and whether it can be continued.
    pub continuation: Continuation,
}

impl Asked {
    /// Reads the body of a request.
    ///
    /// # Errors
    /// `invalid_request` naming a field.
    pub(super) fn read(body: &Value, endpoint: Chat, setup: &Setup) -> Result<Self, ApiError> {
        let sent = Sent::body(body)?;
        let may_stream = !matches!(endpoint, Chat::Embeddings | Chat::CountTokens);
        let streamed = may_stream && sent.flag("stream")?.unwrap_or(false);
        check_streaming(streamed, setup)?;
        let mut continuation = Continuation::default();
        if endpoint == Chat::Responses {
            check_input(&sent)?;
            continuation = Continuation::read(&sent, setup.routing.configuration.sessions)?;
        } else if endpoint != Chat::Embeddings {
            let is_conversation = |value: &Value| {
                value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(Value::is_object))
            };
            let messages = sent.read("messages", "a list of objects, and not empty", |value| {
                is_conversation(value).then_some(())
            })?;
            sent.required("messages", messages)?;
        }
        let with_usage = sent.object("stream_options")?.map(|options| options.flag("include_usage"));
        Ok(Self {
            model: sent.line("model", 1..=MAX_MODEL_BYTES)?.map(str::to_owned),
            streamed,
            with_usage: with_usage.transpose()?.flatten().unwrap_or(false),
            continuation,
        })
    }

    /// Returns the options of a request for a stored response.
    pub(super) fn stored(wanted: &Wanted, setup: &Setup) -> Result<Self, ApiError> {
        let streamed = wanted.is_streamed();
        check_streaming(streamed, setup)?;
        Ok(Self { model: None, streamed, with_usage: false, continuation: Continuation::default() })
    }
}

/// # Errors
/// `invalid_request` if streaming is disabled in the workspace.
fn check_streaming(streamed: bool, setup: &Setup) -> Result<(), ApiError> {
    if streamed && !setup.routing.configuration.streaming.enabled {
        return Err(ApiError::invalid(
            "stream",
            "stream must be false: the workspace's configuration has streaming.enabled set to false",
        ));
    }
    Ok(())
}

/// Checks that a request for a response has an input.
///
/// # Errors
/// `invalid_request` naming `input`.
fn check_input(sent: &Sent<'_>) -> Result<(), ApiError> {
    let is_input = |value: &Value| match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty() && items.iter().all(Value::is_object),
        _ => false,
    };
    let input = sent
        .read("input", "a string or a list of items, and not empty", |value| is_input(value).then_some(()))?;
    // a stored prompt may contain everything
    if sent.value("prompt").is_none() {
        sent.required("input", input)?;
    }
    Ok(())
}
