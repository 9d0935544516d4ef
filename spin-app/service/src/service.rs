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
    auth::{self, Credential, Principal},
    body::{self, StreamError},
    call::{Call, RouteResult},
    error::{ApiError, Shape},
    exchange::{Exchange, Outcome, Settlement},
    gateway::{self, AnswerBody},
    host::Host,
    query::Query,
    readiness, response,
    router::{Endpoint, Found, Gateway, Open, Route, WorkspaceRule},
    routes::{self, documentation, metrics, sign_in},
    stateless::Stateless,
    system::System,
    upstream::Upstream,
    usage::{
        Allowance,
        in_flight::{self, Permit},
        quota,
        rate::{self, Window},
    },
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
    let exchange = Exchange::begin(host, &request);
    let (response, outcome) = answer::<C, _, _>(&exchange, request).await;
    exchange.end(response, outcome)
}

/// A component of the application: the endpoints that it answers.
trait Component<H> {
    /// Answers a request of an endpoint; `None` for an endpoint of another component.
    async fn answer(call: Call<'_, H>, endpoint: Endpoint, request: Value) -> Option<RouteResult>;

    /// The address that replaces an unknown path, if any.
    fn redirect(_path: &str) -> Option<&'static str> {
        None
    }
}

/// The component of {base_url}.
struct Api;

impl<H: Host> Component<H> for Api {
    async fn answer(call: Call<'_, H>, endpoint: Endpoint, request: Value) -> Option<RouteResult> {
        match endpoint {
            Endpoint::Open(endpoint) => Some(open(call, endpoint).await),
            Endpoint::Keyed(endpoint) => Some(routes::keyed(call, endpoint, request).await),
            Endpoint::User(endpoint) => Some(routes::user(call, endpoint, request).await),
            Endpoint::Gateway(_) => None,
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
    let exchange = Exchange::begin(host.clone(), &request);
    let route = exchange.found.as_ref().map(|found| found.route(request.method()));
    if let Some(Ok(route)) = route
        && let Endpoint::Gateway(Gateway::Chat(endpoint)) = route.endpoint
    {
        return gateway::answer(host, exchange, endpoint, request).await;
    }
    let (response, outcome) = match request.uri().path() {
        routes::telemetry::METRICS => {
            (routes::telemetry::metrics().into_response_as(Shape::Otlp), Outcome::default())
        }
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
    async fn answer(call: Call<'_, H>, endpoint: Endpoint, request: Value) -> Option<RouteResult> {
        match endpoint {
            Endpoint::Gateway(Gateway::Admin(endpoint)) => {
                Some(routes::gateway::admin(call, endpoint, request).await)
            }
            Endpoint::Gateway(Gateway::ValidateLlmProvider) => {
                Some(routes::llm_providers::validate(call).await)
            }
            Endpoint::Gateway(Gateway::Telemetry(endpoint)) => {
                Some(routes::telemetry::export(call, endpoint, request).await)
            }
            Endpoint::Gateway(Gateway::Chat(_))
            | Endpoint::Open(_)
            | Endpoint::Keyed(_)
            | Endpoint::User(_) => None,
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
    async fn answer(call: Call<'_, H>, endpoint: Endpoint, request: Value) -> Option<RouteResult> {
        match endpoint {
            Endpoint::Open(endpoint @ (Open::Alive | Open::Ready)) => Some(open(call, endpoint).await),
            Endpoint::Keyed(endpoint) => routes::core(call, endpoint, &request).await,
            Endpoint::Open(_) | Endpoint::User(_) | Endpoint::Gateway(_) => None,
        }
    }
}

/// Answers requests of operation and documentation.
async fn open<H: Host>(call: Call<'_, H>, endpoint: Open) -> RouteResult {
    match endpoint {
        Open::Alive => Ok(readiness::alive()),
        Open::Ready => readiness::ready(call.host).await,
        Open::Metrics => metrics::show(call.host).await,
        Open::OpenApi => documentation::document(call.headers),
        Open::Docs => documentation::page(call.headers),
        Open::SignIn => sign_in::show(call.host).await,
    }
}

/// The rights that a request has shown, before its body is read.
struct Admission<'h> {
    credential: Option<Credential>,
    window: Option<Window>,
    permit: Option<Permit<'h>>,
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
    let mut outcome = Outcome { is_probe: matches!(route.endpoint, Endpoint::Open(_)), ..Outcome::default() };
    let mut admission = Admission { credential: None, window: None, permit: None };
    let (parts, body) = request.into_parts();
    let admitted = admit(exchange, route, &parts.headers, &mut admission).await;
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
    let shows_limits = route.is_of_key();
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

/// Authenticates, and holds the holder of the credential to its limits.
async fn admit<H: Host + Clone>(
    exchange: &Exchange<H>,
    route: &Route,
    headers: &HeaderMap,
    admission: &mut Admission<'_>,
) -> Result<(), ApiError> {
    let host = &exchange.host;
    let Some(credential) = auth::authenticate(host, route.credential, headers).await? else { return Ok(()) };
    let credential = admission.credential.insert(credential);
    let allowance: Allowance = Allowance::of(credential);
    let window = admission.window.insert(rate::count(host, &allowance).await?);
    window.check()?;
    credential.require(route.any_of)?;
    if let Credential::Key(key, _) = credential {
        quota::count(host, key).await?;
    }
    admission.permit = Some(in_flight::enter(host, &allowance).await?);
    Ok(())
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
        let credential = admission.credential.as_ref();
        // a workspace in the query is checked before anything is read
        if let Some(credential) = credential
            && matches!(self.route.workspace, WorkspaceRule::Named | WorkspaceRule::NamedByQueryFirst)
            && self.query.names_workspace()
        {
            credential.principal_in(&self.query.workspace()?)?;
        }
        let request = match self.route.max_body {
            0 => Value::Null,
            limit if self.route.takes_telemetry() => body::telemetry(host, self.headers, body, limit).await?,
            limit if self.route.takes_list() => body::json(host, self.headers, body, limit).await?,
            limit => body::object(host, self.headers, body, limit).await?,
        };
        let principal = self.principal(credential, &request)?;
        let is_named = self.route.workspace != WorkspaceRule::OfCredential;
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
            stamp: credential.and_then(Credential::stamp),
        };
        let answered = C::answer(call, self.route.endpoint, request).await;
        let answered = answered.unwrap_or_else(|| Err(ApiError::not_found()));
        // the name of a workspace in a request is the caller's text until it has led to an answer
        if !principal.workspace.is_empty() && (!is_named || answered.is_ok()) {
            outcome.workspace = Some(principal.workspace);
        }
        answered
    }

    /// The principal in the workspace that the request is about.
    fn principal(&self, credential: Option<&Credential>, request: &Value) -> Result<Principal, ApiError> {
        let Some(credential) = credential else { return Ok(Principal::anonymous()) };
        let workspace = match self.route.workspace {
            WorkspaceRule::None | WorkspaceRule::OfCredential => return Ok(credential.principal()),
            WorkspaceRule::NamedByQueryFirst if self.query.names_workspace() => self.query.workspace()?,
            WorkspaceRule::Named | WorkspaceRule::NamedByQueryFirst => {
                match self.query.names_workspace() || !request["workspace_id"].is_null() {
                    true => self.query.workspace_or(request)?,
                    false => credential.only_workspace().map_or_else(
                        || self.query.workspace_or(request),
                        |workspace| Ok(workspace.to_owned()),
                    )?,
                }
            }
        };
        credential.principal_in(&workspace)
    }
}
