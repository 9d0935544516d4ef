//! The interface of the service to its host: a system with stores and a cache.

use std::fmt;

use crate::{cache::Cache, error::ApiError, system::System};

/// A key-value store declared by the application, by its content. Each may have its own backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// Durable data: API keys, settings of workspaces, providers, policies.
    Config,
    /// Counters of limits and metrics.
    Usage,
    /// Audit records.
    Audit,
}

impl Label {
    /// Every store.
    pub const ALL: [Self; 3] = [Self::Config, Self::Usage, Self::Audit];

    /// The label in the manifest of the application.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Usage => "usage",
            Self::Audit => "audit",
        }
    }
}

/// A value for each store.
#[derive(Clone, Debug, Default)]
pub struct PerStore<T>([T; Label::ALL.len()]);

impl<T> PerStore<T> {
    /// Takes the values in the order of [`Label::ALL`].
    pub const fn new(values: [T; Label::ALL.len()]) -> Self {
        Self(values)
    }

    /// Returns the value of a store.
    pub const fn of(&self, label: Label) -> &T {
        let [config, usage, audit] = &self.0;
        match label {
            Label::Config => config,
            Label::Usage => usage,
            Label::Audit => audit,
        }
    }
}

/// A store did not answer, or rejected the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable(pub Label);

impl fmt::Display for Unavailable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the key-value store `{}` is unavailable", self.0.as_str())
    }
}

impl std::error::Error for Unavailable {}

impl From<Unavailable> for ApiError {
    fn from(unavailable: Unavailable) -> Self {
        Self::unavailable(match unavailable.0 {
            Label::Config => "the key-value store `config` does not answer",
            Label::Usage => "the key-value store `usage` does not answer",
            Label::Audit => "the key-value store `audit` does not answer",
        })
    }
}

/// A key-value store. Keys are at most 255 bytes of `[A-Za-z0-9:._-]` and begin with their kind,
/// since some backends share one key space between labels.
#[allow(async_fn_in_trait, reason = "a component has one thread, so futures need not be Send")]
pub trait KeyValue {
    /// Returns the value of `key`; `None` if it is absent.
    ///
    /// # Errors
    /// [`Unavailable`], as for every operation here.
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Unavailable>;

    /// Stores `value`; the last write wins.
    ///
    /// # Errors
    /// See [`KeyValue::get`].
    async fn set(&self, key: &str, value: &[u8]) -> Result<(), Unavailable>;

    /// Deletes `key`; an absent key is not an error.
    ///
    /// # Errors
    /// See [`KeyValue::get`].
    async fn delete(&self, key: &str) -> Result<(), Unavailable>;

    /// Adds to the counter `key`, which begins at 0, and returns the sum. Atomic for all users of the store.
    /// A counter is read by adding 0 and must never be written by [`KeyValue::set`], which permanently breaks
    /// some backends.
    ///
    /// # Errors
    /// See [`KeyValue::get`].
    async fn increment(&self, key: &str, by: i64) -> Result<i64, Unavailable>;

    /// Whether the store keeps values. One that is read from variables does not.
    fn keeps_values(&self) -> bool {
        true
    }
}

/// The host of the service: a system with stores.
#[allow(async_fn_in_trait, reason = "a component has one thread, so futures need not be Send")]
pub trait Host: System {
    /// A handle to a store of this host.
    type Store: KeyValue;

    /// Returns the store with that label, which is opened on first use.
    fn store(&self, label: Label) -> Self::Store;

    /// Returns the state that this instance keeps between requests.
    fn cache(&self) -> &Cache;

    /// Returns the milliseconds for which metrics are batched; 0 writes them at once.
    fn batch_ms(&self) -> u64;
}

impl<H: Host> Host for &H {
    type Store = H::Store;

    fn store(&self, label: Label) -> Self::Store {
        H::store(self, label)
    }

    fn cache(&self) -> &Cache {
        H::cache(self)
    }

    fn batch_ms(&self) -> u64 {
        H::batch_ms(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_store_is_granted_and_has_a_backend_in_each_deployment() {
        let manifest = include_str!("../../../spin.toml");
        let granted: Vec<_> = manifest.lines().filter(|line| line.starts_with("key_value_stores")).collect();
        assert_eq!(granted.len(), 2);
        for label in Label::ALL.map(Label::as_str) {
            assert!(granted.iter().all(|line| line.contains(&format!("\"{label}\""))), "spin.toml: {label}");
            for (file, text) in [
                ("runtime-config.toml", include_str!("../../runtime-config.toml")),
                ("deploy/redis.toml", include_str!("../../deploy/redis.toml")),
            ] {
                assert!(text.contains(&format!("[key_value_store.{label}]")), "{file}: {label}");
            }
        }
    }

    #[test]
    fn each_store_has_its_own_value() {
        let values = PerStore::new(Label::ALL.map(Label::as_str));
        assert!(Label::ALL.iter().all(|label| *values.of(*label) == label.as_str()));
    }
}
