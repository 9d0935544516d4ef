//! From an HTTP request to the component it is for, and back.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{HOST, HeaderName};
use http::uri::{Authority, Scheme};
use http::{HeaderMap, HeaderValue, Method, Request, Response, Uri, Version, request};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use textveil_service::auth::service_token;
use textveil_service::request_id;
use textveil_service::trace_context::trace_id;
use tokio::time::{Sleep, sleep};
use wasmtime_wasi_http::{Error, WasiBody};

use super::App;
use super::access_log::Line;
use super::answer::{Refusal, whole};
use super::instances::{Failure, Instances};
use super::route::Match;

/// The target of a route.
pub(crate) enum RouteTarget {
    Component(Arc<Instances>),
    Static(Response<Bytes>),
}

/// The path that the listener of the metrics answers.
const METRICS: &str = "/metrics";

/// Headers whose names begin so are the host's to set. A client's are removed.
const HOST_HEADERS: &str = "spin-";

impl App {
    /// Answers one request that came from `client`.
    ///
    /// The address of a request is its URI, or its path and one `Host` header. There is
    /// an answer in every case; it always has an `x-request-id`, the client's if that is safe to repeat.
    pub async fn handle<B>(&self, mut request: Request<B>, client: SocketAddr) -> Response<WasiBody>
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Error>,
    {
        let started = Instant::now();
        let id = id_of(request.headers());
        request.headers_mut().insert(request_id::HEADER, id.clone());
        let trace_id = trace_id(request.headers()).map(str::to_owned);
        let method = request.method().clone();
        let path = request.uri().path().to_owned();
        let found = self.router.find(&path);
        let route = found.as_ref().map(|found| found.route);
        let answered = match found {
            _ if self.is_too_large(&request) => Err(RefusedRequest::from(Refusal::HeadTooLarge)),
            Some(found) => self.answer(request, &found, client).await,
            None => Err(RefusedRequest::from(Refusal::NotFound)),
        };
        let (mut answer, logged) = match answered {
            Ok(Answered::Component(answer)) => (answer, None),
            Ok(Answered::Host(answer)) => (answer, Some((None, None))),
            Err(RefusedRequest { refusal, cause }) => (refusal.answer(), Some((Some(refusal.code()), cause))),
        };
        let id = answer.headers_mut().entry(request_id::HEADER).or_insert(id);
        if let Some((error, cause)) = logged {
            let id = id.to_str().unwrap_or_default().to_owned();
            let line = Line::new(&id, &method, answer.status().as_u16(), started.elapsed());
            self.log.record(&Line { trace_id: trace_id.as_deref(), route, error, cause, ..line });
        }
        answer
    }

    /// Answers `GET /metrics` with what the application answers there to a service with this token.
    ///
    /// Nothing of the request is passed on. Every other request is rejected with 404.
    pub(crate) async fn handle_metrics<B>(
        &self,
        request: &Request<B>,
        token: &HeaderValue,
        client: SocketAddr,
    ) -> Response<WasiBody> {
        if request.method() != Method::GET || request.uri().path() != METRICS {
            return Refusal::NotFound.answer();
        }
        let mut forwarded = Request::new(whole(Bytes::new()));
        *forwarded.uri_mut() = Uri::from_static("http://localhost/metrics");
        forwarded.headers_mut().insert(service_token::HEADER, token.clone());
        self.handle(forwarded, client).await
    }

    /// Whether the head of a request is beyond the limits, by its text without separators.
    fn is_too_large<B>(&self, request: &Request<B>) -> bool {
        let headers = request.headers();
        let bytes = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len();
        let path = request.uri().path_and_query().map_or(0, |path| path.as_str().len());
        headers.len() > self.limits.request_headers
            || path + headers.iter().map(bytes).sum::<usize>() > self.limits.request_head
    }

    async fn answer<B>(
        &self,
        request: Request<B>,
        found: &Match<'_, RouteTarget>,
        client: SocketAddr,
    ) -> Result<Answered, RefusedRequest>
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Error>,
    {
        let instances = match found.target {
            RouteTarget::Component(instances) => instances,
            RouteTarget::Static(answer) => return Ok(Answered::Host(answer.clone().map(whole))),
        };
        let (mut head, body) = request.into_parts();
        address(&mut head, found, client).ok_or(Refusal::BadRequest)?;
        if body.size_hint().lower() > self.limits.request_body {
            return Err(Refusal::PayloadTooLarge.into());
        }
        let fault = Arc::new(BodyFault::default());
        let body = LimitedBody {
            body: body.map_err(Into::into).boxed_unsync(),
            left: self.limits.request_body,
            patience: self.limits.receive_timeout,
            timer: None,
            is_waiting: false,
            fault: fault.clone(),
        };
        let permit = async {
            // first its own, so that a client that waits holds none of all
            let of_client = self.clients.enter(client.ip()).await;
            let of_all = self.slots.clone().acquire_owned().await.ok()?;
            Some((of_client, of_all))
        };
        let slot = tokio::time::timeout(self.limits.slot_timeout, permit).await.ok().flatten();
        let slot = slot.ok_or(RefusedRequest::by(Refusal::Overloaded, "all instances are busy"))?;
        let answer = instances.handle(Request::from_parts(head, body.boxed_unsync()), slot).await;
        if fault.too_large.load(Ordering::Relaxed) {
            return Err(Refusal::PayloadTooLarge.into());
        }
        if fault.too_slow.load(Ordering::Relaxed) {
            return Err(Refusal::RequestTimeout.into());
        }
        answer.map(Answered::Component).map_err(|failure| match failure {
            Failure::Broken(_) => RefusedRequest::by(Refusal::InternalError, "the component failed"),
            Failure::CpuTime => RefusedRequest::by(Refusal::InternalError, "the processor time was used up"),
            Failure::Timeout => RefusedRequest::by(Refusal::Timeout, "the component did not answer in time"),
            Failure::NoMemory => {
                RefusedRequest::by(Refusal::Overloaded, "the memory of all instances is in use")
            }
        })
    }
}

/// An answer, by who gave it.
enum Answered {
    /// It logs the request itself.
    Component(Response<WasiBody>),
    Host(Response<WasiBody>),
}

/// A request that the host rejects.
struct RefusedRequest {
    refusal: Refusal,
    /// The cause, if the request is not at fault.
    cause: Option<&'static str>,
}

impl RefusedRequest {
    fn by(refusal: Refusal, cause: &'static str) -> Self {
        Self { refusal, cause: Some(cause) }
    }
}

impl From<Refusal> for RefusedRequest {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, cause: None }
    }
}

/// Returns the client's request id if it is safe to repeat, otherwise a new one.
fn id_of(headers: &HeaderMap) -> HeaderValue {
    if let Some(id) = headers.get(request_id::HEADER).filter(|_| request_id::of_caller(headers).is_some()) {
        return id.clone();
    }
    let id = getrandom::u64().map_or_else(|_| "unknown".to_owned(), new_request_id);
    HeaderValue::try_from(id).unwrap_or(HeaderValue::from_static("unknown"))
}

/// Formats an id that begins with a letter: the service accepts it with any digits.
fn new_request_id(number: u64) -> String {
    format!("{:016x}", number | 0xa << 60)
}

/// Makes the URI absolute and sets the headers with the origin of the request; `None` if the request has no
/// host.
fn address(head: &mut request::Parts, found: &Match<'_, RouteTarget>, client: SocketAddr) -> Option<()> {
    let authority = match head.uri.authority() {
        Some(authority) => authority.clone(),
        None => host(head)?,
    };
    let mut uri = std::mem::take(&mut head.uri).into_parts();
    // that of the connection, whatever the client says
    uri.scheme = Some(head.extensions.get().cloned().unwrap_or(Scheme::HTTP));
    uri.authority = Some(authority);
    head.uri = Uri::from_parts(uri).ok()?;

    let forged: Vec<_> =
        head.headers.keys().filter(|name| name.as_str().starts_with(HOST_HEADERS)).cloned().collect();
    for name in forged {
        head.headers.remove(name);
    }
    let component_route = found.route.trim_end_matches("/...");
    let mut set = |name: &str, value: &str| {
        head.headers.insert(HeaderName::try_from(name).ok()?, HeaderValue::try_from(value).ok()?);
        Some(())
    };
    set("spin-full-url", &head.uri.to_string())?;
    set("spin-path-info", found.path_info)?;
    set("spin-base-path", "/")?;
    set("spin-matched-route", found.route)?;
    set("spin-raw-component-route", found.route)?;
    set("spin-component-route", component_route)?;
    set("spin-client-addr", &client.to_string())?;
    for (name, value) in &found.parameters {
        set(&format!("spin-path-match-{}", name.to_ascii_lowercase()), value)?;
    }
    Some(())
}

/// Whom the `Host` header names. Only HTTP/1.0 may do without.
fn host(head: &request::Parts) -> Option<Authority> {
    let mut hosts = head.headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => Authority::try_from(host.as_bytes()).ok(),
        (None, None) if head.version < Version::HTTP_11 => Some(Authority::from_static("localhost")),
        _ => None,
    }
}

/// Why a request's body failed.
#[derive(Default)]
struct BodyFault {
    too_large: AtomicBool,
    too_slow: AtomicBool,
}

/// A request's body that fails if it exceeds a limit, or if none of it arrives for too long.
struct LimitedBody {
    body: WasiBody,
    /// Bytes that may still come.
    left: u64,
    patience: Duration,
    /// Runs while the component waits for the client.
    timer: Option<Pin<Box<Sleep>>>,
    is_waiting: bool,
    fault: Arc<BodyFault>,
}

impl LimitedBody {
    /// Whether the client has sent nothing for too long.
    fn is_overdue(&mut self, context: &mut Context<'_>) -> bool {
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(self.patience)));
        if !self.is_waiting {
            let now = tokio::time::Instant::now();
            timer.as_mut().reset(now.checked_add(self.patience).unwrap_or(now));
            self.is_waiting = true;
        }
        timer.as_mut().poll(context).is_ready()
    }
}

impl Body for LimitedBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if polled.is_ready() {
            self.is_waiting = false;
        } else if self.is_overdue(context) {
            self.fault.too_slow.store(true, Ordering::Relaxed);
            return Poll::Ready(Some(Err(Error::ConnectionReadTimeout)));
        }
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            let length = frame.data_ref().map_or(0, |data| u64::try_from(data.len()).unwrap_or(u64::MAX));
            match self.left.checked_sub(length) {
                Some(left) => self.left = left,
                None => {
                    self.fault.too_large.store(true, Ordering::Relaxed);
                    return Poll::Ready(Some(Err(Error::HttpRequestBodySize(None))));
                }
            }
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
