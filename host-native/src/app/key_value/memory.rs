//! A store in memory, alone or written behind to an SQLite file.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use async_trait::async_trait;

use super::{KeyValueStore, SqliteStore, StoreError, add};

/// The interval of writing behind; the time whose writes a crash can lose.
const WRITE_BEHIND: Duration = Duration::from_secs(1);

/// The number of shards, each with a lock. A request locks one of them; while one is copied for writing
/// behind, requests for keys in the others continue.
const SHARDS: usize = 64;

/// A store in memory.
///
/// With an SQLite store behind it, it starts with the contents of that store and writes its changes there
/// every second and on [`flush`](KeyValueStore::flush): a crash loses at most the last second. It must then
/// be the only writer.
pub struct MemoryStore {
    shards: Vec<Mutex<Shard>>,
    hasher: RandomState,
    behind: Option<SqliteStore>,
}

#[derive(Default)]
struct Shard {
    values: HashMap<String, Vec<u8>>,
    /// Keys whose value differs from the SQLite store's.
    changed: HashSet<String>,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new(None)
    }
}

impl MemoryStore {
    fn new(behind: Option<SqliteStore>) -> Self {
        let shards = std::iter::repeat_with(Mutex::default).take(SHARDS).collect();
        Self { shards, hasher: RandomState::new(), behind }
    }

    /// Opens a store with the contents of `behind`.
    ///
    /// Changes are written to `behind` every second.
    ///
    /// # Errors
    /// If `behind` cannot be read.
    ///
    /// # Panics
    /// Outside a Tokio runtime, which does the writing.
    ///
    /// # Examples
    /// ```
    /// use textveil::app::key_value::{Database, KeyValueStore, MemoryStore};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// let database = Database::open(&folder.path().join("stores.db"))?;
    /// let store = MemoryStore::written_behind(database.store("counters"))?;
    /// store.increment("visits", 1).await?;
    /// store.flush().await?;
    /// assert_eq!(database.store("counters").keys().await?, ["visits"]);
    /// # Ok::<(), textveil::app::key_value::StoreError>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn written_behind(behind: SqliteStore) -> Result<Arc<Self>, StoreError> {
        let entries = behind.entries()?;
        let store = Arc::new(Self::new(Some(behind)));
        for (key, value) in entries {
            if let Some(mut shard) = store.shard(&key) {
                shard.values.insert(key, value);
            }
        }
        tokio::spawn(write_behind(Arc::downgrade(&store)));
        Ok(store)
    }

    /// Locks the shard of the key.
    fn shard(&self, key: &str) -> Option<MutexGuard<'_, Shard>> {
        let hash = usize::try_from(self.hasher.hash_one(key) % SHARDS as u64).unwrap_or_default();
        self.shards.get(hash).map(lock)
    }

    /// Changes the shard of the key. `change` also returns whether the key must be written behind.
    fn change<T>(&self, key: &str, change: impl FnOnce(&mut Shard) -> (T, bool)) -> Result<T, StoreError> {
        let mut shard = self.shard(key).ok_or_else(|| StoreError::new("the store has no shards"))?;
        let (outcome, is_changed) = change(&mut shard);
        if is_changed && self.behind.is_some() && !shard.changed.contains(key) {
            shard.changed.insert(key.to_owned());
        }
        Ok(outcome)
    }
}

fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shard {
    /// Stores a value, reusing the memory of the previous one.
    fn put(&mut self, key: &str, value: &[u8]) {
        match self.values.get_mut(key) {
            Some(old) => {
                old.clear();
                old.extend_from_slice(value);
            }
            None => drop(self.values.insert(key.to_owned(), value.to_vec())),
        }
    }
}

/// Writes every second until the store is dropped. Reports once when it fails, and once when it succeeds
/// again.
async fn write_behind(store: Weak<MemoryStore>) {
    let mut failing = false;
    loop {
        tokio::time::sleep(WRITE_BEHIND).await;
        let Some(store) = store.upgrade() else { return };
        match store.flush().await {
            Err(error) if !failing => {
                eprintln!("textveil: a key-value store cannot be written behind, will go on trying: {error}");
                failing = true;
            }
            Ok(()) if failing => {
                eprintln!("textveil: the key-value store is written behind again");
                failing = false;
            }
            _ => {}
        }
    }
}

#[async_trait]
impl KeyValueStore for MemoryStore {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.change(key, |shard| (shard.values.get(key).cloned(), false))
    }

    async fn set(&self, key: &str, value: Vec<u8>) -> Result<(), StoreError> {
        self.change(key, |shard| {
            shard.put(key, &value);
            ((), true)
        })
    }

    async fn delete(&self, key: &str) -> Result<(), StoreError> {
        self.change(key, |shard| {
            let removed = shard.values.remove(key);
            ((), removed.is_some())
        })
    }

    async fn keys(&self) -> Result<Vec<String>, StoreError> {
        let mut keys = Vec::new();
        for shard in &self.shards {
            keys.extend(lock(shard).values.keys().cloned());
        }
        Ok(keys)
    }

    async fn increment(&self, key: &str, delta: i64) -> Result<i64, StoreError> {
        self.change(key, |shard| {
            let sum = add(shard.values.get(key).map(Vec::as_slice), delta);
            // reading a counter need not be written behind
            let is_changed = delta != 0 && sum.is_ok();
            if let (Ok(sum), true) = (&sum, is_changed) {
                shard.put(key, &sum.to_le_bytes());
            }
            (sum, is_changed)
        })?
    }

    async fn compare_and_set(
        &self,
        key: &str,
        expected: Option<Vec<u8>>,
        value: Vec<u8>,
    ) -> Result<bool, StoreError> {
        self.change(key, |shard| {
            let unchanged = shard.values.get(key) == expected.as_ref();
            if unchanged {
                shard.put(key, &value);
            }
            (unchanged, unchanged)
        })
    }

    async fn flush(&self) -> Result<(), StoreError> {
        let Some(behind) = &self.behind else { return Ok(()) };
        let mut changes = Vec::new();
        for shard in &self.shards {
            let Shard { values, changed } = &mut *lock(shard);
            changes.extend(changed.drain().map(|key| {
                let value = values.get(&key).cloned();
                (key, value)
            }));
        }
        if changes.is_empty() {
            return Ok(());
        }
        let keys: Vec<_> = changes.iter().map(|(key, _)| key.clone()).collect();
        let written = behind.apply(changes).await;
        if written.is_err() {
            for key in keys {
                self.change(&key, |_| ((), true))?;
            }
        }
        written
    }
}
