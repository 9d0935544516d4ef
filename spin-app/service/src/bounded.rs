//! [`Bounded`]: a store whose calls end in time, on a host that waits for its backend without end.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::host::{Host, KeyValue, Label, Unavailable};
use crate::system::within;

/// Milliseconds that a store has for an answer.
pub const PATIENCE_MS: u64 = 2_000;

/// Milliseconds for which a store that did not answer in time has only [`HURRY_MS`] for each further answer.
pub const PAUSE_MS: u64 = 1_000;

/// Milliseconds that a store has for an answer after it gave none in time. A store that answers again is used again at
/// once: thousands of requests arrive in the pause.
pub const HURRY_MS: u64 = 100;

/// Milliseconds after an answer in which an increment needs no other call before it.
const TRUSTED_MS: u64 = 100;

/// The key that an increment reads first. It is absent.
const PROBE: &str = "ready:probe";

/// When a store last answered, as an instance of the service saw it.
#[derive(Debug, Default)]
pub struct Liveness {
    /// Unix time in milliseconds; 0 for never.
    answered_ms: AtomicU64,
    /// Unix time in milliseconds at which a call with the whole patience was given up; 0 for none since the last answer.
    silent_ms: AtomicU64,
}

impl Liveness {
    /// Creates the state of a store that was not asked yet.
    pub const fn new() -> Self {
        Self { answered_ms: AtomicU64::new(0), silent_ms: AtomicU64::new(0) }
    }

    fn answered(&self, now_ms: u64) {
        self.answered_ms.store(now_ms, Relaxed);
        self.silent_ms.store(0, Relaxed);
    }

    fn gave_up(&self, now_ms: u64, patience_ms: u64) {
        self.answered_ms.store(0, Relaxed);
        // a short wait is no ground for further short ones: the store may be slow
        if patience_ms == PATIENCE_MS {
            self.silent_ms.store(now_ms, Relaxed);
        }
    }

    fn is_silent(&self, now_ms: u64) -> bool {
        is_within(self.silent_ms.load(Relaxed), now_ms, PAUSE_MS)
    }

    fn is_trusted(&self, now_ms: u64) -> bool {
        is_within(self.answered_ms.load(Relaxed), now_ms, TRUSTED_MS)
    }
}

/// Whether `at_ms` is a time at most `duration_ms` from now. The clock may have been set back.
const fn is_within(at_ms: u64, now_ms: u64, duration_ms: u64) -> bool {
    at_ms != 0 && at_ms.abs_diff(now_ms) <= duration_ms
}

/// A store each of whose calls ends within [`PATIENCE_MS`].
///
/// A call that takes longer is given up as [`Unavailable`], and for [`PAUSE_MS`] every further call ends within
/// [`HURRY_MS`]. So a request fails after one wait, not after one for each of its calls.
///
/// Spin's `increment` blocks the whole instance until its backend answers, and nothing inside the instance can end it.
/// It is called only where another call was answered in the last 100 ms, or is answered just before it.
#[derive(Debug)]
pub struct Bounded<H, S> {
    host: H,
    store: S,
    label: Label,
    liveness: &'static Liveness,
}

impl<H: Host, S: KeyValue> Bounded<H, S> {
    /// Bounds the calls of `store`; `liveness` is shared by all who use the same store.
    pub const fn new(host: H, store: S, label: Label, liveness: &'static Liveness) -> Self {
        Self { host, store, label, liveness }
    }

    /// Calls the store; `now_ms` was read just before.
    async fn call<T>(
        &self,
        now_ms: u64,
        work: impl Future<Output = Result<T, Unavailable>>,
    ) -> Result<T, Unavailable> {
        let patience_ms = if self.liveness.is_silent(now_ms) { HURRY_MS } else { PATIENCE_MS };
        let result = within(&self.host, patience_ms, work).await;
        match &result {
            Some(Ok(_)) => self.liveness.answered(self.host.now_ms()),
            // the store said no: it is not silent, but no ground for a call without a bound either
            Some(Err(_)) => {}
            None => self.liveness.gave_up(self.host.now_ms(), patience_ms),
        }
        result.unwrap_or(Err(Unavailable(self.label)))
    }
}

impl<H: Host, S: KeyValue> KeyValue for Bounded<H, S> {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Unavailable> {
        self.call(self.host.now_ms(), self.store.get(key)).await
    }

    async fn set(&self, key: &str, value: &[u8]) -> Result<(), Unavailable> {
        self.call(self.host.now_ms(), self.store.set(key, value)).await
    }

    async fn delete(&self, key: &str) -> Result<(), Unavailable> {
        self.call(self.host.now_ms(), self.store.delete(key)).await
    }

    async fn increment(&self, key: &str, by: i64) -> Result<i64, Unavailable> {
        let mut now_ms = self.host.now_ms();
        if !self.liveness.is_trusted(now_ms) {
            self.get(PROBE).await?;
            now_ms = self.host.now_ms();
        }
        self.call(now_ms, self.store.increment(key, by)).await
    }
}
