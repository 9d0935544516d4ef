//! Translates OpenAI's chat completions to Anthropic's Messages API, version 2023-06-01.
//!
//! A request is translated after it was protected, and an answer before it is protected and restored, so this
//! code only processes text that the provider has, too. A parameter without a counterpart in the API is
//! rejected if it would change the answer (the table of `request`), and omitted otherwise.
//!
//! Members of a message or a part other than its text, such as `name` or `detail`, have no counterpart and
//! are omitted. So is `reasoning_content` of an earlier turn: the API accepts only its own signed blocks,
//! which OpenAI's format cannot contain. Numbers in the arguments of a tool call keep 64 bits.
//!
//! Source: platform.claude.com/docs, "Messages", "Streaming messages", "Structured outputs", "Effort",
//! "Handling stop reasons", "Errors" and "OpenAI SDK compatibility".

mod messages;
mod request;
mod response;
mod stream;

use std::fmt;

use serde_json::{Map, Value};

use super::{
    events::SseEvent,
    openai::{CompletionStream, Completions},
    protect::Rules,
    protocol::{AnswerStream, Protocol, Step},
    request::RequestSchema,
    stream::Answer,
};
use crate::error::ApiError;

pub use messages::RAW_ARGUMENTS;
pub use request::{DEFAULT_MAX_TOKENS, request};
pub use response::response;
pub use stream::{Chunks, TranslationError};

/// The error of a provider.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderError {
    /// Its code, such as `overloaded_error`.
    pub kind: String,
    /// Its message. It may contain text of the request, as sent to the provider.
    pub message: String,
}

/// Omits the text; shows its length only.
impl fmt::Debug for ProviderError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ProviderError({} bytes)", self.message.len())
    }
}

/// Reads the body of an error; `None` if it is something else.
pub fn error(body: &Value) -> Option<ProviderError> {
    let error = body.get("error")?;
    let text = |name| error.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(ProviderError { kind: text("type")?, message: text("message")? })
}

/// Returns an object of the fields that are present.
fn object<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let there = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(there.collect::<Map<_, _>>())
}

/// Returns a list; `None` if it is empty.
fn filled(values: Vec<Value>) -> Option<Value> {
    (!values.is_empty()).then_some(Value::Array(values))
}

/// Returns a string of the provider's answer.
fn text<'v>(sent: &'v Value, name: &str) -> Result<&'v str, ApiError> {
    sent.get(name).and_then(Value::as_str).ok_or_else(malformed)
}

/// The error for an answer in an unknown format.
fn malformed() -> ApiError {
    ApiError::upstream("the answer of the provider has another form than Anthropic's messages")
}

/// The error for a field without a counterpart in the API.
fn unsupported(field: &str) -> ApiError {
    ApiError::invalid(field, format!("{field} is not supported by this provider; leave it out"))
}

/// OpenAI's chat completions, for a provider with Anthropic's API.
pub(crate) struct TranslatedCompletions;

impl<R: Rules> Protocol<R> for TranslatedCompletions {
    fn schema(&self) -> RequestSchema {
        RequestSchema::Completions
    }

    fn request(&self, body: Value, model: &str) -> Result<Value, ApiError> {
        request(&body, model)
    }

    fn restore(&self, body: Value, answer: &mut Answer<R>, now: u64) -> Result<Value, ApiError> {
        Completions.restore(response(&body, now)?, answer, now)
    }

    fn stream(&self, with_usage: bool, now: u64) -> Box<dyn AnswerStream<R>> {
        Box::new(TranslatedEvents {
            chunks: Chunks::new(now, with_usage),
            completion: CompletionStream::default(),
        })
    }
}

/// Anthropic's message events as chunks of a chat completion.
struct TranslatedEvents {
    chunks: Chunks,
    completion: CompletionStream,
}

impl<R: Rules> AnswerStream<R> for TranslatedEvents {
    fn push(&mut self, answer: &mut Answer<R>, event: SseEvent) -> Result<Step, ApiError> {
        let translated = match self.chunks.push(&event) {
            Ok(events) => events,
            Err(TranslationError::Provider(_)) => return Ok(Step::Failed),
            Err(TranslationError::Malformed(error)) => return Err(error),
        };
        let mut events = Vec::new();
        for event in translated {
            events.extend(self.completion.push(answer, event)?);
        }
        if !self.chunks.is_done() {
            return Ok(Step::On(events));
        }
        events.extend(self.completion.last(answer)?);
        Ok(Step::Over(events))
    }

    fn broken(&mut self, error: &ApiError) -> Vec<SseEvent> {
        AnswerStream::<R>::broken(&mut self.completion, error)
    }

    fn report(&self, events: &mut Vec<SseEvent>, report: Value) {
        AnswerStream::<R>::report(&self.completion, events, report);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Values to put where another type is expected.
    const ODD: [&str; 7] = ["null", "true", "-1.5", r#""Jan Novák""#, "[]", "{}", r#"[["Jan Novák"]]"#];

    /// Returns the value with each of its parts, at any depth, replaced by each of these values.
    pub(super) fn spoilt(value: &Value) -> Vec<Value> {
        let mut all: Vec<Value> = ODD.iter().map(|odd| serde_json::from_str(odd).unwrap()).collect();
        match value {
            Value::Object(members) => {
                for (key, part) in members {
                    all.extend(spoilt(part).into_iter().map(|odd| {
                        let mut members = members.clone();
                        members.insert(key.clone(), odd);
                        Value::Object(members)
                    }));
                }
            }
            Value::Array(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    all.extend(spoilt(part).into_iter().map(|odd| {
                        let mut parts = parts.clone();
                        parts[index] = odd;
                        Value::Array(parts)
                    }));
                }
            }
            _ => {}
        }
        all
    }

    #[test]
    fn errors() {
        let read = |kind: &str, message: &str| {
            Some(ProviderError { kind: kind.to_owned(), message: message.to_owned() })
        };
        for (body, want) in [
            (
                json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" },
                    "request_id": "req_1" }),
                read("overloaded_error", "Overloaded"),
            ),
            (json!({ "error": { "type": "api_error", "message": "" } }), read("api_error", "")),
            (json!({ "error": { "type": "api_error" } }), None),
            (json!({ "error": "no" }), None),
            (json!({ "type": "message" }), None),
            (json!("no"), None),
        ] {
            assert_eq!(error(&body), want, "{body}");
        }
    }

    #[test]
    fn debug_shows_no_text() {
        let error = ProviderError { kind: "jan".into(), message: "novák".into() };
        assert_eq!(format!("{error:?}"), "ProviderError(6 bytes)");
    }
}
