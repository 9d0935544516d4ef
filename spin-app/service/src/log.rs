//! The log: one JSON line for each request, without any of its texts, and one for each invalid variable.

use std::{borrow::Cow, collections::BTreeMap};

use http::StatusCode;
use serde::Serialize;
use textveil_engine::{Entity, wire::protected_type};

use crate::{error::Refusal, host::Host};

/// The name that findings of a type are counted under: that of a type which a caller named is the caller's
/// text, and is not shown.
#[expect(clippy::ptr_arg, reason = "whether it is borrowed says whose name it is")]
pub(crate) fn counted_as(kind: &Cow<'static, str>) -> &'static str {
    match kind {
        Cow::Borrowed(kind) => kind,
        Cow::Owned(_) => "custom",
    }
}

/// [`counted_as`], by the name of a type in protection.
pub(crate) fn protected_as(kind: Cow<'static, str>) -> &'static str {
    counted_as(&protected_type(kind))
}

/// Findings by type, as [`counted_as`] names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct Counts(BTreeMap<&'static str, usize>);

impl Counts {
    pub(crate) fn add(&mut self, entity: &Entity) {
        self.add_many(counted_as(&entity.kind), 1);
    }

    /// Adds findings of a type, as [`counted_as`] names it.
    pub(crate) fn add_many(&mut self, kind: &'static str, count: usize) {
        *self.0.entry(kind).or_default() += count;
    }

    pub(crate) fn extend(&mut self, others: &Self) {
        for (kind, count) in others.iter() {
            *self.0.entry(kind).or_default() += count;
        }
    }

    /// Types and how many were found of each.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.0.iter().map(|(kind, count)| (*kind, *count))
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

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
pub(crate) fn fault(host: &impl Host, fault: &'static str) {
    host.log(&serde_json::json!({ "time_ms": host.now_ms(), "fault": fault }).to_string());
}

fn number<S: serde::Serializer>(status: &StatusCode, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u16(status.as_u16())
}
