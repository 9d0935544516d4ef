//! Converts a streamed message to the chunks of a chat completion.
//!
//! The API sends one block after another: a start, deltas, an end. Texts and thinking need no state; for a
//! tool's use, the index of its block is kept, so that its deltas go to the right call.

use std::fmt;

use serde_json::{Value, json};

use super::{
    ProviderError, malformed, object,
    response::{STOP, Usage, call, finish_reason, refusal},
    text,
};
use crate::{chat::events::SseEvent, error::ApiError};

/// Why a stream was aborted. The rest must not be read.
#[derive(Clone, Debug, PartialEq)]
pub enum TranslationError {
    /// The provider reports an error.
    Provider(ProviderError),
    /// The provider sent an event that the API does not define: `upstream_error`.
    Malformed(ApiError),
}

impl From<ApiError> for TranslationError {
    fn from(error: ApiError) -> Self {
        Self::Malformed(error)
    }
}

/// Converts the events of a message to those of a chat completion.
///
/// The caller writes the `[DONE]` that ends OpenAI's streams, when [`Chunks::is_done`] returns true: a stream
/// that ends before was aborted.
pub struct Chunks {
    created: u64,
    with_usage: bool,
    /// The id and the model, which every chunk contains.
    head: Option<(String, String)>,
    usage: Usage,
    finish: Option<&'static str>,
    block: Option<Block>,
    /// The number of calls so far.
    calls: usize,
    done: bool,
}

/// The current block.
struct Block {
    index: u64,
    /// `None` if it is not a tool call.
    call: Option<CallBlock>,
}

/// The tool call of a block.
struct CallBlock {
    index: usize,
    /// Some of its arguments were sent.
    has_arguments: bool,
}

impl Chunks {
    /// Creates the chunks of an answer of `created`, in seconds since 1970.
    ///
    /// `with_usage` is the caller's `stream_options.include_usage`.
    pub fn new(created: u64, with_usage: bool) -> Self {
        Self {
            created,
            with_usage,
            head: None,
            usage: Usage::default(),
            finish: None,
            block: None,
            calls: 0,
            done: false,
        }
    }

    /// Converts an event to chunks. Unknown events yield no chunk.
    ///
    /// # Errors
    /// [`TranslationError`].
    pub fn push(&mut self, event: &SseEvent) -> Result<Vec<SseEvent>, TranslationError> {
        if self.done {
            return Ok(Vec::new());
        }
        let event: Value = serde_json::from_str(&event.data).map_err(|_| malformed())?;
        let delta = match text(&event, "type")? {
            "message_start" => Some(self.begin(&event)?),
            "content_block_start" => self.begin_block(&event)?,
            "content_block_delta" => self.piece(&event)?,
            "content_block_stop" => self.end_block(&event),
            "message_delta" => self.end(&event),
            "message_stop" => return Ok(self.finish()?),
            "error" => {
                return Err(
                    super::error(&event).map_or_else(|| malformed().into(), TranslationError::Provider)
                );
            }
            _ => None,
        };
        Ok(delta.map(|delta| self.chunk(&delta, None)).transpose()?.into_iter().collect())
    }

    /// Whether the message ended. Events after its end yield no chunks.
    pub fn is_done(&self) -> bool {
        self.done
    }

    fn begin(&mut self, event: &Value) -> Result<Value, ApiError> {
        let message = event.get("message").ok_or_else(malformed)?;
        self.head = Some((text(message, "id")?.to_owned(), text(message, "model")?.to_owned()));
        self.usage.update(message);
        Ok(json!({ "role": "assistant", "content": "" }))
    }

    /// Handles the start of a block, which may already have content.
    fn begin_block(&mut self, event: &Value) -> Result<Option<Value>, ApiError> {
        let index = index(event).ok_or_else(malformed)?;
        let block = event.get("content_block").ok_or_else(malformed)?;
        let kind = text(block, "type")?;
        if kind != "tool_use" {
            self.block = Some(Block { index, call: None });
            return said(block, kind);
        }
        let is_filled = |input: &&Value| input.as_object().is_some_and(|members| !members.is_empty());
        let arguments = block.get("input").filter(is_filled).map(Value::to_string).unwrap_or_default();
        let begun = call(block, Some(self.calls), &arguments)?;
        let call = CallBlock { index: self.calls, has_arguments: !arguments.is_empty() };
        self.block = Some(Block { index, call: Some(call) });
        self.calls += 1;
        Ok(Some(json!({ "tool_calls": [begun] })))
    }

    fn piece(&mut self, event: &Value) -> Result<Option<Value>, ApiError> {
        let delta = event.get("delta").ok_or_else(malformed)?;
        match text(delta, "type")? {
            "text_delta" => said(delta, "text"),
            "thinking_delta" => said(delta, "thinking"),
            "input_json_delta" => self.arguments(index(event), text(delta, "partial_json")?),
            _ => Ok(None),
        }
    }

    fn arguments(&mut self, index: Option<u64>, piece: &str) -> Result<Option<Value>, ApiError> {
        let block = self.block.as_mut().filter(|block| Some(block.index) == index).ok_or_else(malformed)?;
        let Some(call) = block.call.as_mut().filter(|_| !piece.is_empty()) else { return Ok(None) };
        call.has_arguments = true;
        Ok(Some(call.arguments(piece)))
    }

    /// Handles the end of a block. A call without arguments gets an empty object, which OpenAI's clients
    /// expect to parse.
    fn end_block(&mut self, event: &Value) -> Option<Value> {
        let block = self.block.take_if(|block| Some(block.index) == index(event))?;
        block.call.filter(|call| !call.has_arguments).map(|call| call.arguments("{}"))
    }

    /// Reads the data at the end of the message, which may be in several events.
    fn end(&mut self, event: &Value) -> Option<Value> {
        self.usage.update(event);
        let delta = event.get("delta")?;
        self.finish = finish_reason(delta).or(self.finish);
        refusal(delta).map(|refusal| json!({ "refusal": refusal }))
    }

    fn finish(&mut self) -> Result<Vec<SseEvent>, ApiError> {
        let mut chunks = vec![self.chunk(&json!({}), Some(self.finish.unwrap_or(STOP)))?];
        if self.with_usage {
            chunks.push(self.written(json!([]), Some(self.usage.written()))?);
        }
        self.done = true;
        Ok(chunks)
    }

    fn chunk(&self, delta: &Value, finish_reason: Option<&str>) -> Result<SseEvent, ApiError> {
        let choice = json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish_reason });
        self.written(json!([choice]), self.with_usage.then_some(Value::Null))
    }

    fn written(&self, choices: Value, usage: Option<Value>) -> Result<SseEvent, ApiError> {
        let (id, model) = self.head.as_ref().ok_or_else(malformed)?;
        let chunk = object([
            ("id", Some(id.as_str().into())),
            ("object", Some("chat.completion.chunk".into())),
            ("created", Some(self.created.into())),
            ("model", Some(model.as_str().into())),
            ("choices", Some(choices)),
            ("usage", usage),
        ]);
        Ok(SseEvent::data(chunk.to_string()))
    }
}

impl CallBlock {
    /// Returns the delta that adds to its arguments.
    fn arguments(&self, piece: &str) -> Value {
        json!({ "tool_calls": [{ "index": self.index, "function": { "arguments": piece } }] })
    }
}

/// Omits the text.
impl fmt::Debug for Chunks {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Chunks({} calls, done: {})", self.calls, self.done)
    }
}

/// Returns the index of an event's block in the message.
fn index(event: &Value) -> Option<u64> {
    event.get("index")?.as_u64()
}

/// Returns the delta of a text or of thinking; `None` if it is empty, or of a kind that has no counterpart.
fn said(sent: &Value, kind: &str) -> Result<Option<Value>, ApiError> {
    let name = match kind {
        "text" => "content",
        "thinking" => "reasoning_content",
        _ => return Ok(None),
    };
    let piece = text(sent, kind)?;
    Ok((!piece.is_empty()).then(|| json!({ name: piece })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::translation::{response, tests::spoilt};

    fn start() -> Value {
        json!({ "type": "message_start", "message": { "id": "msg_1", "type": "message", "role": "assistant",
            "model": "claude", "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": { "input_tokens": 10, "cache_read_input_tokens": 4, "output_tokens": 1 } } })
    }

    fn block(index: u64, block: Value) -> Value {
        json!({ "type": "content_block_start", "index": index, "content_block": block })
    }

    fn piece(index: u64, kind: &str, name: &str, piece: &str) -> Value {
        json!({ "type": "content_block_delta", "index": index, "delta": { "type": kind, name: piece } })
    }

    fn end(index: u64) -> Value {
        json!({ "type": "content_block_stop", "index": index })
    }

    fn message_delta(reason: &str, output: u64) -> Value {
        json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null },
            "usage": { "output_tokens": output } })
    }

    fn stop() -> Value {
        json!({ "type": "message_stop" })
    }

    /// Thinking, a text, a call with arguments and one without, and events in between that say nothing.
    fn stream() -> Vec<Value> {
        let tool = |id: &str, name: &str| json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
        vec![
            start(),
            block(0, json!({ "type": "thinking", "thinking": "", "signature": "" })),
            json!({ "type": "ping" }),
            piece(0, "thinking_delta", "thinking", "h"),
            piece(0, "thinking_delta", "thinking", "m"),
            piece(0, "signature_delta", "signature", "s"),
            end(0),
            block(1, json!({ "type": "text", "text": "" })),
            piece(1, "text_delta", "text", "It "),
            piece(1, "text_delta", "text", ""),
            piece(1, "text_delta", "text", "rains."),
            end(1),
            json!({ "type": "new", "index": 1 }),
            block(2, tool("toolu_1", "f")),
            piece(2, "input_json_delta", "partial_json", ""),
            piece(2, "input_json_delta", "partial_json", "{\"a\":"),
            piece(2, "input_json_delta", "partial_json", "[1]}"),
            end(2),
            block(3, tool("toolu_2", "g")),
            piece(3, "input_json_delta", "partial_json", ""),
            end(3),
            block(4, json!({ "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} })),
            piece(4, "input_json_delta", "partial_json", "{\"query\":1}"),
            end(4),
            message_delta("tool_use", 7),
            stop(),
        ]
    }

    fn push(chunks: &mut Chunks, event: &Value) -> Result<Vec<Value>, TranslationError> {
        let events = chunks.push(&SseEvent::data(event.to_string()))?;
        Ok(events.iter().map(|event| serde_json::from_str(&event.data).unwrap()).collect())
    }

    fn read(with_usage: bool, events: &[Value]) -> Result<(Vec<Value>, bool), TranslationError> {
        let mut chunks = Chunks::new(1_700_000_000, with_usage);
        let mut out = Vec::new();
        for event in events {
            out.extend(push(&mut chunks, event)?);
        }
        Ok((out, chunks.is_done()))
    }

    /// The delta of each chunk, with why it ends where it says so.
    fn deltas(chunks: &[Value]) -> Vec<(Value, Option<&str>)> {
        let choices = chunks.iter().map(|chunk| &chunk["choices"][0]);
        choices.map(|choice| (choice["delta"].clone(), choice["finish_reason"].as_str())).collect()
    }

    #[test]
    fn chunks() {
        let call = |call: Value| (json!({ "tool_calls": [call] }), None);
        let begun = |index: u64, id: &str, name: &str| {
            json!({ "index": index, "id": id, "type": "function",
                "function": { "name": name, "arguments": "" } })
        };
        let more = |index: u64, piece: &str| json!({ "index": index, "function": { "arguments": piece } });
        let (chunks, done) = read(false, &stream()).unwrap();
        assert!(done);
        let want = vec![
            (json!({ "role": "assistant", "content": "" }), None),
            (json!({ "reasoning_content": "h" }), None),
            (json!({ "reasoning_content": "m" }), None),
            (json!({ "content": "It " }), None),
            (json!({ "content": "rains." }), None),
            call(begun(0, "toolu_1", "f")),
            call(more(0, "{\"a\":")),
            call(more(0, "[1]}")),
            call(begun(1, "toolu_2", "g")),
            call(more(1, "{}")),
            (json!({}), Some("tool_calls")),
        ];
        assert_eq!(deltas(&chunks), want);
        let first = json!({ "id": "msg_1", "object": "chat.completion.chunk", "created": 1_700_000_000,
            "model": "claude", "choices": [{ "index": 0, "delta": { "role": "assistant", "content": "" },
                "logprobs": null, "finish_reason": null }] });
        assert_eq!(chunks[0], first);
    }

    #[test]
    fn usage_where_it_was_asked_for() {
        let (chunks, _) = read(true, &stream()).unwrap();
        let (last, others) = chunks.split_last().unwrap();
        let usage = json!({ "prompt_tokens": 14, "completion_tokens": 7, "total_tokens": 21,
            "prompt_tokens_details": { "cached_tokens": 4 } });
        let want = json!({ "id": "msg_1", "object": "chat.completion.chunk", "created": 1_700_000_000,
            "model": "claude", "choices": [], "usage": usage });
        assert_eq!(*last, want);
        assert!(others.iter().all(|chunk| chunk.get("usage") == Some(&Value::Null)));
        assert_eq!(others.len(), read(false, &stream()).unwrap().0.len());
    }

    /// The chunks, put together as clients do it, are the completion that the whole message makes.
    #[test]
    fn a_stream_says_what_the_whole_message_says() {
        let message = json!({ "id": "msg_1", "model": "claude", "stop_reason": "tool_use", "content": [
            { "type": "thinking", "thinking": "hm", "signature": "s" },
            { "type": "text", "text": "It rains." },
            { "type": "tool_use", "id": "toolu_1", "name": "f", "input": { "a": [1] } },
            { "type": "tool_use", "id": "toolu_2", "name": "g", "input": {} } ],
            "usage": { "input_tokens": 10, "cache_read_input_tokens": 4, "output_tokens": 7 } });
        let whole = response(&message, 1_700_000_000).unwrap();
        let (chunks, _) = read(true, &stream()).unwrap();
        let (mut content, mut reasoning, mut calls) = (String::new(), String::new(), Vec::<Value>::new());
        for (delta, _) in deltas(&chunks) {
            content += delta["content"].as_str().unwrap_or_default();
            reasoning += delta["reasoning_content"].as_str().unwrap_or_default();
            for call in delta["tool_calls"].as_array().into_iter().flatten() {
                let mut call = call.clone();
                let index = call.as_object_mut().unwrap().remove("index").unwrap().as_u64().unwrap();
                if call.get("id").is_some() {
                    assert_eq!(index, calls.len() as u64);
                    calls.push(call);
                } else {
                    let arguments = &mut calls[index as usize]["function"]["arguments"];
                    *arguments = [&*arguments, &call["function"]["arguments"]]
                        .map(|json| json.as_str().unwrap())
                        .concat()
                        .into();
                }
            }
        }
        let message = &whole["choices"][0]["message"];
        assert_eq!(message["content"], content);
        assert_eq!(message["reasoning_content"], reasoning);
        assert_eq!(message["tool_calls"], Value::Array(calls));
        assert_eq!(whole["usage"], chunks.last().unwrap()["usage"]);
    }

    #[test]
    fn other_streams() {
        let role = (json!({ "role": "assistant", "content": "" }), None);
        for (name, events, want) in [
            (
                "a message of nothing",
                vec![start(), message_delta("end_turn", 1), stop(), piece(0, "text_delta", "text", "late")],
                vec![role.clone(), (json!({}), Some("stop"))],
            ),
            (
                "blocks that hold something from their beginning",
                vec![
                    start(),
                    block(0, json!({ "type": "text", "text": "a" })),
                    end(0),
                    block(1, json!({ "type": "tool_use", "id": "1", "name": "f", "input": { "a": 1 } })),
                    end(1),
                    message_delta("tool_use", 1),
                    stop(),
                ],
                vec![
                    role.clone(),
                    (json!({ "content": "a" }), None),
                    (
                        json!({ "tool_calls": [{ "index": 0, "id": "1", "type": "function",
                            "function": { "name": "f", "arguments": "{\"a\":1}" } }] }),
                        None,
                    ),
                    (json!({}), Some("tool_calls")),
                ],
            ),
            (
                "a refusal",
                vec![
                    start(),
                    json!({ "type": "message_delta", "delta": { "stop_reason": "refusal",
                        "stop_details": { "type": "refusal", "explanation": "no" } } }),
                    message_delta("refusal", 1),
                    stop(),
                ],
                vec![role, (json!({ "refusal": "no" }), None), (json!({}), Some("content_filter"))],
            ),
        ] {
            let (chunks, done) = read(false, &events).unwrap();
            assert_eq!((deltas(&chunks), done), (want, true), "{name}");
        }
    }

    #[test]
    fn a_stream_that_broke_off_is_not_done() {
        let whole = stream();
        for length in 0..whole.len() {
            assert!(!read(true, &whole[..length]).unwrap().1, "{length}");
        }
    }

    #[test]
    fn what_the_provider_says_of_an_error_is_given_back() {
        let error =
            json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
        let want = ProviderError { kind: "overloaded_error".into(), message: "Overloaded".into() };
        for events in [vec![error.clone()], vec![start(), error]] {
            assert_eq!(read(false, &events), Err(TranslationError::Provider(want.clone())));
        }
    }

    #[test]
    fn what_is_no_stream_of_messages_is_refused() {
        let arguments = piece(0, "input_json_delta", "partial_json", "{}");
        for events in [
            vec![json!("x")],
            vec![json!({})],
            vec![json!({ "type": "error" })],
            vec![json!({ "type": "message_start" })],
            vec![block(0, json!({ "type": "text", "text": "a" }))],
            vec![piece(0, "text_delta", "text", "a")],
            vec![stop()],
            vec![start(), arguments.clone()],
            vec![start(), block(1, json!({ "type": "tool_use", "id": "1", "name": "f" })), arguments],
            vec![start(), json!({ "type": "content_block_delta", "index": 0 })],
            vec![start(), json!({ "type": "content_block_start", "content_block": { "type": "text" } })],
        ] {
            assert_eq!(read(false, &events), Err(TranslationError::Malformed(malformed())), "{events:?}");
        }
        let mut chunks = Chunks::new(0, false);
        assert_eq!(chunks.push(&SseEvent::data("{")), Err(TranslationError::Malformed(malformed())));
    }

    /// An unexpected stream is rejected or makes chunks; it causes no other failure.
    #[test]
    fn odd_streams() {
        let mut refused = 0;
        for events in spoilt(&Value::Array(stream())) {
            let Value::Array(events) = events else { continue };
            refused += usize::from(read(true, &events).is_err());
        }
        assert!(refused > 100, "{refused}");
    }

    #[test]
    fn debug_shows_no_text() {
        let mut chunks = Chunks::new(0, false);
        for event in stream() {
            push(&mut chunks, &event).unwrap();
        }
        assert_eq!(format!("{chunks:?}"), "Chunks(2 calls, done: true)");
    }
}
