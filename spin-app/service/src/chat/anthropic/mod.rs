//! Anthropic's messages, whole and as events, and the count of their tokens.

mod answer;
mod request;
mod stream;

use serde_json::{Map, Value};

pub use answer::restore_message;
pub(super) use request::is_signed;
pub use stream::MessageStream;

use super::{
    events::SseEvent,
    protect::Rules,
    protocol::{AnswerStream, ApiCall, Protocol, Step, has, is_of},
    request::RequestSchema,
    stream::Answer,
    text::texts,
};
use crate::error::{ApiError, Shape};

/// Returns the `type` of an object; empty if it is absent.
fn kind(members: &Map<String, Value>) -> &str {
    members.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// Anthropic's messages.
pub(crate) struct Messages;

impl<R: Rules> Protocol<R> for Messages {
    fn schema(&self) -> RequestSchema {
        RequestSchema::Messages
    }

    fn restore(&self, mut body: Value, answer: &mut Answer<R>, _now: u64) -> Result<Value, ApiError> {
        has(&body, "content", Value::is_array)?;
        restore_message(&mut body, answer)?;
        Ok(body)
    }

    fn stream(&self, _with_usage: bool, _now: u64) -> Box<dyn AnswerStream<R>> {
        Box::new(MessageStream::default())
    }
}

/// Anthropic's count of the tokens of messages.
pub(crate) struct CountTokens;

impl<R: Rules> Protocol<R> for CountTokens {
    fn schema(&self) -> RequestSchema {
        RequestSchema::Messages
    }

    fn api_call<'m>(&self, _model: &'m str) -> ApiCall<'m> {
        ApiCall::CountTokens
    }

    fn restore(&self, mut body: Value, answer: &mut Answer<R>, _now: u64) -> Result<Value, ApiError> {
        has(&body, "input_tokens", Value::is_u64)?;
        texts(&mut body, answer, 1)?;
        Ok(body)
    }

    fn stream(&self, _with_usage: bool, _now: u64) -> Box<dyn AnswerStream<R>> {
        Box::new(MessageStream::default())
    }
}

impl<R: Rules> AnswerStream<R> for MessageStream {
    fn push(&mut self, answer: &mut Answer<R>, event: SseEvent) -> Result<Step, ApiError> {
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
