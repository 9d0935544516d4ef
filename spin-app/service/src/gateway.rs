//! The HTTP behaviour of the gateway component: what sends requests to LLM providers.
//!
//! It is a component of its own because of its rights: it may reach the network and holds the credentials
//! of providers, and the component of {base_url} may and does neither.

use bytes::Bytes;
use http::{Request, Response};

use crate::{
    auth,
    error::ApiError,
    router::{Endpoint, Found, Gateway},
    routes::{UserCall, llm_providers},
    service::{Exchange, Trace},
    upstream::Upstream,
};

/// Answers one request. It never fails: every refusal is an answer.
pub async fn handle<H: Upstream, B>(host: &H, request: Request<B>) -> Response<Bytes> {
    let exchange = Exchange::begin(host, &request);
    let (response, trace) = match &exchange.found {
        Some(found) => answer(host, found, &request).await,
        None => (ApiError::not_found().into_response(), Trace::default()),
    };
    exchange.end(response, trace).await
}

/// Checks the method, then who calls, and lets the endpoint answer.
async fn answer<H: Upstream, B>(host: &H, found: &Found, request: &Request<B>) -> (Response<Bytes>, Trace) {
    let refused = |error: ApiError| (error.into_response(), Trace::default());
    match found.endpoint(request.method()) {
        Err(error) => refused(error),
        Ok(Endpoint::Gateway(Gateway::ValidateLlmProvider)) => {
            let user = match auth::user(host, request.headers()).await {
                Ok(user) => user,
                Err(error) => return refused(error),
            };
            let call = UserCall { host, user: &user, parameter: &found.parameter };
            let response = llm_providers::validate(call).await.unwrap_or_else(ApiError::into_response);
            (response, Trace { workspace: Some(user.workspace), ..Trace::default() })
        }
        // another component's, which is not asked here unless the manifest's routes are wrong
        Ok(Endpoint::Open(_) | Endpoint::Keyed(_) | Endpoint::User(_)) => refused(ApiError::not_found()),
    }
}
