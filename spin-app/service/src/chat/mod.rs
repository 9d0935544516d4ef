//! What the gateway does to a conversation: the model sees placeholders, the
//! application sees the real values.
//!
//! Functions over texts and JSON, without HTTP, stores or a network.

pub mod answer;
pub mod anthropic;
pub mod body;
pub mod completion_stream;
pub mod events;
pub mod json_text;
pub mod message;
pub mod placeholder;
pub mod protect;
pub mod responses;
pub mod stream;
pub mod surrogates;

pub(crate) mod hosts;

mod entities;
mod escapes;
mod fields;
mod place;
