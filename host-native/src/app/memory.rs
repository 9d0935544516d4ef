//! The memory shared by all instances.
//!
//! Each instance has its own limit, and all of them share a total. An instance reserves [`RESERVE`] bytes
//! before it is created, so that no request is accepted whose instance could not start. Beyond its reserve,
//! an instance competes for the rest: growth that does not fit fails, as does growth beyond its own limit.
//! Idle instances keep memory only until it is needed elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use wasmtime::{ResourceLimiter, Result};

/// Bytes that an instance reserves, used or not: an instance of the service needs 6 to 12 MB for one request.
pub(crate) const RESERVE: usize = 16 << 20;

/// Most function references in a table; a large program has some ten thousand.
const MAX_TABLE_ELEMENTS: usize = 1_000_000;

/// The total of all instances.
pub(crate) struct TotalMemory {
    limit: usize,
    used: AtomicUsize,
    /// Notified when memory is given back, and when an instance becomes idle.
    available: Notify,
    /// Notified when an idle instance must end.
    wanted: Notify,
}

impl TotalMemory {
    /// A total of `limit` bytes.
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, used: AtomicUsize::new(0), available: Notify::new(), wanted: Notify::new() })
    }

    /// Resolves when there may be an instance or memory for one.
    pub(crate) fn available(&self) -> Notified<'_> {
        self.available.notified()
    }

    /// Wakes all that wait for an instance.
    pub(crate) fn announce(&self) {
        self.available.notify_waiters();
    }

    /// Asks one idle instance to end: the one that has been idle for the longest time.
    pub(crate) fn want(&self) {
        self.wanted.notify_one();
    }

    /// Resolves when the idle instance that awaits this must end.
    pub(crate) fn wanted(&self) -> Notified<'_> {
        self.wanted.notified()
    }

    fn take(&self, bytes: usize) -> bool {
        let take = |used: usize| used.checked_add(bytes).filter(|used| *used <= self.limit);
        let taken = self.used.fetch_update(Ordering::AcqRel, Ordering::Acquire, take);
        // idle instances end before the memory is used up: growth cannot wait for them
        if taken.is_err() || taken.is_ok_and(|used| used + bytes > self.limit - self.limit / 8) {
            self.want();
        }
        taken.is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::AcqRel);
        self.announce();
    }
}

/// The memory of one instance; dropped, it is given back.
pub(crate) struct InstanceMemory {
    /// Bytes that this instance may use.
    limit: usize,
    /// Bytes of linear memory, which never shrinks.
    pub(crate) used: usize,
    /// Bytes taken from the total.
    taken: usize,
    total: Arc<TotalMemory>,
}

impl InstanceMemory {
    /// Reserves memory for an instance that may use `limit` bytes; `None` if the total does not allow it.
    pub(crate) fn reserve(total: &Arc<TotalMemory>, limit: usize) -> Option<Self> {
        let taken = RESERVE.min(limit).min(total.limit);
        total.take(taken).then(|| Self { limit, used: 0, taken, total: total.clone() })
    }
}

impl ResourceLimiter for InstanceMemory {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        let used = self.used.saturating_add(desired.saturating_sub(current));
        let missing = used.saturating_sub(self.taken);
        let granted = used <= self.limit && (missing == 0 || self.total.take(missing));
        if granted {
            self.used = used;
            self.taken += missing;
        }
        Ok(granted)
    }

    fn table_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        Ok(desired <= MAX_TABLE_ELEMENTS)
    }
}

impl Drop for InstanceMemory {
    fn drop(&mut self) {
        self.total.give_back(self.taken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_share_the_total_and_give_it_back() {
        const LIMIT: usize = 4 * RESERVE;
        let total = TotalMemory::new(5 * RESERVE);
        let mut large = InstanceMemory::reserve(&total, LIMIT).unwrap();
        let mut small = InstanceMemory::reserve(&total, LIMIT).unwrap();
        for (instance, current, desired, want) in [
            // within its reserve
            (0, 0, RESERVE / 2, true),
            (1, 0, RESERVE, true),
            // beyond its own limit, then up to it
            (0, RESERVE / 2, LIMIT + 1, false),
            (0, RESERVE / 2, LIMIT, true),
            // the total is used up
            (1, RESERVE, RESERVE + 1, false),
        ] {
            let instance = if instance == 0 { &mut large } else { &mut small };
            assert_eq!(instance.memory_growing(current, desired, None).unwrap(), want, "{desired}");
        }
        assert!(InstanceMemory::reserve(&total, LIMIT).is_none());
        drop(large);
        assert!(small.memory_growing(RESERVE, LIMIT, None).unwrap());
        drop(small);
        assert_eq!(total.used.load(Ordering::Relaxed), 0);
    }
}
