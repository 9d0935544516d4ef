//! A circuit breaker for each provider: one that keeps failing is passed over for the rest of a half minute,
//! by all instances that share the store `usage`.
//!
//! Each half minute has two counters, of attempts and of failures; in the next one the provider is tried again.

use crate::{
    error::ApiError,
    host::{Host, KeyValue, Label, Unavailable},
    usage::metrics,
};

const SLOT_MS: u64 = 30_000;

/// Failures from which on a provider may be passed over.
const MIN_FAILURES: i64 = 5;

/// One of a provider's counters, which are stored under its id.
#[derive(Clone, Copy)]
enum BreakerCounter {
    Attempts,
    Failures,
}

impl BreakerCounter {
    fn key(self, provider: &str, slot: u64) -> String {
        let name = match self {
            Self::Attempts => "attempts",
            Self::Failures => "failures",
        };
        format!("breaker:{provider}:{name}:{slot}")
    }
}

/// Whether a provider is skipped: at least half of its attempts failed, and more than a few.
///
/// # Errors
/// [`Unavailable`].
pub(crate) async fn is_open(host: &impl Host, provider: &str) -> Result<bool, Unavailable> {
    let slot = host.now_ms() / SLOT_MS;
    let store = host.store(Label::Usage);
    let failures = store.increment(&BreakerCounter::Failures.key(provider, slot), 0).await?;
    if failures < MIN_FAILURES {
        return Ok(false);
    }
    let attempts = store.increment(&BreakerCounter::Attempts.key(provider, slot), 0).await?;
    Ok(failures * 2 >= attempts)
}

/// Returns the error of a request whose only provider is skipped.
pub(super) fn skipped() -> ApiError {
    ApiError::no_provider("the provider keeps failing and is passed over; retry in half a minute")
}

/// Counts the outcome of an attempt. A store that fails loses the count.
pub(super) async fn note(host: &impl Host, provider: &str, failed: bool) {
    let _ = try_note(host, provider, failed).await;
}

async fn try_note(host: &impl Host, provider: &str, failed: bool) -> Result<(), Unavailable> {
    let slot = host.now_ms() / SLOT_MS;
    let store = host.store(Label::Usage);
    if store.increment(&BreakerCounter::Attempts.key(provider, slot), 1).await? == 1 {
        // a provider that nobody asks for a while leaves four counters behind
        for counter in [BreakerCounter::Attempts, BreakerCounter::Failures] {
            store.delete(&counter.key(provider, slot.saturating_sub(2))).await?;
            store.delete(&counter.key(provider, slot.saturating_sub(1))).await?;
        }
    }
    if failed && store.increment(&BreakerCounter::Failures.key(provider, slot), 1).await? >= MIN_FAILURES {
        metrics::show_breaker(&store, provider).await?;
    }
    Ok(())
}
