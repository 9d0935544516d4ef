//! The way of a request through the service: find its route, authenticate, admit, read, answer, settle.
//!
//! ```text
//! request ─ route ─ authenticate ─ admit ─ read ─ authorise ─ handler ─ answer ─ settle
//!           404,405  401           429,403  413…   403                            after the answer has left
//! ```

use std::marker::PhantomData;

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, Request, Response, StatusCode,
    header::{CACHE_CONTROL, CONTENT_LENGTH, X_CONTENT_TYPE_OPTIONS},
};
use http_body::Body;
use serde_json::Value;

use crate::{
    auth::{self, Credential, Principal},
    body::{self, StreamError},
    error::{ApiError, Refusal},
    host::{Host, Stopwatch},
    log::{Counts, Line},
    query::Query,
    request_id,
    router::{self, Endpoint, Found, Route, WorkspaceRule},
    routes::{self, Call, RouteResult},
    trace_context,
    usage::{
        Allowance,
        in_flight::{self, Permit},
        metrics::{self, Sample},
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
pub(crate) async fn handle_as<'h, C, H, B>(
    host: H,
    request: Request<B>,
) -> (Response<Bytes>, Settlement<'h, H>)
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
pub(crate) trait Component<H> {
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
            Endpoint::Open(endpoint) => Some(routes::open(call, endpoint).await),
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

/// A request between its arrival and its answer.
pub(crate) struct Exchange<H> {
    /// The routes of its path; `None` for an unknown path.
    pub found: Option<Found>,
    host: H,
    clock: Stopwatch<H>,
    id: String,
    trace_id: Option<String>,
    method: Method,
}

impl<H: Host + Clone> Exchange<H> {
    pub(crate) fn begin<B>(host: H, request: &Request<B>) -> Self {
        Self {
            clock: Stopwatch::start(host.clone()),
            id: request_id::of(request.headers(), &host),
            host,
            trace_id: trace_context::trace_id(request.headers()).map(str::to_owned),
            method: request.method().clone(),
            found: router::at(request.uri().path()),
        }
    }

    /// The id of the request.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Milliseconds since the request arrived.
    pub(crate) fn elapsed_ms(&self) -> f64 {
        self.clock.elapsed_ms()
    }

    /// Completes the answer with the headers of every answer, and gives the work that remains.
    pub(crate) fn end<'h>(
        self,
        mut response: Response<Bytes>,
        outcome: Outcome<'h>,
    ) -> (Response<Bytes>, Settlement<'h, H>) {
        self.write_head(response.headers_mut());
        if self.method == Method::HEAD {
            *response.body_mut() = Bytes::new();
        } else if response.status() != StatusCode::NOT_MODIFIED {
            let length = HeaderValue::from(response.body().len());
            response.headers_mut().insert(CONTENT_LENGTH, length);
        }
        let refusal = response.extensions().get::<Refusal>().copied();
        let status = response.status();
        (response, self.settlement(status, refusal, outcome))
    }

    /// Adds the headers of every answer.
    pub(crate) fn write_head(&self, headers: &mut HeaderMap) {
        if let Ok(id) = HeaderValue::from_str(&self.id) {
            headers.insert(request_id::HEADER, id);
        }
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    }

    /// The work that remains after an answer of this status.
    pub(crate) fn settlement<'h>(
        self,
        status: StatusCode,
        refusal: Option<Refusal>,
        outcome: Outcome<'h>,
    ) -> Settlement<'h, H> {
        let duration_ms = self.clock.elapsed_ms();
        let Outcome { workspace, counts, permit, samples, is_probe } = outcome;
        let line = Line {
            time_ms: self.host.now_ms(),
            request_id: self.id,
            trace_id: self.trace_id,
            method: known(&self.method),
            route: self.found.map(|found| found.path),
            status,
            duration_ms,
            workspace,
            entities: counts,
            refusal,
        };
        Settlement { host: self.host, request: Some(Unsettled { line, permit, samples, is_probe }) }
    }
}

/// The work that remains when an answer has left: the permit is released, the request is counted and logged.
///
/// The client does not wait for it. Nothing in it can fail the request, and limits do not depend on it: they were
/// counted before the answer.
#[must_use = "without it the permit expires late, and the request is neither counted nor logged"]
pub struct Settlement<'h, H> {
    host: H,
    /// Absent for a streamed answer, whose end settles the request.
    request: Option<Unsettled<'h>>,
}

/// A request that is answered and neither counted nor logged.
struct Unsettled<'h> {
    line: Line,
    permit: Option<Permit<'h>>,
    samples: Vec<Sample>,
    is_probe: bool,
}

impl<H: Host> Settlement<'_, H> {
    /// The work that remains after a streamed answer.
    pub(crate) fn of_stream(host: H) -> Self {
        Self { host, request: None }
    }

    /// Does the work. Values that a store does not take are lost.
    ///
    /// Metrics are written together with those of later requests, so this may take as long as the host's batch time.
    pub async fn run(mut self) {
        self.settle().await;
        metrics::flush(&self.host).await;
    }

    /// Releases the permit, logs the request and counts it. Metrics are left to a later [`run`](Self::run).
    pub(crate) async fn settle(&mut self) {
        let Some(Unsettled { line, permit, mut samples, is_probe }) = self.request.take() else { return };
        let host = &self.host;
        if let Some(permit) = permit {
            permit.release(host).await;
        }
        if let Ok(json) = serde_json::to_string(&line) {
            host.log(&json);
        }
        // probes would drown the requests that they watch
        if let Some(route) = line.route.filter(|_| !is_probe) {
            samples.push(metrics::of_request(route, line.status, line.duration_ms, &line.entities));
        }
        metrics::collect(host, samples);
    }
}

/// The caller's text stays out.
impl<H> std::fmt::Debug for Settlement<'_, H> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Settlement")
    }
}

/// The result of a request that must be settled.
#[derive(Default)]
pub(crate) struct Outcome<'h> {
    /// The workspace that it acted in.
    pub workspace: Option<String>,
    /// Findings by type.
    pub counts: Counts,
    /// Its permit in flight.
    pub permit: Option<Permit<'h>>,
    /// Further metrics.
    pub samples: Vec<Sample>,
    /// Whether it is a probe, which is not counted.
    pub is_probe: bool,
}

/// The rights that a request has shown, before its body is read.
struct Admission<'h> {
    credential: Option<Credential>,
    window: Option<Window>,
    permit: Option<Permit<'h>>,
}

/// Answers a request by its route, in the component `C`.
pub(crate) async fn answer<'h, C, H, B>(
    exchange: &Exchange<H>,
    request: Request<B>,
) -> (Response<Bytes>, Outcome<'h>)
where
    C: Component<H>,
    H: Host + Clone,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let Some(found) = &exchange.found else {
        let response = match C::redirect(request.uri().path()) {
            Some(address) => routes::redirect(address),
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
    let allowance: Allowance = credential.allowance();
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

/// The name of a standard method; a method of the caller's own making is its text.
fn known(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        "TRACE" => "TRACE",
        "CONNECT" => "CONNECT",
        _ => "other",
    }
}
