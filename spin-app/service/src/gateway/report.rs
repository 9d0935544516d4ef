//! Reports of the gateway's decisions: in headers, in the answer if requested, in the audit and in the
//! metrics. Types and counts, never values.

use std::collections::BTreeMap;

use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};
use textveil_engine::{Action, TypeCounts};

use crate::{
    audit::Entry,
    chat::{placeholder::RestoreCounts, protect::ActionCounts, request::Left},
    error::ApiError,
    types::{Counts, protected_as},
    usage::metrics::{Sample, families},
};

/// The header with the decision on a request.
const ACTION: &str = "x-privacy-action";

/// A word that the wire has for something, such as an action.
pub(super) fn word(value: impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Counts the findings of each type.
pub(crate) fn by_type(counts: &ActionCounts) -> BTreeMap<String, usize> {
    let mut types = BTreeMap::new();
    for (kind, _, count) in counts.iter() {
        *types.entry(kind.to_owned()).or_default() += count;
    }
    types
}

/// Returns the entry for a text that a policy blocks; `None` for other errors.
pub(crate) fn of_block(entry: Entry, error: &ApiError) -> Option<Entry> {
    let entities = blocked_by_type(error.blocked()?);
    let status = Some(error.status().as_u16());
    Some(Entry { action: Some(Action::Block), entities, status, ..entry })
}

/// The same of findings that a policy blocked, under the names that the other records have for them.
fn blocked_by_type(counts: &TypeCounts) -> BTreeMap<String, usize> {
    let mut types = BTreeMap::new();
    for (kind, count) in counts {
        *types.entry(protected_as(kind.clone()).to_owned()).or_default() += count;
    }
    types
}

/// The same for the log.
pub(crate) fn for_log(counts: &ActionCounts) -> Counts {
    let mut log = Counts::default();
    counts.iter().for_each(|(kind, _, count)| log.add_many(kind, count));
    log
}

/// Writes the headers about the findings in the request.
pub(super) fn write_headers(headers: &mut HeaderMap, counts: &ActionCounts, bypassed: bool) {
    let entities = by_type(counts);
    let entities: Vec<String> =
        entities.iter().map(|(kind, count)| format!("{}={count}", kind.to_ascii_uppercase())).collect();
    set(headers, "x-privacy-entities", &entities.join(","));
    match bypassed {
        true => write_bypass(headers),
        false => set(headers, ACTION, &decision(counts)),
    }
}

/// The header that counts the placeholders of an answer that stay because their values would leave.
const WITHHELD: &str = "x-privacy-withheld";

/// Writes the number of withheld placeholders, if there are any.
pub(super) fn write_withheld(headers: &mut HeaderMap, restores: RestoreCounts) {
    if restores.withheld() > 0 {
        set(headers, WITHHELD, &restores.withheld().to_string());
    }
}

/// Writes that the request was forwarded with uninspected or unrecorded parts.
pub(super) fn write_bypass(headers: &mut HeaderMap) {
    set(headers, ACTION, "BYPASS");
}

/// Sets a header, unless the value cannot be one.
pub(super) fn set(headers: &mut HeaderMap, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// Returns the strictest action; `ALLOW` without findings.
fn decision(counts: &ActionCounts) -> String {
    word(counts.strictest().unwrap_or(Action::Allow))
}

/// Returns the report that a caller may request, with the data of the answer so far.
pub(super) fn report(
    counts: &ActionCounts,
    left: Left,
    answer: Option<(&ActionCounts, RestoreCounts)>,
) -> Value {
    let mut report = json!({
        "action": decision(counts),
        "entities": entities(counts),
        "not_inspected": {
            "ids": left.ids,
            "signed": left.signed,
            "signed_with_findings": left.unclean,
            "images": left.images,
            "audio": left.audio,
            "files": left.files,
            "unknown": left.unknown,
        },
    });
    if let (Some((emitted, restores)), Some(report)) = (answer, report.as_object_mut()) {
        report.insert("emitted".to_owned(), entities(emitted));
        report.insert("restored".to_owned(), restores.restored.into());
        report.insert("unknown_placeholders".to_owned(), restores.unknown.into());
        report.insert("withheld".to_owned(), restores.withheld().into());
    }
    report
}

fn entities(counts: &ActionCounts) -> Value {
    let entity = |(kind, action, count): (&str, Action, usize)| json!({ "type": kind.to_ascii_uppercase(), "action": action, "count": count });
    counts.iter().map(entity).collect()
}

/// Returns the samples of the findings in one direction, for the metrics.
pub(crate) fn samples<'c>(counts: &'c ActionCounts, direction: &'c str) -> impl Iterator<Item = Sample> + 'c {
    counts.iter().map(move |(kind, action, count)| {
        let action = word(action);
        let labels = format!("type=\"{kind}\",action=\"{action}\",direction=\"{direction}\"");
        Sample::count(&families::ENTITIES, labels, count)
    })
}
