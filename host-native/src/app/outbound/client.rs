//! The HTTP client of a component: hyper-util's, over connections that obey the component's rules.
//!
//! The client keeps connections for later requests, by scheme and authority, and never sends a request twice
//! that a server may have received. Addresses are the [`Connector`]'s: it resolves a name, drops the
//! addresses that the rules do not admit, and connects to one of the others. There is a client for each
//! [`Breadth`], so that a connection admitted by one rule never carries a request that another rule must
//! admit.

use std::error::Error as _;
use std::fmt;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::uri::Scheme;
use http::{Request, Response, Uri};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::{Connected, Connection, capture_connection};
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, Sleep, sleep, timeout};
use tokio_rustls::TlsConnector;
use tower_service::Service;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody};

use super::Admission;

/// A deadline that the component does not set.
const DEADLINE: Duration = Duration::from_secs(600);

/// Time that a connection may be idle. Many servers close theirs after a minute.
const IDLE: Duration = Duration::from_secs(20);

/// Most idle connections to one authority.
const MAX_IDLE: usize = 32;

/// Sends requests to the addresses of one [`Admission`].
#[derive(Debug)]
pub(super) struct HttpClient(Client<Connector, WasiBody>);

impl HttpClient {
    pub(super) fn new(admission: Admission, nodelay: bool) -> Self {
        let mut builder = Client::builder(TokioExecutor::new());
        builder
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(MAX_IDLE)
            // the request has one
            .set_host(false);
        Self(builder.build(Connector { admission: Arc::new(admission), nodelay }))
    }

    /// Sends a request to its URI, which is absolute, and returns the answer when its head arrives.
    ///
    /// # Errors
    /// If no admitted address can be connected to, a deadline passes, or the connection breaks off.
    pub(super) async fn send(
        &self,
        mut request: Request<WasiBody>,
        options: RequestOptions,
    ) -> Result<Response<TimedBody>, Error> {
        let mut connection = capture_connection(&mut request);
        let connected = async move { drop(connection.wait_for_connection_metadata().await) };
        let mut answering = pin!(self.0.request(request));
        let early = tokio::select! {
            biased;
            answer = &mut answering => Some(answer),
            () = connected => None,
            () = sleep(options.connect_timeout.unwrap_or(DEADLINE)) => return Err(Error::ConnectionTimeout),
        };
        let answer = match early {
            Some(answer) => answer,
            None => timeout(options.first_byte_timeout.unwrap_or(DEADLINE), answering)
                .await
                .map_err(|_| Error::ConnectionReadTimeout)?,
        };
        let between_bytes = options.between_bytes_timeout.unwrap_or(DEADLINE);
        Ok(answer.map_err(|error| reason(&error))?.map(|body| TimedBody {
            body,
            between_bytes,
            end: Box::pin(sleep(between_bytes)),
        }))
    }
}

/// Returns the reason of a failed request, in the terms of WASI.
fn reason(error: &legacy::Error) -> Error {
    let mut cause = error.source();
    while let Some(source) = cause {
        if let Some(NoConnection(reason)) = source.downcast_ref() {
            let reason = reason.lock().unwrap_or_else(PoisonError::into_inner).take();
            return reason.unwrap_or(Error::DestinationUnavailable);
        }
        cause = source.source();
    }
    Error::HttpProtocolError
}

/// Opens connections to admitted addresses.
#[derive(Clone, Debug)]
struct Connector {
    admission: Arc<Admission>,
    /// TCP_NODELAY of the connections.
    nodelay: bool,
}

/// Why there is no connection; taken out once, because the client only lends its errors.
struct NoConnection(Mutex<Option<Error>>);

impl fmt::Debug for NoConnection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("NoConnection")
    }
}

impl fmt::Display for NoConnection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("there is no connection")
    }
}

impl std::error::Error for NoConnection {}

impl Service<Uri> for Connector {
    type Response = TokioIo<Box<dyn Stream>>;
    type Error = NoConnection;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, NoConnection>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), NoConnection>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, destination: Uri) -> Self::Future {
        let Self { admission, nodelay } = self.clone();
        Box::pin(async move {
            // the client finishes a connection that a request no longer needs, and this deadline is then the only one
            let connected = timeout(DEADLINE, connect(&destination, &admission, nodelay)).await;
            match connected.unwrap_or(Err(Error::ConnectionTimeout)) {
                Ok(stream) => Ok(TokioIo::new(stream)),
                Err(error) => Err(NoConnection(Mutex::new(Some(error)))),
            }
        })
    }
}

/// The transport of a request: a TCP connection, encrypted or not.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Connection for Box<dyn Stream> {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

async fn connect(destination: &Uri, admission: &Admission, nodelay: bool) -> Result<Box<dyn Stream>, Error> {
    let host = destination.host().ok_or(Error::HttpRequestUriInvalid)?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let is_encrypted = destination.scheme() == Some(&Scheme::HTTPS);
    let port = destination.port_u16().unwrap_or(if is_encrypted { 443 } else { 80 });
    let found: Vec<SocketAddr> = lookup_host((host, port)).await.map_err(Error::Connect)?.collect();
    let admitted: Vec<SocketAddr> =
        found.iter().copied().filter(|address| admission.admits(address.ip())).collect();
    if admitted.is_empty() && !found.is_empty() {
        return Err(Error::DestinationIpProhibited);
    }
    let stream = TcpStream::connect(admitted.as_slice()).await.map_err(Error::Connect)?;
    // a request is sent whole, and the answer waits for it
    stream.set_nodelay(nodelay).map_err(Error::Connect)?;
    if !is_encrypted {
        return Ok(Box::new(stream));
    }
    let name = ServerName::try_from(host.to_owned())?;
    let config = TLS.clone().map_err(|()| Error::ConfigurationError)?;
    let stream = TlsConnector::from(config).connect(name, stream).await.map_err(Error::Tls)?;
    Ok(Box::new(stream))
}

/// Accepts the certificates that browsers trust.
static TLS: LazyLock<Result<Arc<ClientConfig>, ()>> = LazyLock::new(|| {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let versions = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions();
    let config = versions.map_err(|_| ())?.with_root_certificates(roots).with_no_client_auth();
    Ok(Arc::new(config))
});

/// An answer's body that fails if nothing arrives for too long.
pub(super) struct TimedBody {
    body: Incoming,
    between_bytes: Duration,
    end: Pin<Box<Sleep>>,
}

impl Body for TimedBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            let now = Instant::now();
            let end = now.checked_add(self.between_bytes).unwrap_or(now);
            self.end.as_mut().reset(end);
            return Poll::Ready(frame.map(|frame| frame.map_err(Error::from)));
        }
        ready!(self.end.as_mut().poll(context));
        Poll::Ready(Some(Err(Error::ConnectionReadTimeout)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
