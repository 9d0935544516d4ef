//! `/api/v1/gateway/status`, `…/config` and `…/providers`.

use serde::Serialize;
use serde_json::Value;

use crate::{
    audit::{self, Event},
    call::{Call, RouteResult, ok},
    changes::{self, Change},
    configuration::{Configuration, FieldShape},
    host::Host,
    providers::{self, GatewayProvider, destinations},
    sent::Sent,
};

/// The status of the gateway.
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

/// The destinations of a workspace's requests.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct GatewayProviders {
    /// The primary route first.
    providers: Vec<GatewayProvider>,
}

pub(crate) async fn status<H: Host>(call: Call<'_, H>) -> RouteResult {
    let providers_configured = providers::total(call.host).await?;
    ok(&GatewayStatus { status: "ok", service: "gateway", providers_configured })
}

pub(crate) async fn show<H: Host>(call: Call<'_, H>) -> RouteResult {
    ok(&Configuration::of(call.host, call.workspace()).await?)
}

/// Changes some of the configuration; absent fields stay.
pub(crate) async fn change<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    let workspace = call.workspace();
    let changed =
        changes::change(call.host, call.origin(), async |(configuration,): &mut (Configuration,)| {
            // under the lock: a provider is removed under it too, so no route can name a missing one
            let providers = providers::usable(call.host, workspace).await?;
            let old = configuration.clone().named(workspace);
            let mut new = old.clone();
            new.change(&Sent::body(&request)?, FieldShape::Update, &|name| {
                providers::named(&providers, name).is_some()
            })?;
            *configuration = new.clone();
            let (fields, settings) = (audit::differences(&old, &new), new.audit);
            Ok(Change::of_workspace(Event::ConfigUpdate, new).with_fields(fields).with_audit(settings))
        });
    ok(&changed.await?)
}

pub(crate) async fn providers<H: Host>(call: Call<'_, H>) -> RouteResult {
    let configuration = Configuration::of(call.host, call.workspace()).await?;
    let providers = providers::usable(call.host, call.workspace()).await?;
    ok(&GatewayProviders { providers: destinations(&configuration, &providers) })
}
