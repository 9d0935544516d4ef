//! `GET /api/v1/health`, for clients.

use serde::Serialize;

use crate::{
    call::{Call, RouteResult, ok},
    host::Host,
};

/// The state of the service.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct HealthResponse {
    /// `healthy`.
    status: &'static str,
    /// The version of the service.
    version: Option<&'static str>,
    /// The operator's name for the deployment.
    environment: Option<String>,
}

/// For clients; `environment` is the variable of that name.
pub(crate) async fn report<H: Host>(call: Call<'_, H>) -> RouteResult {
    ok(&HealthResponse {
        status: "healthy",
        version: Some(env!("CARGO_PKG_VERSION")),
        environment: call.host.variable("environment").await,
    })
}
