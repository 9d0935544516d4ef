//! The endpoints for clients of language models.

use crate::chat::protocol::StoredResponse;

/// Endpoints that replace those of a language model's provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chat {
    /// OpenAI's chat completions.
    Completions,
    /// OpenAI's embeddings.
    Embeddings,
    /// OpenAI's list of models.
    Models,
    /// Anthropic's messages.
    Messages,
    /// Anthropic's count of the tokens of messages.
    CountTokens,
    /// OpenAI's responses.
    Responses,
    /// A response that the provider stored.
    Stored(StoredResponse),
}

impl Chat {
    /// The name in metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Completions => "chat_completions",
            Self::Embeddings => "embeddings",
            Self::Models => "models",
            Self::Messages => "messages",
            Self::CountTokens => "count_tokens",
            Self::Responses => "responses",
            Self::Stored(StoredResponse::Show) => "responses_show",
            Self::Stored(StoredResponse::Delete) => "responses_delete",
            Self::Stored(StoredResponse::Cancel) => "responses_cancel",
            Self::Stored(StoredResponse::Input) => "responses_input_items",
        }
    }
}
