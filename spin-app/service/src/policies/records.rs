//! The policies of a workspace as its services manage them.

use super::{Policies, PolicyDraft, PolicyRecord, key};
use crate::{
    calendar::timestamp, documents, error::ApiError, host::Host, ids::uuid, limits::MAX_WORKSPACE_POLICIES,
};

/// The policies of a workspace, oldest first.
///
/// # Errors
/// As [`documents::read`].
pub(crate) async fn list(host: &impl Host, workspace: &str) -> Result<Vec<PolicyRecord>, ApiError> {
    documents::read(host, &key(workspace)).await.map(|Policies(policies)| policies)
}

/// One policy of a workspace.
///
/// # Errors
/// `not_found`; as [`documents::read`].
pub(crate) async fn find(host: &impl Host, workspace: &str, id: &str) -> Result<PolicyRecord, ApiError> {
    list(host, workspace).await?.into_iter().find(|policy| policy.id == id).ok_or_else(no_such)
}

/// Adds a policy to a workspace.
///
/// # Errors
/// `conflict` where the workspace has [`MAX_WORKSPACE_POLICIES`]; as [`documents::update`].
pub(crate) async fn create(
    host: &impl Host,
    workspace: &str,
    draft: PolicyDraft,
) -> Result<PolicyRecord, ApiError> {
    let now = timestamp(host.now_ms() / 1_000);
    let record = draft.record(uuid(host), workspace, now.clone(), &now);
    documents::update(host, &key(workspace), |Policies(policies)| {
        policies.push(record.clone());
        check_count(policies)
    })
    .await?;
    Ok(record)
}

/// Changes a policy: `draft` makes the new one out of the old one.
///
/// # Errors
/// `not_found`; that of `draft`; as [`documents::update`].
pub(crate) async fn change(
    host: &impl Host,
    workspace: &str,
    id: &str,
    draft: impl FnOnce(&PolicyRecord) -> Result<PolicyDraft, ApiError>,
) -> Result<PolicyRecord, ApiError> {
    let now = timestamp(host.now_ms() / 1_000);
    documents::update(host, &key(workspace), |Policies(policies)| {
        let policy = policies.iter_mut().find(|policy| policy.id == id).ok_or_else(no_such)?;
        let created_at = policy.created_at.clone();
        *policy = draft(policy)?.record(id.to_owned(), workspace, created_at, &now);
        Ok(policy.clone())
    })
    .await
}

/// Removes a policy from a workspace.
///
/// # Errors
/// `not_found`; as [`documents::update`].
pub(crate) async fn delete(host: &impl Host, workspace: &str, id: &str) -> Result<(), ApiError> {
    documents::update(host, &key(workspace), |Policies(policies)| {
        let position = policies.iter().position(|policy| policy.id == id).ok_or_else(no_such)?;
        policies.remove(position);
        Ok(())
    })
    .await
}

/// Whether a workspace may have so many.
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
