//! The rate limit of a caller: a number of requests in each minute of the clock.
//!
//! A window is one counter in the store `usage`, touched only by `increment`, so it holds over all
//! instances and hosts that share the store. The stores have no expiry, so the first request of a
//! window deletes the counters of earlier windows; a small document lists them.

use std::collections::BTreeSet;

use http::{HeaderMap, HeaderName, HeaderValue};

use super::{Allowance, in_flight};
use crate::{
    error::ApiError,
    host::{Host, KeyValue, Label, Unavailable},
    limits::WINDOW_SECONDS,
};

/// The state of a caller's current window, including this request.
pub(crate) struct Window {
    limit: u32,
    used: u64,
    now_ms: u64,
    resets_at: u64,
}

/// Counts one request of a caller.
///
/// # Errors
/// `service_unavailable` if the store is down: without its counters no limit would hold.
pub(crate) async fn count(host: &impl Host, allowance: &Allowance) -> Result<Window, ApiError> {
    let now_ms = host.now_ms();
    let window = now_ms / 1_000 / WINDOW_SECONDS;
    let store = host.store(Label::Usage);
    let used = store.increment(&counter(&allowance.id, window), 1).await?;
    if used == 1 {
        remember(&store, &allowance.id, window).await?;
    }
    Ok(Window {
        limit: allowance.requests_per_minute,
        used: u64::try_from(used).unwrap_or_default(),
        now_ms,
        resets_at: (window + 1) * WINDOW_SECONDS,
    })
}

fn counter(id: &str, window: u64) -> String {
    format!("rate:{id}:{window}")
}

/// Lists the counters of a window, and deletes those of expired windows, including in-flight permits.
///
/// The previous window stays, because a host whose clock is behind may still use it.
pub(super) async fn remember(store: &impl KeyValue, id: &str, window: u64) -> Result<(), Unavailable> {
    let index = format!("rate-windows:{id}");
    let known = store.get(&index).await?.unwrap_or_default();
    let mut old: BTreeSet<u64> = serde_json::from_slice(&known).unwrap_or_default();
    let mut kept = old.split_off(&window.saturating_sub(1));
    kept.insert(window);
    for past in old {
        store.delete(&counter(id, past)).await?;
        for permits in in_flight::counters(id, past) {
            store.delete(&permits).await?;
        }
    }
    store.set(&index, serde_json::json!(kept).to_string().as_bytes()).await
}

impl Window {
    /// Checks that this request is within the limit.
    ///
    /// # Errors
    /// `rate_limit_exceeded`.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        if self.used > u64::from(self.limit) {
            return Err(ApiError::rate_limit_exceeded(self.limit, self.seconds_left()));
        }
        Ok(())
    }

    /// Seconds to the next window, rounded up so that a client that waits is admitted.
    fn seconds_left(&self) -> u64 {
        (self.resets_at * 1_000).saturating_sub(self.now_ms).div_ceil(1_000)
    }

    fn remaining(&self) -> u64 {
        u64::from(self.limit).saturating_sub(self.used)
    }

    /// Writes the headers of answers to API keys and in the gateway.
    pub(crate) fn write(&self, headers: &mut HeaderMap) {
        for (name, value) in [
            (HeaderName::from_static("x-ratelimit-limit"), u64::from(self.limit)),
            (HeaderName::from_static("x-ratelimit-remaining"), self.remaining()),
            (HeaderName::from_static("x-ratelimit-reset"), self.resets_at),
        ] {
            headers.insert(name, HeaderValue::from(value));
        }
    }

    /// Writes the headers that OpenAI's clients read.
    pub(crate) fn write_as_openai(&self, headers: &mut HeaderMap) {
        for (name, value) in [
            (HeaderName::from_static("x-ratelimit-limit-requests"), self.limit.to_string()),
            (HeaderName::from_static("x-ratelimit-remaining-requests"), self.remaining().to_string()),
            (HeaderName::from_static("x-ratelimit-reset-requests"), format!("{}s", self.seconds_left())),
        ] {
            headers.extend(HeaderValue::try_from(value).ok().map(|value| (name, value)));
        }
    }
}
