//! `/api/v1/llm-providers`: the LLM providers of a user's workspace.

use http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Answer, UserCall, answer, ok, page::Page};
use crate::{
    host::Host,
    providers::{self, Draft, ProviderRecord, probe},
    upstream::Upstream,
};

pub(super) async fn list<H: Host>(call: UserCall<'_, H>, query: &str) -> Answer {
    let page = Page::of(query)?;
    let providers = providers::list(call.host, &call.user.workspace).await?;
    let total = providers.len();
    let records = page.cut(providers.into_iter().map(|provider| provider.record));
    ok(&json!({ "providers": records, "total": total, "page": page.number, "page_size": page.size }))
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
    ok(&json!({ "deleted": true, "id": call.parameter }))
}

/// Asks the provider, and notes what it answers. That a provider does not answer is no error of this
/// request.
pub(crate) async fn validate<H: Upstream>(call: UserCall<'_, H>) -> Answer {
    #[derive(Serialize)]
    struct Validated {
        #[serde(flatten)]
        record: ProviderRecord,
        message: String,
    }
    let workspace = &call.user.workspace;
    let provider = providers::find(call.host, workspace, call.parameter).await?;
    let verdict = probe(call.host, &provider).await;
    let record = providers::note(call.host, workspace, &provider, verdict.status).await?;
    ok(&Validated { record, message: verdict.message })
}
