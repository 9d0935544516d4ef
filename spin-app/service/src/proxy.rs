//! The parts of the service that `textveil proxy` needs beside [`crate::gateway`]: the set-up of a workspace whose callers
//! bring their own credentials, and its counts.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use textveil_engine::options::AllowRule;

use crate::{
    auth::Principal,
    changes::Origin,
    configuration::PRIMARY,
    error::ApiError,
    host::{Host, Unavailable},
    limits::MAX_GATEWAY_RATE,
    providers::{self, Draft, ProviderType},
    routes::{
        gateway::transfer::{ImportMode, import_document},
        settings::add_rule,
    },
    usage::metrics::{self, families, label},
};

/// The model of a request without one. No provider has it, and its error tells the caller.
const NO_MODEL: &str = "no-model";

/// The id of the request in audit records of the set-up.
const REQUEST_ID: &str = "proxy";

/// Findings that stay in requests to Anthropic: its models and their programs, which are called as persons are. Its clients
/// name them in instructions, some of which Anthropic compares with its own.
const NAMES_AT_ANTHROPIC: &str = "(?i)claude(?: (?:code|opus|sonnet|haiku|agent|api|sdk))*";

/// A provider that callers have a credential for.
#[derive(Clone, Debug)]
pub struct CallersProvider {
    /// Its protocol.
    pub provider_type: ProviderType,
    /// Its address.
    pub base_url: String,
}

/// The protection of the workspace.
#[derive(Debug, Default)]
pub struct ProtectionSettings {
    /// A document as `GET /api/v1/gateway/config/export` returns it. Its routes, limits and audit are replaced.
    pub document: Option<Value>,
    /// Hosts whose URLs may contain restored values, beside those of the document.
    pub restore_hosts: Vec<String>,
    /// Findings that stay as they are.
    pub allowed: Vec<AllowRule>,
}

/// Sets up the workspace of the principal: a route to each provider, with the caller's credential. The first is primary.
///
/// There is no limit, and nothing is recorded.
///
/// # Errors
/// `invalid_request` naming the field at fault.
pub async fn set_up(
    host: &impl Host,
    principal: &Principal,
    providers: &[CallersProvider],
    protection: ProtectionSettings,
) -> Result<(), ApiError> {
    let ProtectionSettings { document, restore_hosts, mut allowed } = protection;
    let origin = Origin { principal, request_id: REQUEST_ID };
    let mut routes = Map::new();
    for provider in providers {
        let name = providers::wire_name(&provider.provider_type);
        let draft = json!({
            "provider_type": name, "display_name": name, "base_url": provider.base_url, "default_model": NO_MODEL,
            "credential_source": "env_placeholder", "env_placeholder": "${CREDENTIAL_OF_THE_CALLER}",
        });
        let record = providers::create(host, origin, Draft::read(draft)?).await?;
        let route = if routes.is_empty() { PRIMARY.to_owned() } else { name };
        routes.insert(route, json!({ "provider": record.id, "model": NO_MODEL, "credential": "caller" }));
    }
    let mut document = document.unwrap_or_else(|| json!({ "version": 1 }));
    let document_fields = document.as_object_mut();
    let document_fields =
        document_fields.ok_or_else(|| ApiError::invalid("body", "the settings must be an object"))?;
    let configuration = document_fields.entry("configuration").or_insert_with(|| json!({}));
    // anything else is rejected with the whole document
    if let Some(fields) = configuration.as_object_mut() {
        fields.insert("providers".to_owned(), Value::Object(routes));
        fields.insert("audit".to_owned(), json!({ "level": "none" }));
        let rate = json!({ "requests_per_minute": MAX_GATEWAY_RATE, "burst": MAX_GATEWAY_RATE });
        fields.insert("rate_limits".to_owned(), rate);
        if !restore_hosts.is_empty() {
            let hosts = fields.entry("restore_hosts").or_insert_with(|| json!([]));
            if let Some(hosts) = hosts.as_array_mut() {
                hosts.extend(restore_hosts.iter().map(|name| json!(name)));
            }
        }
    }
    import_document(host, origin, ImportMode::Merge, &document).await?;
    if providers.iter().any(|provider| provider.provider_type == ProviderType::Anthropic) {
        allowed.push(AllowRule::Regex(NAMES_AT_ANTHROPIC.to_owned()));
    }
    for rule in allowed {
        add_rule(host, origin, rule).await?;
    }
    Ok(())
}

/// The counts of a gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Requests by outcome: `ok`, `failed`, `blocked` or `abandoned`.
    pub requests: BTreeMap<String, u64>,
    /// Findings in requests by type, except those that a policy lets pass.
    pub protected: BTreeMap<String, u64>,
    /// Placeholders that were restored in answers.
    pub restored: u64,
}

/// Reads the counts of the gateway from its store.
///
/// # Errors
/// [`Unavailable`].
pub async fn summary(host: &impl Host) -> Result<Summary, Unavailable> {
    let mut summary = Summary::default();
    for (labels, count) in metrics::counts(host, &families::REQUESTS).await? {
        let outcome = label(&labels, "outcome").unwrap_or_default().to_owned();
        *summary.requests.entry(outcome).or_default() += count;
    }
    for (labels, count) in metrics::counts(host, &families::ENTITIES).await? {
        let is_protected = !matches!(label(&labels, "action"), Some("ALLOW" | "FLAG"));
        if is_protected && label(&labels, "direction") == Some("input") {
            let kind = label(&labels, "type").unwrap_or_default().to_owned();
            *summary.protected.entry(kind).or_default() += count;
        }
    }
    for (labels, count) in metrics::counts(host, &families::RESTORES).await? {
        if label(&labels, "outcome") == Some("ok") {
            summary.restored += count;
        }
    }
    Ok(summary)
}
