//! The service without stores: API keys come from a variable, and limits are those of one instance.
//!
//! It detects, validates, protects and restores, lists detectors and reports its health. Everything else needs a store.
//! The variable `api_keys` holds entries separated by commas, each `name:plan@workspace:key` or
//! `name:plan@workspace:limits:key`. A key is `fpk_` and 43 random letters and digits; limits are requests a minute,
//! `/` and requests in flight, such as `6000/50`. A removed entry is rejected at once.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

use sha2::{Digest, Sha256};

use crate::{
    auth::service_token::is_name,
    cache::Cache,
    credentials::{ApiKeyRecord, KeyLimits, Plan, is_well_formed, storage_key},
    documents::STAMP_PREFIX,
    host::{Host, KeyValue, Label, Unavailable},
    ids::is_workspace,
    system::System,
};

/// Name of the application's variable.
pub const VARIABLE: &str = "api_keys";

/// Most counters and values that an instance keeps; then it forgets them all.
const MAX_ENTRIES: usize = 10_000;

/// Says what is wrong with a value of the variable, if anything. An empty one accepts no key.
pub fn fault(variable: &str) -> Option<&'static str> {
    records(variable).is_none().then_some(
        "api_keys must be entries name:plan@workspace:key or name:plan@workspace:limits:key, separated by commas; \
         a plan is free, pro or enterprise, limits are such as 6000/50 (requests a minute, and in flight)",
    )
}

/// The state that an instance keeps between requests.
pub struct Memory {
    cache: Cache,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    counters: BTreeMap<String, i64>,
    values: BTreeMap<String, Vec<u8>>,
}

impl Memory {
    /// Creates an empty memory.
    pub const fn new() -> Self {
        let kept = Kept { counters: BTreeMap::new(), values: BTreeMap::new() };
        Self { cache: Cache::new(), kept: Mutex::new(kept) }
    }

    /// Counters belong to keys that were accepted, so that a stranger cannot fill the memory.
    fn lock(&self) -> MutexGuard<'_, Kept> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.counters.len() + kept.values.len() > MAX_ENTRIES {
            *kept = Kept::default();
        }
        kept
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

/// The contents stay out.
impl fmt::Debug for Memory {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Memory")
    }
}

/// A host without stores, over the system that a component runs in.
#[derive(Clone, Copy, Debug)]
pub struct Stateless<S> {
    system: S,
    memory: &'static Memory,
}

impl<S> Stateless<S> {
    /// Creates the host of one request; `memory` is that of the instance.
    pub const fn new(system: S, memory: &'static Memory) -> Self {
        Self { system, memory }
    }
}

impl<S: System> System for Stateless<S> {
    async fn variable(&self, name: &str) -> Option<String> {
        self.system.variable(name).await
    }

    fn now_ms(&self) -> u64 {
        self.system.now_ms()
    }

    fn ticks_us(&self) -> u64 {
        self.system.ticks_us()
    }

    async fn sleep_ms(&self, duration: u64) {
        self.system.sleep_ms(duration).await;
    }

    async fn yield_now(&self) {
        self.system.yield_now().await;
    }

    fn random(&self) -> u128 {
        self.system.random()
    }

    fn log(&self, line: &str) {
        self.system.log(line);
    }
}

impl<S: System + Clone> Host for Stateless<S> {
    type Store = StatelessStore<S>;

    fn store(&self, label: Label) -> StatelessStore<S> {
        StatelessStore { label, system: self.system.clone(), memory: self.memory }
    }

    fn cache(&self) -> &Cache {
        &self.memory.cache
    }

    fn batch_ms(&self) -> u64 {
        0
    }
}

/// The replacement of a store: `usage` is the memory of the instance, `config` contains the keys of the
/// variable and is read-only, other stores are empty.
#[derive(Clone, Debug)]
pub struct StatelessStore<S> {
    label: Label,
    system: S,
    memory: &'static Memory,
}

impl<S: System> StatelessStore<S> {
    fn usage(&self) -> Result<MutexGuard<'_, Kept>, Unavailable> {
        (self.label == Label::Usage).then(|| self.memory.lock()).ok_or(Unavailable(self.label))
    }

    async fn config(&self, key: &str) -> Option<Vec<u8>> {
        let variable = self.system.variable(VARIABLE).await?;
        if key.starts_with(STAMP_PREFIX) {
            // records that were read are forgotten when the variable changes
            return Some(Sha256::digest(&variable).to_vec());
        }
        let records = records(&variable)?;
        let record = records.into_iter().find(|(place, _)| place == key).map(|(_, record)| record)?;
        Some(record.to_json())
    }
}

impl<S: System> KeyValue for StatelessStore<S> {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Unavailable> {
        Ok(if self.label == Label::Config {
            self.config(key).await
        } else if self.label == Label::Usage {
            self.usage()?.values.get(key).cloned()
        } else {
            None
        })
    }

    async fn set(&self, key: &str, value: &[u8]) -> Result<(), Unavailable> {
        self.usage()?.values.insert(key.to_owned(), value.to_vec());
        Ok(())
    }

    async fn delete(&self, key: &str) -> Result<(), Unavailable> {
        let mut kept = self.usage()?;
        kept.values.remove(key);
        kept.counters.remove(key);
        Ok(())
    }

    async fn increment(&self, key: &str, by: i64) -> Result<i64, Unavailable> {
        let mut kept = self.usage()?;
        let count = kept.counters.entry(key.to_owned()).or_default();
        *count = count.saturating_add(by);
        Ok(*count)
    }

    fn keeps_values(&self) -> bool {
        self.label == Label::Usage
    }
}

/// Returns the storage keys and records of the API keys; `None` if the variable is malformed.
fn records(variable: &str) -> Option<Vec<(String, ApiKeyRecord)>> {
    let entries = variable.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    entries.map(record).collect()
}

fn record(entry: &str) -> Option<(String, ApiKeyRecord)> {
    let fields: Vec<&str> = entry.split(':').collect();
    let (name, rights, limits, key) = match *fields {
        [name, rights, key] => (name, rights, KeyLimits::default(), key),
        [name, rights, limits, key] => (name, rights, key_limits(limits)?, key),
        _ => return None,
    };
    let (plan, workspace) = rights.split_once('@')?;
    if !is_name(name) || !is_workspace(workspace) || !is_well_formed(key) {
        return None;
    }
    let record = ApiKeyRecord::new(key, workspace, Plan::parse(plan)?);
    // counters are named for the id, which must be the same in every request
    let id = record.sha256.get(..32)?.to_owned();
    Some((storage_key(key), ApiKeyRecord { id, name: name.to_owned(), limits, ..record }))
}

/// Reads `6000/50`: requests a minute, and in flight.
fn key_limits(text: &str) -> Option<KeyLimits> {
    let (minute, in_flight) = text.split_once('/')?;
    let [minute, in_flight] =
        [minute, in_flight].map(|number| number.parse::<u32>().ok().filter(|number| *number > 0));
    Some(KeyLimits {
        requests_per_minute: Some(minute?),
        concurrent_requests: Some(in_flight?),
        requests_per_month: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::credentials::generate;

    #[test]
    fn entries_are_keys_with_their_rights() {
        let key = generate([7; 32]);
        for (variable, want) in [
            (String::new(), Some(0)),
            (format!("app:pro@acme:{key}"), Some(1)),
            (format!(" app:pro@acme:{key} , b:free@b:{},", generate([8; 32])), Some(2)),
            (format!("app:pro@acme:6000/50:{key}"), Some(1)),
            (format!("app:pro@acme:6000:{key}"), None),
            (format!("app:pro@acme:0/50:{key}"), None),
            (format!("app:pro@acme:6000/50:60:{key}"), None),
            (key.clone(), None),
            (format!("app:gold@acme:{key}"), None),
            (format!("app:pro@no space:{key}"), None),
            (format!(":pro@acme:{key}"), None),
            ("app:pro@acme:short".to_owned(), None),
        ] {
            assert_eq!(records(&variable).map(|records| records.len()), want, "{variable}");
            assert_eq!(fault(&variable).is_some(), want.is_none(), "{variable}");
        }
        let (place, record) = records(&format!("app:pro@acme:{key}")).unwrap().remove(0);
        assert_eq!(place, storage_key(&key));
        assert_eq!(
            (record.workspace.as_str(), record.plan, record.name.as_str()),
            ("acme", Plan::Pro, "app")
        );
        assert_eq!(record.limits, KeyLimits::default());
        let (_, record) = records(&format!("app:pro@acme:6000/50:{key}")).unwrap().remove(0);
        assert_eq!(
            (record.limits.requests_per_minute, record.limits.concurrent_requests),
            (Some(6000), Some(50))
        );
        assert!(record.is_of(&key));
    }
}
