//! The two protocols that applications speak with models, and how each provider is spoken to.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::destination::Destination;
use crate::{
    chat::{
        answer::{restore_answer, texts},
        anthropic,
        body::RequestSchema,
        completion_stream::CompletionStream,
        events::Event,
        message::{MessageStream, restore_message},
        protect::Rules,
        responses::{ResponseStream, State, restore_response},
        stream::Answer,
    },
    error::{ApiError, Shape},
    providers::{ProviderType, Purpose},
    router::Chat,
};

/// How one request is spoken about between an application, this gateway and a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// OpenAI's chat completions, on both sides.
    Completions,
    /// OpenAI's chat completions, of a provider that speaks as Anthropic does.
    TranslatedCompletions,
    /// Anthropic's messages, on both sides.
    Messages,
    /// OpenAI's embeddings, on both sides.
    Embeddings,
    /// OpenAI's responses, on both sides.
    Responses,
    /// Anthropic's count of the tokens of messages, on both sides.
    CountTokens,
}

impl Dialect {
    /// That of an endpoint and the provider behind it.
    ///
    /// # Errors
    /// `not_supported` where the provider does not speak so.
    pub(super) fn of(endpoint: Chat, to: &Destination) -> Result<Self, ApiError> {
        let is_anthropic = to.provider.record.provider_type == ProviderType::Anthropic;
        match (endpoint, is_anthropic) {
            (Chat::Messages, true) => Ok(Self::Messages),
            (Chat::CountTokens, true) => Ok(Self::CountTokens),
            (Chat::Responses, true) => Err(ApiError::not_supported(
                "the provider does not speak OpenAI's responses; use /v1/chat/completions, or a route to another one",
            )),
            (Chat::Responses, false) => Ok(Self::Responses),
            (Chat::Messages | Chat::CountTokens, false) => Err(ApiError::not_supported(
                "the provider does not speak Anthropic's messages; use /v1/chat/completions, or a route to Anthropic",
            )),
            (Chat::Embeddings, true) => {
                Err(ApiError::not_supported("the provider has no embeddings; use a route to one that has"))
            }
            (Chat::Embeddings, false) => Ok(Self::Embeddings),
            (Chat::Completions | Chat::Models, true) => Ok(Self::TranslatedCompletions),
            (Chat::Completions | Chat::Models, false) => Ok(Self::Completions),
        }
    }

    /// The schema of the request.
    pub(super) fn schema(self) -> RequestSchema {
        match self {
            Self::Completions | Self::TranslatedCompletions | Self::Embeddings => RequestSchema::Completions,
            Self::Responses => RequestSchema::Responses,
            Self::Messages | Self::CountTokens => RequestSchema::Messages,
        }
    }

    /// What the provider is asked for.
    pub(super) fn purpose(self, model: &str) -> Purpose<'_> {
        match self {
            Self::Embeddings => Purpose::Embeddings { model },
            Self::Responses => Purpose::Responses,
            Self::CountTokens => Purpose::CountTokens,
            Self::Completions | Self::TranslatedCompletions | Self::Messages => Purpose::Chat { model },
        }
    }

    /// The body for the provider, of one that is protected.
    ///
    /// # Errors
    /// `invalid_request` naming what the provider does not do.
    pub(super) fn request(self, mut body: Value, model: &str) -> Result<Value, ApiError> {
        if self == Self::TranslatedCompletions {
            return anthropic::request(&body, model);
        }
        if let Some(members) = body.as_object_mut() {
            members.insert("model".to_owned(), model.into());
        }
        Ok(body)
    }

    /// The answer for the application, of the provider's; `now` is Unix time in seconds.
    ///
    /// # Errors
    /// As [`restore_answer`].
    pub(super) fn answer<R: Rules>(
        self,
        body: Value,
        answer: &mut Answer<R>,
        now: u64,
    ) -> Result<Value, ApiError> {
        let mut body = match self {
            Self::TranslatedCompletions => anthropic::response(&body, now)?,
            Self::Completions | Self::Messages | Self::Embeddings | Self::Responses | Self::CountTokens => {
                body
            }
        };
        let (content, is_it): (_, fn(&Value) -> bool) = match self {
            Self::Completions | Self::TranslatedCompletions => ("choices", Value::is_array),
            Self::Messages => ("content", Value::is_array),
            Self::Embeddings => ("data", Value::is_array),
            Self::Responses => ("output", Value::is_array),
            Self::CountTokens => ("input_tokens", Value::is_u64),
        };
        if !body.get(content).is_some_and(is_it) {
            return Err(ApiError::upstream("the provider's answer has another form than that of its API"));
        }
        match self {
            Self::Messages => restore_message(&mut body, answer)?,
            Self::Responses => restore_response(&mut body, answer)?,
            Self::CountTokens => texts(&mut body, answer, 1)?,
            Self::Completions | Self::TranslatedCompletions => restore_answer(&mut body, answer)?,
            Self::Embeddings => restore_embeddings(&mut body, answer)?,
        }
        Ok(body)
    }
}

/// Everything but the vectors, which are numbers: what is found in their digits is nobody's.
fn restore_embeddings<R: Rules>(body: &mut Value, answer: &mut Answer<R>) -> Result<(), ApiError> {
    const VECTOR: &str = "embedding";
    let mut vectors = Vec::new();
    for entry in objects(body) {
        vectors.push(entry.shift_remove(VECTOR).filter(is_vector));
    }
    restore_answer(body, answer)?;
    for (entry, vector) in objects(body).zip(vectors) {
        entry.extend(vector.map(|vector| (VECTOR.to_owned(), vector)));
    }
    Ok(())
}

/// The entries of an answer about embeddings.
fn objects(body: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let data = body.get_mut("data").and_then(Value::as_array_mut);
    data.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Numbers, or their bytes in Base64.
fn is_vector(value: &Value) -> bool {
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    match value {
        Value::Array(numbers) => numbers.iter().all(Value::is_number),
        Value::String(bytes) => bytes.bytes().all(base64),
        _ => false,
    }
}

/// An answer that comes in parts.
pub(super) enum Stream {
    Completions(CompletionStream),
    Translated(anthropic::Chunks, CompletionStream),
    Messages(MessageStream),
    Responses(ResponseStream),
}

/// What an event of the provider becomes.
pub(super) enum Step {
    /// These events, and more to come.
    On(Vec<Event>),
    /// These events, which are the last.
    Over(Vec<Event>),
    /// The provider says that it failed.
    Failed,
}

/// What ends a stream of chat completions.
const DONE: &str = "[DONE]";

impl Stream {
    /// Begins a stream, whose last part tells the tokens where that is asked for; `now` is Unix time in
    /// seconds.
    pub(super) fn begin(dialect: Dialect, with_usage: bool, now: u64) -> Self {
        match dialect {
            Dialect::Messages => Self::Messages(MessageStream::default()),
            Dialect::TranslatedCompletions => {
                Self::Translated(anthropic::Chunks::new(now, with_usage), CompletionStream::default())
            }
            Dialect::Responses => Self::Responses(ResponseStream::default()),
            Dialect::Completions | Dialect::Embeddings | Dialect::CountTokens => {
                Self::Completions(CompletionStream::default())
            }
        }
    }

    /// Takes the provider's next event.
    ///
    /// # Errors
    /// `policy_violation` where a policy blocks; `upstream_error` where the event cannot be read. Nothing of
    /// the stream may be passed on afterwards.
    pub(super) fn push<R: Rules>(&mut self, answer: &mut Answer<R>, event: Event) -> Result<Step, ApiError> {
        match self {
            Self::Completions(stream) => {
                if event.data.trim() == DONE {
                    return last(stream, answer).map(Step::Over);
                }
                if has_error(&event) {
                    return Ok(Step::Failed);
                }
                stream.push(answer, event).map(Step::On)
            }
            Self::Translated(chunks, stream) => {
                let translated = match chunks.push(&event) {
                    Ok(events) => events,
                    Err(anthropic::StreamError::Provider(_)) => return Ok(Step::Failed),
                    Err(anthropic::StreamError::Malformed(error)) => return Err(error),
                };
                let mut events = Vec::new();
                for event in translated {
                    events.extend(stream.push(answer, event)?);
                }
                if !chunks.is_done() {
                    return Ok(Step::On(events));
                }
                events.extend(last(stream, answer)?);
                Ok(Step::Over(events))
            }
            Self::Messages(stream) => {
                let is_last = is_of(&event, "message_stop");
                if is_of(&event, "error") {
                    return Ok(Step::Failed);
                }
                let events = stream.push(answer, event)?;
                Ok(if is_last { Step::Over(events) } else { Step::On(events) })
            }
            Self::Responses(stream) => {
                if is_of(&event, "error") {
                    return Ok(Step::Failed);
                }
                Ok(match stream.push(answer, event)? {
                    (events, State::Open) => Step::On(events),
                    (events, State::Over) => Step::Over(events),
                })
            }
        }
    }

    /// The last events, where the provider's end without the mark of it; none where they broke off.
    ///
    /// # Errors
    /// As [`Stream::push`].
    pub(super) fn end<R: Rules>(&mut self, answer: &mut Answer<R>) -> Result<Option<Vec<Event>>, ApiError> {
        match self {
            Self::Completions(stream) if stream.is_finished() => last(stream, answer).map(Some),
            Self::Completions(_) | Self::Translated(..) | Self::Messages(_) | Self::Responses(_) => Ok(None),
        }
    }

    /// The events that tell an application of an error, and end the stream.
    pub(super) fn broken(&mut self, error: &ApiError) -> Vec<Event> {
        match self {
            Self::Responses(stream) => {
                let mut members: Map<String, Value> =
                    serde_json::from_str(&error.body(Shape::OpenAi)).unwrap_or_default();
                let code = members.get("error").and_then(|error| error.get("code")).cloned();
                let message = members.get("error").and_then(|error| error.get("message")).cloned();
                members.extend([
                    ("type".to_owned(), "error".into()),
                    ("code".to_owned(), code.unwrap_or_default()),
                    ("message".to_owned(), message.unwrap_or_default()),
                    ("param".to_owned(), Value::Null),
                ]);
                vec![stream.numbered(members, None)]
            }
            Self::Messages(_) => {
                let event = Event::data(error.body(Shape::Anthropic));
                vec![Event { name: Some("error".to_owned()), ..event }]
            }
            Self::Completions(_) | Self::Translated(..) => {
                vec![Event::data(error.body(Shape::OpenAi)), Event::data(DONE)]
            }
        }
    }

    /// Adds what was found to the last events, where the protocol has a place for it: an event before the one that ends
    /// the stream, or the response itself.
    pub(super) fn report(&self, events: &mut Vec<Event>, report: Value) {
        match self {
            Self::Messages(_) => {}
            Self::Completions(_) | Self::Translated(..) => {
                let chunk = json!({ "object": "chat.completion.chunk", "choices": [], "privacy": report });
                events.insert(events.len().saturating_sub(1), Event::data(chunk.to_string()));
            }
            Self::Responses(_) => {
                let Some(last) = events.last_mut() else { return };
                let Ok(mut members) = serde_json::from_str::<Map<String, Value>>(&last.data) else { return };
                if let Some(response) = members.get_mut("response").and_then(Value::as_object_mut) {
                    response.insert("privacy".to_owned(), report);
                    last.data = Value::Object(members).to_string();
                }
            }
        }
    }
}

/// The last events of a chat completion.
fn last<R: Rules>(stream: &mut CompletionStream, answer: &mut Answer<R>) -> Result<Vec<Event>, ApiError> {
    let mut events = stream.finish(answer)?;
    events.push(Event::data(DONE));
    Ok(events)
}

/// Whether an event of a message is of this type, by its name or by what it says: some proxies drop the names.
fn is_of(event: &Event, kind: &str) -> bool {
    #[derive(Deserialize)]
    struct Typed<'e> {
        #[serde(borrow, rename = "type")]
        kind: Cow<'e, str>,
    }
    // the words are rare in events, and most are not read twice
    let says = || serde_json::from_str(&event.data).is_ok_and(|typed: Typed<'_>| typed.kind == kind);
    event.name.as_deref() == Some(kind) || event.data.contains(kind) && says()
}

/// Whether a chunk is none, but an error of the provider.
fn has_error(event: &Event) -> bool {
    // the word is rare in chunks, and most are not read twice
    event.data.contains("\"error\"")
        && serde_json::from_str(&event.data)
            .is_ok_and(|chunk: Value| chunk.get("error").is_some_and(|error| !error.is_null()))
}

/// The message in the body of a provider's error.
pub(super) fn error_message(body: &Bytes) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let error = body.get("error").unwrap_or(&body);
    let message = error.get("message").or_else(|| body.get("message")).unwrap_or(error);
    message.as_str().map(str::to_owned)
}
