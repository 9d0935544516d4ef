//! The way of a request through the service.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, Request, Response, StatusCode,
    header::{CACHE_CONTROL, CONTENT_LENGTH, X_CONTENT_TYPE_OPTIONS},
};
use http_body::Body;

use crate::{
    auth,
    body::StreamError,
    credentials::ApiKeyRecord,
    error::{ApiError, Refusal},
    host::{Host, Stopwatch},
    log::{Counts, Line},
    request_id,
    router::{self, Endpoint, Found, Keyed, User},
    routes::{self, Call, UserCall},
    trace_context,
    usage::{Allowance, in_flight, metrics, quota, rate},
};

/// Answers one request. It never fails: every refusal is an answer.
pub async fn handle<H, B>(host: &H, request: Request<B>) -> Response<Bytes>
where
    H: Host,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let exchange = Exchange::begin(host, &request);
    let (response, trace) = match &exchange.found {
        Some(found) => answer(host, found, request, &exchange.clock).await,
        None => (ApiError::not_found().into_response(), Trace::default()),
    };
    exchange.end(response, trace).await
}

/// A request on its way to its answer: what holds of both, whoever answers.
pub(crate) struct Exchange<H> {
    /// Where the request's path leads, if anywhere.
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

    /// How long it is under way, in milliseconds.
    pub(crate) fn elapsed_ms(&self) -> f64 {
        self.clock.elapsed_ms()
    }

    /// Adds what every answer has, counts the request and logs it.
    pub(crate) async fn end(self, mut response: Response<Bytes>, trace: Trace) -> Response<Bytes> {
        self.write_head(response.headers_mut());
        if self.method == Method::HEAD {
            *response.body_mut() = Bytes::new();
        } else if response.status() != StatusCode::NOT_MODIFIED {
            let length = HeaderValue::from(response.body().len());
            response.headers_mut().insert(CONTENT_LENGTH, length);
        }
        let refusal = response.extensions().get::<Refusal>().copied();
        self.report(response.status(), refusal, trace).await;
        response
    }

    /// Adds the headers that every answer has.
    pub(crate) fn write_head(&self, headers: &mut HeaderMap) {
        if let Ok(id) = HeaderValue::from_str(&self.id) {
            headers.insert(request_id::HEADER, id);
        }
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    }

    /// Counts the request, which is answered, and logs it.
    pub(crate) async fn report(self, status: StatusCode, refusal: Option<Refusal>, trace: Trace) {
        let Self { found, host, clock, id, trace_id, method } = self;
        let route = found.map(|found| found.path);
        let duration_ms = clock.elapsed_ms();
        // probes would drown what they are there to watch
        if let Some(route) = route.filter(|_| !trace.probe) {
            metrics::count(&host, route, status, duration_ms, &trace.counts).await;
        }
        let line = Line {
            time_ms: host.now_ms(),
            request_id: &id,
            trace_id: trace_id.as_deref(),
            method: known(&method),
            route,
            status,
            duration_ms,
            workspace: trace.workspace,
            entities: trace.counts,
            refusal,
        };
        if let Ok(line) = serde_json::to_string(&line) {
            host.log(&line);
        }
    }
}

/// What the log says of a request beside its answer.
#[derive(Default)]
pub(crate) struct Trace {
    pub workspace: Option<String>,
    pub counts: Counts,
    pub probe: bool,
}

/// Checks the method, then who calls, and lets the endpoint answer.
async fn answer<H, B>(
    host: &H,
    found: &Found,
    request: Request<B>,
    clock: &Stopwatch<&H>,
) -> (Response<Bytes>, Trace)
where
    H: Host,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let refused = |error: ApiError| (error.into_response_as(found.shape()), Trace::default());
    match found.endpoint(request.method()) {
        Err(error) => refused(error),
        Ok(Endpoint::Open(open)) => {
            let response =
                routes::open(host, open, request.headers()).await.unwrap_or_else(ApiError::into_response);
            (response, Trace { probe: true, ..Trace::default() })
        }
        Ok(Endpoint::Keyed(keyed)) => {
            let key = match keyed {
                Keyed::Presidio(_) => auth::presidio::key(host, request.headers()).await,
                _ => auth::api_key(host, request.headers()).await,
            };
            match key {
                Ok(key) => answer_key(host, &key, keyed, found, request, clock).await,
                Err(error) => refused(error),
            }
        }
        Ok(Endpoint::User(endpoint)) => match auth::user(host, request.headers()).await {
            Ok(user) => answer_user(host, &user, endpoint, &found.parameter, request).await,
            Err(error) => refused(error),
        },
        // another component's, which is not asked here unless the manifest's routes are wrong
        Ok(Endpoint::Gateway(_)) => refused(ApiError::not_found()),
    }
}

/// Holds the holder of a key to the key's limits.
async fn answer_key<H, B>(
    host: &H,
    key: &ApiKeyRecord,
    endpoint: Keyed,
    found: &Found,
    request: Request<B>,
    clock: &Stopwatch<&H>,
) -> (Response<Bytes>, Trace)
where
    H: Host,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let mut counts = Counts::default();
    let allowance = Allowance::of_key(key);
    let window = match rate::count(host, &allowance).await {
        Ok(window) => window,
        Err(error) => return (error.into_response_as(found.shape()), Trace::default()),
    };
    let result = async {
        window.check()?;
        quota::count(host, key).await?;
        let place = in_flight::enter(host, &allowance).await?;
        let call = Call { host, key, parameter: &found.parameter, clock, counts: &mut counts };
        let result = routes::keyed(call, endpoint, request).await;
        place.leave(host).await;
        result
    };
    let mut response = result.await.unwrap_or_else(|error| error.into_response_as(found.shape()));
    window.write(response.headers_mut());
    (response, Trace { workspace: Some(key.workspace.clone()), counts, probe: false })
}

async fn answer_user<H, B>(
    host: &H,
    user: &auth::user_token::User,
    endpoint: User,
    parameter: &str,
    request: Request<B>,
) -> (Response<Bytes>, Trace)
where
    H: Host,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let call = UserCall { host, user, parameter };
    let response = routes::user(call, endpoint, request).await.unwrap_or_else(ApiError::into_response);
    (response, Trace { workspace: Some(user.workspace.clone()), ..Trace::default() })
}

/// A method of one's own making is the caller's text.
fn known(method: &Method) -> &str {
    let standard = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
        Method::TRACE,
        Method::CONNECT,
    ];
    if standard.contains(method) { method.as_str() } else { "other" }
}
