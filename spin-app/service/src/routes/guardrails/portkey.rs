//! `POST /api/v1/guardrails/portkey`: the webhook of Portkey's guardrails.
//!
//! `transformedData` replaces the whole body of the request or of the answer. Portkey takes a webhook that fails, or is slow,
//! for one that agrees, so a decision of ours is always an answer.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Question, is_block, reason};
use crate::{
    body,
    call::{Call, RouteResult, ok},
    chat::{
        anthropic::Messages, openai::Completions, protocol::Protocol, request::RequestSchema,
        responses::Responses, stream::Answer, text::texts,
    },
    error::ApiError,
    gateway::{conversation::PlaceRules, privacy::Privacy},
    host::Host,
};

/// A question of Portkey about a request, or about the answer to it. Other fields are ignored.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PortkeyRequest {
    /// The request.
    #[serde(default, deserialize_with = "body::object_inside")]
    request: Option<PortkeyMessage>,
    /// The answer, which is absent or without `json` before there is one.
    #[serde(default, deserialize_with = "body::object_inside")]
    response: Option<PortkeyMessage>,
    /// The kind of the request, such as `chatComplete`.
    #[serde(rename = "requestType")]
    request_type: Option<String>,
    /// When Portkey asks.
    #[serde(rename = "eventType")]
    event_type: PortkeyEvent,
}

/// The body of a request or of an answer.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PortkeyMessage {
    /// The body.
    json: Option<Value>,
    /// Its text.
    text: Option<String>,
}

/// When Portkey asks.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) enum PortkeyEvent {
    /// Before the request is sent.
    #[serde(rename = "beforeRequestHook")]
    Before,
    /// After the answer has come.
    #[serde(rename = "afterRequestHook")]
    After,
}

/// The decision for Portkey.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PortkeyResponse {
    /// Whether the request or the answer may pass.
    verdict: bool,
    /// The bodies that replace those of the question.
    #[serde(rename = "transformedData", skip_serializing_if = "Option::is_none")]
    transformed: Option<Value>,
    /// Why it may not pass, without a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl PortkeyResponse {
    fn pass(transformed: Option<Value>) -> Self {
        Self { verdict: true, transformed, reason: None }
    }
}

pub(crate) async fn answer<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    let request: PortkeyRequest = body::record(request)?;
    let model = request.request.as_ref().and_then(|message| message.json.as_ref()?.get("model")?.as_str());
    let model = model.map(str::to_owned);
    let mut question = Question::new(call, Privacy::default(), model).await?;
    let kind = request.request_type.as_deref().unwrap_or_default();
    let decided = match request.event_type {
        PortkeyEvent::Before => protected(&mut question, kind, request.request).await,
        PortkeyEvent::After => restored(&mut question, kind, request.response).await,
    };
    match decided {
        Ok(decision) => ok(&decision),
        Err(error) if is_block(&error) => {
            ok(&PortkeyResponse { verdict: false, transformed: None, reason: Some(reason(&error)) })
        }
        Err(error) => Err(error),
    }
}

async fn protected<H: Host>(
    question: &mut Question<'_, H>,
    kind: &str,
    request: Option<PortkeyMessage>,
) -> Result<PortkeyResponse, ApiError> {
    let Some(sent) = request.and_then(|request| request.json) else {
        return Err(ApiError::invalid("request", "request.json is missing; send the body of the request"));
    };
    let schema = match kind {
        "messages" => RequestSchema::Messages,
        "createModelResponse" => RequestSchema::Responses,
        _ => RequestSchema::Completions,
    };
    let mut new = sent.clone();
    question.protect(&mut new, schema).await?;
    let changed = new != sent;
    Ok(PortkeyResponse::pass(changed.then(|| json!({ "request": { "json": new } }))))
}

async fn restored<H: Host>(
    question: &mut Question<'_, H>,
    kind: &str,
    response: Option<PortkeyMessage>,
) -> Result<PortkeyResponse, ApiError> {
    let Some(PortkeyMessage { json: sent, text }) = response else { return Ok(PortkeyResponse::pass(None)) };
    // a streamed answer has no body here
    let Some(sent) = sent.filter(|sent| !sent.is_null()) else { return Ok(PortkeyResponse::pass(None)) };
    let restored = question.restored(|answer| {
        let json = restored_body(kind, sent.clone(), answer)?;
        let text = text.as_deref().map(|text| answer.for_whole(|answer| answer.text(text))).transpose()?;
        Ok((json, text))
    });
    let (new, text) = restored.await?;
    let changed = new != sent;
    Ok(PortkeyResponse::pass(changed.then(|| json!({ "response": { "json": new, "text": text } }))))
}

/// Restores the body of an answer by its protocol; in one that is not known, every string.
fn restored_body(kind: &str, mut body: Value, answer: &mut Answer<PlaceRules>) -> Result<Value, ApiError> {
    match kind {
        "chatComplete" | "complete" => Completions.restore(body, answer, 0),
        "messages" => Messages.restore(body, answer, 0),
        "createModelResponse" => Responses.restore(body, answer, 0),
        _ => {
            texts(&mut body, answer, 0)?;
            Ok(body)
        }
    }
}
