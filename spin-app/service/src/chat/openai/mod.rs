//! OpenAI's chat completions, whole and in chunks, and its embeddings.

mod answer;
mod embeddings;
mod request;
mod stream;

use serde_json::{Value, json};

pub use answer::restore_answer;
pub(crate) use embeddings::Embeddings;
pub use stream::CompletionStream;

use super::{
    events::SseEvent,
    protect::Rules,
    protocol::{AnswerStream, Protocol, Step, has, has_error},
    request::RequestSchema,
    stream::Answer,
};
use crate::error::{ApiError, Shape};

/// OpenAI's chat completions.
pub(crate) struct Completions;

impl<R: Rules> Protocol<R> for Completions {
    fn schema(&self) -> RequestSchema {
        RequestSchema::Completions
    }

    fn restore(&self, mut body: Value, answer: &mut Answer<R>, _now: u64) -> Result<Value, ApiError> {
        has(&body, "choices", Value::is_array)?;
        restore_answer(&mut body, answer)?;
        Ok(body)
    }

    fn stream(&self, _with_usage: bool, _now: u64) -> Box<dyn AnswerStream<R>> {
        Box::new(CompletionStream::default())
    }
}

/// The end mark of a stream of chat completions.
const DONE: &str = "[DONE]";

impl CompletionStream {
    /// The last events.
    pub(super) fn last<R: Rules>(&mut self, answer: &mut Answer<R>) -> Result<Vec<SseEvent>, ApiError> {
        let mut events = self.finish(answer)?;
        events.push(SseEvent::data(DONE));
        Ok(events)
    }
}

impl<R: Rules> AnswerStream<R> for CompletionStream {
    fn push(&mut self, answer: &mut Answer<R>, event: SseEvent) -> Result<Step, ApiError> {
        if event.data.trim() == DONE {
            return self.last(answer).map(Step::Over);
        }
        if has_error(&event) {
            return Ok(Step::Failed);
        }
        Self::push(self, answer, event).map(Step::On)
    }

    fn end(&mut self, answer: &mut Answer<R>) -> Result<Option<Vec<SseEvent>>, ApiError> {
        self.is_finished().then(|| self.last(answer)).transpose()
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
