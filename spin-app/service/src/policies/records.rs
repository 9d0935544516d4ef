//! The policies of a workspace as its administration manages them.

use super::{Policies, PolicyDraft, PolicyRecord};
use crate::{
    audit::{self, Event},
    calendar::timestamp,
    changes::{self, Change, Origin},
    documents::Document as _,
    error::ApiError,
    host::Host,
    ids::uuid,
    limits::MAX_WORKSPACE_POLICIES,
};

/// The policies of a workspace, oldest first.
///
/// # Errors
/// `service_unavailable`; `internal_error` where they cannot be read.
pub(crate) async fn list(host: &impl Host, workspace: &str) -> Result<Vec<PolicyRecord>, ApiError> {
    Policies::of_workspace(host, workspace).await.map(|Policies(policies)| policies)
}

/// One policy of a workspace.
///
/// # Errors
/// `not_found`; as [`list`].
pub(crate) async fn find(host: &impl Host, workspace: &str, id: &str) -> Result<PolicyRecord, ApiError> {
    list(host, workspace).await?.into_iter().find(|policy| policy.id == id).ok_or_else(no_such)
}

/// Adds a policy.
///
/// # Errors
/// `conflict` where the workspace has [`MAX_WORKSPACE_POLICIES`]; as [`changes::change`].
pub(crate) async fn create(
    host: &impl Host,
    origin: Origin<'_>,
    draft: PolicyDraft,
) -> Result<PolicyRecord, ApiError> {
    let now = timestamp(host.now_ms() / 1_000);
    let record = draft.record(uuid(host), &origin.principal.workspace, now.clone(), &now);
    changes::change(host, origin, async |(Policies(policies),): &mut (Policies,)| {
        policies.push(record.clone());
        check_count(policies)?;
        Ok(Change::of(Event::PolicyCreate, record.id.clone(), record))
    })
    .await
}

/// Changes a policy: `draft` makes the new one from the old one.
///
/// # Errors
/// `not_found`; that of `draft`; as [`changes::change`].
pub(crate) async fn change(
    host: &impl Host,
    origin: Origin<'_>,
    id: &str,
    draft: impl FnOnce(&PolicyRecord) -> Result<PolicyDraft, ApiError>,
) -> Result<PolicyRecord, ApiError> {
    let now = timestamp(host.now_ms() / 1_000);
    changes::change(host, origin, async |(Policies(policies),): &mut (Policies,)| {
        let policy = policies.iter_mut().find(|policy| policy.id == id).ok_or_else(no_such)?;
        let created_at = policy.created_at.clone();
        let new = draft(policy)?.record(id.to_owned(), &origin.principal.workspace, created_at, &now);
        let fields = audit::differences(policy, &new);
        *policy = new.clone();
        Ok(Change::of(Event::PolicyUpdate, id, new).with_fields(fields))
    })
    .await
}

/// Removes a policy.
///
/// # Errors
/// `not_found`; as [`changes::change`].
pub(crate) async fn delete(host: &impl Host, origin: Origin<'_>, id: &str) -> Result<(), ApiError> {
    changes::change(host, origin, async |(Policies(policies),): &mut (Policies,)| {
        let position = policies.iter().position(|policy| policy.id == id).ok_or_else(no_such)?;
        policies.remove(position);
        Ok(Change::of(Event::PolicyDelete, id, ()))
    })
    .await
}

/// Checks the number of policies of a workspace.
///
/// # Errors
/// `conflict`.
pub(super) fn check_count(policies: &[PolicyRecord]) -> Result<(), ApiError> {
    if policies.len() <= MAX_WORKSPACE_POLICIES {
        return Ok(());
    }
    Err(ApiError::conflict(format!(
        "the workspace has {MAX_WORKSPACE_POLICIES} policies; delete one that is not needed"
    )))
}

fn no_such() -> ApiError {
    ApiError::no_such("policy")
}
