//! `POST /beta/litellm_basic_guardrail_api`: the guardrail `generic_guardrail_api` of LiteLLM.
//!
//! A question has the texts of a request, its messages and tools, or the texts of an answer. LiteLLM writes `texts` back in
//! their order, and a message of `structured_messages` only if it differs from the one that it sent. A streamed answer
//! comes again and again, each time longer; `stream_holdback_chars` says what of it may still change.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Question, RestoredText, is_block, reason, restored_text};
use crate::{
    body,
    call::{Call, RouteResult, ok},
    chat::{openai::restore_answer, request::RequestSchema},
    error::ApiError,
    gateway::privacy::Privacy,
    host::Host,
};

/// The field with the options.
const OPTIONS: &str = "additional_provider_specific_params";

/// A question of LiteLLM about a request or an answer. Other fields are ignored.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct LiteLlmRequest {
    /// Whether the texts are those of a request or of an answer.
    input_type: LiteLlmInput,
    /// The texts, in the order of the messages.
    texts: Option<Vec<String>>,
    /// Addresses of images.
    images: Option<Vec<String>>,
    /// The definitions of tools.
    tools: Option<Vec<Value>>,
    /// The calls of tools.
    tool_calls: Option<Vec<Value>>,
    /// The messages of a request, in OpenAI's form.
    structured_messages: Option<Vec<Map<String, Value>>>,
    /// The name of the model, for policies and the audit.
    model: Option<String>,
    /// Options of the gateway's configuration or of the request: `country`, `language`, `privacy_preset`, `restore`,
    /// `restore_hosts`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Map<String, Value>>"))]
    #[serde(rename = "additional_provider_specific_params")]
    _options: Option<Value>,
}

/// The direction of a question.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum LiteLlmInput {
    /// To a model.
    Request,
    /// From a model.
    Response,
}

/// The decision for LiteLLM. Absent fields stay as they were sent.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct LiteLlmResponse {
    action: LiteLlmAction,
    /// Why the text is blocked, without a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_reason: Option<String>,
    /// The texts, as many as were sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    texts: Option<Vec<String>>,
    /// The definitions of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Value>>,
    /// The messages, if more of them changed than their texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_messages: Option<Vec<Value>>,
    /// For each text of an answer, the characters at its end that more text may change.
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_holdback_chars: Option<Vec<usize>>,
}

/// The action of LiteLLM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum LiteLlmAction {
    /// It passes everything on.
    #[default]
    None,
    /// It stops.
    Blocked,
    /// It takes the texts of this answer.
    GuardrailIntervened,
}

pub(crate) async fn answer<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    let privacy = Privacy::of_guardrail(&request, OPTIONS)?;
    let mut request: LiteLlmRequest = body::record(request)?;
    let mut question = Question::new(call, privacy, request.model.take()).await?;
    let decided = match request.input_type {
        LiteLlmInput::Request => protected(&mut question, request).await,
        LiteLlmInput::Response => restored(&mut question, request).await,
    };
    match decided {
        Err(error) if is_block(&error) => ok(&LiteLlmResponse {
            action: LiteLlmAction::Blocked,
            blocked_reason: Some(reason(&error)),
            ..LiteLlmResponse::default()
        }),
        decided => ok(&decided?),
    }
}

/// Protects a request.
async fn protected<H: Host>(
    question: &mut Question<'_, H>,
    request: LiteLlmRequest,
) -> Result<LiteLlmResponse, ApiError> {
    let texts = request.texts.unwrap_or_default();
    let messages = request.structured_messages.unwrap_or_default();
    let messages: Vec<Value> = messages.into_iter().map(Value::Object).collect();
    // messages without a text that LiteLLM takes from them would be written back wrongly
    let are_of_texts = !messages.is_empty() && texts_of(&messages) == texts;
    let messages = match are_of_texts {
        true => messages,
        false => rows(&texts, request.tool_calls.unwrap_or_default(), request.images.unwrap_or_default()),
    };
    let tools = request.tools.filter(|tools| !tools.is_empty());
    let mut body = json!({ "messages": messages });
    if let (Some(members), Some(tools)) = (body.as_object_mut(), &tools) {
        members.insert("tools".to_owned(), tools.clone().into());
    }
    question.protect(&mut body, RequestSchema::Completions).await?;
    let new = list(&body, "messages");
    let new_texts: Vec<String> = texts_of(&new).into_iter().map(str::to_owned).collect();
    let changes_more = new != with_texts(messages, &new_texts);
    if changes_more && !are_of_texts {
        return Err(ApiError::privacy_check_failed(
            "a call of a tool holds personal data, which this version of LiteLLM does not let a guardrail replace",
        ));
    }
    let new_tools = tools.as_ref().map(|_| list(&body, "tools"));
    let changed = LiteLlmResponse {
        action: LiteLlmAction::GuardrailIntervened,
        texts: (new_texts != texts).then_some(new_texts),
        structured_messages: changes_more.then_some(new),
        tools: new_tools.filter(|new| Some(new) != tools.as_ref()),
        ..LiteLlmResponse::default()
    };
    let is_same = changed.texts.is_none() && changed.structured_messages.is_none() && changed.tools.is_none();
    Ok(if is_same { LiteLlmResponse::default() } else { changed })
}

/// Restores an answer, or its beginning.
async fn restored<H: Host>(
    question: &mut Question<'_, H>,
    request: LiteLlmRequest,
) -> Result<LiteLlmResponse, ApiError> {
    let texts = request.texts.unwrap_or_default();
    let calls = request.tool_calls.filter(|calls| !calls.is_empty());
    let restored = question.restored(|answer| {
        let restored = texts.iter().enumerate().map(|(number, text)| restored_text(answer, number, text));
        let restored: Vec<RestoredText> = restored.collect::<Result<_, _>>()?;
        if let Some(calls) = calls {
            let sent = json!({ "choices": [{ "index": texts.len(), "message": { "tool_calls": calls } }] });
            let mut new = sent.clone();
            restore_answer(&mut new, answer)?;
            if new != sent {
                return Err(ApiError::privacy_check_failed(
                    "a policy changes the call of a tool, which LiteLLM does not let a guardrail do",
                ));
            }
        }
        Ok(restored)
    });
    let restored = restored.await?;
    let open = restored.iter().map(|text| text.open).collect();
    let new: Vec<String> = restored.into_iter().map(|restored| restored.text).collect();
    let action = if new == texts { LiteLlmAction::None } else { LiteLlmAction::GuardrailIntervened };
    Ok(LiteLlmResponse {
        action,
        texts: Some(new),
        stream_holdback_chars: Some(open),
        ..LiteLlmResponse::default()
    })
}

/// Returns messages of these texts, for a question without messages.
fn rows(texts: &[String], calls: Vec<Value>, images: Vec<String>) -> Vec<Value> {
    let mut rows: Vec<Value> = texts.iter().map(|text| json!({ "role": "user", "content": text })).collect();
    if !calls.is_empty() {
        rows.push(json!({ "role": "assistant", "tool_calls": calls }));
    }
    if !images.is_empty() {
        let part = |url: String| json!({ "type": "image_url", "image_url": { "url": url } });
        let parts: Vec<Value> = images.into_iter().map(part).collect();
        rows.push(json!({ "role": "user", "content": parts }));
    }
    rows
}

/// Returns the texts that LiteLLM takes from messages: of each its content, or that of its parts.
fn texts_of(messages: &[Value]) -> Vec<&str> {
    let mut texts = Vec::new();
    for content in messages.iter().filter_map(|message| message.get("content")) {
        match content {
            Value::String(text) => texts.push(text.as_str()),
            Value::Array(parts) => {
                texts.extend(parts.iter().filter_map(|part| part.get("text")?.as_str()));
            }
            _ => {}
        }
    }
    texts
}

/// Returns the messages with other texts, in the order of [`texts_of`].
fn with_texts(mut messages: Vec<Value>, texts: &[String]) -> Vec<Value> {
    let mut texts = texts.iter();
    for content in messages.iter_mut().filter_map(|message| message.get_mut("content")) {
        let places: Vec<&mut Value> = match content {
            Value::String(_) => vec![content],
            Value::Array(parts) => {
                let texts = parts.iter_mut().filter_map(|part| part.get_mut("text"));
                texts.filter(|text| text.is_string()).collect()
            }
            _ => Vec::new(),
        };
        for (place, text) in places.into_iter().zip(texts.by_ref()) {
            *place = text.as_str().into();
        }
    }
    messages
}

fn list(body: &Value, name: &str) -> Vec<Value> {
    body.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
}
