//! The protocols between applications and models.
//!
//! A [`Protocol`] knows the schema of a request, how a provider is asked, and how an answer is restored. Its
//! [`AnswerStream`] does the same to an answer in events. There is one type for each protocol, in the folder of its API;
//! that of `translation` is OpenAI's for an application and Anthropic's for a provider.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::{body::RequestSchema, events::SseEvent, protect::Rules, stream::Answer};
use crate::{error::ApiError, providers::ApiCall};

/// The protocol of one request between an application, this gateway and a provider.
pub(crate) trait Protocol<R: Rules> {
    /// The schema of the request.
    fn schema(&self) -> RequestSchema;

    /// The call of the provider's API that answers it.
    fn api_call<'m>(&self, model: &'m str) -> ApiCall<'m> {
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
    /// `policy_violation` where a policy blocks; `upstream_error` where the answer nests too deep, or has another form
    /// than that of the protocol.
    fn restore(&self, body: Value, answer: &mut Answer<R>, now: u64) -> Result<Value, ApiError>;

    /// Begins an answer in parts, whose last one tells the tokens where that is asked for.
    fn stream(&self, with_usage: bool, now: u64) -> Box<dyn AnswerStream<R>>;
}

/// An answer that comes in parts.
pub(crate) trait AnswerStream<R: Rules> {
    /// Takes the provider's next event.
    ///
    /// # Errors
    /// `policy_violation` where a policy blocks; `upstream_error` where the event cannot be read. Nothing of the stream may
    /// be passed on afterwards.
    fn push(&mut self, answer: &mut Answer<R>, event: SseEvent) -> Result<Step, ApiError>;

    /// Gives the last events where the provider's end without the mark of it; `None` where they broke off.
    ///
    /// # Errors
    /// As [`AnswerStream::push`].
    fn end(&mut self, _answer: &mut Answer<R>) -> Result<Option<Vec<SseEvent>>, ApiError> {
        Ok(None)
    }

    /// Makes the events that tell an application of an error and end the stream.
    fn broken(&mut self, error: &ApiError) -> Vec<SseEvent>;

    /// The id of the response, where the protocol has stored ones and an event has said it.
    fn response_id(&self) -> Option<&str> {
        None
    }

    /// Adds what was found to the last events, where the protocol has a place for it.
    fn report(&self, _events: &mut Vec<SseEvent>, _report: Value) {}
}

/// What an event of the provider becomes.
pub(crate) enum Step {
    /// These events, and more to come.
    On(Vec<SseEvent>),
    /// These events, which are the last.
    Over(Vec<SseEvent>),
    /// The provider says that it failed.
    Failed,
}

/// Checks that an answer has the member of its protocol.
pub(super) fn has(body: &Value, member: &str, is_it: fn(&Value) -> bool) -> Result<(), ApiError> {
    match body.get(member).is_some_and(is_it) {
        true => Ok(()),
        false => Err(ApiError::upstream("the provider's answer has another form than that of its API")),
    }
}

/// Whether an event of a message is of this type, by its name or by what it says: some proxies drop the names.
pub(super) fn is_of(event: &SseEvent, kind: &str) -> bool {
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
pub(super) fn has_error(event: &SseEvent) -> bool {
    // the word is rare in chunks, and most are not read twice
    event.data.contains("\"error\"")
        && serde_json::from_str(&event.data)
            .is_ok_and(|chunk: Value| chunk.get("error").is_some_and(|error| !error.is_null()))
}
