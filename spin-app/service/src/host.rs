//! The interface of the service to its host: stores, variables, clocks, randomness, a log, and a cache.
//!
//! Futures need not be `Send`: a component has one thread.

use std::{
    fmt,
    pin::pin,
    time::{SystemTime, UNIX_EPOCH},
};

use futures_util::future::{Either, select};

use crate::cache::Cache;

/// A key-value store declared by the application, by its content. Each may have its own backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// Durable data: API keys, settings of workspaces, providers, policies.
    Config,
    /// Counters of limits and metrics.
    Usage,
    /// Audit records.
    Audit,
}

impl Label {
    /// The label in the manifest of the application.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Config => crate::credentials::STORE,
            Self::Usage => "usage",
            Self::Audit => "audit",
        }
    }
}

/// A store did not answer, or rejected the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable(pub Label);

impl fmt::Display for Unavailable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the key-value store `{}` is unavailable", self.0.as_str())
    }
}

impl std::error::Error for Unavailable {}

/// A key-value store. Keys are at most 255 bytes of `[A-Za-z0-9:._-]` and begin with their kind,
/// since some backends share one key space between labels.
#[allow(async_fn_in_trait, reason = "a component has one thread, so futures need not be Send")]
pub trait KeyValue {
    /// Returns the value of `key`; `None` if it is absent.
    ///
    /// # Errors
    /// [`Unavailable`], as for every operation here.
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Unavailable>;

    /// Stores `value`; the last write wins.
    ///
    /// # Errors
    /// See [`KeyValue::get`].
    async fn set(&self, key: &str, value: &[u8]) -> Result<(), Unavailable>;

    /// Deletes `key`; an absent key is not an error.
    ///
    /// # Errors
    /// See [`KeyValue::get`].
    async fn delete(&self, key: &str) -> Result<(), Unavailable>;

    /// Adds to the counter `key`, which begins at 0, and returns the sum. Atomic for all users of the store.
    /// A counter is read by adding 0 and must never be written by [`KeyValue::set`], which permanently breaks
    /// some backends.
    ///
    /// # Errors
    /// See [`KeyValue::get`].
    async fn increment(&self, key: &str, by: i64) -> Result<i64, Unavailable>;

    /// Whether the store keeps values. One that is read from variables does not.
    fn keeps_values(&self) -> bool {
        true
    }
}

/// The system of the service: its variables, clocks, randomness and log.
#[allow(async_fn_in_trait, reason = "a component has one thread, so futures need not be Send")]
pub trait System {
    /// Returns a variable of the application; `None` if it is not set or cannot be read.
    async fn variable(&self, name: &str) -> Option<String>;

    /// Unix time in milliseconds.
    fn now_ms(&self) -> u64;

    /// Returns microseconds of a monotonic clock with an arbitrary origin.
    fn ticks_us(&self) -> u64;

    /// Waits `duration` milliseconds.
    async fn sleep_ms(&self, duration: u64);

    /// Lets other requests of this instance run.
    async fn yield_now(&self);

    /// Returns 128 random bits from a cryptographic source.
    fn random(&self) -> u128;

    /// Writes one line to the log; a line that cannot be written is lost.
    fn log(&self, line: &str);
}

/// Reads the system's clock: Unix time in milliseconds.
pub fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The host of the service: a system with stores.
#[allow(async_fn_in_trait, reason = "a component has one thread, so futures need not be Send")]
pub trait Host: System {
    /// A handle to a store of this host.
    type Store: KeyValue;

    /// Returns the store with that label, which is opened on first use.
    fn store(&self, label: Label) -> Self::Store;

    /// Returns the state that this instance keeps between requests.
    fn cache(&self) -> &Cache;

    /// Returns the milliseconds for which metrics are batched; 0 writes them at once.
    fn batch_ms(&self) -> u64;
}

impl<S: System> System for &S {
    async fn variable(&self, name: &str) -> Option<String> {
        S::variable(self, name).await
    }

    fn now_ms(&self) -> u64 {
        S::now_ms(self)
    }

    fn ticks_us(&self) -> u64 {
        S::ticks_us(self)
    }

    async fn sleep_ms(&self, duration: u64) {
        S::sleep_ms(self, duration).await;
    }

    async fn yield_now(&self) {
        S::yield_now(self).await;
    }

    fn random(&self) -> u128 {
        S::random(self)
    }

    fn log(&self, line: &str) {
        S::log(self, line);
    }
}

impl<H: Host> Host for &H {
    type Store = H::Store;

    fn store(&self, label: Label) -> Self::Store {
        H::store(self, label)
    }

    fn cache(&self) -> &Cache {
        H::cache(self)
    }

    fn batch_ms(&self) -> u64 {
        H::batch_ms(self)
    }
}

/// Returns the result of `work`, if it completes within `duration_ms`.
pub(crate) async fn within<W: Future>(host: &impl Host, duration_ms: u64, work: W) -> Option<W::Output> {
    match select(pin!(work), pin!(host.sleep_ms(duration_ms))).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}

/// The maximum time slice of a request in milliseconds, before others of the instance run.
const TURN_MS: f64 = 5.0;

/// Divides heavy work of a request, so that it does not delay the streams of the same instance.
pub(crate) struct Pace<'h, H> {
    host: &'h H,
    turn: Stopwatch<&'h H>,
}

impl<'h, H: Host> Pace<'h, H> {
    pub(crate) fn start(host: &'h H) -> Self {
        Self { host, turn: Stopwatch::start(host) }
    }

    /// Lets other requests run, if the work since the last time took [`TURN_MS`].
    pub(crate) async fn rest(&mut self) {
        if self.turn.elapsed_ms() >= TURN_MS {
            self.host.yield_now().await;
            self.turn = Stopwatch::start(self.host);
        }
    }
}

/// Measures the time since its start.
pub(crate) struct Stopwatch<H> {
    host: H,
    started_us: u64,
}

impl<H: Host> Stopwatch<H> {
    pub(crate) fn start(host: H) -> Self {
        let started_us = host.ticks_us();
        Self { host, started_us }
    }

    pub(crate) fn elapsed_ms(&self) -> f64 {
        let elapsed_us = self.host.ticks_us().saturating_sub(self.started_us);
        // the microseconds of a request fit the 53 bits of a float
        elapsed_us as f64 / 1_000.0
    }
}
