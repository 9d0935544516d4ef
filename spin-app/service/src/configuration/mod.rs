//! The gateway configuration of a workspace: its routes, the risk of types, and the defaults without a
//! policy.

mod update;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use textveil_engine::Action;

pub(crate) use update::{ACTIONS, FieldShape, RISKS};

use crate::{
    audit::AuditSettings,
    documents::Document,
    error::ApiError,
    host::Host,
    usage::{RateLimits, breaker::RouteCredential},
};

/// The configuration of a workspace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GatewayConfiguration"))]
pub(crate) struct Configuration {
    /// The workspace.
    pub workspace_id: String,
    /// Routes by their name, such as `primary` and `fallback`.
    pub providers: BTreeMap<String, ModelRoute>,
    /// The risk of findings, by their type in upper case; `MEDIUM` for types that are not listed.
    pub risk_levels: BTreeMap<String, RiskLevel>,
    /// The action for a finding in a request without a policy.
    pub default_action: Action,
    /// Limits of the workspace.
    pub rate_limits: RateLimits,
    /// Options of streamed answers.
    pub streaming: Streaming,
    /// The time for which keys derived from the application's secrets are cached.
    pub auth: CacheSettings,
    /// The time for which this configuration and its providers are cached.
    pub provider_config: CacheSettings,
    /// The time for which the policies are cached.
    pub policy: CacheSettings,
    /// The content and the retention of audit records.
    pub audit: AuditSettings,
    /// A label of the permitted data region.
    pub region: Option<String>,
    /// Hosts whose URLs may contain restored values;
    /// `*.example.com` for all subdomains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub restore_hosts: Vec<String>,
    /// Retention of responses, so that later requests can continue them.
    #[serde(skip_serializing_if = "Sessions::is_default")]
    pub sessions: Sessions,
}

/// The destination of a route.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GatewayRoute"))]
pub(crate) struct ModelRoute {
    /// An LLM provider of the workspace: its id, or its type if it is the only one of that type.
    pub provider: String,
    /// The model.
    pub model: String,
    /// The credential sent to the provider.
    #[serde(default, skip_serializing_if = "RouteCredential::is_of_provider")]
    pub credential: RouteCredential,
}

/// Options of streamed answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GatewayStreaming"))]
pub(crate) struct Streaming {
    /// Whether streaming is allowed.
    pub enabled: bool,
    /// The number of tokens that are held back to find personal data.
    pub buffer_tokens: u32,
    /// Whether an answer that cannot be checked is aborted; absent is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_closed: Option<bool>,
}

/// The risk of a type of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum RiskLevel {
    /// No risk.
    None,
    /// Low risk.
    Low,
    /// Medium risk; that of a type without a rating.
    Medium,
    /// High risk.
    High,
    /// Critical risk.
    Critical,
}

/// The times for which something is cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GatewayCache"))]
pub(crate) struct CacheSettings {
    /// Seconds; 0 to disable the cache.
    pub cache_ttl: u32,
}

/// Retention of responses: their values, sealed with a key of the workspace, so that `previous_response_id`,
/// `conversation` and `background` can be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GatewaySessions"))]
pub(crate) struct Sessions {
    /// Whether responses are kept; otherwise such requests are rejected.
    pub enabled: bool,
    /// Seconds for which the values of a response are kept.
    pub ttl: u32,
}

impl Sessions {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Characters that a stream may hold back, for each token of the window.
const CHARS_PER_TOKEN: usize = 4;

impl Configuration {
    /// Whether content that cannot be inspected or recorded is rejected.
    pub(crate) fn fails_closed(&self) -> bool {
        self.streaming.fail_closed.unwrap_or(true)
    }

    /// Returns the number of characters that a stream may hold back.
    pub(crate) fn window(&self) -> usize {
        let tokens = usize::try_from(self.streaming.buffer_tokens).unwrap_or(usize::MAX);
        tokens.saturating_mul(CHARS_PER_TOKEN)
    }
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

impl Document for Configuration {
    fn key(workspace: &str) -> String {
        format!("gateway-config:{workspace}")
    }
}

impl Configuration {
    /// Returns the configuration of a workspace that was never configured.
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

    /// Adds the name of the workspace to the configuration.
    pub(crate) fn named(self, workspace: &str) -> Self {
        Self { workspace_id: workspace.to_owned(), ..self }
    }
}

/// The route of a request without a route name.
pub(crate) const PRIMARY: &str = "primary";

/// The route used when another one fails.
pub(crate) const FALLBACK: &str = "fallback";
