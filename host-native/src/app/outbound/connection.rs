//! One request over a connection of its own.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::uri::{PathAndQuery, Scheme};
use http::{Request, Response, Uri};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, Sleep, sleep, timeout};
use tokio_rustls::TlsConnector;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody};

use super::Transfer;

/// A deadline that the component does not set.
const DEADLINE: Duration = Duration::from_secs(600);

/// Sends a request to the absolute address that is its URI, at an address that `admits` accepts, and
/// gives the answer when its head is there. The future beside it ends with the connection.
pub(super) async fn send(
    mut request: Request<WasiBody>,
    options: RequestOptions,
    admits: impl Fn(IpAddr) -> bool,
) -> Result<(Response<TimedBody>, Transfer), Error> {
    let connecting = connect(request.uri(), admits);
    let stream = timeout(options.connect_timeout.unwrap_or(DEADLINE), connecting)
        .await
        .map_err(|_| Error::ConnectionTimeout)??;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // it goes on while the component does something else, and ends when the answer's body is let go
    let connection = tokio::spawn(connection);

    // the address is for the connection, the request itself has the path only
    let path = request.uri().path_and_query().cloned().unwrap_or(PathAndQuery::from_static("/"));
    *request.uri_mut() = Uri::from(path);
    let answering = sender.send_request(request);
    let answer = timeout(options.first_byte_timeout.unwrap_or(DEADLINE), answering)
        .await
        .map_err(|_| Error::ConnectionReadTimeout)??;
    let between_bytes = options.between_bytes_timeout.unwrap_or(DEADLINE);
    let answer = answer.map(|body| TimedBody { body, between_bytes, end: Box::pin(sleep(between_bytes)) });
    let transfer = async move { connection.await.map_or(Ok(()), |ended| ended.map_err(Error::from)) };
    Ok((answer, Box::new(transfer)))
}

/// What a request goes through.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

async fn connect(uri: &Uri, admits: impl Fn(IpAddr) -> bool) -> Result<Box<dyn Stream>, Error> {
    let host = uri.host().ok_or(Error::HttpRequestUriInvalid)?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let encrypted = uri.scheme() == Some(&Scheme::HTTPS);
    let port = uri.port_u16().unwrap_or(if encrypted { 443 } else { 80 });

    let found: Vec<SocketAddr> = lookup_host((host, port)).await.map_err(Error::Connect)?.collect();
    let admitted: Vec<SocketAddr> = found.iter().copied().filter(|address| admits(address.ip())).collect();
    if admitted.is_empty() && !found.is_empty() {
        return Err(Error::DestinationIpProhibited);
    }
    let stream = TcpStream::connect(admitted.as_slice()).await.map_err(Error::Connect)?;
    // what is sent is sent whole, and each answer waits for it
    stream.set_nodelay(true).map_err(Error::Connect)?;
    if !encrypted {
        return Ok(Box::new(stream));
    }
    let name = ServerName::try_from(host.to_owned())?;
    let config = TLS.clone().map_err(|()| Error::ConfigurationError)?;
    let stream = TlsConnector::from(config).connect(name, stream).await.map_err(Error::Tls)?;
    Ok(Box::new(stream))
}

/// The certificates that browsers trust.
static TLS: LazyLock<Result<Arc<ClientConfig>, ()>> = LazyLock::new(|| {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let versions = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions();
    let config = versions.map_err(|_| ())?.with_root_certificates(roots).with_no_client_auth();
    Ok(Arc::new(config))
});

/// An answer's body that fails where nothing comes for too long.
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
