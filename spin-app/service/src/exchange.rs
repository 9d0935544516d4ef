//! A request between its arrival and its answer, and the work that remains after that.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, Request, Response, StatusCode,
    header::{CACHE_CONTROL, CONTENT_LENGTH, X_CONTENT_TYPE_OPTIONS},
};

use crate::{
    error::{Refusal, Shape},
    host::Host,
    log::Line,
    request_id,
    route::Found,
    system::Stopwatch,
    trace_context,
    types::Counts,
    usage::{
        in_flight::Permit,
        metrics::{self, Sample},
    },
};

/// A request between its arrival and its answer.
pub(crate) struct Exchange<H> {
    /// The routes of its path; `None` for an unknown path.
    pub found: Option<Found>,
    pub host: H,
    /// Runs since the request arrived.
    pub clock: Stopwatch<H>,
    id: String,
    trace_id: Option<String>,
    method: Method,
}

impl<H: Host + Clone> Exchange<H> {
    /// Begins the exchange of a request whose path has these routes.
    pub(crate) fn begin<B>(host: H, request: &Request<B>, found: Option<Found>) -> Self {
        Self {
            clock: Stopwatch::start(host.clone()),
            id: request_id::of(request.headers(), &host),
            host,
            trace_id: trace_context::trace_id(request.headers()).map(str::to_owned),
            method: request.method().clone(),
            found,
        }
    }

    /// The format of its errors.
    pub(crate) fn shape(&self) -> Shape {
        self.found.as_ref().map_or(Shape::Own, Found::shape)
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
