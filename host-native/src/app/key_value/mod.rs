//! Key-value stores: the trait, its backends, and which store a label means.

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
/// Every write is atomic, visible to all readers once it returned, and as durable as the backend says.
#[async_trait]
pub trait KeyValueStore: Send + Sync {
    /// The value of `key`, if there is one.
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Puts `value` in place of what `key` had.
    async fn set(&self, key: &str, value: Vec<u8>) -> Result<(), StoreError>;

    /// Removes `key`; nothing happens where it is not.
    async fn delete(&self, key: &str) -> Result<(), StoreError>;

    /// Whether `key` has a value.
    async fn exists(&self, key: &str) -> Result<bool, StoreError> {
        Ok(self.get(key).await?.is_some())
    }

    /// Every key, in no order.
    async fn keys(&self) -> Result<Vec<String>, StoreError>;

    /// Adds `delta` to the counter `key` and returns the sum; a counter that is not there starts at 0.
    ///
    /// A counter is stored as Spin stores it in that backend: 8 bytes, little-endian, in SQLite and in
    /// memory; decimal digits in Redis.
    ///
    /// # Errors
    /// Where the value is no counter, or the sum does not fit in 64 bits. The value stays as it was.
    async fn increment(&self, key: &str, delta: i64) -> Result<i64, StoreError>;

    /// Sets `key` to `value` if it still has the value `expected` (none: no value), and says whether it did.
    async fn compare_and_set(
        &self,
        key: &str,
        expected: Option<Vec<u8>>,
        value: Vec<u8>,
    ) -> Result<bool, StoreError>;

    /// Makes durable what the backend still holds back.
    async fn flush(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Why a store could not do as asked. Holds neither keys nor values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError(String);

impl StoreError {
    /// An error that says `message`.
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

/// The key of an increment has a value that is no counter.
const NO_COUNTER: &str = "the value is no counter; keep counters in keys of their own";

/// The sum of an increment is out of range.
const OUT_OF_RANGE: &str = "the counter would not fit in 64 bits";

/// The sum of a counter of 8 bytes and `delta`.
fn add(counter: Option<&[u8]>, delta: i64) -> Result<i64, StoreError> {
    let counter = match counter {
        None => 0,
        Some(bytes) => i64::from_le_bytes(bytes.try_into().map_err(|_| StoreError::new(NO_COUNTER))?),
    };
    counter.checked_add(delta).ok_or_else(|| StoreError::new(OUT_OF_RANGE))
}
