//! One request, over a connection that nobody else uses meanwhile.

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

use super::pool::{Pool, Sender};

/// A deadline that the component does not set.
const DEADLINE: Duration = Duration::from_secs(600);

/// Where a connection leads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    encrypted: bool,
    host: String,
    port: u16,
}

impl Origin {
    fn of(uri: &Uri) -> Result<Self, Error> {
        let host = uri.host().ok_or(Error::HttpRequestUriInvalid)?;
        let encrypted = uri.scheme() == Some(&Scheme::HTTPS);
        Ok(Self {
            encrypted,
            host: host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase(),
            port: uri.port_u16().unwrap_or(if encrypted { 443 } else { 80 }),
        })
    }
}

/// Sends a request to the absolute address that is its URI, over a connection of the pool or a new one at an
/// address that `admits` accepts, and gives the answer when its head is there.
pub(super) async fn send(
    mut request: Request<WasiBody>,
    options: RequestOptions,
    pool: Arc<Pool>,
    admits: impl Fn(IpAddr) -> bool,
) -> Result<Response<TimedBody>, Error> {
    let origin = Origin::of(request.uri())?;
    // the address is for the connection, the request itself has the path only
    let path = request.uri().path_and_query().cloned().unwrap_or(PathAndQuery::from_static("/"));
    *request.uri_mut() = Uri::from(path);
    let first_byte = options.first_byte_timeout.unwrap_or(DEADLINE);
    let (answer, sender) = loop {
        let (mut sender, is_new) = match pool.take(&origin) {
            Some(sender) => (sender, false),
            None => (open(&origin, options.connect_timeout.unwrap_or(DEADLINE), &admits).await?, true),
        };
        let answering = timeout(first_byte, sender.try_send_request(request));
        match answering.await.map_err(|_| Error::ConnectionReadTimeout)? {
            Ok(answer) => break (answer, sender),
            Err(mut failed) => match failed.take_message().filter(|_| !is_new) {
                // it was closed while it waited, and nothing of the request had been sent
                Some(unsent) => request = unsent,
                None => return Err(failed.into_error().into()),
            },
        }
    };
    let between_bytes = options.between_bytes_timeout.unwrap_or(DEADLINE);
    Ok(answer.map(|body| TimedBody {
        body,
        between_bytes,
        end: Box::pin(sleep(between_bytes)),
        ended: false,
        connection: Some((pool, origin, sender)),
    }))
}

/// Makes a connection, which goes on while the component does something else, and ends when nobody has its
/// sender any more.
async fn open(origin: &Origin, patience: Duration, admits: impl Fn(IpAddr) -> bool) -> Result<Sender, Error> {
    let stream = timeout(patience, connect(origin, admits)).await.map_err(|_| Error::ConnectionTimeout)??;
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // what goes wrong with it goes wrong with the request or the answer
    tokio::spawn(async move {
        let _ = connection.await;
    });
    Ok(sender)
}

/// What a request goes through.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

async fn connect(origin: &Origin, admits: impl Fn(IpAddr) -> bool) -> Result<Box<dyn Stream>, Error> {
    let Origin { encrypted, host, port } = origin;
    let found: Vec<SocketAddr> = lookup_host((host.as_str(), *port)).await.map_err(Error::Connect)?.collect();
    let admitted: Vec<SocketAddr> = found.iter().copied().filter(|address| admits(address.ip())).collect();
    if admitted.is_empty() && !found.is_empty() {
        return Err(Error::DestinationIpProhibited);
    }
    let stream = TcpStream::connect(admitted.as_slice()).await.map_err(Error::Connect)?;
    // what is sent is sent whole, and each answer waits for it
    stream.set_nodelay(true).map_err(Error::Connect)?;
    if !*encrypted {
        return Ok(Box::new(stream));
    }
    let name = ServerName::try_from(host.clone())?;
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

/// An answer's body that fails where nothing comes for too long. Who reads it to its end leaves the connection
/// for the next request.
pub(super) struct TimedBody {
    body: Incoming,
    between_bytes: Duration,
    end: Pin<Box<Sleep>>,
    ended: bool,
    connection: Option<(Arc<Pool>, Origin, Sender)>,
}

impl Drop for TimedBody {
    fn drop(&mut self) {
        let ended = self.ended || self.body.is_end_stream();
        if let Some((pool, origin, sender)) = self.connection.take().filter(|_| ended) {
            pool.keep(origin, sender);
        }
    }
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
            self.ended = frame.is_none();
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
