//! Responses that a provider stored: fetched, cancelled, deleted, or shown with what they were made of.
//!
//! Only the session of a response knows its provider and its values, so that a response without one is unknown here.

use bytes::Bytes;
use http::Request;

use super::{
    ask::Asking,
    delivery::{Delivery, PreparedRequest, Stopped},
    destination,
    reply::Reply,
    sessions,
};
use crate::{
    chat::{
        protect::ProtectedBody,
        protocol::{ApiCall, StoredResponse},
        responses::StoredResponses,
    },
    error::ApiError,
    query::Query,
    upstream::Upstream,
    usage::breaker,
};

/// Parameters that the provider may get; all of them are ids, numbers or names.
const PARAMETERS: [&str; 7] = ["after", "before", "include", "include[]", "limit", "order", "stream"];

/// Longest value of a parameter, in bytes.
const MAX_VALUE: usize = 128;

/// A request about a stored response.
pub(super) struct Wanted {
    what: StoredResponse,
    id: String,
    query: Vec<(String, String)>,
}

impl Wanted {
    /// Reads the path and the query of a request.
    ///
    /// # Errors
    /// `not_found` for a text that cannot be an id; `invalid_request` naming a parameter.
    pub(super) fn read<B>(what: StoredResponse, id: &str, request: &Request<B>) -> Result<Self, ApiError> {
        if !sessions::is_id(id) {
            return Err(ApiError::no_such("response"));
        }
        let mut query = Vec::new();
        for (name, value) in Query::of(request.uri()).parameters() {
            if name == "workspace_id" {
                continue;
            }
            if name == "starting_after" {
                return Err(ApiError::invalid(
                    "starting_after",
                    "starting_after must be absent: the gateway numbers events itself; read the stream from its beginning",
                ));
            }
            let known = PARAMETERS.iter().find(|known| **known == name);
            let known =
                known.ok_or_else(|| ApiError::invalid("query", "query must not have unknown parameters"))?;
            let is_name = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
            if value.len() > MAX_VALUE || !is_name {
                return Err(ApiError::invalid(known, format!("{known} must be letters, digits, _, - and .")));
            }
            query.push((name, value));
        }
        Ok(Self { what, id: id.to_owned(), query })
    }

    /// Whether the answer is to come in parts.
    pub(super) fn is_streamed(&self) -> bool {
        self.what == StoredResponse::Show
            && self.query.iter().any(|(name, value)| name == "stream" && value == "true")
    }
}

impl<'h, H: Upstream + Clone + 'h> Delivery<'_, 'h, H> {
    /// Asks the provider of the response.
    pub(super) async fn fetch(mut self, wanted: &Wanted) -> Result<Reply<H>, ApiError> {
        let sessions = sessions::store(self.host, self.principal, self.setup);
        let session = sessions.read(&wanted.id).await?;
        let session = session.ok_or_else(|| ApiError::no_such("response"))?;
        let to = destination::of_session(&self.setup.routing, &session)
            .ok_or_else(|| ApiError::no_provider("the provider of the response is not active any more"))?;
        if to.takes_callers_credential() && !self.callers.has_credential() {
            return Err(ApiError::caller_credential_missing());
        }
        let breaker = to.breaker();
        let state = breaker.state(self.host).await?;
        let admission = breaker.admit(self.host, state).await?.ok_or_else(breaker::skipped)?;
        let prepared = PreparedRequest {
            protocol: &StoredResponses,
            request: serde_json::Value::Null,
            protected: ProtectedBody::of_session(self.protection.placeholders(Some(&session.values))),
            bypassed: false,
            keeping: None,
        };
        let call = ApiCall::Stored { what: wanted.what, id: &wanted.id, query: &wanted.query };
        let body = (wanted.what == StoredResponse::Cancel).then(|| Bytes::from_static(b"{}"));
        let mut asking = Asking::begin(self.host).await;
        let response = self.send(&mut asking, admission, &to, call, body, &prepared).await;
        let response = response.map_err(Stopped::into_error)?;
        if wanted.what == StoredResponse::Delete {
            sessions.forget(&wanted.id).await?;
        }
        self.restore(&asking, &to, prepared, response).await
    }
}
