//! What the service needs from where it runs.
//!
//! Futures need not be `Send`: a component has one thread.

use std::{fmt, pin::pin};

use futures_util::future::{Either, select};

/// A key-value store that the application declares, by what it holds. Each may have its own backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// API keys, settings of workspaces, providers, policies: what must not be lost.
    Config,
    /// Counters of limits and metrics.
    Usage,
    /// Records of what was done in the gateway.
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

/// A store did not answer, or refused.
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
    /// The value of `key`, if there is one.
    ///
    /// # Errors
    /// [`Unavailable`], as for every operation here.
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Unavailable>;

    /// Stores `value`; the last write wins.
    ///
    /// # Errors
    /// See [`KeyValue::get`].
    async fn set(&self, key: &str, value: &[u8]) -> Result<(), Unavailable>;

    /// Deletes `key`, which need not exist.
    ///
    /// # Errors
    /// See [`KeyValue::get`].
    async fn delete(&self, key: &str) -> Result<(), Unavailable>;

    /// Adds to the counter `key`, which begins at 0, and returns the sum. Atomic over all who share
    /// the store. A counter is read by adding 0 and never written by [`KeyValue::set`]: that breaks
    /// some backends for good.
    ///
    /// # Errors
    /// See [`KeyValue::get`].
    async fn increment(&self, key: &str, by: i64) -> Result<i64, Unavailable>;
}

/// Where the service runs: stores, variables, clocks, randomness and a log.
#[allow(async_fn_in_trait, reason = "a component has one thread, so futures need not be Send")]
pub trait Host {
    /// A handle to a store of this host.
    type Store: KeyValue;

    /// The store of that label. It is opened when it is first used.
    fn store(&self, label: Label) -> Self::Store;

    /// A variable of the application; none where it is not set or cannot be read.
    async fn variable(&self, name: &str) -> Option<String>;

    /// Unix time in milliseconds.
    fn now_ms(&self) -> u64;

    /// Microseconds on a clock that never runs backwards, from any beginning.
    fn ticks_us(&self) -> u64;

    /// Waits so many milliseconds.
    async fn sleep_ms(&self, duration: u64);

    /// 128 random bits, which none can guess.
    fn random(&self) -> u128;

    /// Writes one line to the log; a line that cannot be written is lost.
    fn log(&self, line: &str);
}

impl<H: Host> Host for &H {
    type Store = H::Store;

    fn store(&self, label: Label) -> Self::Store {
        H::store(self, label)
    }

    async fn variable(&self, name: &str) -> Option<String> {
        H::variable(self, name).await
    }

    fn now_ms(&self) -> u64 {
        H::now_ms(self)
    }

    fn ticks_us(&self) -> u64 {
        H::ticks_us(self)
    }

    async fn sleep_ms(&self, duration: u64) {
        H::sleep_ms(self, duration).await;
    }

    fn random(&self) -> u128 {
        H::random(self)
    }

    fn log(&self, line: &str) {
        H::log(self, line);
    }
}

/// What `work` gives, if it is done in so many milliseconds.
pub(crate) async fn within<W: Future>(host: &impl Host, duration_ms: u64, work: W) -> Option<W::Output> {
    match select(pin!(work), pin!(host.sleep_ms(duration_ms))).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}

/// Measures from where it was started.
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
        // microseconds of a request fit a float's 53 bits by far
        elapsed_us as f64 / 1_000.0
    }
}
