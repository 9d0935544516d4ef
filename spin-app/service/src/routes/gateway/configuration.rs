//! `/api/v1/gateway/status`, `…/config` and `…/providers`.

use serde::Serialize;
use serde_json::Value;

use super::ServiceCall;
use crate::{
    audit::{self, Event, Origin},
    configuration::{Configuration, GatewayProvider, Shape},
    documents::{self, Prepared},
    error::ApiError,
    host::Host,
    policies::config_key,
    providers,
    routes::{Answer, ok},
    sent::Sent,
};

/// How the gateway is.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct GatewayStatus {
    /// `ok`.
    status: &'static str,
    /// `gateway`.
    service: &'static str,
    /// LLM providers of all workspaces.
    providers_configured: u64,
}

/// Where the requests of a workspace go.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct GatewayProviders {
    /// The primary route first.
    providers: Vec<GatewayProvider>,
}

pub(super) async fn status<H: Host>(call: ServiceCall<'_, H>) -> Answer {
    let providers_configured = providers::total(call.host).await?;
    ok(&GatewayStatus { status: "ok", service: "gateway", providers_configured })
}

pub(super) async fn show<H: Host>(call: ServiceCall<'_, H>) -> Answer {
    ok(&Configuration::of(call.host, &call.query.workspace()?).await?)
}

/// Some of the configuration; what is absent stays.
pub(super) async fn change<H: Host>(call: ServiceCall<'_, H>, request: Value) -> Answer {
    let workspace = call.query.workspace_or(&request)?;
    let key = config_key(&workspace);
    let changed = async || changed(call.host, call.origin(&workspace), &request).await;
    ok(&documents::hold(call.host, &key, changed).await?)
}

async fn changed<H: Host>(host: &H, origin: Origin<'_>, request: &Value) -> Result<Configuration, ApiError> {
    let old = Configuration::of(host, origin.workspace).await?;
    let mut new = old.clone();
    new.change(&Sent::body(request)?, Shape::Update, &providers::list(host, origin.workspace).await?)?;
    let key = config_key(origin.workspace);
    let document = Prepared::new(&key, &new)?;
    let (settings, fields) = (new.audit_of_change(&old), audit::differences(&old, &new));
    audit::record_change(host, settings, origin, Event::ConfigUpdate, None, fields).await?;
    document.write(host).await?;
    Ok(new)
}

pub(super) async fn providers<H: Host>(call: ServiceCall<'_, H>) -> Answer {
    let workspace = call.query.workspace()?;
    let configuration = Configuration::of(call.host, &workspace).await?;
    let providers = providers::list(call.host, &workspace).await?;
    ok(&GatewayProviders { providers: configuration.destinations(&providers) })
}
