//! `/api/v1/llm-providers`: the LLM providers of a user's workspace.

use http::StatusCode;
use serde::Serialize;
use serde_json::Value;

use super::{page::Page, settings::DeletedEntry};
use crate::{
    call::{Call, RouteResult, answer, ok},
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
    /// The number of providers of the workspace.
    total: usize,
    /// The page, from 1.
    page: usize,
    /// Most providers on a page.
    page_size: usize,
}

/// A provider with the result of its validation.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ValidatedLlmProvider {
    #[serde(flatten)]
    record: ProviderRecord,
    /// The result, for people. It holds nothing of the provider's answer.
    message: String,
}

pub(crate) async fn list<H: Host>(call: Call<'_, H>) -> RouteResult {
    let page = Page::of(call.query.as_str())?;
    let providers = providers::list(call.host, call.workspace()).await?;
    let total = providers.len();
    let providers = page.cut(providers.into_iter().map(|provider| provider.record));
    ok(&LlmProviders { providers, total, page: page.number, page_size: page.size })
}

pub(crate) async fn create<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    let record = providers::create(call.host, call.origin(), Draft::read(request)?).await?;
    answer(StatusCode::CREATED, &record)
}

pub(crate) async fn show<H: Host>(call: Call<'_, H>) -> RouteResult {
    ok(&providers::find(call.host, call.workspace(), call.parameter).await?.record)
}

/// Replaces the settings of a provider; absent fields get their defaults.
pub(crate) async fn replace<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    let draft = Draft::read(request)?;
    ok(&providers::change(call.host, call.origin(), call.parameter, |_| Ok(draft)).await?)
}

/// Changes some settings of a provider; absent fields stay.
pub(crate) async fn change<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    let patched = |draft: Draft| draft.patched(request);
    ok(&providers::change(call.host, call.origin(), call.parameter, patched).await?)
}

pub(crate) async fn delete<H: Host>(call: Call<'_, H>) -> RouteResult {
    providers::delete(call.host, call.origin(), call.parameter).await?;
    ok(&DeletedEntry::new(call.parameter))
}

/// Sends a request to the provider, and notes the result. A provider that does not answer is not an error of this
/// request.
pub(crate) async fn validate<H: Upstream>(call: Call<'_, H>) -> RouteResult {
    let provider = providers::find(call.host, call.workspace(), call.parameter).await?;
    let verdict = probe(call.host, &provider).await;
    let record = providers::note(call.host, call.origin(), &provider, verdict.status).await?;
    ok(&ValidatedLlmProvider { record, message: verdict.message })
}
