//! `GET /api/v1/health` for clients; `/healthz` and `/readyz` for load balancers.

use bytes::Bytes;
use http::{Response, StatusCode};
use serde::Serialize;
use textveil_engine::detectors;

use super::{Call, RouteResult, json, ok};
use crate::{
    config,
    error::ApiError,
    host::{Host, KeyValue, Label},
    log, secrets,
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

/// The answer to a load balancer.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Probe {
    /// `alive` or `ready`.
    status: &'static str,
}

/// For clients; `environment` is the variable of that name.
pub(super) async fn report<H: Host>(call: Call<'_, H>) -> RouteResult {
    ok(&HealthResponse {
        status: "healthy",
        version: Some(env!("CARGO_PKG_VERSION")),
        environment: call.host.variable("environment").await,
    })
}

/// Answers that the service runs. It needs nothing, so a component without stores may give this answer, too.
pub fn alive() -> Response<Bytes> {
    // strings always serialise
    json(StatusCode::OK, serde_json::to_string(&Probe { status: "alive" }).unwrap_or_default())
}

/// The key that a probe writes.
const WRITTEN: &str = "ready:written";
/// Milliseconds between two writes of probes: anybody may ask, and a write waits for the disk.
const WRITE_PAUSE_MS: u64 = 2_000;

/// The service can answer: its variables have no fault, its stores can be read and written, its secrets are set and
/// its catalogue is there. `textveil serve` does not start with faulty variables; Spin does.
pub(super) async fn ready<H: Host>(host: &H) -> RouteResult {
    let faults = config::faults_of(host).await;
    // once, not at each probe
    if host.cache().note_faults(&faults) {
        for fault in &faults {
            log::fault(host, fault);
        }
    }
    if !faults.is_empty() {
        return Err(ApiError::misconfigured(&faults));
    }
    let now_ms = host.now_ms();
    let is_written = host.cache().is_probed(now_ms, WRITE_PAUSE_MS);
    for label in [Label::Config, Label::Usage, Label::Audit] {
        let store = host.store(label);
        store.get(WRITTEN).await?;
        if !is_written && store.keeps_values() {
            store.set(WRITTEN, now_ms.to_string().as_bytes()).await?;
        }
    }
    if !is_written {
        host.cache().note_probed(now_ms);
    }
    secrets::keyring(host, "ready").await.map_err(|_| ApiError::unavailable(secrets::UNUSABLE))?;
    if detectors(None).is_empty() {
        return Err(ApiError::unavailable("the catalogue of detectors is empty"));
    }
    ok(&Probe { status: "ready" })
}
