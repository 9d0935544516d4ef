//! The HTTP behaviour of the gateway component: what sends requests to LLM providers.
//!
//! It is a component of its own because of its rights: it may reach the network and holds the credentials
//! of providers, and the component of {base_url} may and does neither. It also answers the gateway's
//! administration, which asks for a service token.

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;

use crate::{
    auth::{self, service_token},
    body::StreamError,
    error::ApiError,
    log::Counts,
    router::{Admin, Endpoint, Gateway},
    routes::{
        UserCall,
        gateway::{self, Query, ServiceCall},
        llm_providers,
    },
    service::{Exchange, Trace},
    upstream::Upstream,
};

/// Answers one request. It never fails: every refusal is an answer.
pub async fn handle<H, B>(host: &H, request: Request<B>) -> Response<Bytes>
where
    H: Upstream,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let exchange = Exchange::begin(host, &request);
    let (response, trace) = answer(host, &exchange, request).await;
    exchange.end(response, trace).await
}

/// Checks the method, then who calls, and lets the endpoint answer.
async fn answer<H, B>(host: &H, exchange: &Exchange<'_, H>, request: Request<B>) -> (Response<Bytes>, Trace)
where
    H: Upstream,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let refused = |error: ApiError| (error.into_response(), Trace::default());
    let Some(found) = &exchange.found else { return refused(ApiError::not_found()) };
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
        Ok(Endpoint::Gateway(Gateway::Admin(endpoint))) => {
            match service_token::check(host, request.headers()).await {
                Ok(()) => answer_service(host, endpoint, exchange.id(), &found.parameter, request).await,
                Err(error) => refused(error),
            }
        }
        // another component's, which is not asked here unless the manifest's routes are wrong
        Ok(Endpoint::Open(_) | Endpoint::Keyed(_) | Endpoint::User(_)) => refused(ApiError::not_found()),
    }
}

async fn answer_service<H, B>(
    host: &H,
    endpoint: Admin,
    request_id: &str,
    parameter: &str,
    request: Request<B>,
) -> (Response<Bytes>, Trace)
where
    H: Upstream,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let query = Query::of(request.uri());
    let mut counts = Counts::default();
    let call = ServiceCall { host, query: &query, parameter, request_id, counts: &mut counts };
    let response = gateway::admin(call, endpoint, request).await.unwrap_or_else(ApiError::into_response);
    // until it was read as the name of a workspace, it is the caller's text
    let workspace = query.workspace().ok().filter(|_| response.status().is_success());
    (response, Trace { workspace, counts, ..Trace::default() })
}
