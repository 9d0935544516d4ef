//! Providers of language models: the records of a workspace, where they
//! are reached and with what credential.

mod base_url;
mod callers;
pub mod credential;
mod draft;
mod probe;
mod request;

use std::{cmp::Reverse, collections::BTreeMap};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use base_url::BaseUrl;
pub(crate) use callers::CallersHeaders;
pub use draft::Draft;
pub(crate) use probe::probe;
pub(crate) use request::{From, Purpose, prepare};

use crate::{
    auth::user_token::User,
    calendar::timestamp,
    documents,
    error::ApiError,
    host::{Host, KeyValue, Label},
    ids::uuid,
    limits::MAX_PROVIDERS,
    order,
    policies::config_key,
};

/// Where the providers of a workspace lie in the store `config`.
pub fn key(workspace: &str) -> String {
    format!("providers:{workspace}")
}

/// What a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ProviderType {
    /// OpenAI.
    #[serde(rename = "openai")]
    OpenAi,
    /// Anybody who speaks as OpenAI does.
    #[serde(rename = "openai_compatible")]
    OpenAiCompatible,
    /// OpenAI's models at Azure.
    #[serde(rename = "azure_openai")]
    AzureOpenAi,
    /// Anthropic.
    Anthropic,
    /// Mistral.
    Mistral,
    /// A server of Ollama.
    Ollama,
    /// A server of vLLM.
    Vllm,
}

impl ProviderType {
    /// Whether providers of this type may do without a credential.
    pub fn may_lack_credential(self) -> bool {
        matches!(self, Self::OpenAiCompatible | Self::Ollama | Self::Vllm)
    }
}

/// Where a provider's credential is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum CredentialSource {
    /// With whoever runs the service; the record names it.
    EnvPlaceholder,
    /// There is none.
    None,
}

/// What was found out about a provider when it was last validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ValidationStatus {
    /// Nothing yet, or nothing since it was changed.
    Unknown,
    /// It answers, and takes the credential.
    Valid,
    /// It refuses the credential.
    Invalid,
    /// There is no answer.
    Unreachable,
    /// It answers something else, or cannot be asked.
    Error,
}

/// A provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProviderRecord {
    /// A UUID.
    pub id: String,
    /// What it speaks.
    pub provider_type: ProviderType,
    /// For people.
    pub display_name: String,
    /// What is taken where none is named; at most one of a workspace.
    pub is_platform_default: bool,
    /// Whether it may be used.
    pub is_active: bool,
    /// Where its credential is.
    pub credential_source: CredentialSource,
    /// Always null: no credential is stored, so there is nothing to show the beginning of.
    pub key_prefix: Option<String>,
    /// Its address, as it was given.
    pub base_url: String,
    /// The model that is taken where none is named.
    pub default_model: String,
    /// The models that may be named; none for any.
    pub allowed_models: Vec<String>,
    /// Whether it can send an answer in parts.
    pub supports_streaming: bool,
    /// Which of several goes first: the highest.
    pub priority: i64,
    /// What was found out when it was last validated.
    pub validation_status: ValidationStatus,
    /// The team of the user who made it.
    pub team_id: Option<String>,
    /// The tenant of the user who made it.
    pub tenant_id: Option<String>,
    /// ISO 8601.
    pub created_at: String,
    /// ISO 8601.
    pub updated_at: String,
}

/// A provider as it is stored: its record, and what is not told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provider {
    /// What is told.
    #[serde(flatten)]
    pub record: ProviderRecord,
    /// `${NAME}`: where the credential is, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env_placeholder: Option<String>,
}

/// The providers of a workspace, as a document: the oldest first.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
struct Providers(Vec<Provider>);

impl Providers {
    fn position(&self, id: &str) -> Result<usize, ApiError> {
        self.0.iter().position(|provider| provider.record.id == id).ok_or_else(no_such)
    }

    /// Takes what the provider `id` alone may be from all others.
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

/// The providers of a workspace, oldest first.
///
/// # Errors
/// As [`documents::read`].
pub async fn list(host: &impl Host, workspace: &str) -> Result<Vec<Provider>, ApiError> {
    documents::read(host, &key(workspace)).await.map(|Providers(providers)| providers)
}

/// One provider of a workspace.
///
/// # Errors
/// `not_found`; as [`documents::read`].
pub async fn find(host: &impl Host, workspace: &str, id: &str) -> Result<Provider, ApiError> {
    let found = list(host, workspace).await?.into_iter().find(|provider| provider.record.id == id);
    found.ok_or_else(no_such)
}

/// Adds a provider to the workspace of `user`.
///
/// # Errors
/// `invalid_request` naming a field of the draft; `conflict` where the workspace has [`MAX_PROVIDERS`]; as
/// [`documents::update`].
pub async fn create(host: &impl Host, user: &User, draft: Draft) -> Result<ProviderRecord, ApiError> {
    let now = timestamp(host.now_ms() / 1_000);
    let allowed = allowed_hosts(host).await;
    let mut provider = Provider {
        record: ProviderRecord {
            id: uuid(host),
            team_id: user.team_id.clone(),
            tenant_id: user.tenant_id.clone(),
            created_at: now.clone(),
            ..draft.record(&allowed, &now)?
        },
        env_placeholder: draft.env_placeholder,
    };
    // nobody makes a provider in order not to use it
    provider.record.is_active = true;
    documents::update(host, &key(&user.workspace), |providers: &mut Providers| {
        if providers.0.len() >= MAX_PROVIDERS {
            return Err(ApiError::conflict(format!(
                "the workspace has {MAX_PROVIDERS} LLM providers; delete one that is not needed"
            )));
        }
        if provider.record.is_platform_default {
            providers.make_default(&provider.record.id, &now);
        }
        providers.0.push(provider.clone());
        Ok(())
    })
    .await?;
    add_to_total(host, 1).await;
    Ok(provider.record)
}

/// Changes a provider of a workspace: `draft` makes the new one out of what the old one was drafted as.
///
/// # Errors
/// `not_found`; as [`create`].
pub async fn change(
    host: &impl Host,
    workspace: &str,
    id: &str,
    draft: impl FnOnce(Draft) -> Result<Draft, ApiError>,
) -> Result<ProviderRecord, ApiError> {
    let now = timestamp(host.now_ms() / 1_000);
    let allowed = allowed_hosts(host).await;
    documents::update(host, &key(workspace), |providers: &mut Providers| {
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
        };
        if new.is_reached_as(&old) {
            new.record.validation_status = old.record.validation_status;
        }
        if new.record.is_platform_default {
            providers.make_default(id, &now);
        }
        let changed = new.record.clone();
        if let Some(place) = providers.0.get_mut(position) {
            *place = new;
        }
        Ok(changed)
    })
    .await
}

/// Removes a provider from a workspace.
///
/// # Errors
/// `not_found`; `conflict` where the gateway configuration of the workspace names the provider; as
/// [`documents::update`].
pub async fn delete(host: &impl Host, workspace: &str, id: &str) -> Result<(), ApiError> {
    // no route may come to name it meanwhile
    documents::hold(host, &config_key(workspace), async || delete_unnamed(host, workspace, id).await).await?;
    add_to_total(host, -1).await;
    Ok(())
}

async fn delete_unnamed(host: &impl Host, workspace: &str, id: &str) -> Result<(), ApiError> {
    let routes: Routes = documents::read(host, &config_key(workspace)).await?;
    documents::update(host, &key(workspace), |providers: &mut Providers| {
        let position = providers.position(id)?;
        let leads_here = |route: &Value| {
            let named = route.get("provider").and_then(Value::as_str).unwrap_or_default();
            named_position(&providers.0, named) == Some(position)
        };
        if routes.providers.values().any(leads_here) {
            return Err(ApiError::conflict(
                "the gateway configuration of the workspace names this LLM provider; change its routes first",
            ));
        }
        providers.0.remove(position);
        Ok(())
    })
    .await
}

/// The counter of the providers of all workspaces.
const TOTAL: &str = "provider-count";

/// How many providers there are in all workspaces.
///
/// # Errors
/// `service_unavailable`.
pub(crate) async fn total(host: &impl Host) -> Result<u64, ApiError> {
    let total = host.store(Label::Config).increment(TOTAL, 0).await?;
    Ok(u64::try_from(total).unwrap_or_default())
}

/// What is not counted is missing in a figure for people, and no reason to refuse what was done.
async fn add_to_total(host: &impl Host, by: i64) {
    let _ = host.store(Label::Config).increment(TOTAL, by).await;
}

/// Notes what was found out about a provider, unless it has become another one since.
///
/// # Errors
/// `not_found` where it was removed since; as [`documents::update`].
pub(crate) async fn note(
    host: &impl Host,
    workspace: &str,
    probed: &Provider,
    status: ValidationStatus,
) -> Result<ProviderRecord, ApiError> {
    documents::update(host, &key(workspace), |providers: &mut Providers| {
        let position = providers.position(&probed.record.id)?;
        let provider = providers.0.get_mut(position).ok_or_else(no_such)?;
        if provider.is_reached_as(probed) {
            provider.record.validation_status = status;
        }
        Ok(provider.record.clone())
    })
    .await
}

/// The active ones of `providers` in the order in which they are taken where nothing names one: the default one
/// first, then by their priority.
pub(crate) fn in_order(providers: &[Provider]) -> Vec<&Provider> {
    let mut active: Vec<_> = providers.iter().filter(|provider| provider.record.is_active).collect();
    order::sort_by_key(&mut active, |one| (!one.record.is_platform_default, Reverse(one.record.priority)));
    active
}

/// The provider that a route of the gateway names: by its id, or by its type where that is the only one.
pub fn named<'a>(providers: &'a [Provider], name: &str) -> Option<&'a Provider> {
    providers.get(named_position(providers, name)?)
}

fn named_position(providers: &[Provider], name: &str) -> Option<usize> {
    if let Some(position) = providers.iter().position(|provider| provider.record.id == name) {
        return Some(position);
    }
    let of_type = |provider: &Provider| draft::wire_name(&provider.record.provider_type) == name;
    let mut found = providers.iter().enumerate().filter(|(_, provider)| of_type(provider));
    match (found.next(), found.next()) {
        (Some((position, _)), None) => Some(position),
        _ => None,
    }
}

impl Provider {
    /// What the conditions of policies may call it: its id and its type.
    pub(crate) fn names(&self) -> [String; 2] {
        [self.record.id.clone(), draft::wire_name(&self.record.provider_type)]
    }

    /// What a route may call it, one of `providers`: its type where it is the only one of it, else its id.
    pub(crate) fn name(&self, providers: &[Self]) -> String {
        let kind = draft::wire_name(&self.record.provider_type);
        let is_meant = named(providers, &kind).is_some_and(|provider| provider.record.id == self.record.id);
        if is_meant { kind } else { self.record.id.clone() }
    }

    /// Whether requests to both go the same way, with the same credential.
    fn is_reached_as(&self, other: &Self) -> bool {
        self.record.provider_type == other.record.provider_type
            && self.record.base_url == other.record.base_url
            && self.env_placeholder == other.env_placeholder
    }
}

/// What the gateway configuration says about routes; the rest of it does not matter here.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Routes {
    providers: BTreeMap<String, Value>,
}

/// A faulty list, with which no host starts this service, allows nothing.
async fn allowed_hosts(host: &impl Host) -> crate::network::AllowedHosts {
    credential::provider_hosts(host).await.unwrap_or_default()
}
