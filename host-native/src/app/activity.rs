//! Requests in flight on one connection, so that a connection without any can be closed.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http_body::{Body, Frame, SizeHint};

/// The requests in flight on a connection.
pub(crate) struct Activity(Mutex<ConnectionState>);

struct ConnectionState {
    in_flight: usize,
    /// When the last request ended, or the connection began.
    idle_since: Instant,
}

impl Activity {
    /// The activity of a connection that begins now.
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(ConnectionState { in_flight: 0, idle_since: Instant::now() })))
    }

    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request until the value is dropped.
    pub(crate) fn begin(self: &Arc<Self>) -> InFlight {
        self.state().in_flight += 1;
        InFlight(self.clone())
    }

    /// Resolves when there was no request in flight for `time`, counted from this call at the earliest.
    pub(crate) async fn idle(&self, time: Duration) {
        let start = Instant::now();
        loop {
            let left = {
                let state = self.state();
                let idle =
                    if state.in_flight > 0 { Duration::ZERO } else { state.idle_since.max(start).elapsed() };
                time.saturating_sub(idle)
            };
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left).await;
        }
    }
}

/// A request in flight.
pub(crate) struct InFlight(Arc<Activity>);

impl InFlight {
    /// Keeps the request in flight until its answer's body is dropped.
    pub(crate) fn until_end_of<B>(self, body: B) -> TrackedBody<B> {
        TrackedBody { body, _request: self }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.in_flight = state.in_flight.saturating_sub(1);
        state.idle_since = Instant::now();
    }
}

/// The body of an answer, whose request is in flight until it is dropped.
pub(crate) struct TrackedBody<B> {
    body: B,
    _request: InFlight,
}

impl<B: Body + Unpin> Body for TrackedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
