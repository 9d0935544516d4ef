//! `/healthz` and `/readyz`, for load balancers.

use bytes::Bytes;
use http::{Response, StatusCode};
use serde::Serialize;
use textveil_engine::detectors;

use crate::{
    call::{RouteResult, ok},
    config,
    error::ApiError,
    host::{Host, KeyValue, Label},
    log,
    response::json,
    secrets,
};

/// The answer to a load balancer.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Probe {
    /// `alive` or `ready`.
    status: &'static str,
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

/// The results of earlier probes.
#[derive(Default)]
struct Probes {
    /// Faults of the variables that were last found.
    faults: Vec<&'static str>,
    /// When all stores last took a probe's value; 0 for never.
    written_ms: u64,
}

/// The service can answer: its variables have no fault, its stores can be read and written, its secrets are set and
/// its catalogue is there. `textveil serve` does not start with faulty variables; Spin does.
pub(crate) async fn ready<H: Host>(host: &H) -> RouteResult {
    let faults = config::faults_of(host).await;
    // once, not at each probe
    let changed = host.cache().with(|probes: &mut Probes| {
        let changed = probes.faults != faults;
        probes.faults.clone_from(&faults);
        changed
    });
    if changed {
        for fault in &faults {
            log::fault(host, fault);
        }
    }
    if !faults.is_empty() {
        return Err(ApiError::misconfigured(&faults));
    }
    let now_ms = host.now_ms();
    let written_ms = host.cache().with(|probes: &mut Probes| probes.written_ms);
    let is_written = written_ms != 0 && written_ms.abs_diff(now_ms) < WRITE_PAUSE_MS;
    for label in Label::ALL {
        let store = host.store(label);
        store.get(WRITTEN).await?;
        if !is_written && store.keeps_values() {
            store.set(WRITTEN, now_ms.to_string().as_bytes()).await?;
        }
    }
    if !is_written {
        host.cache().with(|probes: &mut Probes| probes.written_ms = now_ms);
    }
    secrets::keyring(host, "ready").await.map_err(|_| ApiError::unavailable(secrets::UNUSABLE))?;
    if detectors(None).is_empty() {
        return Err(ApiError::unavailable("the catalogue of detectors is empty"));
    }
    ok(&Probe { status: "ready" })
}
