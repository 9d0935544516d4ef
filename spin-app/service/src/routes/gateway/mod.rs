//! `/api/v1/gateway/…`: the administration of the gateway.

pub(crate) mod audit;
pub(crate) mod configuration;
pub(crate) mod policies;
pub(crate) mod policy_test;
pub(crate) mod transfer;

use serde_json::Value;

use crate::{
    call::{Call, RouteResult},
    host::Host,
    router::Admin,
};

/// Answers a service.
pub(crate) async fn admin<H: Host>(call: Call<'_, H>, endpoint: Admin, request: Value) -> RouteResult {
    match endpoint {
        Admin::Status => configuration::status(call).await,
        Admin::Configuration => configuration::show(call).await,
        Admin::ChangeConfiguration => configuration::change(call, request).await,
        Admin::Providers => configuration::providers(call).await,
        Admin::Export => transfer::export(call).await,
        Admin::Import => transfer::import(call, request).await,
        Admin::Audit => audit::list(call).await,
        Admin::AuditHead => audit::head(call).await,
        Admin::Policies => policies::list(call).await,
        Admin::CreatePolicy => policies::create(call, request).await,
        Admin::Policy => policies::show(call).await,
        Admin::ReplacePolicy => policies::replace(call, request).await,
        Admin::ChangePolicy => policies::change(call, request).await,
        Admin::DeletePolicy => policies::delete(call).await,
        Admin::TestPolicies => policy_test::run(call, request).await,
    }
}
