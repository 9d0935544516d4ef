//! The HTTP behaviour of the gateway component: what sends requests to LLM providers.
//!
//! It is a component of its own because of its rights: it may reach the network and holds the credentials
//! of providers, and the component of {base_url} may and does neither. It also answers the gateway's
//! administration, which asks for a service token.

mod answer_body;
mod ask;
pub(crate) mod breaker;
mod chat;
mod conversation;
pub mod deadlines;
mod destination;
mod privacy;
mod protocol;
mod report;
mod session;
mod streaming;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;

pub use answer_body::AnswerBody;

use crate::{
    auth::{self, service_token},
    body::StreamError,
    error::{ApiError, Shape},
    log::Counts,
    router::{Admin, Endpoint, Gateway, ROUTES, Route},
    routes::{
        UserCall,
        gateway::{self, Query, ServiceCall},
        llm_providers,
    },
    service::{Exchange, Trace},
    upstream::Upstream,
};

/// Answers one request. It never fails: every refusal is an answer. An answer that comes in parts keeps the
/// host until its last one.
pub async fn handle<'h, H, B>(host: H, request: Request<B>) -> Response<AnswerBody<'h>>
where
    H: Upstream + Clone + 'h,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let exchange = Exchange::begin(host.clone(), &request);
    let endpoint = exchange.found.as_ref().map(|found| found.endpoint(request.method()));
    if let Some(Ok(Endpoint::Gateway(Gateway::Chat(endpoint)))) = endpoint {
        return chat::answer(host, exchange, endpoint, request).await;
    }
    let (response, trace) = answer(&host, &exchange, request).await;
    exchange.end(response, trace).await.map(AnswerBody::from)
}

/// Checks the method, then who calls, and lets the endpoint answer.
async fn answer<H, B>(host: &H, exchange: &Exchange<H>, request: Request<B>) -> (Response<Bytes>, Trace)
where
    H: Upstream + Clone,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let refused = |error: ApiError, shape| (error.into_response_as(shape), Trace::default());
    let Some(found) = &exchange.found else {
        return match is_of_a_model(request.uri().path()) {
            true => refused(unsupported(), Shape::OpenAi),
            false => refused(ApiError::not_found(), Shape::Own),
        };
    };
    match found.endpoint(request.method()) {
        Err(error) => refused(error, found.shape()),
        Ok(Endpoint::Gateway(Gateway::ValidateLlmProvider)) => {
            let user = match auth::user(host, request.headers()).await {
                Ok(user) => user,
                Err(error) => return refused(error, Shape::Own),
            };
            let call = UserCall { host, user: &user, parameter: &found.parameter };
            let response = llm_providers::validate(call).await.unwrap_or_else(ApiError::into_response);
            (response, Trace { workspace: Some(user.workspace), ..Trace::default() })
        }
        Ok(Endpoint::Gateway(Gateway::Admin(endpoint))) => {
            match service_token::check(host, request.headers()).await {
                Ok(()) => answer_service(host, endpoint, exchange.id(), &found.parameter, request).await,
                Err(error) => refused(error, Shape::Own),
            }
        }
        // answered above, or another component's, which is not asked here unless the manifest's routes are
        // wrong
        Ok(
            Endpoint::Gateway(Gateway::Chat(_)) | Endpoint::Open(_) | Endpoint::Keyed(_) | Endpoint::User(_),
        ) => refused(ApiError::not_found(), Shape::Own),
    }
}

/// Whether a path without an endpoint is taken for one of a model's own interface, which has more than anybody
/// lists: all that does not lie below a resource of the administration, such as `policies`.
fn is_of_a_model(path: &str) -> bool {
    let Some(asked) = resource(path) else { return path.starts_with("/v1/") };
    let is_of_administration = |route: &Route| {
        matches!(route.endpoint, Endpoint::Gateway(Gateway::Admin(_))) && resource(route.path) == Some(asked)
    };
    !ROUTES.iter().any(is_of_administration)
}

/// The first word below the base that applications and the administration share.
fn resource(path: &str) -> Option<&str> {
    path.strip_prefix("/api/v1/gateway/")?.split('/').next()
}

fn unsupported() -> ApiError {
    ApiError::not_supported(
        "the gateway does not do this, since nothing may pass it unprotected; use chat/completions, responses, \
         embeddings, models, messages or messages/count_tokens",
    )
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
