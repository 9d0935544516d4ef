//! The server in front of an [`App`]: HTTP/1.1 and HTTP/2, with TLS or without (h2c).

use std::convert::Infallible;
use std::io::Write as _;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::header::CONNECTION;
use http::uri::Scheme;
use http::{HeaderValue, Request, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use tokio_io_timeout::TimeoutStream;

use super::activity::Activity;
use super::answer::Refusal;
use super::listener::Listener;
use super::{App, HostLimits};

/// The maximum number of requests in flight on one HTTP/2 connection.
const MAX_STREAMS: u32 = 64;

/// The overhead per header in HTTP/2, in bytes (RFC 9113, section 6.5.2).
const HEADER_OVERHEAD: usize = 32;

/// The bytes of a request's body that an HTTP/2 client may send before they are read: of one stream, and of a connection.
const STREAM_WINDOW: u32 = 256 * 1_024;
const CONNECTION_WINDOW: u32 = 1_024 * 1_024;

/// The maximum number of bytes of an answer that wait for an HTTP/2 client.
const SEND_BUFFER: usize = 64 * 1_024;

/// The idle time after which an HTTP/2 client is pinged, and the timeout of its answer.
const PING: Duration = Duration::from_secs(20);

/// The pause after a connection could not be accepted, for example without free file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The time from the shutdown until connections without a request are closed. Meanwhile active clients learn
/// from their answers that they must reconnect, so that no request meets a closed connection.
const FAREWELL: Duration = Duration::from_millis(500);

/// The longest timeout of a write: the clock does not hold any time.
const MAX_PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// The maximum number of connections to the listener of the metrics; a scraper needs one.
const METRICS_CONNECTIONS: usize = 16;

/// The state of the shutdown for connections.
#[derive(Clone)]
struct Closing {
    /// The next answer on a connection is its last one.
    announced: Arc<AtomicBool>,
    /// Set when connections without a request must close.
    begun: watch::Receiver<bool>,
}

/// The routes of a listener.
#[derive(Clone)]
enum Surface {
    /// Every route of the application.
    Application,
    /// `GET /metrics` only, with this service token.
    Metrics { token: HeaderValue },
}

impl App {
    /// Serves HTTP on `listener` until `shutdown` is ready.
    ///
    /// Then it finishes the requests in flight. For half a second more, connections are accepted and requests
    /// answered with `connection: close`. When this returns, every request was answered or aborted after
    /// [`HostLimits::shutdown`](super::HostLimits::shutdown), and the stores have written everything.
    ///
    /// # Errors
    /// If a store cannot write its pending changes.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    /// use textveil::app::{App, Manifest, Options};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("spin.toml");
    /// # std::fs::write(&path, r#"
    /// #     spin_manifest_version = 2
    /// #     application = { name = "hello" }
    /// #     trigger.http = [{ route = "/health", static_response = { body = "up" } }]
    /// # "#)?;
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// let app = App::load(&Manifest::read(&path)?, Options::new(folder.path()))?;
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    /// let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    /// let served = tokio::spawn(Arc::new(app).serve(listener, async { drop(stopped.await) }));
    /// drop(stop);
    /// assert!(served.await?.is_ok());
    /// # Ok::<(), anyhow::Error>(())
    /// # })?;
    /// # Ok::<(), anyhow::Error>(())
    /// ```
    pub async fn serve(
        self: Arc<Self>,
        listener: impl Into<Listener>,
        shutdown: impl Future<Output = ()>,
    ) -> anyhow::Result<()> {
        let connections = Arc::new(Semaphore::new(self.limits.connections));
        self.accept(listener.into(), &Surface::Application, &connections, shutdown).await;
        let finished = async {
            drop(connections.acquire_many(all(self.limits.connections)).await);
            // a component may still run after its answer
            drop(self.slots.acquire_many(all(self.limits.concurrent_requests)).await);
        };
        if timeout(self.limits.shutdown, finished).await.is_err() {
            eprintln!("textveil: requests still in flight were given up");
        }
        for store in self.stores.values() {
            store.flush().await?;
        }
        self.log.flush().await;
        Ok(())
    }

    /// Serves only `GET /metrics` on `listener` until `shutdown` is ready.
    ///
    /// The application receives `token` as its service token, so that a scraper on a separate network needs
    /// no credential.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    /// use textveil::app::{App, Manifest, Options};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("spin.toml");
    /// # std::fs::write(&path, r#"
    /// #     spin_manifest_version = 2
    /// #     application = { name = "hello" }
    /// #     trigger.http = [{ route = "/health", static_response = { body = "up" } }]
    /// # "#)?;
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// let app = App::load(&Manifest::read(&path)?, Options::new(folder.path()))?;
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    /// let token = http::HeaderValue::from_static("a service token");
    /// let shutdown = tokio::time::sleep(std::time::Duration::from_millis(10));
    /// let metrics = tokio::spawn(Arc::new(app).serve_metrics(listener, token, shutdown));
    /// assert!(metrics.await.is_ok());
    /// # Ok::<(), anyhow::Error>(())
    /// # })?;
    /// # Ok::<(), anyhow::Error>(())
    /// ```
    pub async fn serve_metrics(
        self: Arc<Self>,
        listener: impl Into<Listener>,
        token: HeaderValue,
        shutdown: impl Future<Output = ()>,
    ) {
        let connections = Arc::new(Semaphore::new(METRICS_CONNECTIONS));
        self.accept(listener.into(), &Surface::Metrics { token }, &connections, shutdown).await;
    }

    /// Accepts connections until `shutdown` is ready, and then requests the open ones to close.
    async fn accept(
        self: &Arc<Self>,
        listener: Listener,
        surface: &Surface,
        connections: &Arc<Semaphore>,
        shutdown: impl Future<Output = ()>,
    ) {
        let announced = Arc::new(AtomicBool::new(false));
        let (close, begun) = watch::channel(false);
        let closing = Closing { announced: announced.clone(), begun };
        let mut end = pin!(async {
            shutdown.await;
            announced.store(true, Ordering::Relaxed);
            tokio::time::sleep(FAREWELL).await;
        });
        loop {
            let accept = async {
                let place = connections.clone().acquire_owned().await;
                (place, listener.socket.accept().await)
            };
            let (place, accepted) = tokio::select! {
                // first, so that connections that wait at the end are still accepted
                biased;
                accepted = accept => accepted,
                () = &mut end => break,
            };
            match accepted {
                Ok((stream, client)) => match self.clients.admit(client.ip()) {
                    Some(counted) => {
                        let (app, surface, closing) = (self.clone(), surface.clone(), closing.clone());
                        let tls = listener.tls.clone();
                        tokio::spawn(async move {
                            // the last bytes of an answer must not wait for the client's acknowledgement of the first
                            let _ = stream.set_nodelay(!app.like_spin);
                            let stream = timed(stream, app.limits.send_timeout);
                            match tls {
                                None => {
                                    app.connection(stream, (client, Scheme::HTTP), surface, closing).await
                                }
                                Some(tls) => {
                                    let accepted = timeout(app.limits.head_timeout, tls.accept(stream)).await;
                                    // a client that speaks no TLS, or none of ours, is not an error of the host
                                    if let Ok(Ok(stream)) = accepted {
                                        app.connection(stream, (client, Scheme::HTTPS), surface, closing)
                                            .await;
                                    }
                                }
                            }
                            drop((place, counted));
                        });
                    }
                    None if listener.is_encrypted() => drop(stream),
                    None => reject(stream),
                },
                Err(error) => {
                    eprintln!("textveil: cannot accept a connection: {error}");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        close.send_replace(true);
    }

    /// Serves one connection until its client or the shutdown ends it.
    async fn connection(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        (client, scheme): (SocketAddr, Scheme),
        surface: Surface,
        closing: Closing,
    ) {
        let Closing { announced, mut begun } = closing;
        let head_timeout = self.limits.head_timeout;
        let server = server(&self.limits);
        let activity = Activity::new();
        let counted = activity.clone();
        let service = service_fn(move |mut request: Request<Incoming>| {
            let (app, surface, announced) = (self.clone(), surface.clone(), announced.clone());
            request.extensions_mut().insert(scheme.clone());
            let in_flight = counted.begin();
            async move {
                let may_be_last = request.version() < Version::HTTP_2;
                let mut answer = match &surface {
                    Surface::Application => app.handle(request, client).await,
                    Surface::Metrics { token } => app.handle_metrics(&request, token, client).await,
                };
                if may_be_last && announced.load(Ordering::Relaxed) {
                    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                Ok::<_, Infallible>(answer.map(|body| in_flight.until_end_of(body)))
            }
        });
        let mut connection = pin!(server.serve_connection(TokioIo::new(stream), service));
        // a client disconnect is not an error of the host
        tokio::select! {
            biased;
            _ = connection.as_mut() => return,
            _ = begun.wait_for(|begun| *begun) => (),
            () = activity.idle(head_timeout) => (),
        }
        connection.as_mut().graceful_shutdown();
        // a client that does not react, or never sent a request, does not keep the connection open
        tokio::select! {
            biased;
            _ = connection => (),
            () = activity.idle(FAREWELL) => (),
        }
    }
}

/// Returns the settings of both protocols.
fn server(limits: &HostLimits) -> auto::Builder<TokioExecutor> {
    let mut server = auto::Builder::new(TokioExecutor::new());
    server
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_timeout)
        .max_headers(HostLimits::READABLE_HEADERS);
    let head = limits.request_head.saturating_add(limits.request_headers.saturating_mul(HEADER_OVERHEAD));
    server
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(SEND_BUFFER)
        .max_header_list_size(u32::try_from(head).unwrap_or(u32::MAX))
        .keep_alive_interval(PING)
        .keep_alive_timeout(PING);
    server
}

/// Returns a stream whose writes fail if the client takes nothing for `patience`.
///
/// Otherwise a client that does not read could keep its connection.
fn timed(stream: TcpStream, patience: Duration) -> Pin<Box<TimeoutStream<TcpStream>>> {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(patience.min(MAX_PATIENCE)));
    Box::pin(stream)
}

/// Closes a connection of a client that has too many.
///
/// It costs one write and no task, whatever the client sends, and tells the client the reason.
fn reject(stream: TcpStream) {
    if let Ok(mut stream) = stream.into_std() {
        // does not block: the buffer of a new connection is empty
        let _ = stream.write_all(Refusal::TooManyConnections.farewell().as_bytes());
    }
}

/// Returns the number of permits of a whole semaphore.
fn all(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
