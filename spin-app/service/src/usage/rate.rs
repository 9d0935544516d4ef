//! The rate window of a key or of a workspace (spec §8): so many requests in each minute of the clock.
//!
//! A window is one counter in the store `usage`, touched only by `increment`, so it holds over all
//! instances and hosts that share the store. The stores have no expiry, so the first request of a
//! window deletes the counters of the windows before; a small document says which there are.

use std::collections::BTreeSet;

use http::{HeaderMap, HeaderName, HeaderValue};

use super::{Allowance, in_flight};
use crate::{
    error::ApiError,
    host::{Host, KeyValue, Label, Unavailable},
    limits::WINDOW_SECONDS,
};

/// How somebody stands in the current window, this request counted.
pub(crate) struct Window {
    limit: u32,
    used: u64,
    now_ms: u64,
    resets_at: u64,
}

/// Counts one request of theirs.
///
/// # Errors
/// `service_unavailable` where the store is down: without its counters no limit would hold.
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

/// Notes that there are counters of a window, and deletes those of windows long past, of the places in work too.
/// The one just past stays: a host whose clock is behind may still count in it.
pub(super) async fn remember(store: &impl KeyValue, id: &str, window: u64) -> Result<(), Unavailable> {
    let index = format!("rate-windows:{id}");
    let known = store.get(&index).await?.unwrap_or_default();
    let mut old: BTreeSet<u64> = serde_json::from_slice(&known).unwrap_or_default();
    let mut kept = old.split_off(&window.saturating_sub(1));
    kept.insert(window);
    for past in old {
        store.delete(&counter(id, past)).await?;
        for places in in_flight::counters(id, past) {
            store.delete(&places).await?;
        }
    }
    store.set(&index, serde_json::json!(kept).to_string().as_bytes()).await
}

impl Window {
    /// Whether this request is one too many.
    ///
    /// # Errors
    /// `rate_limit_exceeded`.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        if self.used > u64::from(self.limit) {
            return Err(ApiError::rate_limit_exceeded(self.limit, self.seconds_left()));
        }
        Ok(())
    }

    /// Seconds to the next window, rounded up so that who waits them out gets in.
    fn seconds_left(&self) -> u64 {
        (self.resets_at * 1_000).saturating_sub(self.now_ms).div_ceil(1_000)
    }

    fn remaining(&self) -> u64 {
        u64::from(self.limit).saturating_sub(self.used)
    }

    /// Writes the headers that every answer to a key or a workspace carries.
    pub(crate) fn write(&self, headers: &mut HeaderMap) {
        for (name, value) in [
            (HeaderName::from_static("x-ratelimit-limit"), u64::from(self.limit)),
            (HeaderName::from_static("x-ratelimit-remaining"), self.remaining()),
            (HeaderName::from_static("x-ratelimit-reset"), self.resets_at),
        ] {
            headers.insert(name, HeaderValue::from(value));
        }
    }

    /// Writes the same as OpenAI's clients read it.
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
