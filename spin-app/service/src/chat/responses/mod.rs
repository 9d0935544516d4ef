//! OpenAI's responses: answers of items, whole and as events.

mod answer;
mod request;
mod stream;

use serde_json::{Map, Value};

pub use answer::{restore_items, restore_response};
pub use stream::{Progress, ResponseStream};

use super::{
    events::SseEvent,
    protect::Rules,
    protocol::{AnswerStream, ApiCall, Protocol, Step, has, is_of},
    request::RequestSchema,
    stream::Answer,
};
use crate::error::{ApiError, Shape};

/// OpenAI's responses.
pub(crate) struct Responses;

/// OpenAI's responses that are stored: shown, cancelled or deleted, or the items that one was made of.
pub(crate) struct StoredResponses;

impl<R: Rules> Protocol<R> for StoredResponses {
    fn schema(&self) -> RequestSchema {
        RequestSchema::Responses
    }

    fn restore(&self, mut body: Value, answer: &mut Answer<R>, _now: u64) -> Result<Value, ApiError> {
        match body.get("object").and_then(Value::as_str) {
            Some("list") => restore_items(&mut body, answer)?,
            _ => restore_response(&mut body, answer)?,
        }
        Ok(body)
    }

    fn stream(&self, _with_usage: bool, _now: u64) -> Box<dyn AnswerStream<R>> {
        Box::new(ResponseStream::default())
    }
}

impl<R: Rules> Protocol<R> for Responses {
    fn schema(&self) -> RequestSchema {
        RequestSchema::Responses
    }

    fn api_call<'m>(&self, _model: &'m str) -> ApiCall<'m> {
        ApiCall::Responses
    }

    fn restore(&self, mut body: Value, answer: &mut Answer<R>, _now: u64) -> Result<Value, ApiError> {
        has(&body, "output", Value::is_array)?;
        restore_response(&mut body, answer)?;
        Ok(body)
    }

    fn stream(&self, _with_usage: bool, _now: u64) -> Box<dyn AnswerStream<R>> {
        Box::new(ResponseStream::default())
    }
}

impl<R: Rules> AnswerStream<R> for ResponseStream {
    fn push(&mut self, answer: &mut Answer<R>, event: SseEvent) -> Result<Step, ApiError> {
        if is_of(&event, "error") {
            return Ok(Step::Failed);
        }
        Ok(match Self::push(self, answer, event)? {
            (events, Progress::Open) => Step::On(events),
            (events, Progress::Over) => Step::Over(events),
        })
    }

    fn response_id(&self) -> Option<&str> {
        self.id()
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
