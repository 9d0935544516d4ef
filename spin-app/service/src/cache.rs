//! What an instance of the gateway remembers of workspaces, so that a request need not read and parse their
//! documents, and derive their keys.
//!
//! A part is forgotten when it is as old as the workspace's configuration says (`provider_config_cache_ttl`,
//! `policy_cache_ttl`, for the keys `auth_cache_ttl`), and at once where the store `usage` tells of a change
//! ([`documents::changes`]): on every host that shares it.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    configuration::Configuration,
    documents,
    error::ApiError,
    policies::{self, PolicyRecord},
    providers::{self, Provider},
    secrets::Keys,
    upstream::Upstream,
    workspace::Settings,
};

/// Most workspaces that are remembered; then all are forgotten.
const MAX_WORKSPACES: usize = 1_000;

/// What one instance remembers.
#[derive(Default)]
pub struct Cache(Mutex<BTreeMap<String, Remembered>>);

impl Cache {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// An instance has one thread, and nothing panics while it holds this.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Remembered>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is remembered stays out.
impl fmt::Debug for Cache {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Cache({} workspaces)", self.lock().len())
    }
}

/// Of one workspace.
#[derive(Clone, Default)]
struct Remembered {
    /// [`documents::changes`] when it was read.
    changes: i64,
    routing: Option<(u64, Arc<Routing>)>,
    rules: Option<(u64, Arc<Rules>)>,
    keys: Option<(u64, Arc<Keys>)>,
}

/// Where the requests of a workspace may go.
pub(crate) struct Routing {
    pub configuration: Configuration,
    pub providers: Vec<Provider>,
}

/// What is done with what is found in them.
pub(crate) struct Rules {
    pub policies: Vec<PolicyRecord>,
    pub settings: Settings,
}

/// All that a request of a workspace needs to know.
#[derive(Clone)]
pub(crate) struct Setup {
    pub routing: Arc<Routing>,
    pub rules: Arc<Rules>,
    pub keys: Arc<Keys>,
}

impl Setup {
    /// That of a workspace; remembered or read.
    ///
    /// # Errors
    /// As [`documents::read`]; `internal_error` where the application's secrets are unusable.
    pub(crate) async fn of(host: &impl Upstream, workspace: &str) -> Result<Self, ApiError> {
        let changes = documents::changes(host, workspace).await?;
        let now_ms = host.now_ms();
        let known = host.cache().lock().get(workspace).filter(|known| known.changes == changes).cloned();
        let known = known.unwrap_or(Remembered { changes, ..Remembered::default() });
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

        let setup =
            Self { routing: Arc::clone(&routing.1), rules: Arc::clone(&rules.1), keys: Arc::clone(&keys.1) };
        let mut all = host.cache().lock();
        if all.len() >= MAX_WORKSPACES && !all.contains_key(workspace) {
            all.clear();
        }
        let known = Remembered { changes, routing: Some(routing), rules: Some(rules), keys: Some(keys) };
        all.insert(workspace.to_owned(), known);
        Ok(setup)
    }
}

async fn read_routing(host: &impl Upstream, workspace: &str) -> Result<Routing, ApiError> {
    Ok(Routing {
        configuration: Configuration::of(host, workspace).await?,
        providers: providers::list(host, workspace).await?,
    })
}

async fn read_rules(host: &impl Upstream, workspace: &str) -> Result<Rules, ApiError> {
    Ok(Rules {
        policies: policies::list(host, workspace).await?,
        settings: Settings::of(host, workspace).await?,
    })
}
