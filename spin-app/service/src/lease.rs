//! Leases: locks in a key-value store, with an end and a fence.
//!
//! The stores offer no transaction, and no compare-and-swap that holds on every backend. All of them have an
//! atomic `increment`, so a lock is a counter: the client that raises it to 1 holds the lock. A counter
//! belongs to a slot of [`SLOT_MS`], and a lock is free only if the counter of the previous slot is 0 too. A
//! crashed holder therefore blocks others for two slots at most. Four counters per key are used in turn; the
//! unused one is deleted. Clocks of hosts that share a store must agree within a second.
//!
//! A holder that is slower than its lease must stop writing. [`Lease::check`] precedes each write: it fails
//! [`MARGIN_MS`] before another holder can acquire the lock, and if the fence shows that one did. The fence
//! is a counter that each acquisition raises.

use crate::{
    error::ApiError,
    host::{Host, KeyValue, Label},
};

/// Length of a slot in milliseconds. A lease lasts one to two slots.
const SLOT_MS: u64 = 5_000;

/// Counters that a key uses in turn.
const SLOTS: u64 = 4;

/// The time before the end of a lease at which writing must stop, in milliseconds: a write may take two seconds, and
/// clocks may differ.
const MARGIN_MS: u64 = 3_000;

/// The maximum difference between the clocks of hosts that share a store, in milliseconds.
const CLOCK_SKEW_MS: u64 = 1_000;

/// Milliseconds of a slot after which every lease of the slot before has ended, by any clock, even one that was acquired late
/// because the store was slow.
const PAST_ENDED_MS: u64 = SLOT_MS - MARGIN_MS + CLOCK_SKEW_MS;

/// Milliseconds between two attempts; random, so that two callers do not meet again and again.
const PAUSE_MS: std::ops::Range<u64> = 2..20;

/// Milliseconds until a caller gives up.
const PATIENCE_MS: u64 = 15_000;

/// A lock that is held. It must be released with [`Lease::release`].
#[derive(Debug)]
pub(crate) struct Lease {
    label: Label,
    counter: String,
    fence: String,
    /// The value of the fence unless another holder acquires the lock.
    token: i64,
    /// Unix time in milliseconds from which writing is forbidden.
    ends_ms: u64,
}

impl Lease {
    /// Acquires the lock of a key, whose counters are in the store with that label.
    ///
    /// # Errors
    /// `service_unavailable`, also if another holder keeps the lock for too long.
    pub(crate) async fn acquire(host: &impl Host, label: Label, key: &str) -> Result<Self, ApiError> {
        let (lease, ()) = Self::acquire_any(host, label, std::iter::once(((), key))).await?;
        Ok(lease)
    }

    /// Acquires the first lock of a list that is free, and returns what it stands for. Each has that and its key.
    ///
    /// # Errors
    /// As [`Lease::acquire`].
    pub(crate) async fn acquire_any<T, K: AsRef<str>>(
        host: &impl Host,
        label: Label,
        locks: impl Iterator<Item = (T, K)> + Clone,
    ) -> Result<(Self, T), ApiError> {
        let give_up_ms = host.now_ms().saturating_add(PATIENCE_MS);
        loop {
            for (of, key) in locks.clone() {
                if let Some(lease) = Self::attempt(host, label, key.as_ref()).await? {
                    return Ok((lease, of));
                }
            }
            if host.now_ms() >= give_up_ms {
                return Err(ApiError::unavailable("a document in a key-value store stays locked"));
            }
            let spread = u128::from(PAUSE_MS.end - PAUSE_MS.start);
            let pause = u64::try_from(host.random() % spread).unwrap_or_default();
            host.sleep_ms(PAUSE_MS.start + pause).await;
        }
    }

    async fn attempt(host: &impl Host, label: Label, key: &str) -> Result<Option<Self>, ApiError> {
        let store = host.store(label);
        let now_ms = host.now_ms();
        let slot = now_ms / SLOT_MS;
        let (counter, fence) = (counter(key, slot), format!("fence:{key}"));
        if store.increment(&counter, 1).await? != 1 || !is_released(host, &store, key, &fence, now_ms).await?
        {
            store.increment(&counter, -1).await?;
            return Ok(None);
        }
        let token = store.increment(&fence, 1).await?;
        Ok(Some(Self { label, counter, fence, token, ends_ms: (slot + 2) * SLOT_MS - MARGIN_MS }))
    }

    /// Checks that the lock is still held. Must precede each write.
    ///
    /// # Errors
    /// `service_unavailable` if the lease ended or another holder has acquired the lock.
    pub(crate) async fn check(&self, host: &impl Host) -> Result<(), ApiError> {
        let is_over = host.now_ms() >= self.ends_ms
            || host.store(self.label).increment(&self.fence, 0).await? != self.token;
        match is_over {
            true => Err(ApiError::unavailable("a lease ended before its holder wrote; nothing was written")),
            false => Ok(()),
        }
    }

    /// Releases the lock. One that cannot be released ends with its slots.
    pub(crate) async fn release(self, host: &impl Host) {
        // a counter out of use may be deleted: touching it would make it anew, below zero and for good
        if host.now_ms() < self.ends_ms + MARGIN_MS {
            let _ = host.store(self.label).increment(&self.counter, -1).await;
        }
    }
}

/// The key of the counter of a slot.
fn counter(key: &str, slot: u64) -> String {
    format!("lock:{}:{key}", slot % SLOTS)
}

/// Whether nobody holds the lock since the previous slot. Deletes the counter that is not in use.
///
/// Once leases of the previous slot have ended, nobody can write under one any more. The instance then remembers a counter of
/// 0, under the key of the fence.
async fn is_released(
    host: &impl Host,
    store: &impl KeyValue,
    key: &str,
    fence: &str,
    now_ms: u64,
) -> Result<bool, ApiError> {
    let slot = now_ms / SLOT_MS;
    let past = slot.saturating_sub(1);
    if host.cache().is_slot_empty(fence, past) {
        return Ok(true);
    }
    if store.increment(&counter(key, past), 0).await? != 0 {
        return Ok(false);
    }
    store.delete(&counter(key, slot + 2)).await?;
    if now_ms % SLOT_MS >= PAST_ENDED_MS {
        host.cache().note_empty_slot(fence, past);
    }
    Ok(true)
}
