//! Policies that come from an export.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::{PolicyDraft, PolicyRecord, records::check_count};
use crate::{calendar::parse_timestamp, error::ApiError, limits::MAX_WORKSPACE_POLICIES, sent::Sent};

/// A policy of an export.
pub(crate) struct ImportedPolicy {
    draft: PolicyDraft,
    /// None for a policy that is new.
    id: Option<String>,
    /// `None` if it is absent.
    created_at: Option<String>,
}

/// The result of an import for the policies of a workspace.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ImportedPolicies {
    /// That were not there.
    pub added: usize,
    /// That were there, by their id.
    pub replaced: usize,
    /// That were there and are not any more.
    pub removed: usize,
    /// That there are now.
    pub total: usize,
}

impl ImportedPolicy {
    /// Returns the policies of an export; `None` if it does not have the list.
    ///
    /// # Errors
    /// `invalid_request` naming the field.
    pub(crate) fn read_all(sent: &Sent<'_>) -> Result<Option<Vec<Self>>, ApiError> {
        let Some(list) = sent.objects("policies", MAX_WORKSPACE_POLICIES)? else { return Ok(None) };
        let mut ids = BTreeSet::new();
        let mut policies = Vec::with_capacity(list.len());
        for policy in &list {
            let policy_read = Self::read(policy)?;
            if policy_read.id.as_ref().is_some_and(|id| !ids.insert(id.clone())) {
                return Err(policy.refused("id", "in the list once"));
            }
            policies.push(policy_read);
        }
        Ok(Some(policies))
    }

    fn read(sent: &Sent<'_>) -> Result<Self, ApiError> {
        let id = |value: &Value| Uuid::try_parse(value.as_str()?).ok().map(|id| id.to_string());
        let is_time = |text: &&str| parse_timestamp(text).is_some();
        let time = |value: &Value| value.as_str().filter(is_time).map(str::to_owned);
        Ok(Self {
            draft: PolicyDraft::read(sent)?,
            id: sent.read("id", "a UUID", id)?,
            created_at: sent.read(
                "created_at",
                "an ISO 8601 timestamp such as 2026-11-23T10:00:20Z",
                time,
            )?,
        })
    }
}

/// Returns the policies of a workspace with those of an export, and the result of the import.
///
/// With `replace`, policies that are not in the export are removed.
///
/// # Errors
/// `conflict` if there would be too many.
pub(crate) fn import(
    policies: Vec<PolicyRecord>,
    imported: Vec<ImportedPolicy>,
    replace: bool,
    workspace: &str,
    now: &str,
    new_id: impl Fn() -> String,
) -> Result<(Vec<PolicyRecord>, ImportedPolicies), ApiError> {
    let mut done = ImportedPolicies::default();
    let before = policies.len();
    let mut old = policies;
    let mut new = Vec::new();
    for ImportedPolicy { draft, id, created_at } in imported {
        let created_at = created_at.unwrap_or_else(|| now.to_owned());
        let record = draft.record(id.unwrap_or_else(&new_id), workspace, created_at, now);
        match old.iter_mut().find(|policy| policy.id == record.id) {
            Some(policy) => {
                done.replaced += 1;
                let created_at = policy.created_at.clone();
                *policy = PolicyRecord { created_at, ..record };
                if replace {
                    new.push(policy.clone());
                }
            }
            None => {
                done.added += 1;
                new.push(record);
            }
        }
    }
    let policies = if replace {
        done.removed = before - done.replaced;
        new
    } else {
        old.extend(new);
        old
    };
    done.total = policies.len();
    check_count(&policies)?;
    Ok((policies, done))
}
