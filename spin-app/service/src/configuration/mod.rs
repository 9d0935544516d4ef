//! The gateway configuration of a workspace: where its requests may go, how risky types are, and
//! what holds where no policy decides.

mod update;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use textveil_engine::Action;

pub(crate) use update::{ACTIONS, FieldShape, RISKS};

use crate::{
    documents::Document,
    error::ApiError,
    host::Host,
    limits::{CONCURRENT_REQUESTS, REQUESTS_PER_MINUTE},
    order,
    policies::RiskLevel,
    providers::{self, Provider},
};

/// What the configuration of a workspace says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GatewayConfiguration"))]
pub(crate) struct Configuration {
    /// Whose it is.
    pub workspace_id: String,
    /// Where requests go, by the name of the route, such as `primary` and `fallback`.
    pub providers: BTreeMap<String, ModelRoute>,
    /// How much harm findings can do, by their type in upper case; `MEDIUM` for those that are not listed.
    pub risk_levels: BTreeMap<String, RiskLevel>,
    /// The action for a finding in a request that no policy decides about.
    pub default_action: Action,
    /// How much the workspace may ask.
    pub rate_limits: RateLimits,
    /// How answers are sent in parts.
    pub streaming: Streaming,
    /// How long keys are remembered that are derived from the application's secrets.
    pub auth: CacheSettings,
    /// How long this configuration and its providers are remembered.
    pub provider_config: CacheSettings,
    /// How long the policies are remembered.
    pub policy: CacheSettings,
    /// What is recorded of requests, and for how long.
    pub audit: AuditSettings,
    /// A label of where the data may go.
    pub region: Option<String>,
    /// Hosts whose URLs may hold restored values, beside those that the caller wrote; `*.example.com` for all below one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub restore_hosts: Vec<String>,
    /// What is kept of responses, so that later requests can go on from them.
    #[serde(skip_serializing_if = "Sessions::is_default")]
    pub sessions: Sessions,
}

/// Where the requests of a route go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GatewayRoute"))]
pub(crate) struct ModelRoute {
    /// An LLM provider of the workspace: its id, or its type where it is the only one of it.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Whose credential the provider gets.
    #[serde(default, skip_serializing_if = "RouteCredential::is_of_provider")]
    pub credential: RouteCredential,
}

/// Whose credential the provider of a route gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) enum RouteCredential {
    /// The one that is configured for it.
    #[default]
    Provider,
    /// The caller's `Authorization` or `X-API-Key`; the gateway's own token comes in `X-Service-Token`.
    Caller,
}

impl RouteCredential {
    fn is_of_provider(&self) -> bool {
        *self == Self::Provider
    }
}

/// How much a workspace may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GatewayRateLimits"))]
pub(crate) struct RateLimits {
    /// Requests a minute.
    pub requests_per_minute: u32,
    /// Requests at once.
    pub burst: u32,
}

/// How answers are sent in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GatewayStreaming"))]
pub(crate) struct Streaming {
    /// Whether they may be.
    pub enabled: bool,
    /// How many tokens are held back, in which findings are looked for.
    pub buffer_tokens: u32,
    /// Whether an answer ends where it cannot be checked; absent is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_closed: Option<bool>,
}

/// How long something is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GatewayCache"))]
pub(crate) struct CacheSettings {
    /// Seconds; 0 for not at all.
    pub cache_ttl: u32,
}

/// What is recorded of requests, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GatewayAudit"))]
pub(crate) struct AuditSettings {
    /// Days that records are kept.
    pub retention_days: u32,
    /// How much a record tells.
    pub level: AuditLevel,
}

/// What is kept of responses: their values, sealed with a key of the workspace, so that `previous_response_id`,
/// `conversation` and `background` can be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GatewaySessions"))]
pub(crate) struct Sessions {
    /// Whether anything is kept; otherwise such requests are rejected.
    pub enabled: bool,
    /// Seconds for which the values of a response are kept.
    pub ttl: u32,
}

impl Sessions {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How much is recorded. What was found is never recorded itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) enum AuditLevel {
    /// Nothing.
    None,
    /// That there was a request, and what was decided.
    Minimal,
    /// Beside that what was found, by type, and which policies decided.
    Standard,
    /// Beside that the text, with every finding masked.
    Full,
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            workspace_id: String::new(),
            providers: BTreeMap::new(),
            risk_levels: BTreeMap::new(),
            default_action: Action::Mask,
            rate_limits: RateLimits::default(),
            streaming: Streaming::default(),
            auth: CacheSettings::default(),
            provider_config: CacheSettings::default(),
            policy: CacheSettings::default(),
            audit: AuditSettings::default(),
            region: None,
            restore_hosts: Vec::new(),
            sessions: Sessions::default(),
        }
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        Self { requests_per_minute: REQUESTS_PER_MINUTE, burst: CONCURRENT_REQUESTS }
    }
}

impl Default for Streaming {
    fn default() -> Self {
        Self { enabled: true, buffer_tokens: 50, fail_closed: None }
    }
}

impl Default for CacheSettings {
    fn default() -> Self {
        Self { cache_ttl: 300 }
    }
}

impl Default for Sessions {
    fn default() -> Self {
        Self { enabled: false, ttl: 86_400 }
    }
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self { retention_days: 90, level: AuditLevel::Standard }
    }
}

/// A model that the gateway can send to.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct GatewayProvider {
    /// An LLM provider of the workspace, as a route names it: its id, or its type.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Whether answers may come in parts.
    pub streaming: bool,
}

impl Document for Configuration {
    fn key(workspace: &str) -> String {
        format!("gateway-config:{workspace}")
    }
}

impl Configuration {
    /// The configuration of a workspace that was never configured.
    pub(crate) fn defaults(workspace: &str) -> Self {
        Self { workspace_id: workspace.to_owned(), ..Self::default() }
    }

    /// Returns the configuration of a workspace; the defaults if it has no record.
    ///
    /// # Errors
    /// `service_unavailable`; `internal_error` if the record cannot be read.
    pub(crate) async fn of(host: &impl Host, workspace: &str) -> Result<Self, ApiError> {
        Ok(Self::of_workspace(host, workspace).await?.named(workspace))
    }

    /// The configuration with the name of its workspace.
    pub(crate) fn named(self, workspace: &str) -> Self {
        Self { workspace_id: workspace.to_owned(), ..self }
    }

    /// Where requests go: by the routes whose provider is there and active; without any route, to the default
    /// models of the active `providers`, the highest priority first.
    pub(crate) fn destinations(&self, providers: &[Provider]) -> Vec<GatewayProvider> {
        let entry = |provider: &Provider, name: String, model: &str| GatewayProvider {
            provider: name,
            model: model.to_owned(),
            streaming: self.streaming.enabled && provider.record.supports_streaming,
        };
        if self.providers.is_empty() {
            let by_default = |provider: &Provider| {
                entry(provider, provider.name(providers), &provider.record.default_model)
            };
            return providers::in_order(providers).into_iter().map(by_default).collect();
        }
        let mut routes: Vec<_> = self.providers.iter().collect();
        order::sort_by_key(&mut routes, |(name, _)| name.as_str() != PRIMARY);
        let mut entries = Vec::new();
        for (_, route) in routes {
            let provider = providers::named(providers, &route.provider).filter(|one| one.record.is_active);
            let entry = provider.map(|provider| entry(provider, route.provider.clone(), &route.model));
            entries.extend(entry.filter(|entry| !entries.contains(entry)));
        }
        entries
    }
}

/// The route of a request without a route name.
pub(crate) const PRIMARY: &str = "primary";

/// The route used when another one fails.
pub(crate) const FALLBACK: &str = "fallback";
