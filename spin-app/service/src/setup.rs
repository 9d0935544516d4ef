//! The setup of a workspace's gateway: its destinations, its rules and its keys, cached or read.

use std::sync::Arc;

use textveil_engine::Keyring;

use crate::{
    cache::{Entries, Stamp},
    chat::placeholder::PlaceholderKey,
    configuration::Configuration,
    documents::{self, Document as _},
    error::ApiError,
    host::Host,
    policies::{self, PolicyRecord},
    providers::{self, Provider},
    secrets::{KeyPurpose, Secrets},
    sessions::SessionKeys,
    system::System,
    workspace::Settings,
};

/// The parts of a gateway setup, each with the time of its reading.
#[derive(Clone, Default)]
struct Remembered {
    /// Of the workspace and of the platform workspace.
    stamps: (Stamp, Stamp),
    routing: Option<(u64, Arc<Routing>)>,
    rules: Option<(u64, Arc<WorkspaceRules>)>,
    keys: Option<(u64, Arc<Keys>)>,
}

/// By workspace.
#[derive(Default)]
struct KnownSetups(Entries<Remembered>);

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
        let known = host.cache().with(|KnownSetups(setups)| setups.get(workspace).cloned());
        let known = known.filter(|known| known.stamps == stamps);
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
        host.cache().with(|KnownSetups(setups)| setups.insert(workspace, known));
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

/// The keys of the gateway of a workspace.
pub(crate) struct Keys {
    /// Of hashes and tokens.
    pub ring: Keyring,
    /// Of placeholders.
    pub placeholders: PlaceholderKey,
    /// Of sessions.
    pub sessions: SessionKeys,
}

impl Keys {
    /// Derives the keys of a workspace.
    ///
    /// # Errors
    /// As [`crate::secrets::keyring`].
    pub(crate) async fn of(system: &impl System, workspace: &str) -> Result<Self, ApiError> {
        Secrets::derive(system, |secrets| {
            // of the newest secret alone: a placeholder lives for one exchange
            let (_, newest) = *secrets.keys(KeyPurpose::Placeholders, workspace)?.first()?;
            Some(Self {
                ring: secrets.ring(workspace)?,
                placeholders: PlaceholderKey::derive(&newest).ok()?,
                sessions: SessionKeys::new(secrets.keys(KeyPurpose::Sessions, workspace)?),
            })
        })
        .await
    }
}
