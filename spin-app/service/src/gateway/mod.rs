//! The HTTP behaviour of the gateway component, which sends requests to LLM providers.
//!
//! It is a component of its own because of its rights: it may reach the network and holds the credentials
//! of providers; the component of {base_url} has neither. It also answers the administration of the gateway, and
//! forwards telemetry.

mod answer_body;
mod ask;
pub(crate) mod breaker;
mod chat;
pub(crate) mod conversation;
pub mod deadlines;
mod destination;
mod failure;
mod model_list;
mod ongoing;
pub(crate) mod privacy;
mod protocol;
pub(crate) mod report;
mod sessions;
mod stored;
mod streaming;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use serde_json::Value;

pub use answer_body::AnswerBody;

use crate::{
    body::StreamError,
    error::{ApiError, Shape},
    router::{Endpoint, Gateway},
    routes::{Call, RouteResult, gateway, llm_providers, telemetry},
    service::{self, Component, Exchange, Outcome, Settlement},
    upstream::Upstream,
};

/// Answers one request. Every error is an answer.
///
/// The second value is the work that remains when the body has left. A streamed answer keeps the host until its end.
pub async fn handle<'h, H, B>(host: H, request: Request<B>) -> (Response<AnswerBody<'h>>, Settlement<'h, H>)
where
    H: Upstream + Clone + 'h,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let exchange = Exchange::begin(host.clone(), &request);
    let route = exchange.found.as_ref().map(|found| found.route(request.method()));
    if let Some(Ok(route)) = route
        && let Endpoint::Gateway(Gateway::Chat(endpoint)) = route.endpoint
    {
        return chat::answer(host, exchange, endpoint, request).await;
    }
    let (response, outcome) = match request.uri().path() {
        telemetry::METRICS => (telemetry::metrics().into_response_as(Shape::Otlp), Outcome::default()),
        path if exchange.found.is_none() && is_unprotected(path) => {
            (unsupported().into_response_as(Shape::OpenAi), Outcome::default())
        }
        _ => service::answer::<Administration, _, _>(&exchange, request).await,
    };
    let (response, settlement) = exchange.end(response, outcome);
    (response.map(AnswerBody::from), settlement)
}

/// The administration of the gateway, and exports of telemetry.
struct Administration;

impl<H: Upstream> Component<H> for Administration {
    async fn answer(call: Call<'_, H>, endpoint: Endpoint, request: Value) -> Option<RouteResult> {
        match endpoint {
            Endpoint::Gateway(Gateway::Admin(endpoint)) => {
                Some(gateway::admin(call, endpoint, request).await)
            }
            Endpoint::Gateway(Gateway::ValidateLlmProvider) => Some(llm_providers::validate(call).await),
            Endpoint::Gateway(Gateway::Telemetry(endpoint)) => {
                Some(telemetry::export(call, endpoint, request).await)
            }
            Endpoint::Gateway(Gateway::Chat(_))
            | Endpoint::Open(_)
            | Endpoint::Keyed(_)
            | Endpoint::User(_) => None,
        }
    }
}

/// The first words of paths of OpenAI's and Anthropic's interfaces that the gateway does not protect.
const UNPROTECTED: [&str; 27] = [
    "assistants",
    "audio",
    "batches",
    "chat",
    "chatkit",
    "complete",
    "completions",
    "containers",
    "conversations",
    "edits",
    "embeddings",
    "engines",
    "evals",
    "files",
    "fine-tunes",
    "fine_tuning",
    "images",
    "messages",
    "models",
    "moderations",
    "realtime",
    "responses",
    "skills",
    "threads",
    "uploads",
    "vector_stores",
    "videos",
];

/// Whether an unknown path is one of a model's interface that the gateway does not protect: it answers 501, so that a
/// client's developer learns why. All other unknown paths answer 404.
fn is_unprotected(path: &str) -> bool {
    let below = path.strip_prefix("/v1/").or_else(|| path.strip_prefix("/api/v1/gateway/"));
    let first = below.and_then(|below| below.split('/').next());
    first.is_some_and(|first| UNPROTECTED.contains(&first))
}

fn unsupported() -> ApiError {
    ApiError::not_supported(
        "the gateway does not support this endpoint, since nothing may pass it unprotected; use chat/completions, \
         responses, embeddings, models, messages or messages/count_tokens",
    )
}
