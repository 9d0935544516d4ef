//! LLM providers: the records of a workspace, their addresses and credentials.
//!
//! A record belongs to a workspace. Every workspace may use the active default records of the platform
//! workspace, which the variable `platform_workspace` sets.

mod base_url;
mod callers;
pub mod credential;
mod draft;
mod probe;
mod provider_type;
mod request;

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

pub use base_url::BaseUrl;
pub(crate) use callers::CallersHeaders;
pub use draft::Draft;
pub(crate) use draft::wire_name;
pub(crate) use probe::probe;
pub use provider_type::ProviderType;
pub(crate) use request::{From, prepare};

use crate::{
    audit::{self, Event},
    calendar::timestamp,
    changes::{self, Change, Origin},
    configuration::{Configuration, PRIMARY},
    documents::Document,
    error::ApiError,
    host::{Host, KeyValue, Label},
    ids::is_workspace,
    ids::uuid,
    limits::MAX_PROVIDERS,
    order,
};

/// The variable with the workspace whose default providers every workspace may use; empty for none.
pub const PLATFORM_VARIABLE: &str = "platform_workspace";

/// Returns the fault of a value of the variable [`PLATFORM_VARIABLE`], if it has one.
pub(crate) fn platform_fault(variable: &str) -> Option<&'static str> {
    let is_faulty = !variable.is_empty() && !is_workspace(variable);
    is_faulty.then_some("platform_workspace must be the id of a workspace: letters, digits, dots, - and _")
}

/// The source of a provider's credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum CredentialSource {
    /// A secret of the operator; the record contains its name.
    EnvPlaceholder,
    /// The provider needs no credential.
    None,
}

/// The result of the last validation of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ValidationStatus {
    /// Not validated since it was last changed.
    Unknown,
    /// It answers and accepts the credential.
    Valid,
    /// It rejects the credential.
    Invalid,
    /// It does not answer.
    Unreachable,
    /// It answers something else, or no request can be made.
    Error,
}

/// A provider as callers see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProviderRecord {
    /// A UUID.
    pub id: String,
    /// Its protocol.
    pub provider_type: ProviderType,
    /// A name for display.
    pub display_name: String,
    /// Used by requests without a provider; at most one per workspace. In the platform workspace: usable by
    /// every workspace.
    pub is_platform_default: bool,
    /// Whether it may be used.
    pub is_active: bool,
    /// The source of its credential.
    pub credential_source: CredentialSource,
    /// Always null: no credential is stored.
    pub key_prefix: Option<String>,
    /// Its address, as entered.
    pub base_url: String,
    /// The model of requests without one.
    pub default_model: String,
    /// The models that requests may use; empty for all.
    pub allowed_models: Vec<String>,
    /// Whether it supports streaming.
    pub supports_streaming: bool,
    /// The priority among several; the highest comes first.
    pub priority: i64,
    /// The result of the last validation.
    pub validation_status: ValidationStatus,
    /// The team of the user who created it.
    pub team_id: Option<String>,
    /// The tenant of the user who created it.
    pub tenant_id: Option<String>,
    /// ISO 8601.
    pub created_at: String,
    /// ISO 8601.
    pub updated_at: String,
}

/// A stored provider: its record, and the name of its credential.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provider {
    /// The part that is visible to callers.
    #[serde(flatten)]
    pub record: ProviderRecord,
    /// `${NAME}`: the name of the credential, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env_placeholder: Option<String>,
    /// The workspace that it belongs to.
    #[serde(skip)]
    pub workspace: String,
    /// Whether it belongs to the platform workspace and another one uses it.
    #[serde(skip)]
    pub is_shared: bool,
}

/// The providers of a workspace, as a document; the oldest first.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
struct Providers(Vec<Provider>);

impl Document for Providers {
    fn key(workspace: &str) -> String {
        format!("providers:{workspace}")
    }
}

impl Providers {
    fn position(&self, id: &str) -> Result<usize, ApiError> {
        self.0.iter().position(|provider| provider.record.id == id).ok_or_else(no_such)
    }

    /// Clears the default flag of all providers but `id`.
    fn make_default(&mut self, id: &str, now: &str) {
        for Provider { record, .. } in &mut self.0 {
            if record.is_platform_default && record.id != id {
                record.is_platform_default = false;
                record.updated_at = now.to_owned();
            }
        }
    }
}

fn no_such() -> ApiError {
    ApiError::no_such("LLM provider")
}

/// Returns the providers of a workspace, oldest first.
///
/// # Errors
/// `service_unavailable`; `internal_error` if they cannot be read.
pub async fn list(host: &impl Host, workspace: &str) -> Result<Vec<Provider>, ApiError> {
    let Providers(mut providers) = Providers::of_workspace(host, workspace).await?;
    for provider in &mut providers {
        workspace.clone_into(&mut provider.workspace);
    }
    Ok(providers)
}

/// Returns the providers that a workspace may use: its own, then the active default ones of the platform
/// workspace.
///
/// # Errors
/// As [`list`].
pub(crate) async fn usable(host: &impl Host, workspace: &str) -> Result<Vec<Provider>, ApiError> {
    let mut providers = list(host, workspace).await?;
    if let Some(platform) = platform(host).await.filter(|platform| platform != workspace) {
        let shared = list(host, &platform).await?.into_iter();
        let shared = shared.filter(|one| one.record.is_platform_default && one.record.is_active);
        providers.extend(shared.map(|one| Provider { is_shared: true, ..one }));
    }
    Ok(providers)
}

/// Returns the platform workspace, if the operator set one.
pub(crate) async fn platform(host: &impl Host) -> Option<String> {
    host.variable(PLATFORM_VARIABLE).await.filter(|name| is_workspace(name))
}

/// Returns a provider of a workspace.
///
/// # Errors
/// `not_found`; as [`list`].
pub async fn find(host: &impl Host, workspace: &str, id: &str) -> Result<Provider, ApiError> {
    let found = list(host, workspace).await?.into_iter().find(|provider| provider.record.id == id);
    found.ok_or_else(no_such)
}

/// Adds a provider to the workspace of the principal.
///
/// # Errors
/// `invalid_request` naming a field of the draft; `conflict` if the workspace has [`MAX_PROVIDERS`]; as
/// [`changes::change`].
pub(crate) async fn create(
    host: &impl Host,
    origin: Origin<'_>,
    draft: Draft,
) -> Result<ProviderRecord, ApiError> {
    let now = timestamp(host.now_ms() / 1_000);
    let allowed = allowed_hosts(host).await;
    let mut record = ProviderRecord {
        id: uuid(host),
        team_id: origin.principal.team_id.clone(),
        tenant_id: origin.principal.tenant_id.clone(),
        created_at: now.clone(),
        ..draft.record(&allowed, &now)?
    };
    // a new provider is always active
    record.is_active = true;
    let provider = Provider {
        record,
        env_placeholder: draft.env_placeholder,
        workspace: origin.principal.workspace.clone(),
        is_shared: false,
    };
    let created = changes::change(host, origin, async |(providers,): &mut (Providers,)| {
        if providers.0.len() >= MAX_PROVIDERS {
            return Err(ApiError::conflict(format!(
                "the workspace has {MAX_PROVIDERS} LLM providers; delete one that is not needed"
            )));
        }
        let record = provider.record.clone();
        if record.is_platform_default {
            providers.make_default(&record.id, &now);
        }
        providers.0.push(provider);
        Ok(Change::of(Event::ProviderCreate, record.id.clone(), record))
    })
    .await?;
    add_to_total(host, 1).await;
    Ok(created)
}

/// Changes a provider: `draft` converts the old draft to the new one.
///
/// # Errors
/// `not_found`; as [`create`].
pub(crate) async fn change(
    host: &impl Host,
    origin: Origin<'_>,
    id: &str,
    draft: impl FnOnce(Draft) -> Result<Draft, ApiError>,
) -> Result<ProviderRecord, ApiError> {
    let now = timestamp(host.now_ms() / 1_000);
    let allowed = allowed_hosts(host).await;
    changes::change(host, origin, async |(providers,): &mut (Providers,)| {
        let position = providers.position(id)?;
        let old = providers.0.get(position).cloned().ok_or_else(no_such)?;
        let draft = draft(Draft::of(&old))?;
        let mut new = Provider {
            record: ProviderRecord {
                id: old.record.id.clone(),
                team_id: old.record.team_id.clone(),
                tenant_id: old.record.tenant_id.clone(),
                created_at: old.record.created_at.clone(),
                ..draft.record(&allowed, &now)?
            },
            env_placeholder: draft.env_placeholder,
            ..old.clone()
        };
        if new.is_reached_as(&old) {
            new.record.validation_status = old.record.validation_status;
        }
        if new.record.is_platform_default {
            providers.make_default(id, &now);
        }
        let changed = new.record.clone();
        let fields = audit::differences(&old, &new);
        if let Some(place) = providers.0.get_mut(position) {
            *place = new;
        }
        Ok(Change::of(Event::ProviderUpdate, id, changed).with_fields(fields))
    })
    .await
}

/// Removes a provider.
///
/// # Errors
/// `not_found`; `conflict` if the gateway configuration of the workspace refers to the provider; as
/// [`changes::change`].
pub(crate) async fn delete(host: &impl Host, origin: Origin<'_>, id: &str) -> Result<(), ApiError> {
    // together with the configuration, so that no route can refer to it in the meantime
    changes::change(host, origin, async |(providers, configuration): &mut (Providers, Configuration)| {
        let position = providers.position(id)?;
        let mut routes = configuration.providers.values();
        if routes.any(|route| named_position(&providers.0, &route.provider) == Some(position)) {
            return Err(ApiError::conflict(
                "the gateway configuration of the workspace names this LLM provider; change its routes first",
            ));
        }
        providers.0.remove(position);
        Ok(Change::of(Event::ProviderDelete, id, ()))
    })
    .await?;
    add_to_total(host, -1).await;
    Ok(())
}

/// The key of the counter of all workspaces' providers.
const TOTAL: &str = "provider-count";

/// Returns the number of providers in all workspaces.
///
/// # Errors
/// `service_unavailable`.
pub(crate) async fn total(host: &impl Host) -> Result<u64, ApiError> {
    let total = host.store(Label::Config).increment(TOTAL, 0).await?;
    Ok(u64::try_from(total).unwrap_or_default())
}

/// Updates the counter of providers. A failure only makes a displayed figure wrong, so it does not reject the
/// change.
async fn add_to_total(host: &impl Host, by: i64) {
    let _ = host.store(Label::Config).increment(TOTAL, by).await;
}

/// Stores the result of a validation, unless the provider was changed in the meantime.
///
/// # Errors
/// `not_found` if it was removed in the meantime; as [`changes::change`].
pub(crate) async fn note(
    host: &impl Host,
    origin: Origin<'_>,
    probed: &Provider,
    status: ValidationStatus,
) -> Result<ProviderRecord, ApiError> {
    changes::change(host, origin, async |(providers,): &mut (Providers,)| {
        let position = providers.position(&probed.record.id)?;
        let provider = providers.0.get_mut(position).ok_or_else(no_such)?;
        if !provider.is_reached_as(probed) || provider.record.validation_status == status {
            return Ok(Change::nothing(provider.record.clone()));
        }
        provider.record.validation_status = status;
        let change = Change::of(Event::ProviderUpdate, probed.record.id.clone(), provider.record.clone());
        Ok(change.with_fields(vec!["validation_status".to_owned()]))
    })
    .await
}

/// Returns the active providers in the order of preference: own ones before shared ones, the default one
/// first, then by priority.
pub(crate) fn in_order(providers: &[Provider]) -> Vec<&Provider> {
    let mut active: Vec<_> = providers.iter().filter(|provider| provider.record.is_active).collect();
    order::sort_by_key(&mut active, |one| {
        (one.is_shared, !one.record.is_platform_default, Reverse(one.record.priority))
    });
    active
}

/// Returns the provider of a route: by its id, or by its type if the workspace has only one of that type.
pub fn named<'a>(providers: &'a [Provider], name: &str) -> Option<&'a Provider> {
    providers.get(named_position(providers, name)?)
}

fn named_position(providers: &[Provider], name: &str) -> Option<usize> {
    if let Some(position) = providers.iter().position(|provider| provider.record.id == name) {
        return Some(position);
    }
    let of_type = |provider: &Provider| draft::wire_name(&provider.record.provider_type) == name;
    // a shared provider must not make the type of an own one ambiguous
    let only = |is_shared: bool| {
        let mut found = providers
            .iter()
            .enumerate()
            .filter(|(_, provider)| provider.is_shared == is_shared && of_type(provider));
        match (found.next(), found.next()) {
            (Some((position, _)), None) => Some(Some(position)),
            (None, _) => None,
            (Some(_), Some(_)) => Some(None),
        }
    };
    only(false).or_else(|| only(true)).flatten()
}

impl Provider {
    /// Returns its names in the conditions of policies: its id and its type.
    pub(crate) fn names(&self) -> [String; 2] {
        [self.record.id.clone(), draft::wire_name(&self.record.provider_type)]
    }

    /// Returns its name in a route: its type if it is the only one of that type in `providers`, otherwise its
    /// id.
    pub(crate) fn name(&self, providers: &[Self]) -> String {
        let kind = draft::wire_name(&self.record.provider_type);
        let is_meant = named(providers, &kind).is_some_and(|provider| provider.record.id == self.record.id);
        if is_meant { kind } else { self.record.id.clone() }
    }

    /// Whether requests to both have the same destination and credential.
    fn is_reached_as(&self, other: &Self) -> bool {
        self.record.provider_type == other.record.provider_type
            && self.record.base_url == other.record.base_url
            && self.env_placeholder == other.env_placeholder
    }
}

/// Returns the hosts of `provider_hosts`. A malformed list, which is a fault at startup, allows nothing.
async fn allowed_hosts(host: &impl Host) -> crate::network::AllowedHosts {
    credential::provider_hosts(host).await.unwrap_or_default()
}

/// A destination of requests: a provider and a model.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct GatewayProvider {
    /// An LLM provider of the workspace, as in a route: its id, or its type.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Whether it supports streaming.
    pub streaming: bool,
}

/// Returns the destinations of requests: the routes whose provider exists and is active; without any
/// route, the default models of the active `providers`, the highest priority first.
pub(crate) fn destinations(configuration: &Configuration, providers: &[Provider]) -> Vec<GatewayProvider> {
    let entry = |provider: &Provider, name: String, model: &str| GatewayProvider {
        provider: name,
        model: model.to_owned(),
        streaming: configuration.streaming.enabled && provider.record.supports_streaming,
    };
    if configuration.providers.is_empty() {
        let by_default =
            |provider: &Provider| entry(provider, provider.name(providers), &provider.record.default_model);
        return in_order(providers).into_iter().map(by_default).collect();
    }
    let mut routes: Vec<_> = configuration.providers.iter().collect();
    order::sort_by_key(&mut routes, |(name, _)| name.as_str() != PRIMARY);
    let mut entries = Vec::new();
    for (_, route) in routes {
        let provider = named(providers, &route.provider).filter(|one| one.record.is_active);
        let entry = provider.map(|provider| entry(provider, route.provider.clone(), &route.model));
        entries.extend(entry.filter(|entry| !entries.contains(entry)));
    }
    entries
}
