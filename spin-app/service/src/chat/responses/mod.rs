//! OpenAI's responses: answers of items, whole and as events.

mod answer;
mod stream;

pub use answer::restore_response;
pub use stream::{Progress, ResponseStream};
