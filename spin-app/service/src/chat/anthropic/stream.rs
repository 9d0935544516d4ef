//! Protects and restores a message of Anthropic's API that arrives as events.
//!
//! Each joined text equals the result of [`restore_message`](super::restore_message) for the whole text,
//! however it is split.

use std::fmt;

use serde_json::{Map, Value, json};

use super::{
    answer::{said, whole_block},
    kind, restore_message,
};
use crate::{
    chat::{
        events::SseEvent,
        fields::{self, Fields, Tools},
        protect::Rules,
        stream::Answer,
        text::{self, Form},
    },
    error::ApiError,
};

/// The type of a delta of thinking, and that of the delta that signs it.
const THINKING: &str = "thinking_delta";
const SIGNATURE: &str = "signature_delta";

fn is_signature(delta: &Value) -> bool {
    delta.as_object().is_some_and(|members| kind(members) == SIGNATURE)
}

/// A message as it is streamed.
///
/// - A text, and the input of a tool, continues in the next event of its block; text held back of it is sent
///   as one more `content_block_delta` before the event that ends the block.
/// - Each incoming event yields one, even if all of its text is held back.
/// - In unknown events and deltas every string is protected and restored. A string directly in a delta is a
///   text that continues.
/// - A block that continues after its end begins new texts.
#[derive(Default)]
pub struct MessageStream {
    fields: Fields<DeltaPath>,
    /// The tools of the blocks that are calls.
    tools: Tools<u64>,
}

/// The key of a text to which several deltas add.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct DeltaPath {
    /// The index of its block.
    block: u64,
    /// The type of its deltas.
    kind: String,
    /// Its key in them.
    key: String,
}

impl DeltaPath {
    /// Returns the form of the text; `tools` are those of the blocks.
    fn form(&self, tools: &Tools<u64>) -> Form {
        match (self.kind.as_str(), self.key.as_str()) {
            ("input_json_delta", _) => tools.form(&self.block),
            (THINKING, "thinking") => Form::Signed,
            (kind, _) => said(kind.strip_suffix("_delta").unwrap_or(kind)),
        }
    }
}

impl MessageStream {
    /// Handles the next event and returns those for the client. An event `error` must be handled by the
    /// caller.
    ///
    /// # Errors
    /// `policy_violation` if a policy blocks; `upstream_error` if the event is not that of a message, or too
    /// many texts are open at once. The rest of the stream must not be sent then.
    pub fn push<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        event: SseEvent,
    ) -> Result<Vec<SseEvent>, ApiError> {
        let mut members = fields::object(&event)?;
        let kind = match kind(&members) {
            "" => event.name.clone().unwrap_or_default(),
            kind => kind.to_owned(),
        };
        let ends_block = match kind.as_str() {
            // a block without an end ends where another one with its index begins
            "content_block_start" | "content_block_stop" => true,
            // thinking is complete when its signature arrives
            "content_block_delta" => members.get("delta").is_some_and(is_signature),
            _ => false,
        };
        let mut out = if ends_block {
            let block = fields::index(&members)?.ok_or_else(text::other_form)?;
            self.rests(answer, |place| place.block == block)?
        } else if kind == "message_stop" {
            self.finish(answer)?
        } else {
            Vec::new()
        };
        self.event(answer, &kind, &mut members)?;
        out.push(event.with(members));
        Ok(out)
    }

    /// Returns the text still held, if the stream ends without `message_stop`.
    ///
    /// # Errors
    /// As [`MessageStream::push`].
    pub fn finish<R: Rules>(&mut self, answer: &mut Answer<R>) -> Result<Vec<SseEvent>, ApiError> {
        self.rests(answer, |_| true)
    }

    fn rests<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        ends: impl Fn(&DeltaPath) -> bool,
    ) -> Result<Vec<SseEvent>, ApiError> {
        let rests = self.fields.finish(answer, ends)?;
        Ok(rests.into_iter().map(|text| delta_of(text.place, text.rest)).collect())
    }

    fn event<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        kind: &str,
        members: &mut Map<String, Value>,
    ) -> Result<(), ApiError> {
        let block = fields::index(members)?;
        for (key, value) in members.iter_mut() {
            match (kind, key.as_str()) {
                (_, "index" | "type" | "usage") => {}
                ("message_start", "message") | ("message_delta", "delta") => restore_message(value, answer)?,
                ("content_block_start", "content_block") => self.start(answer, block, value)?,
                ("content_block_delta", "delta") => self.delta(answer, block, value)?,
                _ => text::texts(value, answer, 1)?,
            }
        }
        Ok(())
    }

    /// Handles the start of a block, usually without a text.
    fn start<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        index: Option<u64>,
        block: &mut Value,
    ) -> Result<(), ApiError> {
        if let Some(index) = index {
            self.tools.forget(&index);
            self.tools.name(&index, block)?;
        }
        let begun = block.as_object_mut().filter(|members| kind(members) == "text");
        let text = begun.and_then(|members| members.get_mut("text")).filter(|text| text.is_string());
        let text = text.map(Value::take);
        whole_block(block, answer)?;
        if let (Some(Value::String(text)), Value::Object(members)) = (text, block) {
            let block = index.ok_or_else(text::other_form)?;
            let place = DeltaPath { block, kind: "text_delta".to_owned(), key: "text".to_owned() };
            let begun = self.fields.push(answer, place, said("text"), &text)?;
            members.insert("text".to_owned(), begun.into());
        }
        Ok(())
    }

    fn delta<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        index: Option<u64>,
        delta: &mut Value,
    ) -> Result<(), ApiError> {
        let block = index.ok_or_else(text::other_form)?;
        let Value::Object(members) = delta else { return Err(text::other_form()) };
        let kind = kind(members).to_owned();
        if kind == SIGNATURE {
            return Ok(());
        }
        for (key, value) in members.iter_mut() {
            match value {
                _ if text::is_mark(key) || text::is_sealed(key, value) => {}
                Value::String(piece) => {
                    let place = DeltaPath { block, kind: kind.clone(), key: key.clone() };
                    let form = place.form(&self.tools);
                    *piece = self.fields.push(answer, place, form, piece)?;
                }
                other => text::texts(other, answer, 1)?,
            }
        }
        Ok(())
    }
}

/// Omits the texts; shows their number only.
impl fmt::Debug for MessageStream {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "MessageStream({:?})", self.fields)
    }
}

/// Returns an event that adds to the text with this key.
fn delta_of(place: DeltaPath, text: String) -> SseEvent {
    let DeltaPath { block, kind, key } = place;
    let mut delta = Map::from_iter([("type".to_owned(), kind.into())]);
    delta.insert(key, text.into());
    let data = json!({ "type": "content_block_delta", "index": block, "delta": delta });
    SseEvent { name: Some("content_block_delta".to_owned()), ..SseEvent::data(data.to_string()) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use textveil_engine::Action;

    use super::*;
    use crate::chat::{
        fields::tests::{PARTS, cut, with_placeholder},
        text::tests::{VALUE, answer},
    };

    fn restored(body: &Value) -> Value {
        let (mut answer, made) = answer(Action::Redact);
        let mut body = serde_json::from_str(&body.to_string().replace("@P", &made)).unwrap();
        restore_message(&mut body, &mut answer).unwrap();
        body
    }

    #[test]
    fn every_text_of_every_block() {
        let sealed = "EqQBCgIYAhIM1gbcDa9GJwZA2b3h";
        let body = restored(&json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "stop_reason": "stop_sequence", "stop_sequence": "@P", "usage": { "output_tokens": 3 },
            "container": { "@P": "eva@example.com" },
            "content": [
                { "type": "text", "text": "to @P, eva@example.com",
                    "citations": [{ "type": "web", "cited_text": "@P", "encrypted_index": sealed }] },
                { "type": "tool_use", "id": "4111111111111111", "name": "f @P", "input": { "@P": ["@P", 1.5, true],
                    "passport_number": "C01234567", "z": { "card": 4111111111111111_u64, "a": "C01234567" } } },
                { "type": "web_search_tool_result", "tool_use_id": "4111111111111111",
                    "content": [{ "title": "@P", "encrypted_content": sealed }] },
            ] }));
        let want = json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "stop_reason": "stop_sequence", "stop_sequence": VALUE, "usage": { "output_tokens": 3 },
            "container": { VALUE: "[REDACTED]" },
            "content": [
                { "type": "text", "text": format!("to {VALUE}, [REDACTED]"),
                    "citations": [{ "type": "web", "cited_text": VALUE, "encrypted_index": sealed }] },
                { "type": "tool_use", "id": "4111111111111111", "name": format!("f {VALUE}"),
                    "input": { VALUE: [VALUE, 1.5, true], "passport_number": "[REDACTED]",
                        "z": { "card": "[REDACTED]", "a": "C01234567" } } },
                { "type": "web_search_tool_result", "tool_use_id": "4111111111111111",
                    "content": [{ "title": VALUE, "encrypted_content": sealed }] },
            ] });
        assert_eq!(body, want);
        let body = restored(&json!({ "content": [
            { "type": "tool_use", "input": { "a@example.com": 1, "b@example.com": 2 } }] }));
        assert_eq!(body["content"][0]["input"], json!({ "[REDACTED]": 1, "[REDACTED]_2": 2 }));
    }

    /// Signed text returns to the provider as the provider wrote it.
    #[test]
    fn thinking_stays() {
        let (mut answer, made) = answer(Action::Redact);
        let blocks = json!([
            { "type": "thinking", "thinking": format!("{made} eva@example.com"), "signature": "4111 1111 1111 1111" },
            { "type": "redacted_thinking", "data": "eva@example.com" },
        ]);
        let mut body = json!({ "content": blocks.clone() });
        restore_message(&mut body, &mut answer).unwrap();
        assert_eq!(body["content"], blocks);
        assert_eq!(answer.emitted().iter().collect::<Vec<_>>(), [("email", Action::Flag, 1)]);
        assert_eq!(thought(&mut answer, blocks[0]["thinking"].as_str().unwrap()).unwrap(), blocks[0]);
        let mut stream = MessageStream::default();
        for (index, block) in blocks.as_array().unwrap().iter().enumerate() {
            let begun = json!({ "type": "content_block_start", "index": index, "content_block": block });
            let event = SseEvent::data(begun.to_string());
            assert_eq!(stream.push(&mut answer, event.clone()).unwrap(), [event]);
        }
        assert_eq!(answer.restores().restored, 0);
    }

    /// The block that the events of a thought make, each of three letters of it.
    fn thought<R: Rules>(answer: &mut Answer<R>, text: &str) -> Result<Value, ApiError> {
        let delta = |delta: Value| json!({ "type": "content_block_delta", "index": 0, "delta": delta });
        let block = json!({ "type": "thinking", "thinking": "", "signature": "" });
        let mut events = vec![json!({ "type": "content_block_start", "index": 0, "content_block": block })];
        let letters: Vec<char> = text.chars().collect();
        for piece in letters.chunks(3) {
            let piece: String = piece.iter().collect();
            events.push(delta(json!({ "type": "thinking_delta", "thinking": piece })));
        }
        events.push(delta(json!({ "type": "signature_delta", "signature": "4111 1111 1111 1111" })));
        let mut stream = MessageStream::default();
        let (mut thinking, mut signature) = (String::new(), String::new());
        for event in events {
            for event in stream.push(answer, SseEvent::data(event.to_string()))? {
                let event: Value = serde_json::from_str(&event.data).unwrap();
                // the text after the signature is not signed
                if signature.is_empty() {
                    thinking += event["delta"]["thinking"].as_str().unwrap_or_default();
                }
                signature += event["delta"]["signature"].as_str().unwrap_or_default();
            }
        }
        Ok(json!({ "type": "thinking", "thinking": thinking, "signature": signature }))
    }

    /// A policy that blocks a text blocks it in the thinking, too.
    #[test]
    fn thinking_that_a_policy_blocks_is_not_passed_on() {
        for (text, blocked) in [("of 12 eggs, 4111", false), ("of eva@example.com, who", true)] {
            let (mut answer, _) = answer(Action::Block);
            let mut body = json!({ "content": [{ "type": "thinking", "thinking": text, "signature": "s" }] });
            for refused in
                [restore_message(&mut body, &mut answer).map(drop), thought(&mut answer, text).map(drop)]
            {
                let code = refused.map_err(|error| error.code());
                assert_eq!(code, if blocked { Err(crate::error::Code::PolicyViolation) } else { Ok(()) });
            }
        }
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let deep = (0..100).fold(json!("x"), |inner, _| json!([inner]));
        let tool = json!({ "type": "tool_use", "input": deep });
        for body in
            [json!([]), json!({ "content": "x" }), json!({ "content": ["x"] }), json!({ "content": [tool] })]
        {
            let (mut answer, _) = answer(Action::Redact);
            let error = restore_message(&mut body.clone(), &mut answer).unwrap_err();
            assert_eq!(error.code(), crate::error::Code::UpstreamError, "{body}");
        }
        for data in [
            "",
            "[]",
            "secret",
            r#""secret""#,
            r#"{"type": "content_block_start", "content_block": {"type": "text", "text": "secret"}}"#,
            r#"{"type": "content_block_start", "index": 0, "content_block": "secret"}"#,
            r#"{"type": "content_block_delta", "delta": {"type": "text_delta", "text": "secret"}}"#,
            r#"{"type": "content_block_delta", "index": "secret", "delta": {"type": "text_delta", "text": ""}}"#,
            r#"{"type": "content_block_delta", "index": 0, "delta": "secret"}"#,
            r#"{"type": "content_block_stop"}"#,
            r#"{"type": "message_start", "message": "secret"}"#,
        ] {
            let (mut answer, _) = answer(Action::Redact);
            let error = MessageStream::default().push(&mut answer, SseEvent::data(data)).unwrap_err();
            assert_eq!(error.code(), crate::error::Code::UpstreamError, "{data}");
            assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        }
    }

    /// Each event as `name|data`, with `@P` for the placeholder and `@V` for its value.
    fn streamed(events: &[(&str, Value)]) -> Vec<(String, Value)> {
        let (mut answer, made) = answer(Action::Redact);
        let mut stream = MessageStream::default();
        let mut out = Vec::new();
        for (name, data) in events {
            let data = data.to_string().replace("@P", &made);
            let event = SseEvent { name: Some((*name).to_owned()), data, id: None };
            out.extend(stream.push(&mut answer, event).unwrap());
        }
        out.extend(stream.finish(&mut answer).unwrap());
        out.into_iter()
            .map(|event| (event.name.unwrap(), serde_json::from_str(&event.data).unwrap()))
            .collect()
    }

    fn delta(index: u64, delta: Value) -> (&'static str, Value) {
        ("content_block_delta", json!({ "type": "content_block_delta", "index": index, "delta": delta }))
    }

    fn text(index: u64, text: &str) -> (&'static str, Value) {
        delta(index, json!({ "type": "text_delta", "text": text }))
    }

    fn stop(index: u64) -> (&'static str, Value) {
        ("content_block_stop", json!({ "type": "content_block_stop", "index": index }))
    }

    #[track_caller]
    fn assert_streamed(events: &[(&str, Value)], want: &[(&str, Value)]) {
        let want: Vec<_> = want.iter().map(|(name, data)| ((*name).to_owned(), data.clone())).collect();
        assert_eq!(streamed(events), want);
    }

    #[test]
    fn what_is_held_leaves_before_the_block_ends() {
        let begins = |text: &str| {
            (
                "content_block_start",
                json!({ "type": "content_block_start", "index": 0,
                "content_block": { "type": "text", "text": text } }),
            )
        };
        assert_streamed(
            &[begins("to [[PER"), text(0, "x "), text(1, "words and more"), text(1, "@P,"), stop(0), stop(1)],
            &[
                begins("to "),
                text(0, ""),
                text(1, "words and "),
                text(1, &format!("more{VALUE}")),
                text(0, "[[PERx "),
                stop(0),
                text(1, ","),
                stop(1),
            ],
        );
        let last = ("message_stop", json!({ "type": "message_stop" }));
        // without an end, with one that comes twice, and after the end
        assert_streamed(&[text(0, "more")], &[text(0, ""), text(0, "more")]);
        assert_streamed(&[text(0, "more"), last.clone()], &[text(0, ""), text(0, "more"), last]);
        assert_streamed(&[text(0, "more"), begins("")], &[text(0, ""), text(0, "more"), begins("")]);
        assert_streamed(
            &[text(0, "[[PER"), stop(0), text(0, "SON"), stop(0)],
            &[text(0, ""), text(0, "[[PER"), stop(0), text(0, ""), text(0, "SON"), stop(0)],
        );
    }

    #[test]
    fn other_events() {
        let cited = |text: &str| {
            delta(0, json!({ "type": "citations_delta", "citation": { "type": "web", "cited_text": text } }))
        };
        let ended = |text: &str| {
            (
                "message_delta",
                json!({ "type": "message_delta", "usage": { "output_tokens": 4 },
                "delta": { "stop_reason": "stop_sequence", "stop_sequence": text } }),
            )
        };
        let started = |text: &str| {
            (
                "message_start",
                json!({ "type": "message_start", "message": { "id": "4111111111111111",
                "type": "message", "role": "assistant", "model": "m", "new": text, "content": [] } }),
            )
        };
        let other = |text: &str| ("other", json!({ "type": "other", "new": { text: [text] } }));
        let tool = |text: &str| {
            (
                "content_block_start",
                json!({ "type": "content_block_start", "index": 1,
                "content_block": { "type": "tool_use", "id": "t", "name": text, "input": {} } }),
            )
        };
        let ping = ("ping", json!({ "type": "ping" }));
        for event in [cited, ended, started, other, tool] as [fn(&str) -> (&'static str, Value); 5] {
            assert_streamed(&[event("@P")], &[event(VALUE)]);
            assert_streamed(&[event("eva@example.com")], &[event("[REDACTED]")]);
        }
        assert_streamed(std::slice::from_ref(&ping), std::slice::from_ref(&ping));
        // a text of a kind that is not known goes on, too
        let new = |text: &str| delta(0, json!({ "type": "new_delta", "new": text, "deep": [text] }));
        let rest = |text: &str| delta(0, json!({ "type": "new_delta", "new": text }));
        assert_streamed(
            &[new("eva@exam"), rest("ple.com"), stop(0)],
            &[
                delta(0, json!({ "type": "new_delta", "new": "", "deep": ["eva@exam"] })),
                rest(""),
                rest("[REDACTED]"),
                stop(0),
            ],
        );
        // without its type the name says what an event is
        let mut nameless = text(0, "eva@exam");
        nameless.1.as_object_mut().unwrap().remove("type");
        let want = json!({ "index": 0, "delta": { "type": "text_delta", "text": "" } });
        assert_streamed(
            &[nameless, text(0, "ple.com"), stop(0)],
            &[("content_block_delta", want), text(0, ""), text(0, "[REDACTED]"), stop(0)],
        );
    }

    #[test]
    fn a_blocked_text_ends_the_stream() {
        let (mut answer, _) = answer(Action::Block);
        let mut stream = MessageStream::default();
        let event = |(_, data): (&str, Value)| SseEvent::data(data.to_string());
        stream.push(&mut answer, event(text(0, "a secret, eva@exam"))).unwrap();
        assert_eq!(format!("{stream:?}"), "MessageStream(Fields(1 texts))");
        stream.push(&mut answer, event(text(0, "ple.com"))).unwrap();
        let error = stream.push(&mut answer, event(stop(0))).unwrap_err();
        assert_eq!(error.code(), crate::error::Code::PolicyViolation);
    }

    /// The message that a client makes of the events.
    fn joined(events: &[(String, Value)]) -> Value {
        let mut message = Value::Null;
        let mut json = std::collections::BTreeMap::<u64, String>::new();
        for (name, data) in events {
            assert_eq!(data["type"], name.as_str());
            let at = data["index"].as_u64().unwrap_or_default();
            let place = at as usize;
            let more = |value: &mut Value, text: &Value| {
                *value = format!("{}{}", value.as_str().unwrap(), text.as_str().unwrap()).into();
            };
            match (name.as_str(), data["delta"]["type"].as_str()) {
                ("message_start", _) => message = data["message"].clone(),
                ("content_block_start", _) => {
                    message["content"].as_array_mut().unwrap().push(data["content_block"].clone());
                }
                (_, Some("text_delta")) => {
                    more(&mut message["content"][place]["text"], &data["delta"]["text"])
                }
                (_, Some("thinking_delta")) => {
                    more(&mut message["content"][place]["thinking"], &data["delta"]["thinking"]);
                }
                (_, Some("input_json_delta")) => {
                    json.entry(at).or_default().push_str(data["delta"]["partial_json"].as_str().unwrap());
                }
                ("content_block_stop", _) => {
                    if let Some(json) = json.remove(&at) {
                        message["content"][place]["input"] = serde_json::from_str(&json).unwrap();
                    }
                }
                other => panic!("{other:?}"),
            }
        }
        message
    }

    fn started() -> (String, Value) {
        let message = json!({ "type": "message", "role": "assistant", "content": [] });
        ("message_start".to_owned(), json!({ "type": "message_start", "message": message }))
    }

    /// Returns the start of a block, and the function that makes the delta of a piece.
    fn block_of(kind: usize, index: usize) -> (Value, fn(&str) -> Value) {
        let (block, delta): (Value, fn(&str) -> Value) = match kind {
            0 => {
                (json!({ "type": "text", "text": "" }), |text| json!({ "type": "text_delta", "text": text }))
            }
            1 => (
                json!({ "type": "thinking", "thinking": "" }),
                |text| json!({ "type": "thinking_delta", "thinking": text }),
            ),
            _ => (
                json!({ "type": "tool_use", "id": "t", "name": "f", "input": {} }),
                |json| json!({ "type": "input_json_delta", "partial_json": json }),
            ),
        };
        (json!({ "type": "content_block_start", "index": index, "content_block": block }), delta)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn joined_it_is_the_whole(
            blocks in prop::collection::vec(
                (0..3_usize, prop::collection::vec(0..PARTS.len(), 0..4),
                    prop::collection::vec(any::<prop::sample::Index>(), 0..8)),
                1..4,
            ),
            order in prop::collection::vec(any::<prop::sample::Index>(), 40),
        ) {
            let mut events = vec![started()];
            let mut waiting = Vec::new();
            for (index, (kind, parts, cuts)) in blocks.iter().enumerate() {
                let (start, delta) = block_of(*kind, index);
                events.push(("content_block_start".to_owned(), start));
                let texts: Vec<String> = parts.iter().map(|part| with_placeholder(PARTS[*part])).collect();
                let whole = match kind {
                    2 => json!({ "n": 1.5, "passport_number": "C01234567", "texts": texts }).to_string(),
                    _ => texts.concat(),
                };
                let pieces = cut(&whole, cuts).into_iter().map(|piece| json!({ "type": "content_block_delta",
                    "index": index, "delta": delta(&piece) }));
                let ends = json!({ "type": "content_block_stop", "index": index });
                waiting.push(pieces.chain([ends]).collect::<std::collections::VecDeque<_>>());
            }
            let mut order = order.into_iter().cycle();
            while !waiting.is_empty() {
                let next = order.next().unwrap().index(waiting.len());
                match waiting[next].pop_front() {
                    Some(data) => events.push((data["type"].as_str().unwrap().to_owned(), data)),
                    None => drop(waiting.remove(next)),
                }
            }
            for action in [Action::Redact, Action::Mask] {
                let (mut answer, _) = answer(action);
                let mut whole = joined(&events);
                restore_message(&mut whole, &mut answer).unwrap();
                let (mut answer, _) = self::answer(action);
                let mut stream = MessageStream::default();
                let mut out = Vec::new();
                for (name, data) in &events {
                    let event = SseEvent { name: Some(name.clone()), data: data.to_string(), id: None };
                    let given = stream.push(&mut answer, event).unwrap();
                    prop_assert!(given.len() == 1 || name == "content_block_stop");
                    out.extend(given.into_iter().map(|event| {
                        (event.name.unwrap(), serde_json::from_str(&event.data).unwrap())
                    }));
                }
                prop_assert!(stream.finish(&mut answer).unwrap().is_empty());
                prop_assert_eq!(joined(&out), whole);
            }
        }
    }
}
