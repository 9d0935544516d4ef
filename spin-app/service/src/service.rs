//! The way of a request through the service: find its route, authenticate, admit, read, answer, settle.
//!
//! ```text
//! request ─ route ─ authenticate ─ admit ─ read ─ authorise ─ handler ─ answer ─ settle
//!           404,405  401           429,403  413…   403                            after the answer has left
//! ```

use std::marker::PhantomData;

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::Body;
use serde_json::Value;

use crate::{
    admission::Admission,
    auth::Credential,
    body::{self, StreamError},
    call::{Call, RouteResult},
    error::{ApiError, Shape},
    exchange::{Exchange, Outcome, Settlement},
    gateway::{self, AnswerBody},
    host::Host,
    query::Query,
    response,
    route::{Found, Group, Route, WorkspaceRule},
    router,
    routes::telemetry,
    stateless::Stateless,
    system::System,
    upstream::Upstream,
};

/// Answers one request to the component of {base_url}. Every error is an answer.
///
/// The second value is the work that remains when the answer has left; see `Settlement`.
pub async fn handle<'h, H, B>(host: H, request: Request<B>) -> (Response<Bytes>, Settlement<'h, H>)
where
    H: Host + Clone + 'h,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    handle_as::<Api, _, _>(host, request).await
}

/// Answers one request to a component without streams.
async fn handle_as<'h, C, H, B>(host: H, request: Request<B>) -> (Response<Bytes>, Settlement<'h, H>)
where
    C: Component<H>,
    H: Host + Clone + 'h,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let exchange = Exchange::begin(host, &request, router::at(request.uri().path()));
    let (response, outcome) = answer::<C, _, _>(&exchange, request).await;
    exchange.end(response, outcome)
}

/// A component of the application: the routes that it answers.
trait Component<H> {
    /// Calls the handler of a route; `None` for a route of another component.
    async fn answer(call: Call<'_, H>, route: &Route, request: Value) -> Option<RouteResult>;

    /// The address that replaces an unknown path, if any.
    fn redirect(_path: &str) -> Option<&'static str> {
        None
    }
}

/// The component of {base_url}.
struct Api;

impl<H: Host> Component<H> for Api {
    async fn answer(call: Call<'_, H>, route: &Route, request: Value) -> Option<RouteResult> {
        match route.group {
            Group::Core => router::core(route.id, call, request).await,
            Group::Api => router::api(route.id, call, request).await,
            Group::Gateway | Group::Chat => None,
        }
    }

    /// Hosts send `/docs/api/` here, and `/docs` where the application has no pages.
    fn redirect(path: &str) -> Option<&'static str> {
        matches!(path, "/docs" | "/docs/" | "/docs/api/").then_some("/docs/api")
    }
}

/// Answers one request to the component of {gateway_url}. Every error is an answer.
///
/// The second value is the work that remains when the body has left. A streamed answer keeps the host until its end.
pub async fn handle_gateway<'h, H, B>(
    host: H,
    request: Request<B>,
) -> (Response<AnswerBody<'h>>, Settlement<'h, H>)
where
    H: Upstream + Clone + 'h,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let exchange = Exchange::begin(host.clone(), &request, router::at(request.uri().path()));
    let route = exchange.found.as_ref().map(|found| found.route(request.method()));
    if let Some(Ok(route)) = route
        && let Some(endpoint) = router::model(route.id)
    {
        return gateway::answer(host, exchange, &route.access, endpoint, request).await;
    }
    let (response, outcome) = match request.uri().path() {
        telemetry::METRICS => (telemetry::metrics().into_response_as(Shape::Otlp), Outcome::default()),
        path if exchange.found.is_none() && gateway::is_unprotected(path) => {
            (gateway::unsupported().into_response_as(Shape::OpenAi), Outcome::default())
        }
        _ => answer::<Administration, _, _>(&exchange, request).await,
    };
    let (response, settlement) = exchange.end(response, outcome);
    (response.map(AnswerBody::from), settlement)
}

/// The administration of the gateway, and exports of telemetry.
struct Administration;

impl<H: Upstream> Component<H> for Administration {
    async fn answer(call: Call<'_, H>, route: &Route, request: Value) -> Option<RouteResult> {
        match route.group {
            Group::Gateway => router::gateway(route.id, call, request).await,
            Group::Core | Group::Api | Group::Chat => None,
        }
    }
}

/// Answers one request of the stateless component. Every error is an answer.
///
/// The second value is the work that remains when the answer has left; see `Settlement`.
pub async fn handle_stateless<'h, S, B>(
    host: Stateless<S>,
    request: Request<B>,
) -> (Response<Bytes>, Settlement<'h, Stateless<S>>)
where
    S: System + Clone + 'h,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    handle_as::<Core, _, _>(host, request).await
}

/// The endpoints that need no store.
struct Core;

impl<H: Host> Component<H> for Core {
    async fn answer(call: Call<'_, H>, route: &Route, request: Value) -> Option<RouteResult> {
        match route.group {
            Group::Core => router::core(route.id, call, request).await,
            Group::Api | Group::Gateway | Group::Chat => None,
        }
    }
}

/// Answers a request by its route, in the component `C`.
async fn answer<'h, C, H, B>(exchange: &Exchange<H>, request: Request<B>) -> (Response<Bytes>, Outcome<'h>)
where
    C: Component<H>,
    H: Host + Clone,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let Some(found) = &exchange.found else {
        let response = match C::redirect(request.uri().path()) {
            Some(address) => response::redirect(address),
            None => ApiError::not_found().into_response(),
        };
        return (response, Outcome::default());
    };
    let refused = |error: ApiError, outcome| (error.into_response_as(found.shape()), outcome);
    let route = match found.route(request.method()) {
        Ok(route) => route,
        Err(error) => return refused(error, Outcome::default()),
    };
    let mut outcome = Outcome { is_probe: route.access.is_probe, ..Outcome::default() };
    let mut admission = Admission::default();
    let (parts, body) = request.into_parts();
    let admitted = admission.admit(&exchange.host, &route.access, &parts.uri, &parts.headers).await;
    let answered = match admitted {
        Ok(()) => {
            let query = Query::of(&parts.uri);
            let handling = Handling {
                exchange,
                route,
                found,
                query: &query,
                headers: &parts.headers,
                component: PhantomData::<C>,
            };
            handling.answer(&admission, body, &mut outcome).await
        }
        Err(error) => Err(error),
    };
    let shows_limits = route.access.is_of_key();
    if outcome.workspace.is_none() && shows_limits {
        let own = admission.credential.as_ref().and_then(Credential::own_workspace);
        outcome.workspace = own.filter(|_| admission.window.is_some()).map(str::to_owned);
    }
    outcome.permit = admission.permit;
    let mut response = answered.unwrap_or_else(|error| error.into_response_as(found.shape()));
    if let Some(window) = admission.window.filter(|_| shows_limits) {
        window.write(response.headers_mut());
    }
    (response, outcome)
}

/// An admitted request on its way to its handler.
struct Handling<'a, C, H> {
    exchange: &'a Exchange<H>,
    route: &'static Route,
    found: &'a Found,
    query: &'a Query,
    headers: &'a HeaderMap,
    component: PhantomData<C>,
}

impl<C: Component<H>, H: Host + Clone> Handling<'_, C, H> {
    /// Reads the body, checks the rights in the workspace and lets the handler answer.
    async fn answer<B>(self, admission: &Admission<'_>, body: B, outcome: &mut Outcome<'_>) -> RouteResult
    where
        B: Body<Data = Bytes>,
        B::Error: Into<StreamError>,
    {
        let host = &self.exchange.host;
        let access = &self.route.access;
        admission.check_query(access, self.query)?;
        let request = body::of_kind(host, self.headers, body, access.body).await?;
        let principal = admission.principal(access, self.query, &request)?;
        let is_named = access.workspace != WorkspaceRule::OfCredential;
        let call = Call {
            host,
            principal: &principal,
            parameter: &self.found.parameter,
            query: self.query,
            headers: self.headers,
            request_id: self.exchange.id(),
            clock: &self.exchange.clock,
            counts: &mut outcome.counts,
            samples: &mut outcome.samples,
            stamp: admission.credential.as_ref().and_then(Credential::stamp),
        };
        let answered = C::answer(call, self.route, request).await;
        let answered = answered.unwrap_or_else(|| Err(ApiError::not_found()));
        // the name of a workspace in a request is the caller's text until it has led to an answer
        if !principal.workspace.is_empty() && (!is_named || answered.is_ok()) {
            outcome.workspace = Some(principal.workspace);
        }
        answered
    }
}
