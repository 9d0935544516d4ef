//! `/api/v1/llm-providers`: the LLM providers of a user's workspace.

use http::StatusCode;
use serde::Serialize;
use serde_json::Value;

use super::{Answer, UserCall, answer, ok, page::Page, settings::DeletedEntry};
use crate::{
    host::Host,
    providers::{self, Draft, ProviderRecord, probe},
    upstream::Upstream,
};

/// A page of the workspace's providers.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct LlmProviders {
    /// Those on the page.
    providers: Vec<ProviderRecord>,
    /// How many the workspace has.
    total: usize,
    /// The page, from 1.
    page: usize,
    /// Most providers on a page.
    page_size: usize,
}

/// A provider that was asked, and how it went.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ValidatedLlmProvider {
    #[serde(flatten)]
    record: ProviderRecord,
    /// What came of it, for people; nothing that the provider said.
    message: String,
}

pub(super) async fn list<H: Host>(call: UserCall<'_, H>, query: &str) -> Answer {
    let page = Page::of(query)?;
    let providers = providers::list(call.host, &call.user.workspace).await?;
    let total = providers.len();
    let providers = page.cut(providers.into_iter().map(|provider| provider.record));
    ok(&LlmProviders { providers, total, page: page.number, page_size: page.size })
}

pub(super) async fn create<H: Host>(call: UserCall<'_, H>, request: Value) -> Answer {
    let record = providers::create(call.host, call.user, Draft::read(request)?).await?;
    answer(StatusCode::CREATED, &record)
}

pub(super) async fn show<H: Host>(call: UserCall<'_, H>) -> Answer {
    ok(&providers::find(call.host, &call.user.workspace, call.parameter).await?.record)
}

/// Everything that a user says of the provider; what is absent becomes its default.
pub(super) async fn replace<H: Host>(call: UserCall<'_, H>, request: Value) -> Answer {
    let draft = Draft::read(request)?;
    ok(&providers::change(call.host, &call.user.workspace, call.parameter, |_| Ok(draft)).await?)
}

/// Some of what a user says of the provider; what is absent stays.
pub(super) async fn change<H: Host>(call: UserCall<'_, H>, request: Value) -> Answer {
    let patched = |draft: Draft| draft.patched(request);
    ok(&providers::change(call.host, &call.user.workspace, call.parameter, patched).await?)
}

pub(super) async fn delete<H: Host>(call: UserCall<'_, H>) -> Answer {
    providers::delete(call.host, &call.user.workspace, call.parameter).await?;
    ok(&DeletedEntry::new(call.parameter))
}

/// Asks the provider, and notes what it answers. That a provider does not answer is no error of this
/// request.
pub(crate) async fn validate<H: Upstream>(call: UserCall<'_, H>) -> Answer {
    let workspace = &call.user.workspace;
    let provider = providers::find(call.host, workspace, call.parameter).await?;
    let verdict = probe(call.host, &provider).await;
    let record = providers::note(call.host, workspace, &provider, verdict.status).await?;
    ok(&ValidatedLlmProvider { record, message: verdict.message })
}
