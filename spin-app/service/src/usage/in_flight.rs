//! Limits the number of requests in flight per caller.
//!
//! The store offers only atomic `increment`, so a permit is +1 on a counter and its release is −1. A crashed
//! request never releases. Counters are therefore sliced: one per slot of 30 s, and the limit applies to the sum of
//! the current and the previous slot. A leaked permit expires after at most 60 s. A request that outlives its
//! slot moves its permit to the current one ([`Permit::hold`]). Counters are deleted with those of their rate window.
//!
//! A request without a free permit waits up to [`PERMIT_PATIENCE_MS`], so a client's burst is served in order
//! instead of being rejected.

use std::pin::pin;

use futures_util::future::{Either, LocalBoxFuture, select};

use super::{Allowance, rate};
use crate::{
    error::ApiError,
    host::{Host, KeyValue, Label, Unavailable},
    limits::{PERMIT_PATIENCE_MS, WINDOW_SECONDS},
};

/// Length of a slot. Two slots bound how long a leaked permit counts.
const SLOT_MS: u64 = 30_000;
const SLOTS_PER_WINDOW: u64 = WINDOW_SECONDS * 1_000 / SLOT_MS;

/// The maximum difference between the clocks of hosts that share a store.
const CLOCK_SKEW_MS: u64 = 2_000;

/// Bounds of the pause between two attempts; it doubles.
const FIRST_PAUSE_MS: u64 = 1;
const LONGEST_PAUSE_MS: u64 = 50;

/// A permit for one request in flight. It must be released with [`Permit::release`].
pub(crate) struct Permit<'h> {
    id: String,
    /// The slot whose counter it raised.
    slot: u64,
    /// Unix time in milliseconds at which it moves to the current slot.
    due_ms: u64,
    /// Ends at `due_ms`. One timer for all that is awaited: a stream has thousands of parts.
    timer: Option<LocalBoxFuture<'h, ()>>,
}

/// Acquires a permit, and waits for one if none is free.
///
/// # Errors
/// `rate_limit_exceeded` if none became free in time; `service_unavailable`.
pub(crate) async fn enter<'h>(host: &impl Host, allowance: &Allowance) -> Result<Permit<'h>, ApiError> {
    let give_up_ms = host.now_ms().saturating_add(PERMIT_PATIENCE_MS);
    let mut pause_ms = FIRST_PAUSE_MS;
    let mut is_first = true;
    loop {
        // a waiting request looks before it counts itself: on a slow store each write delays those that have a permit
        if (is_first || has_free(host, allowance).await?)
            && let Some(permit) = try_enter(host, allowance).await?
        {
            return Ok(permit);
        }
        is_first = false;
        // by the clock, not by the pauses: an attempt itself may take long
        if host.now_ms() >= give_up_ms {
            return Err(ApiError::too_many_in_flight(allowance.concurrent_requests));
        }
        host.sleep_ms(pause_ms).await;
        pause_ms = (pause_ms * 2).min(LONGEST_PAUSE_MS);
    }
}

/// Whether a permit of the current slot may be free.
async fn has_free(host: &impl Host, allowance: &Allowance) -> Result<bool, Unavailable> {
    let own = counter(&allowance.id, host.now_ms() / SLOT_MS);
    let entered = host.store(Label::Usage).increment(&own, 0).await?;
    Ok(entered < i64::from(allowance.concurrent_requests))
}

async fn try_enter<'h>(host: &impl Host, allowance: &Allowance) -> Result<Option<Permit<'h>>, Unavailable> {
    let slot = host.now_ms() / SLOT_MS;
    let store = host.store(Label::Usage);
    let own = counter(&allowance.id, slot);
    let entered = store.increment(&own, 1).await?;
    let before = if host.cache().is_slot_empty(&allowance.id, slot.saturating_sub(1)) {
        0
    } else {
        let before = store.increment(&counter(&allowance.id, slot.saturating_sub(1)), 0).await?;
        // permits are acquired in the current slot only, so an empty past slot stays empty once no host's clock can
        // be in it any more
        if before <= 0 && host.now_ms() % SLOT_MS >= CLOCK_SKEW_MS {
            host.cache().note_empty_slot(&allowance.id, slot.saturating_sub(1));
        }
        before
    };
    if entered.saturating_add(before.max(0)) <= i64::from(allowance.concurrent_requests) {
        return Ok(Some(Permit { id: allowance.id.clone(), slot, due_ms: due_ms(slot), timer: None }));
    }
    store.increment(&own, -1).await?;
    Ok(None)
}

fn counter(id: &str, slot: u64) -> String {
    format!("in-flight:{id}:{slot}")
}

/// The middle of the slot after `slot`, which is the last one in which it counts: few requests take so long, and
/// there is time to move.
fn due_ms(slot: u64) -> u64 {
    (slot + 1) * SLOT_MS + SLOT_MS / 2
}

/// The counters that the requests of a rate window touched. Reading the previous one creates it.
pub(super) fn counters(id: &str, window: u64) -> impl Iterator<Item = String> {
    let first = window * SLOTS_PER_WINDOW;
    (first.saturating_sub(1)..first + SLOTS_PER_WINDOW).map(move |slot| counter(id, slot))
}

impl<'h> Permit<'h> {
    /// Awaits `work` and keeps the permit for as long as it takes.
    pub(crate) async fn hold<H: Host + Clone + 'h, W: Future>(&mut self, host: &H, work: W) -> W::Output {
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

    /// Moves to the current slot. Where the store is down, the next slot leaves time for another attempt.
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
            // no other request may have counted in this window
            rate::remember(&store, &self.id, window).await?;
        }
        store.increment(&counter(&self.id, slot), 1).await?;
        self.decrement(host).await;
        self.slot = slot;
        Ok(())
    }

    /// Releases the permit. Where the store is down, it expires.
    pub(crate) async fn release(self, host: &impl Host) {
        self.decrement(host).await;
    }

    async fn decrement(&self, host: &impl Host) {
        // an expired counter may be deleted: touching it would make it anew, below zero and for good
        if host.now_ms() / SLOT_MS <= self.slot + 1 {
            let _ = host.store(Label::Usage).increment(&counter(&self.id, self.slot), -1).await;
        }
    }
}
