//! The interface of the service to the system that it runs in: variables, clocks, randomness and a log.
//!
//! Futures need not be `Send`: a component has one thread.

use std::{
    pin::pin,
    time::{SystemTime, UNIX_EPOCH},
};

use futures_util::future::{Either, select};

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

/// Returns the result of `work`, if it completes within `duration_ms`.
pub(crate) async fn within<W: Future>(host: &impl System, duration_ms: u64, work: W) -> Option<W::Output> {
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

impl<'h, H: System> Pace<'h, H> {
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

impl<H: System> Stopwatch<H> {
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
