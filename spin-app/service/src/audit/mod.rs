//! What was done in a workspace's gateway, so that it can be shown later: records of requests and of changes
//! of its administration. What was found is never in them.
//!
//! Records are appended to chains: each says the SHA-256 of the one before it, so that none can be changed or
//! taken out without a trace ([`chain`]). A chain lies in documents of an hour, in parts where they grow
//! ([`journal`]). One who writes holds a chain meanwhile; who comes at the same time, in this instance or in
//! another, takes the next one. Records go when they are too old ([`retention`]). [`verify()`] checks all chains
//! of a workspace.

pub mod chain;
mod journal;
mod record;
mod retention;
mod search;
mod verify;

use serde::Serialize;
use serde_json::Value;

pub use record::{AuditRecord, Entry, Event};
pub(crate) use search::{Cursor, Filter, Found, search};
pub use verify::{ChainReport, Fault, Verification, verify};

use crate::{configuration::AuditSettings, error::ApiError, host::Host, limits::AUDIT_CHAINS, timestamp};

/// Which request does something, and in which workspace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'a> {
    pub workspace: &'a str,
    pub request_id: &'a str,
}

/// Records a change of the administration. That goes first: nothing is changed without a record.
///
/// # Errors
/// `service_unavailable`.
pub(crate) async fn record_change(
    host: &impl Host,
    settings: AuditSettings,
    origin: Origin<'_>,
    event: Event,
    subject: Option<&str>,
    fields: Vec<String>,
) -> Result<(), ApiError> {
    let entry = Entry {
        subject: subject.map(str::to_owned),
        fields,
        ..Entry::new(timestamp(host.now_ms() / 1_000), event, origin.request_id)
    };
    append(host, settings, origin.workspace, entry).await
}

/// Appends as much of an entry as the workspace's level lets it have, and sees to it that what is too old goes.
///
/// # Errors
/// `service_unavailable`.
pub(crate) async fn append(
    host: &impl Host,
    settings: AuditSettings,
    workspace: &str,
    entry: Entry,
) -> Result<(), ApiError> {
    let first = retention::first_day(host, settings.retention_days);
    // whoever comes next deletes what could not be deleted: nothing is refused for it
    match entry.at_level(settings.level) {
        Some(entry) => {
            if journal::append(host, first, workspace, entry).await? {
                let _ = retention::sweep(host, workspace, first).await;
            }
        }
        None => {
            let _ = retention::sweep_once(host, workspace, first).await;
        }
    }
    Ok(())
}

/// The names of the fields in which two records differ, but for the time of the change.
pub(crate) fn differences(old: &impl Serialize, new: &impl Serialize) -> Vec<String> {
    let fields = |record: &Value| record.as_object().cloned().unwrap_or_default();
    let old = fields(&serde_json::to_value(old).unwrap_or_default());
    let new = fields(&serde_json::to_value(new).unwrap_or_default());
    let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let differ = |name: &&String| old.get(*name) != new.get(*name) && name.as_str() != "updated_at";
    names.into_iter().filter(differ).cloned().collect()
}

/// The chains of a workspace, by their numbers.
fn chains() -> std::ops::Range<usize> {
    0..AUDIT_CHAINS
}
