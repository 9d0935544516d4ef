//! The log: one JSON line for each request, without any of its texts, and one for each invalid variable.

use http::StatusCode;
use serde::Serialize;

use crate::{error::Refusal, system::System, types::Counts};

/// One line.
#[derive(Serialize)]
pub(crate) struct Line {
    /// Unix time in milliseconds at which the request was answered.
    pub time_ms: u64,
    pub request_id: String,
    /// Absent if the caller sent no trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    pub method: &'static str,
    /// The route's pattern, not the path, which is the caller's text. Absent for an unknown path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<&'static str>,
    #[serde(serialize_with = "number")]
    pub status: StatusCode,
    pub duration_ms: f64,
    /// Absent if no credential was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    #[serde(skip_serializing_if = "Counts::is_empty")]
    pub entities: Counts,
    /// Absent if the request was not rejected.
    #[serde(flatten)]
    pub refusal: Option<Refusal>,
}

/// Logs the fault of a variable, on a separate line: `fault` names the variable and contains no value.
pub(crate) fn fault(system: &impl System, fault: &'static str) {
    system.log(&serde_json::json!({ "time_ms": system.now_ms(), "fault": fault }).to_string());
}

fn number<S: serde::Serializer>(status: &StatusCode, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u16(status.as_u16())
}
