//! `/api/v1/gateway/config/export` and `…/import`: the configuration and the policies of a workspace as one
//! document. Credentials are not in it: the configuration names providers only.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Query, ServiceCall};
use crate::{
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
    let import = Import {
        mode: mode(call.query, &sent)?,
        configuration: sent.object("configuration")?,
        policies: ImportedPolicy::read_all(&sent)?,
    };
    let (policies_key, config_key) = (policies::key(&workspace), config_key(&workspace));
    let write = async || import.write(&call, &workspace).await;
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
    async fn write<H: Host>(
        self,
        call: &ServiceCall<'_, H>,
        workspace: &str,
    ) -> Result<GatewayImport, ApiError> {
        let (host, mode) = (call.host, self.mode);
        let old = Configuration::of(host, workspace).await?;
        let configuration = match &self.configuration {
            None => old,
            Some(sent) => {
                let mut new = match mode {
                    ImportMode::Merge => old,
                    ImportMode::Replace => Configuration::defaults(workspace),
                };
                new.change(sent, Shape::Read, &providers::list(host, workspace).await?)?;
                new
            }
        };
        let old = policies::list(host, workspace).await?;
        let (records, done) = match self.policies {
            None => (old, ImportedPolicies::default()),
            Some(policies) => {
                let (replace, now) = (mode == ImportMode::Replace, timestamp(host.now_ms() / 1_000));
                policies::import(old, policies, replace, workspace, &now, || uuid(host))?
            }
        };
        let done = ImportedPolicies { total: records.len(), ..done };
        let (policies_key, config_key) = (policies::key(workspace), config_key(workspace));
        let records = Prepared::new(&policies_key, &Policies(records))?;
        let document = Prepared::new(&config_key, &configuration)?;
        records.write(host).await?;
        document.write(host).await?;
        Ok(GatewayImport { workspace_id: workspace.to_owned(), mode, configuration, policies: done })
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
