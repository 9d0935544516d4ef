//! `/api/v1/gateway/config/export` and `…/import`: the configuration and the policies of a workspace as one
//! document. Credentials are not in it: the configuration names providers only.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    audit::{self, Event},
    calendar::timestamp,
    call::{Call, RouteResult, ok},
    changes::{self, Change, Origin},
    configuration::{Configuration, FieldShape},
    error::ApiError,
    host::Host,
    ids::uuid,
    policies::{self, ImportedPolicies, ImportedPolicy, Policies, PolicyRecord},
    providers::{self, Provider},
    query::Query,
    sent::Sent,
};

/// The version of the document.
const VERSION: i64 = 1;

/// The configuration and the policies of a workspace.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct GatewayExport {
    /// The version of this document's form: 1.
    version: i64,
    /// The workspace of these settings.
    workspace_id: String,
    /// ISO 8601.
    exported_at: String,
    /// The configuration.
    configuration: Configuration,
    /// All policies.
    policies: Vec<PolicyRecord>,
}

/// The treatment of existing records that are not in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) enum ImportMode {
    /// It goes: policies are removed, fields of the configuration get their defaults.
    Replace,
    /// It stays.
    Merge,
}

/// The result of an import.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct GatewayImport {
    /// Into which workspace.
    workspace_id: String,
    /// The treatment of existing records.
    mode: ImportMode,
    /// The configuration that there is now.
    configuration: Configuration,
    /// The result for the policies.
    policies: ImportedPolicies,
}

pub(crate) async fn export<H: Host>(call: Call<'_, H>) -> RouteResult {
    ok(&GatewayExport {
        version: VERSION,
        exported_at: timestamp(call.host.now_ms() / 1_000),
        configuration: Configuration::of(call.host, call.workspace()).await?,
        policies: policies::list(call.host, call.workspace()).await?,
        workspace_id: call.workspace().to_owned(),
    })
}

/// The workspace is that of the query. Where the query names none, it is the one that was exported.
pub(crate) async fn import<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    let mode = mode(call.query, &Sent::body(&request)?)?;
    ok(&import_document(call.host, call.origin(), mode, &request).await?)
}

/// Imports a document into the workspace of the principal.
///
/// # Errors
/// `invalid_request` naming the field at fault; as [`changes::change`].
pub(crate) async fn import_document(
    host: &impl Host,
    origin: Origin<'_>,
    mode: ImportMode,
    document: &Value,
) -> Result<GatewayImport, ApiError> {
    let sent = Sent::body(document)?;
    sent.integer::<i64>("version", VERSION..=VERSION)?;
    // validated even if the query has priority
    sent.read("workspace_id", "a string", Value::as_str)?;
    let configuration = sent.object("configuration")?;
    let import = Import { mode, configuration, policies: ImportedPolicy::read_all(&sent)? };
    let workspace = &origin.principal.workspace;
    changes::change(host, origin, async |documents: &mut (Policies, Configuration)| {
        let providers = providers::usable(host, workspace).await?;
        import.apply(host, workspace, &providers, documents)
    })
    .await
}

/// An import that was read.
struct Import<'a> {
    mode: ImportMode,
    /// If absent, the configuration stays.
    configuration: Option<Sent<'a>>,
    /// If absent, the policies stay.
    policies: Option<Vec<ImportedPolicy>>,
}

impl Import<'_> {
    /// Applies the whole document, or nothing if a part is invalid.
    fn apply<H: Host>(
        self,
        host: &H,
        workspace: &str,
        providers: &[Provider],
        (policies, configuration): &mut (Policies, Configuration),
    ) -> Result<Change<GatewayImport>, ApiError> {
        let mode = self.mode;
        let old = configuration.clone().named(workspace);
        let new = self.configuration(&old, providers)?;
        let mut fields = audit::differences(&old, &new);
        let (records, done) = self.policies(host, workspace, std::mem::take(&mut policies.0))?;
        if done.added + done.replaced + done.removed > 0 {
            fields.push("policies".to_owned());
        }
        policies.0 = records;
        *configuration = new.clone();
        let settings = new.audit;
        let workspace_id = workspace.to_owned();
        let imported = GatewayImport { workspace_id, mode, configuration: new, policies: done };
        Ok(Change::of_workspace(Event::Import, imported).with_fields(fields).with_audit(settings))
    }

    /// The configuration after the import.
    fn configuration(&self, old: &Configuration, providers: &[Provider]) -> Result<Configuration, ApiError> {
        let Some(sent) = &self.configuration else { return Ok(old.clone()) };
        let mut new = match self.mode {
            ImportMode::Merge => old.clone(),
            ImportMode::Replace => Configuration::defaults(&old.workspace_id),
        };
        new.change(sent, FieldShape::Read, &|name| providers::named(providers, name).is_some())?;
        Ok(new)
    }

    /// The policies after the import, and how they differ.
    fn policies<H: Host>(
        self,
        host: &H,
        workspace: &str,
        old: Vec<PolicyRecord>,
    ) -> Result<(Vec<PolicyRecord>, ImportedPolicies), ApiError> {
        let Some(policies) = self.policies else {
            let total = old.len();
            return Ok((old, ImportedPolicies { total, ..ImportedPolicies::default() }));
        };
        let (replace, now) = (self.mode == ImportMode::Replace, timestamp(host.now_ms() / 1_000));
        policies::import(old, policies, replace, workspace, &now, || uuid(host))
    }
}

/// Reads the mode from the query, so that an export can be sent unchanged, or from the body.
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
