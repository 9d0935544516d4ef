//! How many requests of a key or of a workspace are in work at a time (spec §8, "Concurrency burst").
//!
//! Each request adds one to a counter and takes it off when it is answered. One that dies never does, so
//! each half minute has a counter and the last two count: a lost place is free again after a minute. The
//! counters are deleted with those of the rate window that they belong to. A request that finds no place waits
//! for one for a while: clients that send a burst are served one after the other rather than refused.

use super::Allowance;
use crate::{
    error::ApiError,
    host::{Host, KeyValue, Label, Unavailable},
    limits::{PLACE_PATIENCE_MS, WINDOW_SECONDS},
};

const SLOT_MS: u64 = 30_000;
const SLOTS_PER_WINDOW: u64 = WINDOW_SECONDS * 1_000 / SLOT_MS;
const FIRST_PAUSE_MS: u64 = 1;
const LONGEST_PAUSE_MS: u64 = 50;

/// A place among the requests in work; to be given back.
pub(crate) struct Place {
    counter: String,
}

/// Takes a place, waiting for one if need be.
///
/// # Errors
/// `rate_limit_exceeded` where none became free; `service_unavailable`.
pub(crate) async fn enter(host: &impl Host, allowance: &Allowance) -> Result<Place, ApiError> {
    let mut waited_ms = 0;
    let mut pause_ms = FIRST_PAUSE_MS;
    loop {
        if let Some(place) = try_enter(host, allowance).await? {
            return Ok(place);
        }
        if waited_ms >= PLACE_PATIENCE_MS {
            return Err(ApiError::too_many_in_flight(allowance.concurrent_requests));
        }
        host.sleep_ms(pause_ms).await;
        waited_ms += pause_ms;
        pause_ms = (pause_ms * 2).min(LONGEST_PAUSE_MS);
    }
}

async fn try_enter(host: &impl Host, allowance: &Allowance) -> Result<Option<Place>, Unavailable> {
    let slot = host.now_ms() / SLOT_MS;
    let store = host.store(Label::Usage);
    let own = counter(&allowance.id, slot);
    let entered = store.increment(&own, 1).await?;
    let before = store.increment(&counter(&allowance.id, slot.saturating_sub(1)), 0).await?;
    if entered.saturating_add(before.max(0)) <= i64::from(allowance.concurrent_requests) {
        return Ok(Some(Place { counter: own }));
    }
    store.increment(&own, -1).await?;
    Ok(None)
}

fn counter(id: &str, slot: u64) -> String {
    format!("in-flight:{id}:{slot}")
}

/// The counters that the requests of a rate window touched: to read the one before makes it.
pub(super) fn counters(id: &str, window: u64) -> impl Iterator<Item = String> {
    let first = window * SLOTS_PER_WINDOW;
    (first.saturating_sub(1)..first + SLOTS_PER_WINDOW).map(move |slot| counter(id, slot))
}

impl Place {
    /// Gives the place back. Where the store is down, it is free after a minute.
    pub(crate) async fn leave(self, host: &impl Host) {
        let _ = host.store(Label::Usage).increment(&self.counter, -1).await;
    }
}
