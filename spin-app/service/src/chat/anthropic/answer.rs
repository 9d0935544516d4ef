//! A whole message of Anthropic's API: every text of every block is protected, then restored.
//!
//! Thinking stays as it is, to the byte: it is signed, and has to come back with the next turn. So it holds
//! placeholders where the model thought of what the caller said. It is inspected all the same: what a policy blocks
//! is not passed on.

use serde_json::Value;

use super::kind;
use crate::{
    chat::{
        protect::Rules,
        stream::{Answer, TextStream},
        text::{self, Form, input},
    },
    error::ApiError,
};

/// Protects and restores a message in place. On an error nothing of it may be passed on.
///
/// The input of a tool is protected as [`JsonStream`](crate::chat::text::JsonStream) does it in a
/// stream: a key is the label of what follows it, and a number that is replaced becomes a string.
///
/// # Errors
/// `policy_violation` where a policy blocks; `upstream_error` where the message has another form, or nests
/// too deep.
pub fn restore_message<R: Rules>(body: &mut Value, answer: &mut Answer<R>) -> Result<(), ApiError> {
    let Value::Object(members) = body else { return Err(text::other_form()) };
    for (key, value) in members.iter_mut() {
        match key.as_str() {
            "content" => text::each(value, |block| whole_block(block, answer))?,
            "model" | "stop_reason" | "usage" => {}
            key if text::is_mark(key) => {}
            _ => text::texts(value, answer, 1)?,
        }
    }
    Ok(())
}

/// The form of a text in blocks of this type: applications join these.
pub(super) fn said(kind: &str) -> Form {
    Form::Text(kind.into())
}

pub(super) fn whole_block<R: Rules>(block: &mut Value, answer: &mut Answer<R>) -> Result<(), ApiError> {
    let Value::Object(members) = block else { return Err(text::other_form()) };
    match kind(members) {
        "redacted_thinking" => return Ok(()),
        "thinking" => {
            let thought = members.get("thinking").and_then(Value::as_str).unwrap_or_default();
            return TextStream::signed().whole(answer, thought).map(drop);
        }
        _ => {}
    }
    let tool = text::tool(members);
    let form = said(kind(members));
    for (key, value) in members.iter_mut() {
        match key.as_str() {
            "tool_use_id" => {}
            key if text::is_mark(key) || text::is_sealed(key, value) => {}
            "input" => input(value, answer, &tool)?,
            "text" if value.is_string() => text::text(value, answer, &form).map(drop)?,
            _ => text::texts(value, answer, 1)?,
        }
    }
    Ok(())
}
