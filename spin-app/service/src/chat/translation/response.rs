//! Converts a whole message to a chat completion.

use serde_json::{Value, json};

use super::{filled, malformed, object, text};
use crate::error::ApiError;

/// Returns the chat completion, created at `created` (seconds since 1970), of a message.
///
/// Texts are joined unchanged, thinking is `reasoning_content`, and blocks of tools that the provider runs
/// are omitted: requests never enable them.
///
/// # Errors
/// `upstream_error` if the message has another format than the API's.
pub fn response(message: &Value, created: u64) -> Result<Value, ApiError> {
    let mut said = Said::default();
    for block in message.get("content").and_then(Value::as_array).ok_or_else(malformed)? {
        said.add(block)?;
    }
    let mut usage = Usage::default();
    usage.update(message);
    Ok(json!({
        "id": text(message, "id")?,
        "object": "chat.completion",
        "created": created,
        "model": text(message, "model")?,
        "choices": [{
            "index": 0,
            "message": said.message(refusal(message)),
            "logprobs": null,
            "finish_reason": finish_reason(message).unwrap_or(STOP),
        }],
        "usage": usage.written(),
    }))
}

/// The content of the blocks of a message.
#[derive(Default)]
struct Said {
    content: Option<String>,
    reasoning: Option<String>,
    calls: Vec<Value>,
}

impl Said {
    fn add(&mut self, block: &Value) -> Result<(), ApiError> {
        match text(block, "type")? {
            "text" => self.content.get_or_insert_default().push_str(text(block, "text")?),
            "thinking" => self.reasoning.get_or_insert_default().push_str(text(block, "thinking")?),
            "tool_use" => {
                let arguments = block.get("input").filter(|input| input.is_object()).ok_or_else(malformed)?;
                self.calls.push(call(block, None, &arguments.to_string())?);
            }
            _ => {}
        }
        Ok(())
    }

    fn message(self, refusal: Option<&str>) -> Value {
        object([
            ("role", Some("assistant".into())),
            ("content", Some(self.content.into())),
            ("refusal", Some(refusal.into())),
            ("reasoning_content", self.reasoning.map(Value::from)),
            ("tool_calls", filled(self.calls)),
        ])
    }
}

/// Returns the call of a tool-use block; `index` is its index among the calls of a stream.
pub(super) fn call(block: &Value, index: Option<usize>, arguments: &str) -> Result<Value, ApiError> {
    Ok(object([
        ("index", index.map(Value::from)),
        ("id", Some(text(block, "id")?.into())),
        ("type", Some("function".into())),
        ("function", Some(json!({ "name": text(block, "name")?, "arguments": arguments }))),
    ]))
}

/// The reason for the end of an answer without a known one.
pub(super) const STOP: &str = "stop";

/// Returns the reason for the end of the answer in a message or an event; `None` without one.
pub(super) fn finish_reason(message: &Value) -> Option<&'static str> {
    Some(match message.get("stop_reason")?.as_str()? {
        // a paused turn is incomplete, too; only tools that the provider runs pause one
        "max_tokens" | "model_context_window_exceeded" | "pause_turn" => "length",
        "tool_use" => "tool_calls",
        "refusal" => "content_filter",
        _ => STOP,
    })
}

/// Returns the provider's explanation of its refusal, in the same fields.
pub(super) fn refusal(message: &Value) -> Option<&str> {
    message.get("stop_details")?.get("explanation")?.as_str()
}

/// The token counts of a request.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    /// Without cached ones.
    input: u64,
    cache_read: u64,
    cache_written: u64,
    output: u64,
    /// Part of the output.
    thinking: Option<u64>,
}

impl Usage {
    /// Updates the counts from the `usage` of a message or an event. Every number there is a total.
    pub(super) fn update(&mut self, message: &Value) {
        let Some(usage) = message.get("usage") else { return };
        for (name, count) in [
            ("input_tokens", &mut self.input),
            ("cache_read_input_tokens", &mut self.cache_read),
            ("cache_creation_input_tokens", &mut self.cache_written),
            ("output_tokens", &mut self.output),
        ] {
            *count = usage.get(name).and_then(Value::as_u64).unwrap_or(*count);
        }
        let details = usage.get("output_tokens_details");
        let thinking = details.and_then(|details| details.get("thinking_tokens")?.as_u64());
        self.thinking = thinking.or(self.thinking);
    }

    pub(super) fn written(&self) -> Value {
        let prompt = self.input.saturating_add(self.cache_read).saturating_add(self.cache_written);
        object([
            ("prompt_tokens", Some(prompt.into())),
            ("completion_tokens", Some(self.output.into())),
            ("total_tokens", Some(prompt.saturating_add(self.output).into())),
            ("prompt_tokens_details", Some(json!({ "cached_tokens": self.cache_read }))),
            ("completion_tokens_details", self.thinking.map(|count| json!({ "reasoning_tokens": count }))),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{chat::translation::tests::spoilt, error::Code};

    fn message(content: &Value, stop_reason: &str) -> Value {
        json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": content,
            "stop_reason": stop_reason, "usage": { "input_tokens": 1, "output_tokens": 2 } })
    }

    fn calls(id: &str, name: &str, arguments: &str) -> Value {
        json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
    }

    #[test]
    fn a_whole_message() {
        let mut message = message(
            &json!([
                { "type": "thinking", "thinking": "hm", "signature": "s" },
                { "type": "redacted_thinking", "data": "x" },
                { "type": "text", "text": "It " },
                { "type": "text", "text": "rains.", "citations": [] },
                { "type": "tool_use", "id": "toolu_1", "name": "f", "input": { "a": [1] } },
                { "type": "tool_use", "id": "toolu_2", "name": "g", "input": {} },
                { "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} },
            ]),
            "tool_use",
        );
        message["usage"] = json!({ "input_tokens": 10, "cache_read_input_tokens": 20,
            "cache_creation_input_tokens": 5, "output_tokens": 7,
            "output_tokens_details": { "thinking_tokens": 3 } });
        let want = json!({ "id": "msg_1", "object": "chat.completion", "created": 1_700_000_000,
            "model": "claude", "choices": [{ "index": 0, "finish_reason": "tool_calls", "logprobs": null,
                "message": {
                "role": "assistant", "content": "It rains.", "refusal": null, "reasoning_content": "hm",
                "tool_calls": [calls("toolu_1", "f", "{\"a\":[1]}"), calls("toolu_2", "g", "{}")] } }],
            "usage": { "prompt_tokens": 35, "completion_tokens": 7, "total_tokens": 42,
                "prompt_tokens_details": { "cached_tokens": 20 },
                "completion_tokens_details": { "reasoning_tokens": 3 } } });
        assert_eq!(response(&message, 1_700_000_000).unwrap(), want);
    }

    #[test]
    fn ends() {
        for (reason, want) in [
            ("end_turn", "stop"),
            ("stop_sequence", "stop"),
            ("max_tokens", "length"),
            ("model_context_window_exceeded", "length"),
            ("pause_turn", "length"),
            ("tool_use", "tool_calls"),
            ("refusal", "content_filter"),
            ("new", "stop"),
        ] {
            let answer = response(&message(&json!([]), reason), 0).unwrap();
            assert_eq!(answer["choices"][0]["finish_reason"], want, "{reason}");
            assert!(answer["choices"][0]["message"]["content"].is_null());
        }
    }

    #[test]
    fn a_refusal_is_said() {
        let mut message = message(&json!([]), "refusal");
        message["stop_details"] = json!({ "type": "refusal", "category": "bio", "explanation": "no" });
        let answer = response(&message, 0).unwrap();
        assert_eq!(answer["choices"][0]["message"]["refusal"], "no");
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let mut refused = 0;
        let whole = message(
            &json!([{ "type": "text", "text": "a" },
                { "type": "tool_use", "id": "1", "name": "f", "input": {} }]),
            "end_turn",
        );
        for message in spoilt(&whole) {
            if let Err(error) = response(&message, 0) {
                assert_eq!(error.code(), Code::UpstreamError);
                refused += 1;
            }
        }
        assert!(refused > 30, "{refused}");
    }
}
