//! JSON documents in key-value stores, and how they are changed by several at once.
//!
//! A store knows no transaction and no compare-and-swap that would hold on every backend; what holds on
//! all of them is `increment`. So whoever changes a document locks it first: the one whose increment gives
//! 1 has it. A lock belongs to a slot of five seconds, and to get it the slot before must be free too. So
//! one that died with the lock holds it for ten seconds at most, and nobody may work longer than a slot.
//! The slots of a document are four counters in turn, and the one not in use is deleted; clocks of
//! several hosts must agree within a slot.

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    error::ApiError,
    host::{Host, KeyValue, Label},
};

const SLOT_MS: u64 = 5_000;
const SLOTS: u64 = 4;
/// Pause between two tries; random, so that two do not meet again and again.
const PAUSE_MS: std::ops::Range<u64> = 2..20;
/// Then the document stays as it is, and the caller hears of it.
const PATIENCE_MS: u64 = 15_000;

/// Largest document that is written, in bytes: some backends take no more.
const MAX_BYTES: usize = 1_000_000;

/// The document `key`; its default where there is none.
///
/// # Errors
/// `service_unavailable`; `internal_error` where it cannot be read.
pub async fn read<T>(host: &impl Host, key: &str) -> Result<T, ApiError>
where
    T: DeserializeOwned + Default,
{
    read_from(&host.store(Label::Config), key).await
}

/// The document `key` of a store; its default where there is none.
///
/// # Errors
/// As [`read`].
pub(crate) async fn read_from<T>(store: &impl KeyValue, key: &str) -> Result<T, ApiError>
where
    T: DeserializeOwned + Default,
{
    match store.get(key).await? {
        None => Ok(T::default()),
        Some(json) => serde_json::from_slice(&json)
            .map_err(|_| ApiError::internal("a document in a key-value store cannot be read")),
    }
}

/// Changes the document `key` while nobody else does, and returns what `change` did. Nothing is written
/// where it fails.
///
/// # Errors
/// That of `change`; `service_unavailable`, also where others hold the document for too long;
/// `conflict` where the document grew too large.
pub async fn update<H, T, R>(
    host: &H,
    key: &str,
    change: impl FnOnce(&mut T) -> Result<R, ApiError>,
) -> Result<R, ApiError>
where
    H: Host,
    T: DeserializeOwned + Default + Serialize,
{
    hold(host, key, async || {
        let mut document: T = read(host, key).await?;
        let result = change(&mut document)?;
        Prepared::new(key, &document)?.write(host).await?;
        Ok(result)
    })
    .await
}

/// Does `work`, which may [`read`] the document `key` and write it ([`Prepared`]), while nobody else changes it.
///
/// # Errors
/// Those of `work`; `service_unavailable`, also where others hold the document for too long.
pub(crate) async fn hold<H: Host, R>(
    host: &H,
    key: &str,
    work: impl AsyncFnOnce() -> Result<R, ApiError>,
) -> Result<R, ApiError> {
    hold_one_of(host, Label::Config, &[key.to_owned()], async |_| work().await).await
}

/// Does `work` on the first of `keys`, documents, that nobody else changes; it is told which one. The locks
/// lie in the store of that label.
///
/// # Errors
/// As [`hold`].
pub(crate) async fn hold_one_of<H: Host, R>(
    host: &H,
    label: Label,
    keys: &[String],
    work: impl AsyncFnOnce(usize) -> Result<R, ApiError>,
) -> Result<R, ApiError> {
    let (lock, index) = Lock::acquire(host, label, keys).await?;
    let done = work(index).await;
    lock.release(host).await;
    done
}

/// How often documents of `owner`, a workspace, were changed: who remembers one reads it again where this is
/// another number than before. Hosts that share no store `usage` do not hear of one another.
///
/// # Errors
/// `service_unavailable`.
pub(crate) async fn changes(host: &impl Host, owner: &str) -> Result<i64, ApiError> {
    Ok(host.store(Label::Usage).increment(&change_counter(owner), 0).await?)
}

fn change_counter(owner: &str) -> String {
    format!("changes:{owner}")
}

/// A document as it will be written: all that can be wrong with it was seen.
pub(crate) struct Prepared<'a> {
    key: &'a str,
    json: Vec<u8>,
}

impl<'a> Prepared<'a> {
    /// Makes `document` ready to become the one at `key`.
    ///
    /// # Errors
    /// `conflict` where the document grew too large.
    pub(crate) fn new(key: &'a str, document: &impl Serialize) -> Result<Self, ApiError> {
        let json = serde_json::to_vec(document)
            .map_err(|_| ApiError::internal("a document cannot be written as JSON"))?;
        if json.len() > MAX_BYTES {
            return Err(ApiError::conflict(
                "the workspace holds too much of this; delete what is not needed",
            ));
        }
        Ok(Self { key, json })
    }

    /// Writes it; the caller holds the key.
    ///
    /// # Errors
    /// `service_unavailable`.
    pub(crate) async fn write(self, host: &impl Host) -> Result<(), ApiError> {
        let owner = self.key.split_once(':').map(|(_, owner)| owner);
        self.write_to(&host.store(Label::Config)).await?;
        if let Some(owner) = owner {
            // who does not hear of it reads the document again when it is old
            let _ = host.store(Label::Usage).increment(&change_counter(owner), 1).await;
        }
        Ok(())
    }

    /// Writes it to a store; the caller holds the key.
    ///
    /// # Errors
    /// `service_unavailable`.
    pub(crate) async fn write_to(self, store: &impl KeyValue) -> Result<(), ApiError> {
        Ok(store.set(self.key, &self.json).await?)
    }
}

/// A lock that is held.
struct Lock {
    label: Label,
    counter: String,
}

impl Lock {
    /// The lock of the first of `keys` that is free, and which one that is.
    async fn acquire(host: &impl Host, label: Label, keys: &[String]) -> Result<(Self, usize), ApiError> {
        let give_up = host.now_ms().saturating_add(PATIENCE_MS);
        loop {
            for (index, key) in keys.iter().enumerate() {
                if let Some(lock) = Self::attempt(host, label, key).await? {
                    return Ok((lock, index));
                }
            }
            if host.now_ms() >= give_up {
                return Err(ApiError::unavailable("a document in a key-value store stays locked"));
            }
            let spread = u128::from(PAUSE_MS.end - PAUSE_MS.start);
            host.sleep_ms(PAUSE_MS.start + u64::try_from(host.random() % spread).unwrap_or_default()).await;
        }
    }

    async fn attempt(host: &impl Host, label: Label, key: &str) -> Result<Option<Self>, ApiError> {
        let store = host.store(label);
        let counter = |slot: u64| format!("lock:{}:{key}", slot % SLOTS);
        let slot = host.now_ms() / SLOT_MS;
        let own = counter(slot);
        if store.increment(&own, 1).await? == 1 && store.increment(&counter(slot + SLOTS - 1), 0).await? == 0
        {
            store.delete(&counter(slot + 2)).await?;
            return Ok(Some(Self { label, counter: own }));
        }
        store.increment(&own, -1).await?;
        Ok(None)
    }

    /// A lock that cannot be given back ends with its slot.
    async fn release(self, host: &impl Host) {
        let _ = host.store(self.label).increment(&self.counter, -1).await;
    }
}
