//! The HTTP/1.1 server in front of an [`App`].

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::App;

/// Time a client has for the head of a request, and a connection may be idle.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);

/// Pause after a connection could not be accepted, as when there are no more file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

impl App {
    /// Serves HTTP on `listener` until `shutdown` is ready, then finishes what is in work.
    ///
    /// When this returns, every request was answered or given up after
    /// [`Limits::shutdown`](super::Limits::shutdown), and what stores held back is written.
    ///
    /// # Errors
    /// Where a store could not write what it held back.
    pub async fn serve(
        self: Arc<Self>,
        listener: TcpListener,
        shutdown: impl Future<Output = ()>,
    ) -> anyhow::Result<()> {
        let mut shutdown = pin!(shutdown);
        let connections = Arc::new(Semaphore::new(self.limits.connections));
        let graceful = GracefulShutdown::new();
        loop {
            let accept = async {
                let place = connections.clone().acquire_owned().await;
                (place, listener.accept().await)
            };
            let (place, accepted) = tokio::select! {
                accepted = accept => accepted,
                () = &mut shutdown => break,
            };
            match accepted {
                Ok((stream, client)) => {
                    let connection = self.clone().connection(stream, client, graceful.watcher());
                    tokio::spawn(async move {
                        connection.await;
                        drop(place);
                    });
                }
                Err(error) => {
                    eprintln!("textveil: cannot accept a connection: {error}");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        drop(listener);
        let finished = async {
            graceful.shutdown().await;
            // a component may still be at work after its answer
            let all = u32::try_from(self.limits.concurrent_requests).unwrap_or(u32::MAX);
            drop(self.slots.acquire_many(all).await);
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
    async fn connection(self: Arc<Self>, stream: TcpStream, client: SocketAddr, graceful: Watcher) {
        // an answer's last bytes must not wait for the client's acknowledgement of the first
        let _ = stream.set_nodelay(true);
        let service = service_fn(move |request| {
            let app = self.clone();
            async move { Ok::<_, Infallible>(app.handle(request, client).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .serve_connection(TokioIo::new(stream), service);
        // a client that breaks off is no error of ours
        let _ = graceful.watch(connection).await;
    }
}
