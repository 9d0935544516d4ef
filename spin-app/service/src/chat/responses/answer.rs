//! A whole response: every text of every item is protected, then restored.

use std::rc::Rc;

use serde_json::{Map, Value};

use crate::{
    chat::{
        edits::Edits,
        protect::Rules,
        stream::Answer,
        text::{self, Form, JsonStream, annotated, input, is_sealed, texts},
    },
    error::ApiError,
};

/// Protects and restores a response in place. After an error it must not be passed on.
///
/// The provider repeats the request, so instructions, tools and metadata are restored too.
///
/// # Errors
/// `policy_violation` if a policy blocks; `upstream_error` if the response has another format, or nests too
/// deep.
pub fn restore_response<R: Rules>(body: &mut Value, answer: &mut Answer<R>) -> Result<(), ApiError> {
    let Value::Object(members) = body else { return Err(text::other_form()) };
    for (key, value) in members.iter_mut() {
        match key.as_str() {
            "output" => text::each(value, |item| restore_item(item, answer))?,
            "conversation" => restore_part(value, answer)?,
            key if is_of_the_api(key) => {}
            _ => texts(value, answer, 1)?,
        }
    }
    Ok(())
}

/// Protects and restores a list of items, such as those that a response was made of.
///
/// # Errors
/// As [`restore_response`].
pub fn restore_items<R: Rules>(body: &mut Value, answer: &mut Answer<R>) -> Result<(), ApiError> {
    let Value::Object(members) = body else { return Err(text::other_form()) };
    for (key, value) in members.iter_mut() {
        match key.as_str() {
            "data" => text::each(value, |item| restore_item(item, answer))?,
            "object" | "first_id" | "last_id" => {}
            _ => texts(value, answer, 1)?,
        }
    }
    Ok(())
}

/// Whether the value of a key of a response is the API's own.
fn is_of_the_api(key: &str) -> bool {
    const KNOWN: [&str; 10] = [
        "background",
        "completed_at",
        "created_at",
        "id",
        "model",
        "object",
        "previous_response_id",
        "service_tier",
        "status",
        "usage",
    ];
    KNOWN.contains(&key)
}

/// Whether a key of an item, a part or an event contains its identifier, type or state.
pub(super) fn is_mark(key: &str) -> bool {
    const KNOWN: [&str; 10] = [
        "annotation_index",
        "call_id",
        "content_index",
        "id",
        "item_id",
        "output_index",
        "role",
        "sequence_number",
        "status",
        "type",
    ];
    KNOWN.contains(&key)
}

/// Protects and restores an item.
pub(super) fn restore_item<R: Rules>(item: &mut Value, answer: &mut Answer<R>) -> Result<(), ApiError> {
    let Value::Object(members) = item else { return Err(text::other_form()) };
    let kind: Rc<str> = members.get("type").and_then(Value::as_str).unwrap_or_default().into();
    let named = text::tool(members);
    let tool = if named.is_empty() { kind } else { named };
    let is_image = members.get("type").is_some_and(|kind| kind == "image_generation_call");
    for (key, value) in members.iter_mut() {
        match (key.as_str(), value) {
            (key, _) if is_mark(key) => {}
            ("result", _) if is_image => {}
            (key, value) if is_sealed(key, value) => {}
            ("arguments" | "input", Value::String(json)) => {
                *json = JsonStream::new(Form::arguments(&tool)).whole(answer, json)?;
            }
            // commands for a shell or a browser
            ("action" | "operation", value) => input(value, answer, &tool)?,
            ("content" | "summary", Value::Array(parts)) => {
                parts.iter_mut().try_for_each(|part| restore_part(part, answer))?;
            }
            (_, value) => texts(value, answer, 1)?,
        }
    }
    Ok(())
}

/// The form of a text of parts of this type: applications join these.
pub(super) fn said(kind: &str) -> Form {
    Form::Text(kind.into())
}

/// Protects and restores a part of an item.
pub(super) fn restore_part<R: Rules>(part: &mut Value, answer: &mut Answer<R>) -> Result<(), ApiError> {
    let Value::Object(members) = part else { return texts(part, answer, 1) };
    let mut edits = Edits::default();
    let kind = members.get("type").and_then(Value::as_str).unwrap_or_default();
    let form = said(kind);
    for (key, value) in members.iter_mut() {
        match (key.as_str(), value) {
            ("logprobs", value) => forget_tokens(value),
            ("text", Value::String(text)) => edits = annotated(text, answer, &form)?,
            ("refusal", value) if value.is_string() => text::text(value, answer, &form).map(drop)?,
            (key, value) if is_mark(key) || is_sealed(key, value) => {}
            (_, value) => texts(value, answer, 1)?,
        }
    }
    edits.annotate_beside(members);
    Ok(())
}

/// Removes the tokens of a text, which contain it before it was changed.
pub(super) fn forget_tokens(logprobs: &mut Value) {
    if let Value::Array(tokens) = logprobs {
        tokens.clear();
    }
}

/// The members of an object.
pub(super) fn object(value: &mut Value) -> Result<&mut Map<String, Value>, ApiError> {
    value.as_object_mut().ok_or_else(text::other_form)
}
