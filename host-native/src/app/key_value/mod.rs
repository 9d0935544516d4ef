//! Key-value stores of an application.
//!
//! Here are the trait, its backends, and the mapping of labels to stores.

mod memory;
mod redis;
mod sqlite;
mod stores;

use std::fmt;

use async_trait::async_trait;

pub use memory::MemoryStore;
pub use redis::RedisStore;
pub use sqlite::{Database, SqliteStore};
pub(crate) use stores::{RuntimeConfig, open_stores};

/// A store of byte strings by key.
///
/// Every write is atomic, visible to all readers once it returned, and as durable as the backend.
///
/// # Examples
/// ```
/// use textveil::app::key_value::{KeyValueStore, MemoryStore};
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let store = MemoryStore::default();
/// store.set("state", b"new".to_vec()).await?;
/// assert!(store.compare_and_set("state", Some(b"new".to_vec()), b"old".to_vec()).await?);
/// assert_eq!(store.get("state").await?.as_deref(), Some(&b"old"[..]));
/// assert_eq!(store.increment("visits", 2).await?, 2);
/// assert_eq!(store.keys().await?.len(), 2);
/// store.delete("state").await?;
/// assert!(!store.exists("state").await?);
/// store.flush().await?;
/// # Ok::<(), textveil::app::key_value::StoreError>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[async_trait]
pub trait KeyValueStore: Send + Sync {
    /// Returns the value of `key`, if it has one.
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Stores `value`, replacing the previous one.
    async fn set(&self, key: &str, value: Vec<u8>) -> Result<(), StoreError>;

    /// Removes `key`, if present.
    async fn delete(&self, key: &str) -> Result<(), StoreError>;

    /// Whether `key` has a value.
    async fn exists(&self, key: &str) -> Result<bool, StoreError> {
        Ok(self.get(key).await?.is_some())
    }

    /// Returns every key, unordered.
    async fn keys(&self) -> Result<Vec<String>, StoreError>;

    /// Adds `delta` to the counter `key` and returns the sum.
    ///
    /// An absent counter starts at 0. A counter is stored as by Spin in that backend: 8 bytes, little-endian,
    /// in SQLite and in memory; decimal digits in Redis.
    ///
    /// # Errors
    /// If the value is not a counter, or the sum does not fit in 64 bits. The value stays unchanged.
    async fn increment(&self, key: &str, delta: i64) -> Result<i64, StoreError>;

    /// Sets `key` to `value` if its value is `expected`.
    ///
    /// `None` expects that the key is absent. Returns whether the value was set.
    async fn compare_and_set(
        &self,
        key: &str,
        expected: Option<Vec<u8>>,
        value: Vec<u8>,
    ) -> Result<bool, StoreError>;

    /// Writes pending changes of the backend.
    async fn flush(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Why an operation of a store failed. Contains neither keys nor values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError(String);

impl StoreError {
    /// Creates an error with this message.
    ///
    /// # Examples
    /// ```
    /// use textveil::app::key_value::StoreError;
    ///
    /// assert_eq!(StoreError::new("the disk is full").to_string(), "the disk is full");
    /// ```
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for StoreError {}

/// The message for an increment of a value that is not a counter.
const NO_COUNTER: &str = "the value is no counter; keep counters in keys of their own";

/// The message for a sum that is out of range.
const OUT_OF_RANGE: &str = "the counter would not fit in 64 bits";

/// Adds `delta` to a counter of 8 bytes.
fn add(counter: Option<&[u8]>, delta: i64) -> Result<i64, StoreError> {
    let counter = match counter {
        None => 0,
        Some(bytes) => i64::from_le_bytes(bytes.try_into().map_err(|_| StoreError::new(NO_COUNTER))?),
    };
    counter.checked_add(delta).ok_or_else(|| StoreError::new(OUT_OF_RANGE))
}
