//! How many requests of a key or of a workspace are in work at a time (spec §8, "Concurrency burst").
//!
//! Each request adds one to a counter and takes it off when it is answered. One that dies never does, so
//! each half minute has a counter and the last two count: a lost place is free again after a minute. A request
//! that is in work for longer moves its one to the counter of the half minute that has come meanwhile. The
//! counters are deleted with those of the rate window that they belong to. A request that finds no place waits
//! for one for a while: clients that send a burst are served one after the other rather than refused.

use std::pin::pin;

use futures_util::future::{Either, LocalBoxFuture, select};

use super::{Allowance, rate};
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
pub(crate) struct Place<'h> {
    id: String,
    /// The half minute in whose counter it is.
    slot: u64,
    /// When it is to move to another, by the host's clock.
    due_ms: u64,
    /// Waits until then. One for all that is awaited: a stream has thousands of parts.
    timer: Option<LocalBoxFuture<'h, ()>>,
}

/// Takes a place, waiting for one if need be.
///
/// # Errors
/// `rate_limit_exceeded` where none became free; `service_unavailable`.
pub(crate) async fn enter<'h>(host: &impl Host, allowance: &Allowance) -> Result<Place<'h>, ApiError> {
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

async fn try_enter<'h>(host: &impl Host, allowance: &Allowance) -> Result<Option<Place<'h>>, Unavailable> {
    let slot = host.now_ms() / SLOT_MS;
    let store = host.store(Label::Usage);
    let own = counter(&allowance.id, slot);
    let entered = store.increment(&own, 1).await?;
    let before = store.increment(&counter(&allowance.id, slot.saturating_sub(1)), 0).await?;
    if entered.saturating_add(before.max(0)) <= i64::from(allowance.concurrent_requests) {
        return Ok(Some(Place { id: allowance.id.clone(), slot, due_ms: due_ms(slot), timer: None }));
    }
    store.increment(&own, -1).await?;
    Ok(None)
}

fn counter(id: &str, slot: u64) -> String {
    format!("in-flight:{id}:{slot}")
}

/// The middle of the half minute behind the slot, which is the last one that it counts in: few requests take so
/// long, and there is time to move.
fn due_ms(slot: u64) -> u64 {
    (slot + 1) * SLOT_MS + SLOT_MS / 2
}

/// The counters that the requests of a rate window touched: to read the one before makes it.
pub(super) fn counters(id: &str, window: u64) -> impl Iterator<Item = String> {
    let first = window * SLOTS_PER_WINDOW;
    (first.saturating_sub(1)..first + SLOTS_PER_WINDOW).map(move |slot| counter(id, slot))
}

impl<'h> Place<'h> {
    /// Gives what `work` gives, and keeps the place however long that takes.
    pub(crate) async fn keep<H: Host + Clone + 'h, W: Future>(&mut self, host: &H, work: W) -> W::Output {
        let mut work = pin!(work);
        loop {
            let left_ms = self.due_ms.saturating_sub(host.now_ms());
            if left_ms == 0 {
                self.renew(host).await;
                continue;
            }
            let timer = self.timer.get_or_insert_with(|| {
                let host = host.clone();
                Box::pin(async move { host.sleep_ms(left_ms).await })
            });
            match select(work.as_mut(), timer).await {
                Either::Left((done, _)) => return done,
                Either::Right(_) => self.timer = None,
            }
        }
    }

    /// Moves to the counter of now. Where the store is down, the next half minute is time to try again.
    async fn renew(&mut self, host: &impl Host) {
        let slot = host.now_ms() / SLOT_MS;
        self.due_ms = due_ms(slot);
        self.timer = None;
        let _ = self.move_to(host, slot).await;
    }

    async fn move_to(&mut self, host: &impl Host, slot: u64) -> Result<(), Unavailable> {
        let store = host.store(Label::Usage);
        let window = slot / SLOTS_PER_WINDOW;
        if window != self.slot / SLOTS_PER_WINDOW {
            // there may be no other request in it
            rate::remember(&store, &self.id, window).await?;
        }
        store.increment(&counter(&self.id, slot), 1).await?;
        self.free(host).await;
        self.slot = slot;
        Ok(())
    }

    /// Gives the place back. Where the store is down, it is free after a minute.
    pub(crate) async fn leave(self, host: &impl Host) {
        self.free(host).await;
    }

    async fn free(&self, host: &impl Host) {
        // a counter that counts no more may be deleted: to touch it would make it anew, below zero and for good
        if host.now_ms() / SLOT_MS <= self.slot + 1 {
            let _ = host.store(Label::Usage).increment(&counter(&self.id, self.slot), -1).await;
        }
    }
}
