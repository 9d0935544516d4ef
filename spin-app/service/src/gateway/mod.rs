//! The HTTP behaviour of the gateway component, which sends requests to LLM providers.
//!
//! It is a component of its own because of its rights: it may reach the network and holds the credentials
//! of providers; the component of {base_url} has neither.

mod answer_body;
mod ask;
mod asked;
mod chat;
pub(crate) mod conversation;
pub mod deadlines;
mod delivery;
mod destination;
mod endpoint;
mod model_list;
mod ongoing;
pub(crate) mod privacy;
mod protocol;
mod reply;
pub(crate) mod report;
mod sessions;
mod stored;
mod streaming;

pub use answer_body::AnswerBody;
pub(crate) use chat::answer;
pub(crate) use endpoint::Chat;

use crate::error::ApiError;

/// The first words of paths of OpenAI's and Anthropic's interfaces that the gateway does not protect.
const UNPROTECTED: [&str; 27] = [
    "assistants",
    "audio",
    "batches",
    "chat",
    "chatkit",
    "complete",
    "completions",
    "containers",
    "conversations",
    "edits",
    "embeddings",
    "engines",
    "evals",
    "files",
    "fine-tunes",
    "fine_tuning",
    "images",
    "messages",
    "models",
    "moderations",
    "realtime",
    "responses",
    "skills",
    "threads",
    "uploads",
    "vector_stores",
    "videos",
];

/// Whether an unknown path is one of a model's interface that the gateway does not protect: it answers 501, so that a
/// client's developer learns why. All other unknown paths answer 404.
pub(crate) fn is_unprotected(path: &str) -> bool {
    let first = path.strip_prefix("/v1/").and_then(|below| below.split('/').next());
    first.is_some_and(|first| UNPROTECTED.contains(&first))
}

/// Returns the error of an interface that the gateway does not protect.
pub(crate) fn unsupported() -> ApiError {
    ApiError::not_supported(
        "the gateway does not support this endpoint, since nothing may pass it unprotected; use chat/completions, \
         responses, embeddings, models, messages or messages/count_tokens",
    )
}
