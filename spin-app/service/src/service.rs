//! The way of a request through the service.

use bytes::Bytes;
use http::{
    HeaderValue, Method, Request, Response,
    header::{CACHE_CONTROL, CONTENT_LENGTH, X_CONTENT_TYPE_OPTIONS},
};
use http_body::Body;

use crate::{
    auth,
    body::StreamError,
    error::{ApiError, Refusal},
    host::{Host, Stopwatch},
    log::{Counts, Line},
    rate, request_id,
    router::{self, Endpoint, Route},
    routes::{self, Call},
};

/// Answers one request. It never fails: every refusal is an answer.
pub async fn handle<H, B>(host: &H, request: Request<B>) -> Response<Bytes>
where
    H: Host,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let clock = Stopwatch::start(host);
    let id = request_id::of(request.headers(), host);
    let method = request.method().clone();
    let route = router::at(request.uri().path());

    let (mut response, trace) = match route {
        Some(route) => answer(host, route, request, &clock).await,
        None => (ApiError::not_found().into_response(), Trace::default()),
    };

    let headers = response.headers_mut();
    headers.extend(HeaderValue::from_str(&id).ok().map(|id| (request_id::HEADER, id)));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if method == Method::HEAD {
        *response.body_mut() = Bytes::new();
    } else {
        let length = HeaderValue::from(response.body().len());
        response.headers_mut().insert(CONTENT_LENGTH, length);
    }

    let line = Line {
        time_ms: host.now_ms(),
        request_id: &id,
        method: known(&method),
        route: route.map(|route| route.path),
        status: response.status(),
        duration_ms: clock.elapsed_ms(),
        workspace: trace.workspace,
        entities: trace.counts,
        refusal: response.extensions().get::<Refusal>().copied(),
    };
    if let Ok(line) = serde_json::to_string(&line) {
        host.log(&line);
    }
    response
}

/// What the log says of a request beside its answer.
#[derive(Default)]
struct Trace {
    workspace: Option<String>,
    counts: Counts,
}

/// Checks method, key and rate, in this order, and lets the route answer.
async fn answer<H, B>(
    host: &H,
    route: &Route,
    request: Request<B>,
    clock: &Stopwatch<'_, H>,
) -> (Response<Bytes>, Trace)
where
    H: Host,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let refused = |error: ApiError| (error.into_response(), Trace::default());
    if let Err(error) = route.check(request.method()) {
        return refused(error);
    }
    let operation = match route.endpoint {
        Endpoint::Probe(probe) => {
            let response = routes::probe(host, probe).await;
            return (response.unwrap_or_else(ApiError::into_response), Trace::default());
        }
        Endpoint::Operation(operation) => operation,
    };
    let key = match auth::api_key(host, request.headers()).await {
        Ok(key) => key,
        Err(error) => return refused(error),
    };
    let window = match rate::count(host, &key).await {
        Ok(window) => window,
        Err(error) => return refused(error),
    };
    let mut counts = Counts::default();
    let result = match window.refusal() {
        Some(error) => Err(error),
        None => {
            let call = Call { host, key: &key, clock, counts: &mut counts };
            routes::operation(call, operation, request).await
        }
    };
    let mut response = result.unwrap_or_else(ApiError::into_response);
    window.write(response.headers_mut());
    (response, Trace { workspace: Some(key.workspace), counts })
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
