//! `POST /request` and `/response`: the webhook of agentgateway's `promptGuard`.
//!
//! agentgateway tells the decisions apart by their fields: a body of messages replaces those that it sent, a body of text
//! rejects, and neither passes. Its raw format takes messages and nothing else, and an answer without messages passes. So an error of
//! these routes has an empty list of messages, which it rejects.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Question, is_block, reason, restored_text};
use crate::{
    body,
    call::{Call, RouteResult, ok},
    chat::request::RequestSchema,
    error::ApiError,
    gateway::privacy::Privacy,
    host::Host,
};

/// The status of a rejection that agentgateway gives to its client.
const REJECTED: u16 = 403;

/// The messages of a request, in agentgateway's own format or in the raw one.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AgentGatewayRequest {
    /// The messages.
    #[serde(default, deserialize_with = "body::object_inside")]
    body: Option<AgentGatewayMessages>,
    /// The messages in the form of their provider, in the raw format.
    messages: Option<Vec<Map<String, Value>>>,
    /// The name of the model, in the raw format.
    model: Option<String>,
}

/// Messages of a request.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AgentGatewayMessages {
    /// Each with `role` and `content`.
    messages: Vec<Map<String, Value>>,
}

/// The choices of an answer.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AgentGatewayAnswer {
    /// The choices.
    #[serde(default, deserialize_with = "body::object_inside")]
    body: Option<AgentGatewayChoices>,
}

/// Choices of an answer.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AgentGatewayChoices {
    /// Each with `message`, which has `role` and `content`.
    choices: Vec<Value>,
}

/// The decision for agentgateway: `action` with a body of messages or choices, with a body of text and a status, or
/// without a body. In the raw format, `messages`.
#[derive(Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) enum AgentGatewayDecision {
    /// In agentgateway's own format.
    Own {
        /// The action of agentgateway.
        action: Map<String, Value>,
    },
    /// In the raw format.
    Raw {
        /// The messages that replace those of the request.
        messages: Value,
    },
}

impl AgentGatewayDecision {
    /// Passes what was sent, or replaces it.
    fn of(sent: &Value, new: Value) -> Self {
        let action = if *sent == new { json!({}) } else { json!({ "body": new }) };
        Self::own(action)
    }

    fn reject(error: &ApiError) -> Self {
        Self::own(json!({ "body": reason(error), "status_code": REJECTED, "reason": error.code() }))
    }

    fn own(action: Value) -> Self {
        let Value::Object(action) = action else { return Self::Own { action: Map::new() } };
        Self::Own { action }
    }
}

/// Protects a request.
pub(crate) async fn request<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    let AgentGatewayRequest { body, messages, model } = body::record(request)?;
    let mut question = Question::new(call, Privacy::default(), model).await?;
    if let Some(messages) = messages {
        let mut body = json!({ "messages": messages });
        question.protect(&mut body, RequestSchema::Completions).await?;
        let messages = body.get_mut("messages").map(Value::take).unwrap_or_default();
        return ok(&AgentGatewayDecision::Raw { messages });
    }
    let Some(AgentGatewayMessages { messages }) = body else {
        return Err(ApiError::invalid(
            "body",
            "body is missing; send body.messages, or messages in the raw format",
        ));
    };
    let sent = json!({ "messages": messages });
    let mut new = sent.clone();
    match question.protect(&mut new, RequestSchema::Completions).await {
        Ok(()) => ok(&AgentGatewayDecision::of(&sent, new)),
        Err(error) if is_block(&error) => ok(&AgentGatewayDecision::reject(&error)),
        Err(error) => Err(error),
    }
}

/// Restores an answer.
pub(crate) async fn response<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    let AgentGatewayAnswer { body } = body::record(request)?;
    let body = body.ok_or_else(|| ApiError::invalid("body", "body is missing; send body.choices"))?;
    let mut question = Question::new(call, Privacy::default(), None).await?;
    let sent = json!({ "choices": body.choices });
    let restored = question.restored(|answer| {
        let mut new = sent.clone();
        let choices = new.get_mut("choices").and_then(Value::as_array_mut).into_iter().flatten();
        for (number, choice) in choices.enumerate() {
            if let Some(Value::String(content)) = choice.pointer_mut("/message/content") {
                *content = restored_text(answer, number, content)?.text;
            }
        }
        Ok(new)
    });
    match restored.await {
        Ok(new) => ok(&AgentGatewayDecision::of(&sent, new)),
        Err(error) if is_block(&error) => ok(&AgentGatewayDecision::reject(&error)),
        Err(error) => Err(error),
    }
}
