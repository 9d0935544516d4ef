//! A store in memory, alone or written behind to an SQLite file.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use async_trait::async_trait;

use super::{KeyValueStore, SqliteStore, StoreError, add};

/// How often a store that is written behind writes; what a crash can lose.
const WRITE_BEHIND: Duration = Duration::from_secs(1);

/// A store in memory.
///
/// With an SQLite store behind it, it starts with what that holds and writes its changes there every
/// second and on [`flush`](KeyValueStore::flush): a crash loses at most the last second. It must then
/// be the only one that writes there.
#[derive(Default)]
pub struct MemoryStore {
    contents: Mutex<Contents>,
    behind: Option<SqliteStore>,
}

#[derive(Default)]
struct Contents {
    values: HashMap<String, Vec<u8>>,
    /// Keys whose value differs from what is behind.
    changed: HashSet<String>,
}

impl MemoryStore {
    /// A store with the contents of `behind`, which writes itself there every second.
    ///
    /// # Errors
    /// Where `behind` cannot be read.
    ///
    /// # Panics
    /// Outside a Tokio runtime, which does the writing.
    pub fn written_behind(behind: SqliteStore) -> Result<Arc<Self>, StoreError> {
        let values = behind.entries()?.into_iter().collect();
        let contents = Mutex::new(Contents { values, changed: HashSet::new() });
        let store = Arc::new(Self { contents, behind: Some(behind) });
        tokio::spawn(write_behind(Arc::downgrade(&store)));
        Ok(store)
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the value of `key` and remembers to write it.
    fn put(&self, contents: &mut Contents, key: &str, value: Option<Vec<u8>>) {
        if self.behind.is_some() {
            contents.changed.insert(key.to_owned());
        }
        match value {
            Some(value) => contents.values.insert(key.to_owned(), value),
            None => contents.values.remove(key),
        };
    }
}

/// Writes every second until the store is gone. Says once that it cannot, and once that it can again.
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
        Ok(self.contents().values.get(key).cloned())
    }

    async fn set(&self, key: &str, value: Vec<u8>) -> Result<(), StoreError> {
        self.put(&mut self.contents(), key, Some(value));
        Ok(())
    }

    async fn delete(&self, key: &str) -> Result<(), StoreError> {
        self.put(&mut self.contents(), key, None);
        Ok(())
    }

    async fn keys(&self) -> Result<Vec<String>, StoreError> {
        Ok(self.contents().values.keys().cloned().collect())
    }

    async fn increment(&self, key: &str, delta: i64) -> Result<i64, StoreError> {
        let mut contents = self.contents();
        let sum = add(contents.values.get(key).map(Vec::as_slice), delta)?;
        if delta == 0 {
            // a counter that is only read need not be written behind
            return Ok(sum);
        }
        self.put(&mut contents, key, Some(sum.to_le_bytes().to_vec()));
        Ok(sum)
    }

    async fn compare_and_set(
        &self,
        key: &str,
        expected: Option<Vec<u8>>,
        value: Vec<u8>,
    ) -> Result<bool, StoreError> {
        let mut contents = self.contents();
        let unchanged = contents.values.get(key) == expected.as_ref();
        if unchanged {
            self.put(&mut contents, key, Some(value));
        }
        Ok(unchanged)
    }

    async fn flush(&self) -> Result<(), StoreError> {
        let Some(behind) = &self.behind else { return Ok(()) };
        let changes: Vec<_> = {
            let contents = &mut *self.contents();
            contents.changed.drain().map(|key| (key.clone(), contents.values.get(&key).cloned())).collect()
        };
        if changes.is_empty() {
            return Ok(());
        }
        let keys: Vec<_> = changes.iter().map(|(key, _)| key.clone()).collect();
        let written = behind.apply(changes).await;
        if written.is_err() {
            self.contents().changed.extend(keys);
        }
        written
    }
}
