//! The audit: records of the gateway's requests and of administrative changes, by actor. Values that were found are
//! never in them.
//!
//! Records are appended to chains, each authenticated under a key of the workspace and linked to the one before it
//! ([`chain`]). A chain lies in documents of an hour, in parts where they grow (`journal`). Concurrent requests take
//! different chains; administrative changes have one of their own. Expired records are deleted (`retention`). A
//! signed `head` covers the ends of all chains, and [`verify()`] checks everything.

pub mod chain;
mod head;
mod journal;
mod record;
mod retention;
mod search;
mod settings;
mod verify;

use serde::Serialize;
use serde_json::Value;

pub use chain::AuditKeys;
pub use head::{Ends, Head, export};
pub use record::{AuditRecord, Entry, Event};
pub(crate) use search::{Cursor, Filter, FoundRecord, search};
pub(crate) use settings::{AuditLevel, AuditSettings};
pub use verify::{ChainReport, FaultyRecord, Verification, verify};

use crate::{
    error::ApiError,
    host::Host,
    limits::AUDIT_CHAINS,
    secrets::{KeyPurpose, Secrets},
    system::System,
};

/// The number of the chain of administrative changes, behind those of requests.
const ADMINISTRATION: usize = AUDIT_CHAINS;

/// The keys of a workspace's audit records.
///
/// # Errors
/// `internal_error` where the application's secrets are not set or not of their form.
pub async fn keys(system: &impl System, workspace: &str) -> Result<AuditKeys, ApiError> {
    Secrets::derive(system, |secrets| AuditKeys::new(secrets.keys(KeyPurpose::Audit, workspace)?)).await
}

/// Appends the record of an administrative change. The level of the workspace is about requests: changes are always
/// recorded in full.
///
/// # Errors
/// `service_unavailable`; `internal_error` where the keys are not configured.
pub(crate) async fn append_change(
    host: &impl Host,
    settings: AuditSettings,
    workspace: &str,
    entry: Entry,
) -> Result<(), ApiError> {
    let keys = keys(host, workspace).await?;
    let first = retention::first_day(host, settings.retention_days);
    if let Some(entry) = entry.at_level(AuditLevel::Standard) {
        let is_first = journal::append_change(host, &keys, first, workspace, entry).await?;
        maintain(host, &keys, workspace, first, is_first).await;
    }
    Ok(())
}

/// Appends as much of the record of a request as the workspace's level allows.
///
/// # Errors
/// `service_unavailable`; `internal_error` where the keys are not configured.
pub(crate) async fn append(
    host: &impl Host,
    settings: AuditSettings,
    workspace: &str,
    entry: Entry,
) -> Result<(), ApiError> {
    let keys = keys(host, workspace).await?;
    let first = retention::first_day(host, settings.retention_days);
    match entry.at_level(settings.level) {
        Some(entry) => {
            let is_first = journal::append(host, &keys, first, workspace, entry).await?;
            maintain(host, &keys, workspace, first, is_first).await;
        }
        None => {
            let _ = retention::sweep_once(host, &keys, workspace, first).await;
        }
    }
    Ok(())
}

/// Deletes expired records and refreshes the signed head, once a day for each chain. The next caller does what fails
/// here: a request is not rejected for it.
async fn maintain(host: &impl Host, keys: &AuditKeys, workspace: &str, first: u64, is_due: bool) {
    if is_due {
        let _ = retention::sweep(host, keys, workspace, first).await;
        let _ = head::export(host, workspace).await;
    }
}

/// The names of the fields in which two records differ, without the time of the change.
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
    0..ADMINISTRATION + 1
}
