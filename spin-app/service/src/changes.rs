//! The one way to change documents of a workspace.
//!
//! [`change`] takes the locks of the documents, lets a function change them, writes the audit record with the
//! actor, and then the documents. Keys, providers, lists, detectors, configuration, policies and imports are
//! all changed this way, so there is no change without a record. A failure after the record leaves a record
//! of a change that did not happen, never a change without a record.

use crate::{
    audit::{self, AuditSettings, Entry, Event},
    auth::Principal,
    calendar::timestamp,
    configuration::Configuration,
    documents::{Documents, Prepared, renew_stamp},
    error::ApiError,
    host::{Host, Label},
    lease::Lease,
};

/// The actor and the request of a change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'a> {
    pub principal: &'a Principal,
    pub request_id: &'a str,
}

/// A change of documents, and its audit record.
pub(crate) struct Change<R> {
    /// The answer of the caller.
    result: R,
    /// `None` without a change.
    event: Option<Event>,
    /// The id of the record that changes.
    subject: Option<String>,
    /// The names of the fields that change.
    fields: Vec<String>,
    /// Records beside the documents, written after them.
    records: Vec<Prepared>,
    /// The new audit settings, if the change is about them.
    audit: Option<AuditSettings>,
}

impl<R> Change<R> {
    /// A change of a record by its id.
    pub(crate) fn of(event: Event, subject: impl Into<String>, result: R) -> Self {
        Self { subject: Some(subject.into()), ..Self::of_workspace(event, result) }
    }

    /// A change of the workspace itself.
    pub(crate) fn of_workspace(event: Event, result: R) -> Self {
        Self { event: Some(event), ..Self::nothing(result) }
    }

    /// Returns a change that writes nothing.
    pub(crate) fn nothing(result: R) -> Self {
        Self { result, event: None, subject: None, fields: Vec::new(), records: Vec::new(), audit: None }
    }

    /// Names the fields that change.
    pub(crate) fn with_fields(self, fields: Vec<String>) -> Self {
        Self { fields, ..self }
    }

    /// Adds a record that is written after the documents.
    pub(crate) fn with_record(mut self, record: Prepared) -> Self {
        self.records.push(record);
        self
    }

    /// Sets the audit settings that hold from now on.
    pub(crate) fn with_audit(self, settings: AuditSettings) -> Self {
        Self { audit: Some(settings), ..self }
    }
}

/// Changes documents of the principal's workspace, and records who did.
///
/// Nothing is written if `change` fails, the record cannot be written, or the locks were lost.
///
/// # Errors
/// That of `change`; `service_unavailable`, also if another holder keeps a lock for too long; `conflict` if a
/// document is too large.
pub(crate) async fn change<H, D, R>(
    host: &H,
    origin: Origin<'_>,
    change: impl AsyncFnOnce(&mut D) -> Result<Change<R>, ApiError>,
) -> Result<R, ApiError>
where
    H: Host,
    D: Documents,
{
    let mut keys = D::keys(&origin.principal.workspace);
    // the same order for all, so that two callers cannot wait for one another
    keys.sort_unstable();
    let mut leases = Vec::with_capacity(keys.len());
    for key in &keys {
        match Lease::acquire(host, Label::Config, key).await {
            Ok(lease) => leases.push(lease),
            Err(error) => {
                release(host, leases).await;
                return Err(error);
            }
        }
    }
    let changed = change_held(host, origin, &leases, change).await;
    release(host, leases).await;
    changed
}

async fn release(host: &impl Host, leases: Vec<Lease>) {
    for lease in leases {
        lease.release(host).await;
    }
}

async fn change_held<H: Host, D: Documents, R>(
    host: &H,
    origin: Origin<'_>,
    leases: &[Lease],
    change: impl AsyncFnOnce(&mut D) -> Result<Change<R>, ApiError>,
) -> Result<R, ApiError> {
    let workspace = origin.principal.workspace.as_str();
    let mut documents = D::read(host, workspace).await?;
    let before = documents.prepare(workspace)?;
    let Change { result, event, subject, fields, records, audit } = change(&mut documents).await?;
    let Some(event) = event else { return Ok(result) };
    let after = documents.prepare(workspace)?;

    let settings = match audit {
        Some(settings) => settings,
        None => Configuration::of(host, workspace).await?.audit,
    };
    let entry = Entry {
        actor: Some(origin.principal.actor.clone()),
        subject,
        fields,
        ..Entry::new(timestamp(host.now_ms() / 1_000), event, origin.request_id)
    };
    check(host, leases).await?;
    audit::append_change(host, settings, workspace, entry).await?;

    // before the documents, in case the store fails in between: no cached copy of the old ones is valid after
    // it. And again after them, for a request that reads the old ones in the meantime
    let store = host.store(Label::Config);
    renew_stamp(host, workspace).await?;
    let changed = before.into_iter().zip(after).filter(|(before, after)| before != after);
    for document in changed.map(|(_, after)| after).chain(records) {
        check(host, leases).await?;
        document.write_to(&store).await?;
    }
    // the change has been made; a reader of the old documents since the first stamp reads again when the copy is old
    let _ = renew_stamp(host, workspace).await;
    Ok(result)
}

async fn check(host: &impl Host, leases: &[Lease]) -> Result<(), ApiError> {
    for lease in leases {
        lease.check(host).await?;
    }
    Ok(())
}
