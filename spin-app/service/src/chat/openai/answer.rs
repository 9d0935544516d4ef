//! A whole answer of a chat completion: every text of every choice is protected, then restored.
//!
//! The same as in a stream of its texts: an application sees no difference.

use serde_json::{Map, Value};

use crate::{
    chat::{
        edits::Edits,
        protect::Rules,
        stream::Answer,
        text::{Form, JsonStream, annotated, each, is_mark, is_sealed, text, texts, tool},
    },
    error::ApiError,
};

/// Protects and restores an answer in place. After an error it must not be passed on.
///
/// Everything outside the texts of choices is protected and restored too, except the members of the API
/// itself.
///
/// # Errors
/// `policy_violation` if a policy blocks; `upstream_error` if the answer nests too deep.
pub fn restore_answer<R: Rules>(body: &mut Value, answer: &mut Answer<R>) -> Result<(), ApiError> {
    let Value::Object(members) = body else { return texts(body, answer, 0) };
    for (key, value) in members.iter_mut() {
        match key.as_str() {
            "choices" => {
                let mut position = 0..;
                each(value, |choice| self::choice(choice, answer, position.next().unwrap_or_default()))?;
            }
            key if is_of_the_api(key) => {}
            _ => texts(value, answer, 1)?,
        }
    }
    Ok(())
}

/// Whether the value of a key of an answer, or of a chunk, is the API's own.
pub(super) fn is_of_the_api(key: &str) -> bool {
    const KNOWN: [&str; 8] = [
        "created",
        "id",
        "model",
        "object",
        // random letters that hide how long a chunk is
        "obfuscation",
        "service_tier",
        "system_fingerprint",
        "usage",
    ];
    KNOWN.contains(&key)
}

fn choice<R: Rules>(choice: &mut Value, answer: &mut Answer<R>, position: u64) -> Result<(), ApiError> {
    let Value::Object(members) = choice else { return texts(choice, answer, 0) };
    let index = members.get("index").and_then(Value::as_u64).unwrap_or(position);
    let mut changed = false;
    for (key, value) in members.iter_mut() {
        match key.as_str() {
            "message" | "delta" => changed |= message(value, answer, index)?,
            "text" => changed |= text(value, answer, &said(index, key))?,
            "finish_reason" | "index" | "logprobs" => {}
            _ => texts(value, answer, 1)?,
        }
    }
    logprobs(members, answer, changed)
}

/// Removes the tokens of a changed text, which contain the original.
fn logprobs<R: Rules>(
    choice: &mut Map<String, Value>,
    answer: &mut Answer<R>,
    changed: bool,
) -> Result<(), ApiError> {
    let Some(logprobs) = choice.get_mut("logprobs") else { return Ok(()) };
    if changed || says_more(logprobs, answer)? {
        *logprobs = Value::Null;
    }
    Ok(())
}

/// Whether the alternative tokens, joined, contain a finding.
fn says_more<R: Rules>(logprobs: &Value, answer: &mut Answer<R>) -> Result<bool, ApiError> {
    let mut words = Vec::new();
    tokens(logprobs, &mut words);
    words.into_iter().try_fold(false, |more, word| Ok(more || answer.text(word)? != word))
}

fn tokens<'v>(value: &'v Value, words: &mut Vec<&'v str>) {
    match value {
        Value::String(word) => words.push(word),
        Value::Array(values) => values.iter().for_each(|value| tokens(value, words)),
        Value::Object(members) => members.values().for_each(|value| tokens(value, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The form of a text of a choice: applications join the texts of one key.
pub(super) fn said(choice: u64, key: &str) -> Form {
    Form::Text(format!("{choice} {key}").into())
}

/// Whether anything of the message of a choice was changed.
pub(super) fn message<R: Rules>(
    message: &mut Value,
    answer: &mut Answer<R>,
    choice: u64,
) -> Result<bool, ApiError> {
    let before = message.clone();
    let Value::Object(members) = message else {
        texts(message, answer, 0)?;
        return Ok(*message != before);
    };
    let mut edits = Edits::default();
    for (key, value) in members.iter_mut() {
        match (key.as_str(), value) {
            (key, _) if is_mark(key) => {}
            ("content", Value::String(text)) => edits = annotated(text, answer, &said(choice, "content"))?,
            ("tool_calls", value) => each(value, |call| self::call(call, answer))?,
            ("function_call", value) => function(value, answer)?,
            (key, value) if is_in_parts(key) => parts(value, answer, &said(choice, key))?,
            (key, value) if value.is_string() => drop(text(value, answer, &said(choice, key))?),
            (_, value) => texts(value, answer, 1)?,
        }
    }
    edits.annotate_beside(members);
    Ok(*message != before)
}

/// Whether the value of this key of a message may be parts, such as those of a content.
pub(super) fn is_in_parts(key: &str) -> bool {
    matches!(key, "audio" | "content" | "reasoning_details" | "thinking_blocks")
}

/// Whether the value of this key of a part is its text, or parts again.
pub(super) fn is_said(key: &str) -> bool {
    matches!(key, "summary" | "text" | "thinking" | "transcript")
}

fn parts<R: Rules>(value: &mut Value, answer: &mut Answer<R>, form: &Form) -> Result<(), ApiError> {
    match value {
        Value::Array(parts) => parts.iter_mut().try_for_each(|part| self::parts(part, answer, form)),
        Value::Object(members) => {
            let mut edits = Edits::default();
            for (key, value) in members.iter_mut() {
                match (key.as_str(), value) {
                    (key, value) if is_mark(key) || is_sealed(key, value) => {}
                    ("text", Value::String(text)) => edits = annotated(text, answer, form)?,
                    (key, value) if is_said(key) => parts(value, answer, form)?,
                    (_, value) => texts(value, answer, 1)?,
                }
            }
            edits.annotate_beside(members);
            Ok(())
        }
        Value::String(_) => text(value, answer, form).map(drop),
        other => texts(other, answer, 1),
    }
}

fn call<R: Rules>(call: &mut Value, answer: &mut Answer<R>) -> Result<(), ApiError> {
    let Value::Object(members) = call else { return texts(call, answer, 0) };
    for (key, value) in members.iter_mut() {
        match key.as_str() {
            key if is_mark(key) => {}
            "function" | "custom" => function(value, answer)?,
            _ => texts(value, answer, 1)?,
        }
    }
    Ok(())
}

fn function<R: Rules>(function: &mut Value, answer: &mut Answer<R>) -> Result<(), ApiError> {
    let Value::Object(members) = function else { return texts(function, answer, 0) };
    let tool = tool(members);
    for (key, value) in members.iter_mut() {
        match (key.as_str(), value) {
            ("arguments" | "input", Value::String(json)) => {
                *json = JsonStream::new(Form::arguments(&tool)).whole(answer, json)?;
            }
            (_, value) => texts(value, answer, 1)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textveil_engine::Action;

    use super::*;
    use crate::chat::{
        placeholder::RestoreCounts,
        text::tests::{VALUE, answer, citation, cited_text},
    };

    fn restored(body: &Value) -> (Value, RestoreCounts) {
        let (mut answer, made) = answer(Action::Redact);
        let mut body = serde_json::from_str(&body.to_string().replace("@P", &made)).unwrap();
        restore_answer(&mut body, &mut answer).unwrap();
        (body, answer.restores())
    }

    #[test]
    fn every_text_of_every_choice() {
        let (body, counts) = restored(&json!({ "id": "1", "model": "m", "object": "chat.completion",
            "choices": [
                { "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": "to @P",
                    "refusal": "no @P", "reasoning_content": "hm, eva@example.com", "new": { "@P": ["@P"] } } },
                { "index": 1, "message": { "role": "assistant", "content": null, "tool_calls": [{ "id": "c",
                    "type": "function", "function": { "name": "f", "arguments": "{\"to\": \"@P\"}" } },
                    { "type": "custom", "custom": { "name": "g", "input": "{\"to\": \"@P\"}" } }] } },
                { "index": 2, "text": "@P" },
            ], "usage": { "total_tokens": 3 } }));
        let arguments = "{\"to\": \"Jan \\\"J\\\"\\nNovák\"}";
        let want = json!({ "id": "1", "model": "m", "object": "chat.completion",
            "choices": [
                { "index": 0, "finish_reason": "stop", "message": { "role": "assistant",
                    "content": format!("to {VALUE}"), "refusal": format!("no {VALUE}"),
                    "reasoning_content": "hm, [REDACTED]", "new": { VALUE: [VALUE] } } },
                { "index": 1, "message": { "role": "assistant", "content": null, "tool_calls": [{ "id": "c",
                    "type": "function", "function": { "name": "f", "arguments": arguments } },
                    { "type": "custom", "custom": { "name": "g", "input": arguments } }] } },
                { "index": 2, "text": VALUE },
            ], "usage": { "total_tokens": 3 } });
        assert_eq!(body, want);
        assert_eq!(counts, RestoreCounts { restored: 7, ..RestoreCounts::default() });
    }

    /// Values that return to the provider stay unchanged; a text under the same key is text.
    #[test]
    fn ids_and_what_is_sealed_stay() {
        let body = json!({ "new": [{ "encrypted_content": "EqQBCgIYAhIM1gbcDa9GJwZA2b3h", "b": "x" }],
            "id": "4111111111111111", "obfuscation": "4111111111111111", "choices": [{ "message": {
                "audio": { "id": "4111111111111111", "transcript": "a" },
                "content": [{ "type": "thinking", "thinking": [{ "type": "text", "id": "4111111111111111", "text": "b" }],
                    "signature": "EqQBCgIYAhIM1gbcDa9GJwZA2b3h" }] } }] });
        assert_eq!(restored(&body).0, body);
        let (body, _) = restored(&json!({ "choices": [{ "message": { "content": [{ "type": "thinking",
            "thinking": [{ "text": "eva@example.com", "new": "@P" }, "@P"] }] } }] }));
        let content =
            json!([{ "type": "thinking", "thinking": [{ "text": "[REDACTED]", "new": VALUE }, VALUE] }]);
        assert_eq!(body["choices"][0]["message"]["content"], content);
        let (body, _) = restored(&json!({ "new": { "signature": "soon, eva@example.com" } }));
        assert_eq!(body, json!({ "new": { "signature": "soon, [REDACTED]" } }));
    }

    /// Positions are those of the text that the application receives.
    #[test]
    fn annotations_follow_their_text() {
        let (sent, received) = cited_text();
        for (content, want) in [
            (json!(sent), json!(received)),
            (
                json!([{ "type": "text", "text": sent, "annotations": [{ "url_citation": citation(&sent) }] }]),
                json!([{ "type": "text", "text": received, "annotations": [{ "url_citation": citation(&received) }] }]),
            ),
        ] {
            let message = json!({ "annotations": [{ "url_citation": citation(&sent) }], "content": content });
            let (body, _) = restored(&json!({ "choices": [{ "message": message }] }));
            let message = &body["choices"][0]["message"];
            assert_eq!(message["content"], want);
            // those beside parts belong to none of them
            let beside = if content.is_string() { &received } else { &sent };
            assert_eq!(message["annotations"], json!([{ "url_citation": citation(beside) }]));
        }
    }

    #[test]
    fn keys_that_become_one_keep_their_values() {
        let (body, _) = restored(&json!({ "new": { "a@example.com": 1, "b@example.com": 2 } }));
        assert_eq!(body, json!({ "new": { "[REDACTED]": 1, "[REDACTED]_2": 2 } }));
    }

    #[test]
    fn tokens_of_a_changed_text_are_dropped() {
        for (content, token, kept) in [
            ("hello", "hello", true),
            ("to @P", "to", false),
            ("eva@example.com", "eva", false),
            ("hello", "eva@example.com", false),
        ] {
            let (body, _) = restored(&json!({ "choices": [{ "message": { "content": content },
                "logprobs": { "content": [{ "token": token, "logprob": -0.1 }] } }] }));
            assert_eq!(body["choices"][0]["logprobs"].is_object(), kept, "{content}, {token}");
        }
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        let deep = (0..100).fold(json!("x"), |inner, _| json!([inner]));
        for body in [json!({ "choices": "x" }), json!({ "error": deep })] {
            let (mut answer, _) = answer(Action::Redact);
            let error = restore_answer(&mut body.clone(), &mut answer).unwrap_err();
            assert_eq!(error.code(), crate::error::Code::UpstreamError);
        }
        let (mut blocking, _) = answer(Action::Block);
        let mut body = json!({ "choices": [{ "message": { "content": "eva@example.com" } }] });
        let error = restore_answer(&mut body, &mut blocking).unwrap_err();
        assert_eq!(error.code(), crate::error::Code::PolicyViolation);
    }
}
