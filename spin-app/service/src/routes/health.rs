//! `GET /api/v1/health` for clients; `/healthz` and `/readyz` for load balancers.

use serde_json::json;
use textveil_engine::detectors;

use super::{Answer, Call, ok};
use crate::{
    error::ApiError,
    host::{Host, KeyValue, Label},
    secrets,
};

/// HealthResponse (spec §2); `environment` is the variable of that name.
pub(super) async fn report<H: Host>(call: Call<'_, H>) -> Answer {
    ok(&json!({
        "status": "healthy",
        "version": env!("CARGO_PKG_VERSION"),
        "environment": call.host.variable("environment").await,
    }))
}

/// The service runs.
pub(super) fn alive() -> Answer {
    ok(&json!({ "status": "alive" }))
}

/// The service can answer: its stores are reachable, its secrets are set and its catalogue is there.
pub(super) async fn ready<H: Host>(host: &H) -> Answer {
    for label in [Label::Config, Label::Usage] {
        host.store(label).get("ready:probe").await?;
    }
    secrets::keyring(host, "ready").await.map_err(|_| ApiError::unavailable(secrets::UNUSABLE))?;
    if detectors(None).is_empty() {
        return Err(ApiError::unavailable("the catalogue of detectors is empty"));
    }
    ok(&json!({ "status": "ready" }))
}
