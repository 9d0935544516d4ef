//! The state that an instance keeps between requests: key records, settings, gateway setups, derived keys,
//! and counts that are not written yet.
//!
//! Everything of a workspace is kept with the workspace's stamp (`documents::stamp`), which each request reads. A
//! change by any process that shares the store `config` replaces the stamp, so it is seen at once. Entries also expire:
//! the gateway's by the workspace's configuration (`provider_config_cache_ttl`, `policy_cache_ttl`,
//! `auth_cache_ttl`), the others after `MAX_AGE_MS`, for a stamp that could not be written.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    configuration::Configuration,
    credentials::{self, ApiKeyRecord},
    documents::{self, Document as _, Stamp},
    error::ApiError,
    host::Host,
    policies::{self, PolicyRecord},
    providers::{self, Provider},
    secrets::Keys,
    usage::metrics::Pending,
    workspace::Settings,
};

/// Most entries of a map; then it is emptied.
const MAX_ENTRIES: usize = 1_000;

/// Milliseconds after which key records and settings are read again.
const MAX_AGE_MS: u64 = 300_000;

/// The cache of one instance.
pub struct Cache(Mutex<Maps>);

struct Maps {
    /// By the hash of the key.
    keys: BTreeMap<String, Cached<ApiKeyRecord>>,
    /// By workspace.
    settings: BTreeMap<String, Cached<Arc<Settings>>>,
    /// By workspace.
    setups: BTreeMap<String, Remembered>,
    /// By caller: the last slot that was seen empty of requests in flight.
    empty_slots: BTreeMap<String, u64>,
    metrics: Pending,
    /// Faults of the variables that were last found.
    faults: Vec<&'static str>,
    /// When all stores last took a probe's value; 0 for never.
    probed_ms: u64,
}

/// A value with the stamp and the time of its reading.
#[derive(Clone)]
struct Cached<T> {
    stamp: Stamp,
    read_ms: u64,
    value: T,
}

impl<T> Cached<T> {
    fn is_current(&self, stamp: &Stamp, now_ms: u64) -> bool {
        self.stamp == *stamp && now_ms < self.read_ms.saturating_add(MAX_AGE_MS)
    }
}

impl Default for Cache {
    fn default() -> Self {
        Self::new()
    }
}

impl Cache {
    /// Makes an empty cache.
    pub const fn new() -> Self {
        Self(Mutex::new(Maps {
            keys: BTreeMap::new(),
            settings: BTreeMap::new(),
            setups: BTreeMap::new(),
            empty_slots: BTreeMap::new(),
            metrics: Pending::new(),
            faults: Vec::new(),
            probed_ms: 0,
        }))
    }

    /// An instance has one thread, and nothing panics while it holds this.
    fn lock(&self) -> MutexGuard<'_, Maps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Accesses the counts that wait to be written.
    pub(crate) fn with_metrics<R>(&self, access: impl FnOnce(&mut Pending) -> R) -> R {
        access(&mut self.lock().metrics)
    }

    /// Notes the faults of the variables; returns whether they changed.
    pub(crate) fn note_faults(&self, faults: &[&'static str]) -> bool {
        let mut maps = self.lock();
        let changed = maps.faults != faults;
        maps.faults = faults.to_vec();
        changed
    }

    /// Whether all stores took a probe's value less than `pause_ms` before.
    pub(crate) fn is_probed(&self, now_ms: u64, pause_ms: u64) -> bool {
        let probed_ms = self.lock().probed_ms;
        probed_ms != 0 && probed_ms.abs_diff(now_ms) < pause_ms
    }

    /// Notes that all stores took a probe's value.
    pub(crate) fn note_probed(&self, now_ms: u64) {
        self.lock().probed_ms = now_ms;
    }

    /// Whether the slot of a caller was seen empty.
    pub(crate) fn is_slot_empty(&self, caller: &str, slot: u64) -> bool {
        self.lock().empty_slots.get(caller) == Some(&slot)
    }

    /// Notes that the slot of a caller is empty.
    pub(crate) fn note_empty_slot(&self, caller: &str, slot: u64) {
        insert(&mut self.lock().empty_slots, caller, slot);
    }
}

fn insert<T>(map: &mut BTreeMap<String, T>, key: &str, value: T) {
    if map.len() >= MAX_ENTRIES && !map.contains_key(key) {
        map.clear();
    }
    map.insert(key.to_owned(), value);
}

/// The contents stay out.
impl fmt::Debug for Cache {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Cache({} workspaces)", self.lock().setups.len())
    }
}

/// Returns the record of an API key by its hash, and the stamp of its workspace; `None` if the key is
/// unknown.
///
/// # Errors
/// `service_unavailable`; `internal_error` if the stored document is not a record.
pub(crate) async fn api_key(
    host: &impl Host,
    sha256: &str,
) -> Result<Option<(ApiKeyRecord, Stamp)>, ApiError> {
    let known = host.cache().lock().keys.get(sha256).cloned();
    if let Some(known) = known {
        let stamp = documents::stamp(host, &known.value.workspace).await?;
        if known.is_current(&stamp, host.now_ms()) {
            return Ok(Some((known.value, stamp)));
        }
    }
    let Some(record) = credentials::record(host, sha256).await? else { return Ok(None) };
    let stamp = documents::stamp(host, &record.workspace).await?;
    // read again, so that the record is not older than its stamp
    let Some(record) = credentials::record(host, sha256).await? else { return Ok(None) };
    // a record that lies in another key's place is rejected, and not kept
    if record.sha256 == sha256 {
        let cached = Cached { stamp: stamp.clone(), read_ms: host.now_ms(), value: record.clone() };
        insert(&mut host.cache().lock().keys, sha256, cached);
    }
    Ok(Some((record, stamp)))
}

/// Returns the settings of a workspace. Their stamp is read unless it is given.
///
/// # Errors
/// `service_unavailable`; `internal_error` if they cannot be read.
pub(crate) async fn settings(
    host: &impl Host,
    workspace: &str,
    stamp: Option<&Stamp>,
) -> Result<Arc<Settings>, ApiError> {
    let stamp = match stamp {
        Some(stamp) => stamp.clone(),
        None => documents::stamp(host, workspace).await?,
    };
    let known = host.cache().lock().settings.get(workspace).cloned();
    if let Some(known) = known.filter(|known| known.is_current(&stamp, host.now_ms())) {
        return Ok(known.value);
    }
    let value = Arc::new(Settings::of_workspace(host, workspace).await?);
    let cached = Cached { stamp, read_ms: host.now_ms(), value: Arc::clone(&value) };
    insert(&mut host.cache().lock().settings, workspace, cached);
    Ok(value)
}

/// The parts of a gateway setup, each with the time of its reading.
#[derive(Clone, Default)]
struct Remembered {
    /// Of the workspace and of the platform workspace.
    stamps: (Stamp, Stamp),
    routing: Option<(u64, Arc<Routing>)>,
    rules: Option<(u64, Arc<WorkspaceRules>)>,
    keys: Option<(u64, Arc<Keys>)>,
}

/// The destinations of a workspace's requests.
pub(crate) struct Routing {
    pub configuration: Configuration,
    pub providers: Vec<Provider>,
}

/// The rules that decide on findings.
pub(crate) struct WorkspaceRules {
    pub policies: Vec<PolicyRecord>,
    pub settings: Settings,
}

/// Everything that a gateway request of a workspace needs.
#[derive(Clone)]
pub(crate) struct Setup {
    /// Whether the workspace has anything of its own, or is only a name.
    pub is_known: bool,
    pub routing: Arc<Routing>,
    pub rules: Arc<WorkspaceRules>,
    pub keys: Arc<Keys>,
}

impl Setup {
    /// Returns the setup of a workspace, cached or read.
    ///
    /// # Errors
    /// `service_unavailable`; `internal_error` if a document cannot be read or the application's secrets are
    /// unusable.
    pub(crate) async fn of(host: &impl Host, workspace: &str) -> Result<Self, ApiError> {
        let platform = match providers::platform(host).await {
            Some(platform) if platform != workspace => documents::stamp(host, &platform).await?,
            _ => None,
        };
        let stamps = (documents::stamp(host, workspace).await?, platform);
        let now_ms = host.now_ms();
        let known = host.cache().lock().setups.get(workspace).filter(|known| known.stamps == stamps).cloned();
        let known = known.unwrap_or(Remembered { stamps: stamps.clone(), ..Remembered::default() });
        let is_young =
            |read_ms: u64, seconds: u32| now_ms < read_ms.saturating_add(u64::from(seconds) * 1_000);

        let young = |(read_ms, routing): &(u64, Arc<Routing>)| {
            is_young(*read_ms, routing.configuration.provider_config.cache_ttl)
        };
        let routing = match known.routing.filter(young) {
            Some(routing) => routing,
            None => (now_ms, Arc::new(read_routing(host, workspace).await?)),
        };
        let policy_ttl = routing.1.configuration.policy.cache_ttl;
        let rules = match known.rules.filter(|(read_ms, _)| is_young(*read_ms, policy_ttl)) {
            Some(rules) => rules,
            None => (now_ms, Arc::new(read_rules(host, workspace).await?)),
        };
        let keys_ttl = routing.1.configuration.auth.cache_ttl;
        let keys = match known.keys.filter(|(read_ms, _)| is_young(*read_ms, keys_ttl)) {
            Some(keys) => keys,
            None => (now_ms, Arc::new(Keys::of(host, workspace).await?)),
        };

        let setup = Self {
            // every change of a workspace leaves a stamp
            is_known: stamps.0.is_some(),
            routing: Arc::clone(&routing.1),
            rules: Arc::clone(&rules.1),
            keys: Arc::clone(&keys.1),
        };
        let known = Remembered { stamps, routing: Some(routing), rules: Some(rules), keys: Some(keys) };
        insert(&mut host.cache().lock().setups, workspace, known);
        Ok(setup)
    }
}

async fn read_routing(host: &impl Host, workspace: &str) -> Result<Routing, ApiError> {
    Ok(Routing {
        configuration: Configuration::of(host, workspace).await?,
        providers: providers::usable(host, workspace).await?,
    })
}

async fn read_rules(host: &impl Host, workspace: &str) -> Result<WorkspaceRules, ApiError> {
    Ok(WorkspaceRules {
        policies: policies::list(host, workspace).await?,
        settings: Settings::of_workspace(host, workspace).await?,
    })
}
