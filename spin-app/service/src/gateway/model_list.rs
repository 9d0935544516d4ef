//! The list of models of a provider, for callers with their own credential: the provider knows what that may use.

use http::{Request, StatusCode};
use serde_json::Value;

use super::{
    ask::{self, Asking},
    delivery::{Delivery, PreparedRequest, Stopped, check_encoding},
    destination,
    endpoint::Chat,
    protocol::protocol,
    reply::Reply,
};
use crate::{
    chat::{protect::ProtectedBody, protocol::ApiCall},
    error::ApiError,
    query::Query,
    response,
    upstream::Upstream,
    usage::breaker,
};

/// Parameters that the provider may get: ids of models and a number.
const PARAMETERS: [&str; 3] = ["after_id", "before_id", "limit"];

/// Longest value of a parameter, in bytes.
const MAX_VALUE: usize = 128;

/// The part of the list that a request asks for.
pub(super) struct ModelPage(Vec<(String, String)>);

impl ModelPage {
    /// Reads the query of a request.
    ///
    /// # Errors
    /// `invalid_request` naming a parameter.
    pub(super) fn read<B>(request: &Request<B>) -> Result<Self, ApiError> {
        let mut query = Vec::new();
        for (name, value) in Query::of(request.uri()).parameters() {
            let Some(known) = PARAMETERS.iter().find(|known| **known == name) else { continue };
            let is_id = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:/".contains(&byte));
            if value.len() > MAX_VALUE || !is_id {
                return Err(ApiError::invalid(
                    known,
                    format!("{known} must be the id of a model, or a number"),
                ));
            }
            query.push((name, value));
        }
        Ok(Self(query))
    }
}

impl<'h, H: Upstream + Clone + 'h> Delivery<'_, 'h, H> {
    /// Asks the provider whose protocol the caller speaks.
    pub(super) async fn list_models(mut self, page: &ModelPage) -> Result<Reply<H>, ApiError> {
        let endpoint = if self.callers.is_of_anthropic() { Chat::CountTokens } else { Chat::Completions };
        let to = destination::default(&self.setup.routing, endpoint, &self.callers).ok_or_else(|| {
            ApiError::no_provider("the workspace has no route that takes your own credential")
        })?;
        let breaker = to.breaker();
        let state = breaker.state(self.host).await?;
        let admission = breaker.admit(self.host, state).await?.ok_or_else(breaker::skipped)?;
        let call = ApiCall::Models { query: &page.0 };
        let mut asking = Asking::begin(self.host).await;
        let prepared = PreparedRequest {
            protocol: protocol(Chat::Models, &to)?,
            request: Value::Null,
            protected: ProtectedBody::of_session(self.protection.placeholders(None)),
            bypassed: false,
            keeping: None,
        };
        let response = self.send(&mut asking, admission, &to, call, None, &prepared).await;
        let response = response.map_err(Stopped::into_error)?;
        let (head, body) = response.into_parts();
        check_encoding(&head.headers)?;
        let bytes = ask::whole(self.host, body, asking.until_ms()).await?;
        let list: Value = serde_json::from_slice(&bytes)
            .map_err(|_| ApiError::upstream("the provider's list of models is not JSON in UTF-8"))?;
        Ok(Reply::Whole(response::json(StatusCode::OK, list.to_string())))
    }
}
