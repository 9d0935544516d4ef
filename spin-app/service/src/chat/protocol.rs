//! The protocols between applications and models.
//!
//! A [`Protocol`] defines the schema of a request, the call of the provider, and how an answer is restored.
//! Its [`AnswerStream`] does the same for an answer in events. There is one type for each protocol, in the
//! folder of its API; that of `translation` is OpenAI's for an application and Anthropic's for a provider.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::{events::SseEvent, protect::Rules, request::RequestSchema, stream::Answer};
use crate::error::ApiError;

/// The protocol of one request between an application, this gateway and a provider.
pub(crate) trait Protocol<R: Rules> {
    /// The schema of the request.
    fn schema(&self) -> RequestSchema;

    /// Returns the call of the provider's API for the request.
    fn api_call<'m>(&self, model: &'m str) -> ApiCall<'m> {
        ApiCall::Chat { model }
    }

    /// Rejects a request whose text the gateway cannot inspect.
    ///
    /// # Errors
    /// `privacy_check_failed`.
    fn check(&self, _body: &Value) -> Result<(), ApiError> {
        Ok(())
    }

    /// Converts a protected body to that for the provider.
    ///
    /// # Errors
    /// `invalid_request` naming a field that the provider does not support.
    fn request(&self, mut body: Value, model: &str) -> Result<Value, ApiError> {
        if let Some(members) = body.as_object_mut() {
            members.insert("model".to_owned(), model.into());
        }
        Ok(body)
    }

    /// Restores the provider's whole answer; `now` is Unix time in seconds.
    ///
    /// # Errors
    /// `policy_violation` if a policy blocks; `upstream_error` if the answer nests too deep, or has another
    /// format than the protocol's.
    fn restore(&self, body: Value, answer: &mut Answer<R>, now: u64) -> Result<Value, ApiError>;

    /// Begins a streamed answer, whose last event contains the token counts if requested.
    fn stream(&self, with_usage: bool, now: u64) -> Box<dyn AnswerStream<R>>;
}

/// A streamed answer.
pub(crate) trait AnswerStream<R: Rules> {
    /// Handles the provider's next event.
    ///
    /// # Errors
    /// `policy_violation` if a policy blocks; `upstream_error` if the event cannot be read. The rest of the
    /// stream must not be passed on then.
    fn push(&mut self, answer: &mut Answer<R>, event: SseEvent) -> Result<Step, ApiError>;

    /// Returns the last events if the provider's stream ends without its end mark; `None` if it was aborted.
    ///
    /// # Errors
    /// As [`AnswerStream::push`].
    fn end(&mut self, _answer: &mut Answer<R>) -> Result<Option<Vec<SseEvent>>, ApiError> {
        Ok(None)
    }

    /// Returns the events that report an error and end the stream.
    fn broken(&mut self, error: &ApiError) -> Vec<SseEvent>;

    /// Returns the id of the response, if the protocol has stored responses and an event contained it.
    fn response_id(&self) -> Option<&str> {
        None
    }

    /// Adds the findings to the last events, if the protocol has a field for them.
    fn report(&self, _events: &mut Vec<SseEvent>, _report: Value) {}
}

/// The result of an event of the provider.
pub(crate) enum Step {
    /// These events, with more to come.
    On(Vec<SseEvent>),
    /// These events, the last ones.
    Over(Vec<SseEvent>),
    /// The provider reports an error.
    Failed,
}

/// Checks that an answer has the member of its protocol.
pub(super) fn has(body: &Value, member: &str, is_it: fn(&Value) -> bool) -> Result<(), ApiError> {
    match body.get(member).is_some_and(is_it) {
        true => Ok(()),
        false => Err(ApiError::upstream("the provider's answer has another form than that of its API")),
    }
}

/// Whether an event of a message has this type, by its name or by its data: some proxies drop the names.
pub(super) fn is_of(event: &SseEvent, kind: &str) -> bool {
    #[derive(Deserialize)]
    struct Typed<'e> {
        #[serde(borrow, rename = "type")]
        kind: Cow<'e, str>,
    }
    // the string is rare in events, so most are not parsed twice
    let says = || serde_json::from_str(&event.data).is_ok_and(|typed: Typed<'_>| typed.kind == kind);
    event.name.as_deref() == Some(kind) || event.data.contains(kind) && says()
}

/// Whether an event is an error of the provider rather than a chunk.
pub(super) fn has_error(event: &SseEvent) -> bool {
    // the string is rare in chunks, so most are not parsed twice
    event.data.contains("\"error\"")
        && serde_json::from_str(&event.data)
            .is_ok_and(|chunk: Value| chunk.get("error").is_some_and(|error| !error.is_null()))
}

/// A call of a provider's API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ApiCall<'a> {
    /// Its models.
    Models {
        /// Parameters of the query.
        query: &'a [(String, String)],
    },
    /// An answer to a conversation.
    Chat {
        /// Of this model.
        model: &'a str,
    },
    /// Vectors of texts.
    Embeddings {
        /// Of this model.
        model: &'a str,
    },
    /// A response, in OpenAI's newer protocol. The body names the model.
    Responses,
    /// A response that the provider stored.
    Stored {
        /// The operation on it.
        what: StoredResponse,
        /// Its id.
        id: &'a str,
        /// Parameters of the query.
        query: &'a [(String, String)],
    },
    /// Count the tokens of a conversation.
    CountTokens,
}

/// Operations on a response that the provider stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredResponse {
    /// Shows it.
    Show,
    /// Deletes it.
    Delete,
    /// Stops it, if it is generated in the background.
    Cancel,
    /// Lists its input items.
    Input,
}
