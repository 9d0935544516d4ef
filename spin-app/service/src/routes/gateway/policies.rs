//! `/api/v1/gateway/policies`: the policies of a workspace.

use http::StatusCode;
use serde::Serialize;
use serde_json::Value;

use super::ServiceCall;
use crate::{
    host::Host,
    policies::{self, PolicyDraft, PolicyRecord},
    routes::{Answer, answer, ok, page::Page, settings::DeletedEntry},
    sent::Sent,
};

/// A page of the workspace's policies.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PolicyList {
    /// Those on the page, the oldest first.
    policies: Vec<PolicyRecord>,
    /// How many the workspace has.
    total: usize,
    /// The page, from 1.
    page: usize,
    /// Most policies on a page.
    page_size: usize,
}

pub(super) async fn list<H: Host>(call: ServiceCall<'_, H>) -> Answer {
    let workspace = call.query.workspace()?;
    let page = Page::of(call.query.as_str())?;
    let policies = policies::list(call.host, &workspace).await?;
    let total = policies.len();
    ok(&PolicyList { policies: page.cut(policies), total, page: page.number, page_size: page.size })
}

pub(super) async fn create<H: Host>(call: ServiceCall<'_, H>, request: Value) -> Answer {
    let workspace = call.query.workspace_or(&request)?;
    let draft = PolicyDraft::read(&Sent::body(&request)?)?;
    answer(StatusCode::CREATED, &policies::create(call.host, call.origin(&workspace), draft).await?)
}

pub(super) async fn show<H: Host>(call: ServiceCall<'_, H>) -> Answer {
    ok(&policies::find(call.host, &call.query.workspace()?, call.parameter).await?)
}

/// Everything that is said of the policy; what is absent becomes its default.
pub(super) async fn replace<H: Host>(call: ServiceCall<'_, H>, request: Value) -> Answer {
    let workspace = call.query.workspace_or(&request)?;
    let draft = PolicyDraft::read(&Sent::body(&request)?)?;
    ok(&policies::change(call.host, call.origin(&workspace), call.parameter, |_| Ok(draft)).await?)
}

/// Some of what is said of the policy; what is absent stays.
pub(super) async fn change<H: Host>(call: ServiceCall<'_, H>, request: Value) -> Answer {
    let workspace = call.query.workspace_or(&request)?;
    let patched = |old: &PolicyRecord| PolicyDraft::patched(old, &request);
    ok(&policies::change(call.host, call.origin(&workspace), call.parameter, patched).await?)
}

pub(super) async fn delete<H: Host>(call: ServiceCall<'_, H>) -> Answer {
    let workspace = call.query.workspace()?;
    policies::delete(call.host, call.origin(&workspace), call.parameter).await?;
    ok(&DeletedEntry::new(call.parameter))
}
