//! The HTTP/1.1 server in front of an [`App`].

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::HeaderValue;
use http::header::CONNECTION;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::{App, Limits};

/// Time a client has for the head of a request, and a connection may be idle.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);

/// Pause after a connection could not be accepted, as when there are no more file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Time from the shutdown until connections without a request are closed. Clients that are at work learn
/// meanwhile from their answers that they are to connect anew, so that no request meets a closed door.
const FAREWELL: Duration = Duration::from_millis(500);

/// What connections are told of the shutdown.
#[derive(Clone)]
struct Closing {
    /// The next answer on a connection is its last.
    announced: Arc<AtomicBool>,
    /// Set when connections without a request are to close.
    begun: watch::Receiver<bool>,
}

impl App {
    /// Serves HTTP on `listener` until `shutdown` is ready, then finishes what is in work.
    ///
    /// Half a second longer connections are accepted and requests taken, whose answers say
    /// `connection: close`. When this returns, every request was answered or given up after
    /// [`Limits::shutdown`](super::Limits::shutdown), and what stores held back is written.
    ///
    /// # Errors
    /// Where a store could not write what it held back.
    pub async fn serve(
        self: Arc<Self>,
        listener: TcpListener,
        shutdown: impl Future<Output = ()>,
    ) -> anyhow::Result<()> {
        let connections = Arc::new(Semaphore::new(self.limits.connections));
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
                (place, listener.accept().await)
            };
            let (place, accepted) = tokio::select! {
                // first: those who wait at the end are still let in
                biased;
                accepted = accept => accepted,
                () = &mut end => break,
            };
            match accepted {
                Ok((stream, client)) => {
                    tokio::spawn(self.clone().connection(stream, client, closing.clone(), place.ok()));
                }
                Err(error) => {
                    eprintln!("textveil: cannot accept a connection: {error}");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        drop(listener);
        close.send_replace(true);
        let finished = async {
            let all = |number| u32::try_from(number).unwrap_or(u32::MAX);
            drop(connections.acquire_many(all(self.limits.connections)).await);
            // a component may still be at work after its answer
            drop(self.slots.acquire_many(all(self.limits.concurrent_requests)).await);
        };
        if tokio::time::timeout(self.limits.shutdown, finished).await.is_err() {
            eprintln!("textveil: requests still in work were given up");
        }
        for store in self.stores.values() {
            store.flush().await?;
        }
        self.log.flush().await;
        Ok(())
    }

    /// Serves one connection until its client or the shutdown ends it.
    async fn connection(
        self: Arc<Self>,
        stream: TcpStream,
        client: SocketAddr,
        closing: Closing,
        _place: Option<OwnedSemaphorePermit>,
    ) {
        // an answer's last bytes must not wait for the client's acknowledgement of the first
        let _ = stream.set_nodelay(true);
        let Closing { announced, mut begun } = closing;
        let service = service_fn(move |request| {
            let (app, announced) = (self.clone(), announced.clone());
            async move {
                let mut answer = app.handle(request, client).await;
                if announced.load(Ordering::Relaxed) {
                    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                Ok::<_, Infallible>(answer)
            }
        });
        let mut connection = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIMEOUT)
                .max_headers(Limits::READABLE_HEADERS)
                .serve_connection(TokioIo::new(stream), service)
        );
        // a client that breaks off is no error of ours
        tokio::select! {
            biased;
            _ = connection.as_mut() => return,
            _ = begun.wait_for(|begun| *begun) => connection.as_mut().graceful_shutdown(),
        }
        let _ = connection.await;
    }
}
