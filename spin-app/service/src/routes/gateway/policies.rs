//! `/api/v1/gateway/policies`: the policies of a workspace.

use http::StatusCode;
use serde::Serialize;
use serde_json::Value;

use crate::{
    call::{Call, RouteResult, answer, ok},
    host::Host,
    policies::{self, PolicyDraft, PolicyRecord},
    routes::{page::Page, settings::DeletedEntry},
    sent::Sent,
};

/// A page of the workspace's policies.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PolicyList {
    /// Those on the page, the oldest first.
    policies: Vec<PolicyRecord>,
    /// The number of policies of the workspace.
    total: usize,
    /// The page, from 1.
    page: usize,
    /// Most policies on a page.
    page_size: usize,
}

pub(crate) async fn list<H: Host>(call: Call<'_, H>) -> RouteResult {
    let page = Page::of(call.query.as_str())?;
    let policies = policies::list(call.host, call.workspace()).await?;
    let total = policies.len();
    ok(&PolicyList { policies: page.cut(policies), total, page: page.number, page_size: page.size })
}

pub(crate) async fn create<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    let draft = PolicyDraft::read(&Sent::body(&request)?)?;
    answer(StatusCode::CREATED, &policies::create(call.host, call.origin(), draft).await?)
}

pub(crate) async fn show<H: Host>(call: Call<'_, H>) -> RouteResult {
    ok(&policies::find(call.host, call.workspace(), call.parameter).await?)
}

/// Replaces a policy; absent fields get their defaults.
pub(crate) async fn replace<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    let draft = PolicyDraft::read(&Sent::body(&request)?)?;
    ok(&policies::change(call.host, call.origin(), call.parameter, |_| Ok(draft)).await?)
}

/// Changes some fields of a policy; absent fields stay.
pub(crate) async fn change<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    let patched = |old: &PolicyRecord| PolicyDraft::patched(old, &request);
    ok(&policies::change(call.host, call.origin(), call.parameter, patched).await?)
}

pub(crate) async fn delete<H: Host>(call: Call<'_, H>) -> RouteResult {
    policies::delete(call.host, call.origin(), call.parameter).await?;
    ok(&DeletedEntry::new(call.parameter))
}
