//! Stores in an SQLite file, with the table that Spin uses, so that Spin can open the same file.
//!
//! One thread writes. It commits all waiting writes as one transaction and answers them after that, so many
//! writers share the cost of one sync, and acknowledged data is on the disk. Readers have their own
//! connections (WAL) and never wait.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use tokio::sync::oneshot;

use super::{KeyValueStore, StoreError, add};
use crate::app::private;

const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS spin_key_value (
    store TEXT NOT NULL,
    key   TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (store, key)
)";
const GET: &str = "SELECT value FROM spin_key_value WHERE store = ?1 AND key = ?2";
const KEYS: &str = "SELECT key FROM spin_key_value WHERE store = ?1";
const SET: &str = "INSERT INTO spin_key_value (store, key, value) VALUES (?1, ?2, ?3)
    ON CONFLICT (store, key) DO UPDATE SET value = excluded.value";
const DELETE: &str = "DELETE FROM spin_key_value WHERE store = ?1 AND key = ?2";

/// Writes that share one transaction at most; bounds how long the first of them waits.
const GROUP: usize = 256;

/// The time to wait for another process that writes to the same file.
const BUSY: Duration = Duration::from_secs(5);

/// One SQLite file, which can hold many stores.
///
/// # Examples
/// ```
/// use textveil::app::key_value::{Database, KeyValueStore};
///
/// # let folder = tempfile::tempdir()?;
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let database = Database::open(&folder.path().join("stores.db"))?;
/// let (keys, usage) = (database.store("keys"), database.store("usage"));
/// keys.set("a", b"1".to_vec()).await?;
/// assert!(keys.exists("a").await? && !usage.exists("a").await?);
/// # Ok::<(), textveil::app::key_value::StoreError>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Database {
    path: PathBuf,
    writer: mpsc::Sender<Write>,
    /// Connections that no reader uses at the moment.
    readers: Mutex<Vec<Connection>>,
}

/// Makes its change within the group's transaction, if that could begin, and returns the action for the end
/// of the group.
type Write = Box<dyn FnOnce(Result<&Connection, StoreError>) -> Answer + Send>;
type Answer = Box<dyn FnOnce(Result<(), StoreError>)>;

impl Database {
    /// Opens the file at `path`, and creates it if it is absent.
    ///
    /// # Errors
    /// If the file cannot be opened, cannot be written or is not an SQLite database.
    pub fn open(path: &Path) -> Result<Arc<Self>, StoreError> {
        make_private(path)?;
        let connection = connect(path)?;
        if connection.is_readonly(rusqlite::MAIN_DB).map_err(failed)? {
            return Err(StoreError::new(format!(
                "the key-value file {} is read-only; make it and its folder writable, or choose another folder",
                path.display()
            )));
        }
        connection.execute_batch(SCHEMA).map_err(failed)?;
        let (writer, writes) = mpsc::channel();
        std::thread::Builder::new()
            .name("key-value writer".into())
            .spawn(move || write_groups(connection, &writes))
            .map_err(|error| StoreError::new(format!("cannot start the key-value writer: {error}")))?;
        Ok(Arc::new(Self { path: path.to_path_buf(), writer, readers: Mutex::default() }))
    }

    /// Returns the store with this label in the file.
    pub fn store(self: &Arc<Self>, label: impl Into<String>) -> SqliteStore {
        SqliteStore { database: self.clone(), label: label.into() }
    }

    /// Reads at once, on this thread: a read from SQLite's page cache takes a few microseconds, which
    /// is less than handing it to another thread.
    fn read<T>(&self, query: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connect(&self.path)?,
        };
        let outcome = query(&connection).map_err(failed);
        self.readers.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        outcome
    }

    /// Hands a change to the writer and waits until it is on the disk.
    async fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, outcome) = oneshot::channel();
        let write: Write = Box::new(move |connection| {
            let changed = connection.and_then(change);
            Box::new(move |committed| {
                // the answer of an aborted request has no receiver
                let _ = answer.send(committed.and(changed));
            })
        });
        let stopped = || StoreError::new("the key-value writer has stopped");
        self.writer.send(write).map_err(|_| stopped())?;
        outcome.await.map_err(|_| stopped())?
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Database").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Makes the file private before SQLite opens it, and the files beside it that SQLite may have left.
fn make_private(path: &Path) -> Result<(), StoreError> {
    let failed = |error: std::io::Error| {
        StoreError::new(format!("cannot open the key-value file {}: {error}", path.display()))
    };
    match private::create_file(path) {
        // the check of the connection tells what to do
        Err(error) if error.kind() == std::io::ErrorKind::ReadOnlyFilesystem => {}
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {}
        created => created.map_err(failed)?,
    }
    for suffix in ["-wal", "-shm"] {
        let mut beside = path.as_os_str().to_owned();
        beside.push(suffix);
        match private::narrow(Path::new(&beside), private::FILE) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            narrowed => narrowed.map_err(failed)?,
        }
    }
    Ok(())
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let open = || {
        let connection = Connection::open(path)?;
        connection.busy_timeout(BUSY)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        Ok(connection)
    };
    open().map_err(|error: rusqlite::Error| {
        StoreError::new(format!("cannot open the key-value file {}: {error}", path.display()))
    })
}

/// SQLite's own message: it names tables and files, never keys or values.
fn failed(error: rusqlite::Error) -> StoreError {
    StoreError::new(format!("the key-value file failed: {error}"))
}

/// The writer: ends when the [`Database`] is gone and everything it was given is written.
fn write_groups(mut connection: Connection, writes: &mpsc::Receiver<Write>) {
    while let Ok(first) = writes.recv() {
        let group = std::iter::once(first).chain(writes.try_iter().take(GROUP));
        let begun = Transaction::new(&mut connection, TransactionBehavior::Immediate).map_err(failed);
        let answers: Vec<Answer> = group.map(|write| write(begun.as_deref().map_err(Clone::clone))).collect();
        let committed = begun.and_then(|transaction| transaction.commit().map_err(failed));
        for answer in answers {
            answer(committed.clone());
        }
    }
}

/// One store in a [`Database`]. Acknowledged data survives a crash of the process and of the machine.
#[derive(Debug)]
pub struct SqliteStore {
    database: Arc<Database>,
    label: String,
}

impl SqliteStore {
    /// Every key with its value.
    pub(super) fn entries(&self) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.database.read(|connection| {
            connection
                .prepare_cached("SELECT key, value FROM spin_key_value WHERE store = ?1")?
                .query_map([&self.label], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
    }

    /// Sets the keys with a value and deletes those without, in one transaction.
    pub(super) async fn apply(&self, changes: Vec<(String, Option<Vec<u8>>)>) -> Result<(), StoreError> {
        let label = self.label.clone();
        self.database
            .write(move |connection| {
                let mut set = connection.prepare_cached(SET).map_err(failed)?;
                let mut delete = connection.prepare_cached(DELETE).map_err(failed)?;
                for (key, value) in &changes {
                    match value {
                        Some(value) => set.execute(params![label, key, value]),
                        None => delete.execute([&label, key]),
                    }
                    .map_err(failed)?;
                }
                Ok(())
            })
            .await
    }
}

#[async_trait]
impl KeyValueStore for SqliteStore {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.database.read(|connection| select(connection, &self.label, key))
    }

    async fn set(&self, key: &str, value: Vec<u8>) -> Result<(), StoreError> {
        let (label, key) = (self.label.clone(), key.to_owned());
        self.database.write(move |connection| upsert(connection, &label, &key, &value)).await
    }

    async fn delete(&self, key: &str) -> Result<(), StoreError> {
        self.apply(vec![(key.to_owned(), None)]).await
    }

    async fn keys(&self) -> Result<Vec<String>, StoreError> {
        self.database.read(|connection| {
            connection.prepare_cached(KEYS)?.query_map([&self.label], |row| row.get(0))?.collect()
        })
    }

    async fn increment(&self, key: &str, delta: i64) -> Result<i64, StoreError> {
        if delta == 0 {
            // a counter that is only read waits for no disk
            return add(self.get(key).await?.as_deref(), 0);
        }
        let (label, key) = (self.label.clone(), key.to_owned());
        self.database
            .write(move |connection| {
                let counter = select(connection, &label, &key).map_err(failed)?;
                let sum = add(counter.as_deref(), delta)?;
                upsert(connection, &label, &key, &sum.to_le_bytes())?;
                Ok(sum)
            })
            .await
    }

    async fn compare_and_set(
        &self,
        key: &str,
        expected: Option<Vec<u8>>,
        value: Vec<u8>,
    ) -> Result<bool, StoreError> {
        let (label, key) = (self.label.clone(), key.to_owned());
        self.database
            .write(move |connection| {
                let unchanged = select(connection, &label, &key).map_err(failed)? == expected;
                if unchanged {
                    upsert(connection, &label, &key, &value)?;
                }
                Ok(unchanged)
            })
            .await
    }
}

fn select(connection: &Connection, label: &str, key: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    connection.prepare_cached(GET)?.query_row([label, key], |row| row.get(0)).optional()
}

fn upsert(connection: &Connection, label: &str, key: &str, value: &[u8]) -> Result<(), StoreError> {
    connection
        .prepare_cached(SET)
        .and_then(|mut set| set.execute(params![label, key, value]))
        .map(drop)
        .map_err(failed)
}
