//! The protocols that applications speak with models, one type each, and how their answers come in parts.
//!
//! A [`Protocol`] knows the schema of a request, how a provider is asked, and how an answer is restored. Its
//! [`AnswerStream`] does the same to an answer that comes in events. Both sides speak it, except with
//! [`TranslatedCompletions`], whose provider speaks as Anthropic does.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{conversation::PlaceRules, destination::Destination};
use crate::{
    chat::{
        answer::{restore_answer, texts},
        anthropic,
        body::RequestSchema,
        completion_stream::CompletionStream,
        events::SseEvent,
        message::{MessageStream, restore_message},
        responses::{Progress, ResponseStream, restore_response},
        stream::Answer,
    },
    error::{ApiError, Shape},
    providers::{ApiCall, ProviderType},
    router::Chat,
};

/// An answer to a request of a workspace.
type Restoring = Answer<PlaceRules>;

/// How one request is spoken about between an application, this gateway and a provider.
pub(super) trait Protocol {
    /// The schema of the request.
    fn schema(&self) -> RequestSchema;

    /// What the provider is asked for.
    fn purpose<'m>(&self, model: &'m str) -> ApiCall<'m> {
        ApiCall::Chat { model }
    }

    /// Rejects a request whose text the gateway cannot see.
    ///
    /// # Errors
    /// `privacy_check_failed`.
    fn check(&self, _body: &Value) -> Result<(), ApiError> {
        Ok(())
    }

    /// Makes the body for the provider, of one that is protected.
    ///
    /// # Errors
    /// `invalid_request` naming what the provider does not do.
    fn request(&self, mut body: Value, model: &str) -> Result<Value, ApiError> {
        if let Some(members) = body.as_object_mut() {
            members.insert("model".to_owned(), model.into());
        }
        Ok(body)
    }

    /// Restores the provider's whole answer; `now` is Unix time in seconds.
    ///
    /// # Errors
    /// As [`restore_answer`]; `upstream_error` where the answer has another form than that of the protocol.
    fn restore(&self, body: Value, answer: &mut Restoring, now: u64) -> Result<Value, ApiError>;

    /// Begins an answer in parts, whose last one tells the tokens where that is asked for.
    fn stream(&self, with_usage: bool, now: u64) -> Box<dyn AnswerStream>;
}

/// An answer that comes in parts.
pub(super) trait AnswerStream {
    /// Takes the provider's next event.
    ///
    /// # Errors
    /// `policy_violation` where a policy blocks; `upstream_error` where the event cannot be read. Nothing of the stream may
    /// be passed on afterwards.
    fn push(&mut self, answer: &mut Restoring, event: SseEvent) -> Result<Step, ApiError>;

    /// Gives the last events where the provider's end without the mark of it; `None` where they broke off.
    ///
    /// # Errors
    /// As [`AnswerStream::push`].
    fn end(&mut self, _answer: &mut Restoring) -> Result<Option<Vec<SseEvent>>, ApiError> {
        Ok(None)
    }

    /// Makes the events that tell an application of an error and end the stream.
    fn broken(&mut self, error: &ApiError) -> Vec<SseEvent>;

    /// Adds what was found to the last events, where the protocol has a place for it.
    fn report(&self, _events: &mut Vec<SseEvent>, _report: Value) {}
}

/// What an event of the provider becomes.
pub(super) enum Step {
    /// These events, and more to come.
    On(Vec<SseEvent>),
    /// These events, which are the last.
    Over(Vec<SseEvent>),
    /// The provider says that it failed.
    Failed,
}

/// The protocol of an endpoint and the provider behind it.
///
/// # Errors
/// `not_supported` where the provider does not speak it.
pub(super) fn protocol(endpoint: Chat, to: &Destination) -> Result<&'static dyn Protocol, ApiError> {
    let is_anthropic = to.provider.record.provider_type == ProviderType::Anthropic;
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
        (Chat::Completions | Chat::Models, true) => Ok(&TranslatedCompletions),
        (Chat::Completions | Chat::Models, false) => Ok(&Completions),
    }
}

/// Checks that an answer has the member of its protocol.
fn has(body: &Value, member: &str, is_it: fn(&Value) -> bool) -> Result<(), ApiError> {
    match body.get(member).is_some_and(is_it) {
        true => Ok(()),
        false => Err(ApiError::upstream("the provider's answer has another form than that of its API")),
    }
}

/// OpenAI's chat completions.
struct Completions;

impl Protocol for Completions {
    fn schema(&self) -> RequestSchema {
        RequestSchema::Completions
    }

    fn restore(&self, mut body: Value, answer: &mut Restoring, _now: u64) -> Result<Value, ApiError> {
        has(&body, "choices", Value::is_array)?;
        restore_answer(&mut body, answer)?;
        Ok(body)
    }

    fn stream(&self, _with_usage: bool, _now: u64) -> Box<dyn AnswerStream> {
        Box::new(CompletionEvents::default())
    }
}

/// OpenAI's chat completions, of a provider that speaks as Anthropic does.
struct TranslatedCompletions;

impl Protocol for TranslatedCompletions {
    fn schema(&self) -> RequestSchema {
        RequestSchema::Completions
    }

    fn request(&self, body: Value, model: &str) -> Result<Value, ApiError> {
        anthropic::request(&body, model)
    }

    fn restore(&self, body: Value, answer: &mut Restoring, now: u64) -> Result<Value, ApiError> {
        Completions.restore(anthropic::response(&body, now)?, answer, now)
    }

    fn stream(&self, with_usage: bool, now: u64) -> Box<dyn AnswerStream> {
        Box::new(TranslatedEvents {
            chunks: anthropic::Chunks::new(now, with_usage),
            completion: CompletionEvents::default(),
        })
    }
}

/// OpenAI's embeddings.
struct Embeddings;

impl Protocol for Embeddings {
    fn schema(&self) -> RequestSchema {
        RequestSchema::Completions
    }

    fn purpose<'m>(&self, model: &'m str) -> ApiCall<'m> {
        ApiCall::Embeddings { model }
    }

    fn check(&self, body: &Value) -> Result<(), ApiError> {
        match holds_tokens(body) {
            true => Err(ApiError::privacy_check_failed(
                "input holds tokens, whose text cannot be looked at; send the text",
            )),
            false => Ok(()),
        }
    }

    fn restore(&self, mut body: Value, answer: &mut Restoring, _now: u64) -> Result<Value, ApiError> {
        has(&body, "data", Value::is_array)?;
        restore_embeddings(&mut body, answer)?;
        Ok(body)
    }

    fn stream(&self, _with_usage: bool, _now: u64) -> Box<dyn AnswerStream> {
        Box::new(CompletionEvents::default())
    }
}

/// OpenAI's responses.
struct Responses;

impl Protocol for Responses {
    fn schema(&self) -> RequestSchema {
        RequestSchema::Responses
    }

    fn purpose<'m>(&self, _model: &'m str) -> ApiCall<'m> {
        ApiCall::Responses
    }

    fn restore(&self, mut body: Value, answer: &mut Restoring, _now: u64) -> Result<Value, ApiError> {
        has(&body, "output", Value::is_array)?;
        restore_response(&mut body, answer)?;
        Ok(body)
    }

    fn stream(&self, _with_usage: bool, _now: u64) -> Box<dyn AnswerStream> {
        Box::new(ResponseStream::default())
    }
}

/// Anthropic's messages.
struct Messages;

impl Protocol for Messages {
    fn schema(&self) -> RequestSchema {
        RequestSchema::Messages
    }

    fn restore(&self, mut body: Value, answer: &mut Restoring, _now: u64) -> Result<Value, ApiError> {
        has(&body, "content", Value::is_array)?;
        restore_message(&mut body, answer)?;
        Ok(body)
    }

    fn stream(&self, _with_usage: bool, _now: u64) -> Box<dyn AnswerStream> {
        Box::new(MessageStream::default())
    }
}

/// Anthropic's count of the tokens of messages.
struct CountTokens;

impl Protocol for CountTokens {
    fn schema(&self) -> RequestSchema {
        RequestSchema::Messages
    }

    fn purpose<'m>(&self, _model: &'m str) -> ApiCall<'m> {
        ApiCall::CountTokens
    }

    fn restore(&self, mut body: Value, answer: &mut Restoring, _now: u64) -> Result<Value, ApiError> {
        has(&body, "input_tokens", Value::is_u64)?;
        texts(&mut body, answer, 1)?;
        Ok(body)
    }

    fn stream(&self, _with_usage: bool, _now: u64) -> Box<dyn AnswerStream> {
        Box::new(MessageStream::default())
    }
}

/// What ends a stream of chat completions.
const DONE: &str = "[DONE]";

/// A chat completion in chunks.
#[derive(Default)]
struct CompletionEvents(CompletionStream);

impl CompletionEvents {
    /// The last events.
    fn last(&mut self, answer: &mut Restoring) -> Result<Vec<SseEvent>, ApiError> {
        let mut events = self.0.finish(answer)?;
        events.push(SseEvent::data(DONE));
        Ok(events)
    }
}

impl AnswerStream for CompletionEvents {
    fn push(&mut self, answer: &mut Restoring, event: SseEvent) -> Result<Step, ApiError> {
        if event.data.trim() == DONE {
            return self.last(answer).map(Step::Over);
        }
        if has_error(&event) {
            return Ok(Step::Failed);
        }
        self.0.push(answer, event).map(Step::On)
    }

    fn end(&mut self, answer: &mut Restoring) -> Result<Option<Vec<SseEvent>>, ApiError> {
        self.0.is_finished().then(|| self.last(answer)).transpose()
    }

    fn broken(&mut self, error: &ApiError) -> Vec<SseEvent> {
        vec![SseEvent::data(error.body(Shape::OpenAi)), SseEvent::data(DONE)]
    }

    fn report(&self, events: &mut Vec<SseEvent>, report: Value) {
        let chunk = json!({ "object": "chat.completion.chunk", "choices": [], "privacy": report });
        // before what ends the stream
        events.insert(events.len().saturating_sub(1), SseEvent::data(chunk.to_string()));
    }
}

/// A message of Anthropic's as chunks of a chat completion.
struct TranslatedEvents {
    chunks: anthropic::Chunks,
    completion: CompletionEvents,
}

impl AnswerStream for TranslatedEvents {
    fn push(&mut self, answer: &mut Restoring, event: SseEvent) -> Result<Step, ApiError> {
        let translated = match self.chunks.push(&event) {
            Ok(events) => events,
            Err(anthropic::StreamError::Provider(_)) => return Ok(Step::Failed),
            Err(anthropic::StreamError::Malformed(error)) => return Err(error),
        };
        let mut events = Vec::new();
        for event in translated {
            events.extend(self.completion.0.push(answer, event)?);
        }
        if !self.chunks.is_done() {
            return Ok(Step::On(events));
        }
        events.extend(self.completion.last(answer)?);
        Ok(Step::Over(events))
    }

    fn broken(&mut self, error: &ApiError) -> Vec<SseEvent> {
        self.completion.broken(error)
    }

    fn report(&self, events: &mut Vec<SseEvent>, report: Value) {
        self.completion.report(events, report);
    }
}

impl AnswerStream for MessageStream {
    fn push(&mut self, answer: &mut Restoring, event: SseEvent) -> Result<Step, ApiError> {
        let is_last = is_of(&event, "message_stop");
        if is_of(&event, "error") {
            return Ok(Step::Failed);
        }
        let events = Self::push(self, answer, event)?;
        Ok(if is_last { Step::Over(events) } else { Step::On(events) })
    }

    fn broken(&mut self, error: &ApiError) -> Vec<SseEvent> {
        let event = SseEvent::data(error.body(Shape::Anthropic));
        vec![SseEvent { name: Some("error".to_owned()), ..event }]
    }
}

impl AnswerStream for ResponseStream {
    fn push(&mut self, answer: &mut Restoring, event: SseEvent) -> Result<Step, ApiError> {
        if is_of(&event, "error") {
            return Ok(Step::Failed);
        }
        Ok(match Self::push(self, answer, event)? {
            (events, Progress::Open) => Step::On(events),
            (events, Progress::Over) => Step::Over(events),
        })
    }

    fn broken(&mut self, error: &ApiError) -> Vec<SseEvent> {
        let body: Map<String, Value> = serde_json::from_str(&error.body(Shape::OpenAi)).unwrap_or_default();
        let of =
            |name: &str| body.get("error").and_then(|error| error.get(name)).cloned().unwrap_or_default();
        // clients read the members of the event, and those of the error inside
        let event = [
            ("type", "error".into()),
            ("code", of("code")),
            ("message", of("message")),
            ("param", of("param")),
        ];
        let mut members: Map<String, Value> =
            event.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
        members.extend(body);
        vec![self.numbered(members, None)]
    }

    fn report(&self, events: &mut Vec<SseEvent>, report: Value) {
        let Some(last) = events.last_mut() else { return };
        let Ok(mut members) = serde_json::from_str::<Map<String, Value>>(&last.data) else { return };
        if let Some(response) = members.get_mut("response").and_then(Value::as_object_mut) {
            response.insert("privacy".to_owned(), report);
            last.data = Value::Object(members).to_string();
        }
    }
}

/// Whether texts to embed come as the numbers of their tokens.
fn holds_tokens(body: &Value) -> bool {
    fn has_number(list: &Value) -> bool {
        list.as_array().is_some_and(|list| list.iter().any(|value| value.is_number() || has_number(value)))
    }
    body.get("input").is_some_and(has_number)
}

/// Everything but the vectors, which are numbers: what is found in their digits is nobody's.
fn restore_embeddings(body: &mut Value, answer: &mut Restoring) -> Result<(), ApiError> {
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

/// Whether an event of a message is of this type, by its name or by what it says: some proxies drop the names.
fn is_of(event: &SseEvent, kind: &str) -> bool {
    #[derive(Deserialize)]
    struct Typed<'e> {
        #[serde(borrow, rename = "type")]
        kind: Cow<'e, str>,
    }
    // the words are rare in events, and most are not read twice
    let says = || serde_json::from_str(&event.data).is_ok_and(|typed: Typed<'_>| typed.kind == kind);
    event.name.as_deref() == Some(kind) || event.data.contains(kind) && says()
}

/// Whether an event is an error of the provider instead of a chunk.
fn has_error(event: &SseEvent) -> bool {
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
