//! `/api/v1/gateway/config/export` and `…/import`: the configuration and the policies of a workspace as one
//! document. Credentials are not in it: the configuration names providers only.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Query, ServiceCall};
use crate::{
    audit::{self, Event, Origin},
    calendar::timestamp,
    configuration::{Configuration, Shape},
    documents::{self, Prepared},
    error::ApiError,
    host::Host,
    ids::uuid,
    policies::{self, ImportedPolicies, ImportedPolicy, Policies, PolicyRecord, config_key},
    providers,
    routes::{Answer, ok},
    sent::Sent,
};

/// The version of the document.
const VERSION: i64 = 1;

/// The configuration and the policies of a workspace.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct GatewayExport {
    /// Of the form of this document: 1.
    version: i64,
    /// Whose they are.
    workspace_id: String,
    /// ISO 8601.
    exported_at: String,
    /// The configuration.
    configuration: Configuration,
    /// All policies.
    policies: Vec<PolicyRecord>,
}

/// What becomes of what is there and not in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) enum ImportMode {
    /// It goes: policies are removed, fields of the configuration get their defaults.
    Replace,
    /// It stays.
    Merge,
}

/// What an import did.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct GatewayImport {
    /// Into which workspace.
    workspace_id: String,
    /// What became of what was there.
    mode: ImportMode,
    /// The configuration that there is now.
    configuration: Configuration,
    /// What became of the policies.
    policies: ImportedPolicies,
}

pub(super) async fn export<H: Host>(call: ServiceCall<'_, H>) -> Answer {
    let workspace = call.query.workspace()?;
    ok(&GatewayExport {
        version: VERSION,
        exported_at: timestamp(call.host.now_ms() / 1_000),
        configuration: Configuration::of(call.host, &workspace).await?,
        policies: policies::list(call.host, &workspace).await?,
        workspace_id: workspace,
    })
}

/// The workspace is that of the query. Where it names none, it is the one that was exported.
pub(super) async fn import<H: Host>(call: ServiceCall<'_, H>, request: Value) -> Answer {
    let workspace = match call.query.names_workspace() {
        true => call.query.workspace()?,
        false => call.query.workspace_or(&request)?,
    };
    let sent = Sent::body(&request)?;
    sent.integer::<i64>("version", VERSION..=VERSION)?;
    // also where the query decides
    sent.read("workspace_id", "a string", Value::as_str)?;
    let import = Import {
        mode: mode(call.query, &sent)?,
        configuration: sent.object("configuration")?,
        policies: ImportedPolicy::read_all(&sent)?,
    };
    let (policies_key, config_key) = (policies::key(&workspace), config_key(&workspace));
    let write = async || import.write(call.host, call.origin(&workspace)).await;
    let done = documents::hold(call.host, &policies_key, async || {
        documents::hold(call.host, &config_key, write).await
    });
    ok(&done.await?)
}

/// What is imported.
struct Import<'a> {
    mode: ImportMode,
    /// None where it is not in the document; it stays then.
    configuration: Option<Sent<'a>>,
    /// None where they are not in the document; they stay then.
    policies: Option<Vec<ImportedPolicy>>,
}

impl Import<'_> {
    /// Writes nothing before all of it was seen to be right.
    async fn write<H: Host>(self, host: &H, origin: Origin<'_>) -> Result<GatewayImport, ApiError> {
        let (workspace, mode) = (origin.workspace, self.mode);
        let old = Configuration::of(host, workspace).await?;
        let configuration = self.configuration(host, &old).await?;
        let settings = configuration.audit_of_change(&old);
        let mut fields = audit::differences(&old, &configuration);
        let (records, done) = self.policies(host, workspace).await?;
        if done.added + done.replaced + done.removed > 0 {
            fields.push("policies".to_owned());
        }

        let (policies_key, config_key) = (policies::key(workspace), config_key(workspace));
        let records = Prepared::new(&policies_key, &Policies(records))?;
        let document = Prepared::new(&config_key, &configuration)?;
        audit::record_change(host, settings, origin, Event::Import, None, fields).await?;
        records.write(host).await?;
        document.write(host).await?;
        Ok(GatewayImport { workspace_id: workspace.to_owned(), mode, configuration, policies: done })
    }

    /// The configuration that there will be.
    async fn configuration<H: Host>(&self, host: &H, old: &Configuration) -> Result<Configuration, ApiError> {
        let Some(sent) = &self.configuration else { return Ok(old.clone()) };
        let workspace = &old.workspace_id;
        let mut new = match self.mode {
            ImportMode::Merge => old.clone(),
            ImportMode::Replace => Configuration::defaults(workspace),
        };
        new.change(sent, Shape::Read, &providers::list(host, workspace).await?)?;
        Ok(new)
    }

    /// The policies that there will be, and what becomes of those that there are.
    async fn policies<H: Host>(
        self,
        host: &H,
        workspace: &str,
    ) -> Result<(Vec<PolicyRecord>, ImportedPolicies), ApiError> {
        let old = policies::list(host, workspace).await?;
        let Some(policies) = self.policies else {
            let total = old.len();
            return Ok((old, ImportedPolicies { total, ..ImportedPolicies::default() }));
        };
        let (replace, now) = (self.mode == ImportMode::Replace, timestamp(host.now_ms() / 1_000));
        policies::import(old, policies, replace, workspace, &now, || uuid(host))
    }
}

/// From the query, so that an export can be sent as it is, or from the body.
fn mode(query: &Query, sent: &Sent<'_>) -> Result<ImportMode, ApiError> {
    let names = "replace or merge";
    let in_body: Option<ImportMode> = sent.choice("mode", names)?;
    let in_query = match query.get("mode")? {
        None => None,
        Some(name) => {
            Some(serde_json::from_value(Value::from(name)).map_err(|_| sent.refused("mode", names))?)
        }
    };
    match (in_query, in_body) {
        (Some(one), Some(other)) if one != other => {
            Err(sent.refused("mode", "the same in the query and in the body; send it in one of them"))
        }
        (one, other) => Ok(one.or(other).unwrap_or(ImportMode::Merge)),
    }
}
