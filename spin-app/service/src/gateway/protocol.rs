//! The protocol of a request and its answer.

use bytes::Bytes;
use serde_json::Value;

use super::{conversation::PlaceRules, destination::Destination, endpoint::Chat};
use crate::{
    chat::{
        anthropic::{CountTokens, Messages},
        openai::{Completions, Embeddings},
        protocol::Protocol,
        responses::{Responses, StoredResponses},
        translation::TranslatedCompletions,
    },
    error::ApiError,
};

/// The protocol of a workspace's request.
pub(super) type WorkspaceProtocol = dyn Protocol<PlaceRules>;

/// The protocol of an endpoint and the provider behind it.
///
/// # Errors
/// `not_supported` where the provider does not speak it.
pub(super) fn protocol(endpoint: Chat, to: &Destination) -> Result<&'static WorkspaceProtocol, ApiError> {
    let is_anthropic = to.provider.record.provider_type.speaks_anthropic();
    match (endpoint, is_anthropic) {
        (Chat::Messages, true) => Ok(&Messages),
        (Chat::CountTokens, true) => Ok(&CountTokens),
        (Chat::Messages | Chat::CountTokens, false) => Err(ApiError::not_supported(
            "the provider does not speak Anthropic's messages; use /v1/chat/completions, or a route to Anthropic",
        )),
        (Chat::Responses, true) => Err(ApiError::not_supported(
            "the provider does not speak OpenAI's responses; use /v1/chat/completions, or a route to another one",
        )),
        (Chat::Responses, false) => Ok(&Responses),
        (Chat::Embeddings, true) => {
            Err(ApiError::not_supported("the provider has no embeddings; use a route to one that has"))
        }
        (Chat::Embeddings, false) => Ok(&Embeddings),
        (Chat::Stored(_), _) => Ok(&StoredResponses),
        (Chat::Completions | Chat::Models, true) => Ok(&TranslatedCompletions),
        (Chat::Completions | Chat::Models, false) => Ok(&Completions),
    }
}

/// The message in the body of a provider's error.
pub(super) fn error_message(body: &Bytes) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let error = body.get("error").unwrap_or(&body);
    let message = error.get("message").or_else(|| body.get("message")).unwrap_or(error);
    message.as_str().map(str::to_owned)
}
