//! Protects and restores every text of every choice of a chat completion that arrives as chunks.
//!
//! Each joined text equals the result of [`restore_answer`](super::restore_answer) for the whole text,
//! however the model's text is cut into chunks. Text held back of a choice is sent with the chunk that
//! finishes it.

use std::{collections::BTreeMap, fmt};

use serde_json::{Map, Value, json};

use super::answer::{is_in_parts, is_of_the_api, is_said, message, said};
use crate::{
    chat::{
        events::SseEvent,
        fields::{self, EndedText, Fields, Tools},
        protect::Rules,
        stream::Answer,
        text::{self, Form},
    },
    error::ApiError,
};

/// The key of a list of annotations, beside that of its text.
const ANNOTATIONS: &str = "annotations";

/// A chat completion as it is streamed, or a completion of the older kind, with `text`.
///
/// - Each string of a `delta` is a text that continues in the next chunk of its choice; so are `text` in the
///   parts of a `content`, and the arguments of each tool call, which stay JSON. A tool's name, and deeper
///   strings under unknown keys, are complete in one chunk.
/// - Each incoming chunk yields one, even if all of its text is held back.
/// - `logprobs` become null: tokens contain the text before it was changed.
/// - A choice that continues after it was finished begins new texts.
#[derive(Default)]
pub struct CompletionStream {
    fields: Fields<ChunkPath>,
    tools: Tools<ChunkPath>,
    /// The members around the choices of a chunk, for each choice with an open text.
    shells: BTreeMap<u64, Map<String, Value>>,
    /// Whether each choice that has begun is finished.
    choices: BTreeMap<u64, bool>,
}

/// The key of a text to which several chunks add.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ChunkPath {
    choice: u64,
    /// The path from the choice.
    path: Vec<ChunkStep>,
}

/// One step of a path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ChunkStep {
    /// A member of an object.
    Key(String),
    /// The tool call with this index in a list.
    Call(u64),
    /// A part in a list, identified by its own fields.
    Part { index: Option<u64>, kind: Option<String> },
}

impl CompletionStream {
    /// Handles the next event and returns those for the client.
    ///
    /// An event with an `error`, and `[DONE]`, must be handled by the caller.
    ///
    /// # Errors
    /// `policy_violation` if a policy blocks; `upstream_error` if the event is not a chunk of a completion,
    /// or too many texts are open at once. The rest of the stream must not be sent then.
    pub fn push<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        event: SseEvent,
    ) -> Result<Vec<SseEvent>, ApiError> {
        let mut chunk = fields::object(&event)?;
        let shell = shell(&chunk);
        let mut out = Vec::new();
        for (key, value) in chunk.iter_mut() {
            match key.as_str() {
                "choices" => {
                    let mut position = 0..;
                    text::each(value, |choice| {
                        let position = position.next().unwrap_or_default();
                        let rests = self.choice(answer, choice, position, &shell)?;
                        out.extend(rests.into_iter().map(|rest| chunk_of(&shell, rest)));
                        Ok(())
                    })?;
                }
                key if is_of_the_api(key) => {}
                _ => text::texts(value, answer, 1)?,
            }
        }
        out.push(event.with(chunk));
        Ok(out)
    }

    /// Whether a choice has begun, and all choices that have are finished.
    pub fn is_finished(&self) -> bool {
        !self.choices.is_empty() && self.choices.values().all(|finished| *finished)
    }

    /// Returns the text still held, one chunk for each unfinished choice, without `[DONE]`.
    ///
    /// # Errors
    /// As [`CompletionStream::push`].
    pub fn finish<R: Rules>(&mut self, answer: &mut Answer<R>) -> Result<Vec<SseEvent>, ApiError> {
        let mut out = Vec::new();
        for (index, shell) in std::mem::take(&mut self.shells) {
            let rests = self.rests(answer, index)?;
            out.extend(join(index, rests).into_iter().map(|choice| chunk_of(&shell, choice)));
        }
        Ok(out)
    }

    /// Protects and restores a choice.
    ///
    /// The choice that is finished receives the text held back; text without a position in it is returned in
    /// separate choices.
    fn choice<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        choice: &mut Value,
        position: u64,
        shell: &Map<String, Value>,
    ) -> Result<Vec<Value>, ApiError> {
        let Value::Object(members) = choice else { return Err(text::other_form()) };
        let index = fields::index(members)?.unwrap_or(position);
        let finished = is_finished(members);
        *self.choices.entry(index).or_default() |= finished;
        let place = ChunkPath { choice: index, path: Vec::new() };
        ChunkWalk { fields: &mut self.fields, tools: &mut self.tools, answer, place }
            .choice(members, finished)?;
        if finished {
            self.shells.remove(&index);
            let rests = self.rests(answer, index)?;
            let left = rests
                .into_iter()
                .filter_map(|(path, rest)| put(choice, &path, rest).map(|rest| (path, rest)));
            return Ok(join(index, left));
        }
        if self.fields.any(|place| place.choice == index) {
            self.shells.insert(index, shell.clone());
        }
        Ok(Vec::new())
    }

    /// Returns the texts held back of a choice, and the lists of annotations, each with its path.
    fn rests<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        choice: u64,
    ) -> Result<Vec<(Vec<ChunkStep>, Value)>, ApiError> {
        let mut rests = Vec::new();
        for EndedText { place, rest, annotations } in
            self.fields.finish(answer, |place| place.choice == choice)?
        {
            let mut beside = place.path.clone();
            beside.pop();
            beside.push(ChunkStep::Key(ANNOTATIONS.to_owned()));
            rests.extend((!rest.is_empty()).then(|| (place.path, rest.into())));
            rests.extend((!annotations.is_empty()).then(|| (beside, annotations.into())));
        }
        Ok(rests)
    }
}

/// Omits the texts; shows their number only.
impl fmt::Debug for CompletionStream {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "CompletionStream({:?})", self.fields)
    }
}

/// Returns the members that every chunk of a completion repeats.
fn shell(chunk: &Map<String, Value>) -> Map<String, Value> {
    let same = |key: &str| is_of_the_api(key) && !matches!(key, "usage" | "obfuscation");
    chunk.iter().filter(|(key, _)| same(key)).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Returns a chunk with this choice.
fn chunk_of(shell: &Map<String, Value>, choice: Value) -> SseEvent {
    let mut chunk = shell.clone();
    chunk.insert("choices".to_owned(), json!([choice]));
    SseEvent::default().with(chunk)
}

/// Whether a choice is finished; some providers send an empty reason before.
fn is_finished(choice: &Map<String, Value>) -> bool {
    choice.get("finish_reason").and_then(Value::as_str).is_some_and(|reason| !reason.is_empty())
}

/// Returns the fewest choices that can contain these texts and lists.
fn join(index: u64, rests: impl IntoIterator<Item = (Vec<ChunkStep>, Value)>) -> Vec<Value> {
    let mut choices = Vec::new();
    for (path, rest) in rests {
        let left = match choices.last_mut() {
            Some(choice) => put(choice, &path, rest),
            None => Some(rest),
        };
        if let Some(rest) = left {
            let mut choice = made(&path, rest);
            if let Value::Object(members) = &mut choice {
                members.insert("index".to_owned(), index.into());
                members.insert("finish_reason".to_owned(), Value::Null);
            }
            choices.push(choice);
        }
    }
    choices
}

/// Appends a text or a list to the one at its path. Returns it if the value there has another form: a `content`
/// can be a string in one chunk and a list of parts in the next.
fn put(value: &mut Value, path: &[ChunkStep], rest: Value) -> Option<Value> {
    match (value, path.split_first()) {
        (value @ Value::Null, _) => *value = made(path, rest),
        (Value::String(said), None) if rest.is_string() => said.push_str(rest.as_str().unwrap_or_default()),
        (Value::Array(list), None) if rest.is_array() => {
            list.extend(rest.as_array().cloned().unwrap_or_default())
        }
        (Value::Object(members), Some((ChunkStep::Key(key), path))) => {
            return put(members.entry(key.clone()).or_insert(Value::Null), path, rest);
        }
        (Value::Array(items), Some((step @ (ChunkStep::Call(_) | ChunkStep::Part { .. }), path))) => {
            let there = (0..).zip(items.iter_mut()).filter(|(position, item)| step.is_to(item, *position));
            match there.last() {
                Some((_, item)) => return put(item, path, rest),
                None => items.push(item_of(step, path, rest)),
            }
        }
        _ => return Some(rest),
    }
    None
}

/// Returns a value that contains only this text or list, at its path.
fn made(path: &[ChunkStep], rest: Value) -> Value {
    match path.split_first() {
        None => rest,
        Some((ChunkStep::Key(key), path)) => Map::from_iter([(key.clone(), made(path, rest))]).into(),
        Some((step, path)) => Value::Array(vec![item_of(step, path, rest)]),
    }
}

/// Returns an item of a list that contains only this text or list, with its identification.
fn item_of(step: &ChunkStep, path: &[ChunkStep], rest: Value) -> Value {
    let mut item = made(path, rest);
    let (index, kind) = match step {
        ChunkStep::Key(_) => (None, None),
        ChunkStep::Call(index) => (Some(*index), None),
        ChunkStep::Part { index, kind } => (*index, kind.clone()),
    };
    if let Value::Object(members) = &mut item {
        members.extend(index.map(|index| ("index".to_owned(), index.into())));
        members.extend(kind.map(|kind| ("type".to_owned(), kind.into())));
    }
    item
}

impl ChunkStep {
    /// Returns the step to a tool call. A call without an index is identified by its position.
    fn call(call: &Map<String, Value>, position: u64) -> Result<Self, ApiError> {
        Ok(Self::Call(fields::index(call)?.unwrap_or(position)))
    }

    /// Returns the step to a part, whose position is not fixed: a chunk has only the parts that continue.
    fn part(part: &Map<String, Value>) -> Result<Self, ApiError> {
        let kind = part.get("type").and_then(Value::as_str).map(str::to_owned);
        Ok(Self::Part { index: fields::index(part)?, kind })
    }

    /// Whether the step leads to this item of a list.
    fn is_to(&self, item: &Value, position: u64) -> bool {
        let Value::Object(members) = item else { return false };
        let step = match self {
            Self::Key(_) => return false,
            Self::Call(_) => Self::call(members, position),
            Self::Part { .. } => Self::part(members),
        };
        step.is_ok_and(|step| step == *self)
    }
}

/// Visits a choice of one chunk.
struct ChunkWalk<'s, R> {
    fields: &'s mut Fields<ChunkPath>,
    tools: &'s mut Tools<ChunkPath>,
    answer: &'s mut Answer<R>,
    /// The current path.
    place: ChunkPath,
}

type Restored = Result<(), ApiError>;

impl<R: Rules> ChunkWalk<'_, R> {
    fn choice(&mut self, members: &mut Map<String, Value>, finished: bool) -> Restored {
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "index" | "finish_reason" => {}
                "logprobs" => *value = Value::Null,
                "delta" => self.below(ChunkStep::Key(key.clone()), |walk| walk.delta(value))?,
                "text" => self.below(ChunkStep::Key(key.clone()), |walk| walk.piece(value, walk.text()))?,
                "message" if finished => {
                    let choice = self.place.choice;
                    self.answer.for_reader("message", |answer| message(value, answer, choice)).map(drop)?;
                }
                // some providers repeat the whole text so far, which may end within a placeholder
                "message" => *value = Value::Null,
                _ => text::texts(value, self.answer, 1)?,
            }
        }
        Ok(())
    }

    fn delta(&mut self, delta: &mut Value) -> Restored {
        for (key, value) in members(delta)? {
            self.below(ChunkStep::Key(key.clone()), |walk| match key.as_str() {
                key if text::is_mark(key) => Ok(()),
                "tool_calls" => walk.calls(value),
                "function_call" => walk.function(value),
                key if is_in_parts(key) => walk.parts(value),
                _ => walk.piece(value, walk.text()),
            })?;
        }
        match delta.get_mut(ANNOTATIONS) {
            Some(annotations) => self.annotate("content", annotations),
            None => Ok(()),
        }
    }

    /// Keeps annotations of the text below the current path until it ends.
    fn annotate(&mut self, text: &str, annotations: &mut Value) -> Restored {
        let Value::Array(list) = annotations else { return Ok(()) };
        self.below(ChunkStep::Key(text.to_owned()), |walk| {
            for annotation in std::mem::take(list) {
                list.extend(walk.fields.annotate(&walk.place, annotation)?);
            }
            Ok(())
        })
    }

    fn calls(&mut self, calls: &mut Value) -> Restored {
        let mut position = 0..;
        text::each(calls, |call| {
            let position = position.next().unwrap_or_default();
            let Value::Object(members) = call else { return Err(text::other_form()) };
            self.below(ChunkStep::call(members, position)?, |walk| walk.call(members))
        })
    }

    fn call(&mut self, call: &mut Map<String, Value>) -> Restored {
        for (key, value) in call {
            match key.as_str() {
                key if text::is_mark(key) => {}
                "function" | "custom" => {
                    self.below(ChunkStep::Key(key.clone()), |walk| walk.function(value))?;
                }
                _ => text::texts(value, self.answer, 1)?,
            }
        }
        Ok(())
    }

    fn function(&mut self, function: &mut Value) -> Restored {
        self.tools.name(&self.place, function)?;
        for (key, value) in members(function)? {
            match key.as_str() {
                "arguments" | "input" => {
                    let form = self.tools.form(&self.place);
                    self.below(ChunkStep::Key(key.clone()), |walk| walk.piece(value, form))?;
                }
                _ => text::texts(value, self.answer, 1)?,
            }
        }
        Ok(())
    }

    /// Visits a text, a part that has one, or a list of parts.
    fn parts(&mut self, value: &mut Value) -> Restored {
        match value {
            Value::Array(parts) => parts.iter_mut().try_for_each(|part| match part {
                Value::Object(members) => self.below(ChunkStep::part(members)?, |walk| walk.part(members)),
                other => text::texts(other, self.answer, 1),
            }),
            Value::Object(members) => self.part(members),
            other => self.piece(other, self.text()),
        }
    }

    fn part(&mut self, part: &mut Map<String, Value>) -> Restored {
        for (key, value) in part.iter_mut() {
            match key.as_str() {
                key if text::is_mark(key) || text::is_sealed(key, value) => {}
                key if is_said(key) => {
                    self.below(ChunkStep::Key(key.to_owned()), |walk| walk.parts(value))?;
                }
                _ => text::texts(value, self.answer, 1)?,
            }
        }
        match part.get_mut(ANNOTATIONS) {
            Some(annotations) => self.annotate("text", annotations),
            None => Ok(()),
        }
    }

    /// The form of a text at the current path.
    fn text(&self) -> Form {
        let key = self.place.path.iter().find_map(|step| match step {
            ChunkStep::Key(key) if key != "delta" => Some(key.as_str()),
            _ => None,
        });
        said(self.place.choice, key.unwrap_or_default())
    }

    /// Adds to the text at the current path.
    fn piece(&mut self, value: &mut Value, form: Form) -> Restored {
        let Value::String(piece) = value else { return text::texts(value, self.answer, 1) };
        *piece = self.fields.push(self.answer, self.place.clone(), form, piece)?;
        Ok(())
    }

    fn below(&mut self, step: ChunkStep, walk: impl FnOnce(&mut Self) -> Restored) -> Restored {
        self.place.path.push(step);
        walk(self)?;
        self.place.path.pop();
        Ok(())
    }
}

/// Returns the members of an object, which may be absent.
fn members(value: &mut Value) -> Result<impl Iterator<Item = (&String, &mut Value)>, ApiError> {
    match value {
        Value::Object(members) => Ok(Some(members).into_iter().flatten()),
        Value::Null => Ok(None.into_iter().flatten()),
        _ => Err(text::other_form()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;
    use textveil_engine::Action;

    use super::*;
    use crate::chat::{
        fields::tests::{PARTS, cut, with_placeholder},
        openai::restore_answer,
        text::tests::{VALUE, answer, citation, cited_text},
    };

    fn chunk(choices: Value) -> Value {
        json!({ "id": "c1", "object": "chat.completion.chunk", "created": 7, "model": "m", "choices": choices })
    }

    fn content(text: &str) -> Value {
        chunk(json!([{ "index": 0, "delta": { "content": text }, "finish_reason": null }]))
    }

    fn finish(delta: Value) -> Value {
        chunk(json!([{ "index": 0, "delta": delta, "finish_reason": "stop" }]))
    }

    /// Returns the output of a stream for each chunk, and at its end; `@P` stands for the placeholder of the request.
    fn streamed(chunks: &[Value]) -> Vec<Vec<Value>> {
        let (mut answer, made) = answer(Action::Redact);
        let mut stream = CompletionStream::default();
        let mut out = Vec::new();
        for chunk in chunks {
            let event = SseEvent::data(chunk.to_string().replace("@P", &made));
            out.push(stream.push(&mut answer, event).unwrap());
        }
        out.push(stream.finish(&mut answer).unwrap());
        let values = |events: Vec<SseEvent>| {
            events.iter().map(|event| serde_json::from_str(&event.data).unwrap()).collect()
        };
        out.into_iter().map(values).collect()
    }

    #[track_caller]
    fn assert_streamed(chunks: &[Value], want: &[&[Value]]) {
        assert_eq!(streamed(chunks), want);
    }

    /// Annotations have the positions of the whole answer, at any cut of the text.
    #[test]
    fn annotations_follow_their_text() {
        let (sent, received) = cited_text();
        let delta = |delta: Value| chunk(json!([{ "index": 0, "delta": delta, "finish_reason": null }]));
        for (at, _) in sent.char_indices() {
            let (first, second) = sent.split_at(at);
            for last in [finish(json!({})), finish(Value::Null), chunk(json!([]))] {
                let annotations = delta(json!({ "annotations": [{ "url_citation": citation(&sent) }] }));
                let out = streamed(&[content(first), content(second), annotations, last]);
                let deltas: Vec<_> =
                    out.iter().flatten().filter_map(|chunk| chunk.pointer("/choices/0/delta")).collect();
                let text: String = deltas.iter().filter_map(|delta| delta["content"].as_str()).collect();
                assert_eq!(text, received);
                let annotations = deltas.iter().filter_map(|delta| delta["annotations"].as_array());
                assert_eq!(
                    json!(annotations.flatten().collect::<Vec<_>>()),
                    json!([{ "url_citation": citation(&received) }]),
                    "{at}"
                );
            }
        }
    }

    #[test]
    fn what_is_held_leaves_with_the_finish() {
        let role = chunk(json!([{ "index": 0, "delta": { "role": "assistant", "content": "" } }]));
        for last in [json!({}), json!({ "content": null }), json!({ "content": "" }), Value::Null] {
            assert_streamed(
                &[role.clone(), content("to @P,"), content("[[PER"), content("x and more"), finish(last)],
                &[
                    std::slice::from_ref(&role),
                    &[content(&format!("to {VALUE}"))],
                    &[content("")],
                    &[content("")],
                    &[finish(json!({ "content": ",[[PERx and more" }))],
                    &[],
                ],
            );
        }
        assert_streamed(
            &[content("one"), finish(json!({ "content": " two" }))],
            &[&[content("")], &[finish(json!({ "content": "one two" }))], &[]],
        );
        // held text of a call goes to that call, or to a call of its own
        let calls = |calls: &[(u64, &str)]| {
            let call =
                |(index, json): &(u64, &str)| json!({ "index": index, "function": { "arguments": json } });
            json!({ "tool_calls": calls.iter().map(call).collect::<Vec<_>>() })
        };
        let first = chunk(json!([{ "index": 0, "delta": calls(&[(1, "[1"), (2, "[7")]) }]));
        let held = chunk(json!([{ "index": 0, "delta": calls(&[(1, ""), (2, "")]) }]));
        assert_streamed(
            &[first, finish(calls(&[(0, "{}"), (1, "2")]))],
            &[&[held], &[finish(calls(&[(0, "{}"), (1, "[12"), (2, "[7")]))], &[]],
        );
        // the reason is still null
        let mut empty = content("one");
        empty["choices"][0]["finish_reason"] = "".into();
        let mut held = empty.clone();
        held["choices"][0]["delta"]["content"] = "".into();
        assert_streamed(&[empty], &[&[held], &[content("one")]]);
        // after the finish texts begin anew
        let finished = finish(json!({ "content": "[[PER" }));
        assert_streamed(
            &[finished.clone(), content("SON")],
            &[&[finished], &[content("")], &[content("SON")]],
        );
    }

    #[test]
    fn what_is_held_leaves_at_the_end() {
        let call = |arguments: &str| json!([{ "index": 1, "function": { "arguments": arguments } }]);
        let first = json!({ "index": 0, "delta": { "content": "one", "refusal": "two", "tool_calls": call("{\"a\": 1") } });
        let legacy = json!({ "index": 1, "text": "three" });
        let held =
            json!({ "index": 0, "delta": { "content": "", "refusal": "", "tool_calls": call("{\"a\": ") } });
        let rest = json!({ "index": 0, "finish_reason": null,
            "delta": { "content": "one", "refusal": "two", "tool_calls": call("1") } });
        assert_streamed(
            &[chunk(json!([first, legacy]))],
            &[
                &[chunk(json!([held, { "index": 1, "text": "" }]))],
                &[
                    chunk(json!([rest])),
                    chunk(json!([{ "index": 1, "text": "three", "finish_reason": null }])),
                ],
            ],
        );
        // the chunk is that of the choice, in its last form
        let mut other = content("y");
        other["model"] = "n".into();
        other["usage"] = json!({ "total_tokens": 1 });
        let mut last = content("xy");
        last["model"] = "n".into();
        assert_eq!(streamed(&[content("x"), other]).pop().unwrap(), [last]);
    }

    #[test]
    fn choices_and_calls_are_told_apart() {
        let calls = |first: &str, second: &str| json!([{ "function": { "arguments": first } }, { "custom": { "input": second } }]);
        let event = |one: &str, two: &str| {
            chunk(
                json!([{ "delta": { "content": one } }, { "delta": { "content": two, "tool_calls": calls(two, one) } }]),
            )
        };
        let (first, second) = (event("eva@exam", "because"), event("ple.com", " you"));
        let out = streamed(&[first, second]).pop().unwrap();
        let contents: Vec<_> = out.iter().map(|chunk| chunk["choices"][0]["delta"].clone()).collect();
        let calls = json!([{ "index": 0, "function": { "arguments": "you" } },
            { "index": 1, "custom": { "input": "[REDACTED]" } }]);
        assert_eq!(
            contents,
            [json!({ "content": "[REDACTED]" }), json!({ "content": "you", "tool_calls": calls })]
        );
    }

    /// Texts in parts, as Mistral and OpenRouter write reasoning.
    #[test]
    fn parts_go_on() {
        let thinks =
            |text: &str| json!([{ "type": "thinking", "thinking": [{ "type": "text", "text": text }] }]);
        let details = |text: &str| json!([{ "type": "reasoning.text", "index": 2, "text": text, "signature": "EqQBCgIYAhIM1gbcDa9GJwZA2b3h" }]);
        let event = |delta: Value| chunk(json!([{ "index": 0, "delta": delta, "finish_reason": null }]));
        let thought =
            |text: &str| event(json!({ "content": thinks(text), "reasoning_details": details(text) }));
        let mut rest = details("[REDACTED]");
        rest[0].as_object_mut().unwrap().remove("signature");
        assert_streamed(
            &[thought("eva@exam"), thought("ple.com"), content("said"), finish(json!({ "content": "" }))],
            &[
                &[thought("")],
                &[thought("")],
                &[content("")],
                // a list has no place where a string is
                &[
                    event(json!({ "content": thinks("[REDACTED]") })),
                    finish(json!({ "content": "said", "reasoning_details": rest })),
                ],
                &[],
            ],
        );
        let audio = |text: &str| event(json!({ "audio": { "id": "4111111111111111", "transcript": text } }));
        let mut last = audio("[REDACTED]");
        last["choices"][0]["delta"]["audio"].as_object_mut().unwrap().remove("id");
        assert_eq!(
            streamed(&[audio("eva@exam"), audio("ple.com")]),
            [vec![audio("")], vec![audio("")], vec![last]]
        );
    }

    #[test]
    fn everything_else() {
        let event = |text: &str, name: &str| {
            json!({ "id": "4111111111111111", "object": "chat.completion.chunk", "model": "4111111111111111",
                "usage": { "total_tokens": 1 }, "obfuscation": "4111111111111111", "new": { text: [text] },
                "choices": [{ "index": 0, "new": [text], "delta": { "role": "assistant", "id": "4111111111111111",
                    "new": { text: 1 }, "function_call": { "name": name },
                    "tool_calls": [{ "index": 0, "id": "4111111111111111", "type": "function", "new": text,
                        "function": { "name": name } }] } }] })
        };
        assert_streamed(&[event("@P", "f @P")], &[&[event(VALUE, &format!("f {VALUE}"))], &[]]);
        assert_streamed(&[event("eva@example.com", "f")], &[&[event("[REDACTED]", "f")], &[]]);
        let usage = json!({ "choices": [], "usage": { "total_tokens": 1 } });
        assert_streamed(std::slice::from_ref(&usage), &[std::slice::from_ref(&usage), &[]]);
        let tokens =
            |logprobs: Value, text: &str| chunk(json!([{ "index": 0, "logprobs": logprobs, "text": text }]));
        let logprobs = json!({ "content": [{ "token": "secret" }] });
        assert_streamed(
            &[tokens(logprobs, "a b")],
            &[
                &[tokens(Value::Null, "a ")],
                &[chunk(json!([{ "index": 0, "text": "b", "finish_reason": null }]))],
            ],
        );
        // all that was said so far
        let said = |message: Value, reason: Value| {
            chunk(json!([{ "index": 0, "message": message, "finish_reason": reason }]))
        };
        assert_streamed(
            &[
                said(json!({ "content": "eva@exam" }), Value::Null),
                said(json!({ "content": "@P" }), "stop".into()),
            ],
            &[&[said(Value::Null, Value::Null)], &[said(json!({ "content": VALUE }), "stop".into())], &[]],
        );
        let (mut answer, _) = answer(Action::Redact);
        let event =
            SseEvent { name: Some("n".into()), data: r#"{"choices":null}"#.into(), id: Some("7".into()) };
        assert_eq!(CompletionStream::default().push(&mut answer, event.clone()).unwrap(), [event]);
    }

    #[test]
    fn what_is_no_chunk_is_refused() {
        for data in [
            "",
            "[DONE]",
            "[]",
            "secret",
            r#""secret""#,
            r#"{"choices": "secret"}"#,
            r#"{"choices": {"secret": 1}}"#,
            r#"{"choices": ["secret"]}"#,
            r#"{"choices": [{"delta": "secret"}]}"#,
            r#"{"choices": [{"index": "secret", "delta": {}}]}"#,
            r#"{"choices": [{"index": -1, "delta": {}}]}"#,
            r#"{"choices": [{"delta": {"tool_calls": "secret"}}]}"#,
            r#"{"choices": [{"delta": {"tool_calls": ["secret"]}}]}"#,
            r#"{"choices": [{"delta": {"tool_calls": [{"function": "secret"}]}}]}"#,
            r#"{"choices": [{"delta": {"tool_calls": [{"index": "secret"}]}}]}"#,
            r#"{"choices": [{"delta": {"content": [{"index": "secret"}]}}]}"#,
        ] {
            let (mut answer, _) = answer(Action::Redact);
            let error = CompletionStream::default().push(&mut answer, SseEvent::data(data)).unwrap_err();
            assert_eq!(error.code(), crate::error::Code::UpstreamError, "{data}");
            assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        }
    }

    /// The text that a client has of the first choice, of these pieces of it.
    fn said(said: fn(&str) -> Value, pieces: &[&str]) -> Value {
        let (mut answer, _) = answer(Action::Redact);
        let mut stream = CompletionStream::default();
        let mut out = json!({});
        let chunks = pieces.iter().map(|piece| piece_of(said, 0, piece));
        for chunk in chunks.chain([finish(json!({}))]) {
            let events = stream.push(&mut answer, SseEvent::data(chunk.to_string())).unwrap();
            events.iter().for_each(|event| join(&mut out, &serde_json::from_str(&event.data).unwrap()));
        }
        out["choices"][0].take()
    }

    #[test]
    fn a_placeholder_may_be_cut_anywhere() {
        for (is_json, of) in SAID {
            let text = with_placeholder(if is_json {
                // an address in clear would withhold the value
                r#"{"to": "@P 4111 1111 1111 1111"}"#
            } else {
                "@P eva@example.com"
            });
            let whole = said(of, &[&text]);
            let shown = whole.to_string();
            assert!(shown.contains("Novák [REDACTED]") && !shown.contains("[[PERSON"), "{shown}");
            for (place, _) in text.char_indices() {
                let (first, second) = text.split_at(place);
                assert_eq!(said(of, &[first, second]), whole, "{place}");
            }
        }
    }

    /// The state that a provider can make a stream keep is bounded.
    #[test]
    fn what_is_kept_is_bounded() {
        let (mut answer, _) = answer(Action::Redact);
        let mut stream = CompletionStream::default();
        let mut push = |index: usize, text: &str| {
            let event = chunk(json!([{ "index": index, "delta": { "content": text } }]));
            stream.push(&mut answer, SseEvent::data(event.to_string())).map(|_| stream.shells.len())
        };
        assert_eq!((0..1_000).map(|index| push(index, "").unwrap()).max(), Some(0));
        let full = (0..1_000).find(|index| push(*index, "x").is_err());
        assert_eq!(full, Some(256));
        // a finished choice leaves no state
        let mut stream = CompletionStream::default();
        for event in [content("x"), finish(json!({}))] {
            stream.push(&mut answer, SseEvent::data(event.to_string())).unwrap();
        }
        assert!(stream.shells.is_empty() && !stream.fields.any(|_| true));
    }

    #[test]
    fn a_blocked_text_ends_the_stream() {
        let (mut answer, _) = answer(Action::Block);
        let mut stream = CompletionStream::default();
        stream.push(&mut answer, SseEvent::data(content("eva@exam").to_string())).unwrap();
        assert_eq!(format!("{stream:?}"), "CompletionStream(Fields(1 texts))");
        let last = finish(json!({ "content": "ple.com" }));
        let error = stream.push(&mut answer, SseEvent::data(last.to_string())).unwrap_err();
        assert_eq!(error.code(), crate::error::Code::PolicyViolation);
    }

    /// Joins a chunk to those before it, as a client does: texts are joined, items of lists are known by their
    /// index or else their type, of everything else the latest value counts.
    fn join(value: &mut Value, more: &Value) {
        match (value, more) {
            (_, Value::Null) => {}
            (Value::Object(members), Value::Object(more)) => {
                for (key, more) in more {
                    match (members.get_mut(key), key.as_str()) {
                        (Some(value), "choices" | "delta") => join(value, more),
                        (Some(_), "id" | "type" | "index" | "object" | "model" | "finish_reason") => {}
                        (Some(value), _) => join(value, more),
                        (None, _) => drop(members.insert(key.clone(), more.clone())),
                    }
                }
            }
            (Value::Array(items), Value::Array(more)) => {
                let id = |item: &Value| {
                    (item["index"].clone(), item.get("index").map_or(item["type"].clone(), |_| Value::Null))
                };
                for more in more {
                    match items.iter_mut().find(|item| id(item) == id(more)) {
                        Some(item) => join(item, more),
                        None => items.push(more.clone()),
                    }
                }
                items.sort_by_key(|item| item["index"].as_u64());
            }
            (Value::String(text), Value::String(more)) => text.push_str(more),
            (value, more) => *value = more.clone(),
        }
    }

    /// Whether a text is the arguments of a call, and the chunk that says a piece of it.
    type Case = (bool, fn(&str) -> Value);

    const SAID: [Case; 7] = [
        (false, |text| json!({ "delta": { "content": text } })),
        (false, |text| json!({ "delta": { "refusal": text, "reasoning_content": text } })),
        (false, |text| json!({ "delta": { "new": text }, "text": text })),
        (false, |text| json!({ "delta": { "reasoning_details": [{ "type": "a", "text": text }] } })),
        (
            true,
            |text| json!({ "delta": { "tool_calls": [{ "index": 0, "id": "t", "function": { "arguments": text } }] } }),
        ),
        (true, |text| json!({ "delta": { "tool_calls": [{ "index": 1, "custom": { "input": text } }] } })),
        (true, |text| json!({ "delta": { "function_call": { "arguments": text } } })),
    ];

    fn piece_of(said: fn(&str) -> Value, choice: usize, text: &str) -> Value {
        let mut choice_of = said(text);
        choice_of["index"] = choice.into();
        choice_of["finish_reason"] = Value::Null;
        chunk(json!([choice_of]))
    }

    /// A text of a choice, and where it is cut.
    type Told = (usize, usize, Vec<usize>, Vec<prop::sample::Index>);

    fn told() -> impl Strategy<Value = Vec<Told>> {
        let parts = prop::collection::vec(0..PARTS.len(), 0..4);
        let cuts = prop::collection::vec(any::<prop::sample::Index>(), 0..8);
        prop::collection::vec((0..2_usize, 0..SAID.len(), parts, cuts), 1..6)
    }

    /// The chunks of these texts, in any order that keeps each text's own.
    fn chunks(told: &[Told], order: &[prop::sample::Index], reasons: [u8; 2]) -> Vec<Value> {
        let mut waiting: Vec<VecDeque<Value>> = told
            .iter()
            .enumerate()
            .map(|(nth, (choice, said, parts, cuts))| {
                let (is_json, said) = SAID[*said];
                // a second text of the same place would be more of the first
                let again = told[..nth].iter().any(|other| other.0 == *choice && other.1 == told[nth].1);
                let texts: Vec<String> = parts.iter().map(|part| with_placeholder(PARTS[*part])).collect();
                let whole = match is_json {
                    true => json!({ "n": 1.5, "passport_number": "C01234567", "texts": texts }).to_string(),
                    false => texts.concat(),
                };
                let pieces = if again { Vec::new() } else { cut(&whole, cuts) };
                pieces.into_iter().map(|piece| piece_of(said, *choice, &piece)).collect()
            })
            .collect();
        let mut chunks: Vec<Value> = Vec::new();
        let mut order = order.iter().cycle();
        while !waiting.is_empty() {
            let next = order.next().unwrap().index(waiting.len());
            match waiting[next].pop_front() {
                None => drop(waiting.remove(next)),
                // several pieces in one chunk
                Some(more) if order.next().unwrap().index(3) == 0 && !chunks.is_empty() => {
                    join(chunks.last_mut().unwrap(), &more);
                }
                Some(more) => chunks.push(more),
            }
        }
        for (choice, reason) in reasons.into_iter().enumerate() {
            finish_choice(&mut chunks, choice, reason);
        }
        chunks
    }

    /// A choice is finished by the last chunk of it, by one of its own, or not at all.
    fn finish_choice(chunks: &mut Vec<Value>, choice: usize, reason: u8) {
        let of_it = |one: &&mut Value| one["index"] == choice;
        let last =
            chunks.iter_mut().rev().find_map(|chunk| chunk["choices"].as_array_mut()?.iter_mut().find(of_it));
        match (reason, last) {
            (0, Some(last)) => last["finish_reason"] = "stop".into(),
            (0 | 1, _) => {
                chunks.push(chunk(json!([{ "index": choice, "delta": {}, "finish_reason": "stop" }])));
            }
            _ => {}
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn joined_it_is_the_whole(
            told in told(),
            order in prop::collection::vec(any::<prop::sample::Index>(), 60),
            reasons in [0..3_u8, 0..3_u8],
        ) {
            let chunks = chunks(&told, &order, reasons);
            for action in [Action::Redact, Action::Mask] {
                let mut whole = chunk(json!([]));
                chunks.iter().for_each(|chunk| join(&mut whole, chunk));
                let (mut answer, _) = answer(action);
                restore_answer(&mut whole, &mut answer).unwrap();
                let (mut answer, _) = self::answer(action);
                let (mut stream, mut out) = (CompletionStream::default(), chunk(json!([])));
                let mut ended = [false; 2];
                let mut events = Vec::new();
                for chunk in &chunks {
                    let given = stream.push(&mut answer, SseEvent::data(chunk.to_string())).unwrap();
                    prop_assert_eq!(given.len(), 1);
                    events.extend(given);
                }
                events.extend(stream.finish(&mut answer).unwrap());
                for event in events {
                    let event: Value = serde_json::from_str(&event.data).unwrap();
                    for choice in event["choices"].as_array().unwrap() {
                        let ended = &mut ended[choice["index"].as_u64().unwrap() as usize];
                        prop_assert!(!*ended, "after its finish: {}", choice);
                        *ended = choice["finish_reason"] == "stop";
                    }
                    join(&mut out, &event);
                }
                prop_assert_eq!(&out, &whole);
                prop_assert!(!out.to_string().contains("eva@"));
                for call in out["choices"].as_array().unwrap().iter().flat_map(|choice| {
                    choice["delta"]["tool_calls"].as_array().cloned().unwrap_or_default()
                }) {
                    let json = call["function"]["arguments"].as_str().or(call["custom"]["input"].as_str()).unwrap();
                    prop_assert!(serde_json::from_str::<Value>(json).is_ok(), "{}", json);
                }
            }
        }
    }
}
