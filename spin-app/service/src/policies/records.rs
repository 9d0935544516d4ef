//! The policies of a workspace as its services manage them.

use super::{Policies, PolicyDraft, PolicyRecord, key};
use crate::{
    audit::{self, Event, Origin},
    calendar::timestamp,
    configuration::Configuration,
    documents::{self, Prepared},
    error::ApiError,
    host::Host,
    ids::uuid,
    limits::MAX_WORKSPACE_POLICIES,
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
    origin: Origin<'_>,
    draft: PolicyDraft,
) -> Result<PolicyRecord, ApiError> {
    let now = timestamp(host.now_ms() / 1_000);
    let record = draft.record(uuid(host), origin.workspace, now.clone(), &now);
    let added = |policies: &mut Vec<PolicyRecord>| {
        policies.push(record.clone());
        check_count(policies)?;
        Ok((record.clone(), Vec::new()))
    };
    update(host, origin, Event::PolicyCreate, &record.id, added).await
}

/// Changes a policy: `draft` makes the new one out of the old one.
///
/// # Errors
/// `not_found`; that of `draft`; as [`documents::update`].
pub(crate) async fn change(
    host: &impl Host,
    origin: Origin<'_>,
    id: &str,
    draft: impl FnOnce(&PolicyRecord) -> Result<PolicyDraft, ApiError>,
) -> Result<PolicyRecord, ApiError> {
    let now = timestamp(host.now_ms() / 1_000);
    let changed = |policies: &mut Vec<PolicyRecord>| {
        let policy = policies.iter_mut().find(|policy| policy.id == id).ok_or_else(no_such)?;
        let created_at = policy.created_at.clone();
        let new = draft(policy)?.record(id.to_owned(), origin.workspace, created_at, &now);
        let fields = audit::differences(policy, &new);
        *policy = new.clone();
        Ok((new, fields))
    };
    update(host, origin, Event::PolicyUpdate, id, changed).await
}

/// Removes a policy from a workspace.
///
/// # Errors
/// `not_found`; as [`documents::update`].
pub(crate) async fn delete(host: &impl Host, origin: Origin<'_>, id: &str) -> Result<(), ApiError> {
    let deleted = |policies: &mut Vec<PolicyRecord>| {
        let position = policies.iter().position(|policy| policy.id == id).ok_or_else(no_such)?;
        policies.remove(position);
        Ok(((), Vec::new()))
    };
    update(host, origin, Event::PolicyDelete, id, deleted).await
}

/// Changes the policies of a workspace; `change` also says which fields of the policy `id` are others.
async fn update<R>(
    host: &impl Host,
    origin: Origin<'_>,
    event: Event,
    id: &str,
    change: impl FnOnce(&mut Vec<PolicyRecord>) -> Result<(R, Vec<String>), ApiError>,
) -> Result<R, ApiError> {
    let key = key(origin.workspace);
    documents::hold(host, &key, async || {
        let mut policies = list(host, origin.workspace).await?;
        let (result, fields) = change(&mut policies)?;
        let document = Prepared::new(&key, &Policies(policies))?;
        let settings = Configuration::of(host, origin.workspace).await?.audit;
        audit::record_change(host, settings, origin, event, Some(id), fields).await?;
        document.write(host).await?;
        Ok(result)
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
