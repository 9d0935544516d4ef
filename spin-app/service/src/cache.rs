//! The state that an instance keeps between requests.
//!
//! A module that keeps something has a type for it, its part of the cache: key records, settings, gateway setups, counts
//! that are not written yet. So the cache knows none of them.
//!
//! Everything of a workspace is kept with the workspace's stamp (`documents::stamp`), which each request reads. A
//! change by any process that shares the store `config` replaces the stamp, so it is seen at once. Entries also expire:
//! the gateway's by the workspace's configuration (`provider_config_cache_ttl`, `policy_cache_ttl`,
//! `auth_cache_ttl`), the others after `MAX_AGE_MS`, for a stamp that could not be written.

use std::{
    any::{Any, TypeId},
    collections::BTreeMap,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Most entries of a map; then it is emptied.
const MAX_ENTRIES: usize = 1_000;

/// Milliseconds after which key records and settings are read again.
const MAX_AGE_MS: u64 = 300_000;

/// The cache of one instance: a part for each type that is kept.
pub struct Cache(Mutex<KeptValues>);

type KeptValues = BTreeMap<TypeId, Box<dyn Any + Send>>;

impl Default for Cache {
    fn default() -> Self {
        Self::new()
    }
}

impl Cache {
    /// Makes an empty cache.
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// An instance has one thread, and nothing panics while it holds this.
    fn lock(&self) -> MutexGuard<'_, KeptValues> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Accesses a part, which is its default until something was kept in it. `access` must not access the cache.
    pub(crate) fn with<T: Any + Default + Send, R>(&self, access: impl FnOnce(&mut T) -> R) -> R {
        let mut parts = self.lock();
        let part = parts.entry(TypeId::of::<T>()).or_insert_with(|| Box::<T>::default());
        match part.downcast_mut() {
            Some(part) => access(part),
            // a part has the type of its key, so this does not happen
            None => access(&mut T::default()),
        }
    }

    /// Whether the slot of a caller was seen empty.
    pub(crate) fn is_slot_empty(&self, caller: &str, slot: u64) -> bool {
        self.with(|EmptySlots(slots)| slots.get(caller) == Some(&slot))
    }

    /// Notes that the slot of a caller is empty.
    pub(crate) fn note_empty_slot(&self, caller: &str, slot: u64) {
        self.with(|EmptySlots(slots)| slots.insert(caller, slot));
    }
}

/// By caller: the last slot that was seen empty of requests in flight.
#[derive(Default)]
struct EmptySlots(Entries<u64>);

/// The contents stay out.
impl fmt::Debug for Cache {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Cache({} parts)", self.lock().len())
    }
}

/// A map of bounded size.
pub(crate) struct Entries<T>(BTreeMap<String, T>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> Entries<T> {
    pub(crate) fn get(&self, key: &str) -> Option<&T> {
        self.0.get(key)
    }

    pub(crate) fn insert(&mut self, key: &str, value: T) {
        if self.0.len() >= MAX_ENTRIES && !self.0.contains_key(key) {
            self.0.clear();
        }
        self.0.insert(key.to_owned(), value);
    }
}

/// The stamp of a workspace. It differs after every change of its documents, by any process that shares the store.
pub(crate) type Stamp = Option<Vec<u8>>;

/// A value with the stamp and the time of its reading.
#[derive(Clone)]
pub(crate) struct Stamped<T> {
    pub stamp: Stamp,
    pub read_ms: u64,
    pub value: T,
}

impl<T> Stamped<T> {
    pub(crate) fn is_current(&self, stamp: &Stamp, now_ms: u64) -> bool {
        self.stamp == *stamp && now_ms < self.read_ms.saturating_add(MAX_AGE_MS)
    }
}
