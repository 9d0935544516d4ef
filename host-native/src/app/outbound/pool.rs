//! Connections that wait for the next request, so that not each one costs a handshake.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hyper::client::conn::http1::SendRequest;
use wasmtime_wasi_http::WasiBody;

use super::connection::Origin;

/// How long a connection waits. Many servers close theirs after a minute; one that does so earlier is noticed.
const IDLE: Duration = Duration::from_secs(20);

/// Most connections that wait for one origin.
const MAX_IDLE: usize = 32;

/// A connection, ready for a request.
pub(super) type Sender = SendRequest<WasiBody>;

/// The connections of one component that wait. Each was admitted by the component's rules when it was made.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<HashMap<Origin, Vec<Idle>>>);

#[derive(Debug)]
struct Idle {
    sender: Sender,
    since: Instant,
}

impl Idle {
    fn is_usable(&self) -> bool {
        self.sender.is_ready() && self.since.elapsed() < IDLE
    }
}

impl Pool {
    fn idle(&self) -> MutexGuard<'_, HashMap<Origin, Vec<Idle>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection to the origin, the one that waits for the shortest time.
    pub(super) fn take(&self, origin: &Origin) -> Option<Sender> {
        let mut all = self.idle();
        let waiting = all.get_mut(origin)?;
        waiting.retain(Idle::is_usable);
        let taken = waiting.pop();
        if waiting.is_empty() {
            all.remove(origin);
        }
        taken.map(|idle| idle.sender)
    }

    /// Keeps a connection whose answer was read to its end, once it is ready again.
    pub(super) fn keep(self: Arc<Self>, origin: Origin, mut sender: Sender) {
        // outside of a runtime nothing goes on, and the connection ends
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            if sender.ready().await.is_err() {
                return;
            }
            let mut all = self.idle();
            let waiting = all.entry(origin).or_default();
            if waiting.len() < MAX_IDLE {
                waiting.push(Idle { sender, since: Instant::now() });
            }
            // those that nobody asks for any more
            all.retain(|_, waiting| {
                waiting.retain(Idle::is_usable);
                !waiting.is_empty()
            });
        });
    }
}
