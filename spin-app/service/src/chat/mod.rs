//! Protects conversations: the model sees placeholders, the application sees the values.
//!
//! `request` walks the strings of a request and `protect` decides about them; `stream` and `text` restore an answer,
//! and `call` says whether a tool gets values; the crate `textveil-restore` says where a text gets them. Each API has a folder with its answers, whole and in events, and a type
//! that implements `protocol::Protocol`.
//!
//! Functions over texts and JSON, without HTTP, stores or a network.

pub mod anthropic;

pub mod events;
pub mod json_text;
pub mod openai;
pub mod placeholder;
pub mod protect;
pub mod request;
pub mod responses;
pub mod stream;
pub mod text;
pub mod translation;

pub(crate) mod protocol;

mod call;
#[cfg(test)]
mod corpus;
mod edits;
mod escapes;
mod fields;
#[cfg(test)]
mod fuzz;
pub mod seams;
mod surrogates;
