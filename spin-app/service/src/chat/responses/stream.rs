//! Protects and restores every text of a response that arrives as events.
//!
//! A text continues in the next event of its kind in its part. Text held back of it is sent as one more event
//! of that kind before the event that ends the text. Events that repeat a whole text contain the text that
//! the application has read by then; findings are counted once. Events are renumbered, since there may be
//! more of them.

use std::{collections::BTreeMap, fmt, rc::Rc};

use serde_json::{Map, Value};

use super::answer::{forget_tokens, is_mark, object, restore_item, restore_part, restore_response, said};
use crate::{
    chat::{
        events::SseEvent,
        fields::{self, EndedText, Fields},
        protect::Rules,
        stream::Answer,
        text::{self, Form, JsonStream, texts},
    },
    error::ApiError,
};

/// The maximum number of items in one response.
const MAX_ITEMS: usize = 1_024;

/// The suffix of the name of an event that adds to a text.
const DELTA: &str = ".delta";
/// The suffix of the name of an event that ends a text.
const DONE: &str = ".done";

/// A response as it is streamed.
#[derive(Default)]
pub struct ResponseStream {
    fields: Fields<TextPath>,
    /// The open items, by their index.
    items: BTreeMap<u64, OpenItem>,
    /// The number of the next event.
    sequence: u64,
    /// The id of the response, once an event contained it.
    id: Option<String>,
}

/// An open item.
struct OpenItem {
    id: Value,
    /// The tool that it calls; empty if it is not a call.
    tool: Rc<str>,
    /// Some of its texts arrived as deltas, whose findings are counted.
    has_deltas: bool,
}

/// The key of a text to which several events add.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct TextPath {
    item: u64,
    /// The index of its part, or of its summary.
    part: Option<u64>,
    /// The name of its events without the suffix.
    kind: String,
}

/// Whether the stream continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// More events follow.
    Open,
    /// The response is complete, or has failed.
    Over,
}

impl ResponseStream {
    /// Returns the id of the response, once an event contained it.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Handles the next event and returns those for the client. An event `error` must be handled by the
    /// caller.
    ///
    /// # Errors
    /// `policy_violation` if a policy blocks; `upstream_error` if the event is not that of a response, or too
    /// many texts are open at once. The rest of the stream must not be sent then.
    pub fn push<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        event: SseEvent,
    ) -> Result<(Vec<SseEvent>, Progress), ApiError> {
        let mut members = fields::object(&event)?;
        let kind = members.get("type").and_then(Value::as_str).or(event.name.as_deref()).unwrap_or_default();
        let kind = kind.to_owned();
        let mut out = Vec::new();
        let mut state = Progress::Open;
        match kind.as_str() {
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                out.extend(self.rests(answer, |_| true)?);
                self.response(answer, &mut members)?;
                state = Progress::Over;
            }
            "response.created" | "response.in_progress" | "response.queued" => {
                self.response(answer, &mut members)?
            }
            "response.output_item.added" | "response.output_item.done" => {
                out.extend(self.item(answer, &kind, &mut members)?);
            }
            "response.content_part.added" | "response.reasoning_summary_part.added" => {
                // the first delta repeats the text that the part already contains
                if let Some(part) = members.get_mut("part") {
                    answer.uncounted("part.added", |answer| restore_part(part, answer))?;
                }
            }
            "response.content_part.done" | "response.reasoning_summary_part.done" => {
                let part = part_of(&members)?;
                let item = item_of(&members)?;
                out.extend(self.rests(answer, |path| path.item == item && path.part == part)?);
                if let Some(part) = members.get_mut("part") {
                    answer.uncounted("part.done", |answer| restore_part(part, answer))?;
                }
            }
            "response.output_text.annotation.added" => {
                others(answer, &mut members)?;
                let kind = "response.output_text".to_owned();
                let path = TextPath { item: item_of(&members)?, part: part_of(&members)?, kind };
                match self.fields.annotate(&path, members.into())? {
                    Some(Value::Object(now)) => members = now,
                    _ => return Ok((out, state)),
                }
            }
            "response.image_generation_call.partial_image" => {}
            kind => match (kind.strip_suffix(DELTA), kind.strip_suffix(DONE)) {
                (Some(base), _) => self.delta(answer, base, &mut members)?,
                (_, Some(base)) => out.extend(self.done(answer, base, &mut members)?),
                (None, None) => others(answer, &mut members)?,
            },
        }
        out.push(self.numbered(members, Some(event)));
        Ok((out, state))
    }

    /// Numbers an event and writes it.
    pub fn numbered(&mut self, mut members: Map<String, Value>, event: Option<SseEvent>) -> SseEvent {
        members.insert("sequence_number".to_owned(), self.sequence.into());
        self.sequence += 1;
        let kind = members.get("type").and_then(Value::as_str).map(str::to_owned);
        let event = event.unwrap_or_else(|| SseEvent { name: kind, ..SseEvent::default() });
        event.with(members)
    }

    fn response<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        members: &mut Map<String, Value>,
    ) -> Result<(), ApiError> {
        let Some(response) = members.get_mut("response") else { return Err(text::other_form()) };
        if self.id.is_none() {
            self.id = response.get("id").and_then(Value::as_str).map(str::to_owned);
        }
        answer.for_whole(|answer| restore_response(response, answer))
    }

    /// Handles an item that begins or ends. Its findings are counted if no delta contained them before.
    fn item<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        kind: &str,
        members: &mut Map<String, Value>,
    ) -> Result<Vec<SseEvent>, ApiError> {
        let index = item_of(members)?;
        let Some(item) = members.get_mut("item") else { return Err(text::other_form()) };
        if kind == "response.output_item.added" {
            if self.items.len() >= MAX_ITEMS {
                return Err(ApiError::upstream("the response of the provider has more than 1024 items"));
            }
            let begun = object(item)?;
            let id = begun.get("id").cloned().unwrap_or_default();
            self.items.insert(index, OpenItem { id, tool: text::tool(begun), has_deltas: false });
            answer.uncounted("item.added", |answer| restore_item(item, answer))?;
            return Ok(Vec::new());
        }
        let rests = self.rests(answer, |path| path.item == index)?;
        match self.items.get(&index).is_some_and(|begun| begun.has_deltas) {
            true => answer.uncounted("item.done", |answer| restore_item(item, answer))?,
            // some providers send an item once, when it is complete
            false => restore_item(item, answer)?,
        }
        Ok(rests)
    }

    fn delta<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        base: &str,
        members: &mut Map<String, Value>,
    ) -> Result<(), ApiError> {
        let path = TextPath { item: item_of(members)?, part: part_of(members)?, kind: base.to_owned() };
        if base.ends_with(".audio") {
            return Ok(());
        }
        if let Some(begun) = self.items.get_mut(&path.item) {
            begun.has_deltas = true;
        }
        let form = self.form(&path);
        for (key, value) in members.iter_mut() {
            match (key.as_str(), value) {
                ("delta", Value::String(piece)) => {
                    *piece = self.fields.push(answer, path.clone(), form.clone(), piece)?
                }
                ("logprobs", value) => forget_tokens(value),
                ("obfuscation", _) => {}
                (key, _) if is_mark(key) || is_index(key) => {}
                (_, value) => texts(value, answer, 1)?,
            }
        }
        Ok(())
    }

    /// Handles a text that is complete, and repeated as a whole.
    fn done<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        base: &str,
        members: &mut Map<String, Value>,
    ) -> Result<Vec<SseEvent>, ApiError> {
        let path = TextPath { item: item_of(members)?, part: part_of(members)?, kind: base.to_owned() };
        let rests = self.rests(answer, |open| *open == path)?;
        let form = self.form(&path);
        answer.uncounted("text.done", |answer| {
            for (key, value) in members.iter_mut() {
                match (key.as_str(), value) {
                    ("arguments" | "input", Value::String(json)) => {
                        *json = JsonStream::new(form.clone()).whole(answer, json)?;
                    }
                    ("logprobs", value) => forget_tokens(value),
                    (key, _) if is_mark(key) || is_index(key) => {}
                    (_, value) if value.is_string() => text::text(value, answer, &form).map(drop)?,
                    (_, value) => texts(value, answer, 1)?,
                }
            }
            Ok(())
        })?;
        Ok(rests)
    }

    fn form(&self, path: &TextPath) -> Form {
        match path.kind.ends_with("_arguments") || path.kind.ends_with("_input") {
            true => Form::arguments(
                &self.items.get(&path.item).map(|begun| Rc::clone(&begun.tool)).unwrap_or_default(),
            ),
            false => said(path.kind.strip_prefix("response.").unwrap_or(&path.kind)),
        }
    }

    /// Returns the text held back of these texts, as one more event of each, and the events of their annotations.
    fn rests<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        ends: impl Fn(&TextPath) -> bool,
    ) -> Result<Vec<SseEvent>, ApiError> {
        let mut out = Vec::new();
        for EndedText { place, rest, annotations } in self.fields.finish(answer, ends)? {
            if !rest.is_empty() {
                out.push(self.rest(place, rest));
            }
            for annotation in annotations {
                let Value::Object(members) = annotation else { continue };
                out.push(self.numbered(members, None));
            }
        }
        Ok(out)
    }

    /// Returns the event of a text that was held back.
    fn rest(&mut self, TextPath { item, part, kind }: TextPath, rest: String) -> SseEvent {
        let index = if kind.contains("summary") { "summary_index" } else { "content_index" };
        let mut members = Map::from_iter([
            ("type".to_owned(), format!("{kind}{DELTA}").into()),
            ("output_index".to_owned(), item.into()),
        ]);
        let id = self.items.get(&item).map(|begun| begun.id.clone());
        members.extend(id.map(|id| ("item_id".to_owned(), id)));
        members.extend(part.map(|part| (index.to_owned(), part.into())));
        members.insert("delta".to_owned(), rest.into());
        if kind == "response.output_text" {
            members.insert("logprobs".to_owned(), Value::Array(Vec::new()));
        }
        self.numbered(members, None)
    }
}

/// Omits the texts; shows their number only.
impl fmt::Debug for ResponseStream {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ResponseStream({:?})", self.fields)
    }
}

/// Protects and restores every string of an unknown event.
fn others<R: Rules>(answer: &mut Answer<R>, members: &mut Map<String, Value>) -> Result<(), ApiError> {
    for (key, value) in members.iter_mut() {
        if !is_mark(key) && !is_index(key) {
            texts(value, answer, 1)?;
        }
    }
    Ok(())
}

fn is_index(key: &str) -> bool {
    matches!(key, "summary_index" | "partial_image_index" | "command_index")
}

fn item_of(members: &Map<String, Value>) -> Result<u64, ApiError> {
    members.get("output_index").and_then(Value::as_u64).ok_or_else(text::other_form)
}

fn part_of(members: &Map<String, Value>) -> Result<Option<u64>, ApiError> {
    let index = members.get("content_index").or_else(|| members.get("summary_index"));
    index.map(|index| index.as_u64().ok_or_else(text::other_form)).transpose()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use textveil_engine::Action;

    use super::*;
    use crate::chat::text::tests::{answer, citation, cited_text};

    /// An annotation is sent when its text has ended, with the positions of the text that was sent.
    #[test]
    fn annotations_follow_their_text() {
        let (sent, received) = cited_text();
        let part =
            |text: &str| json!({ "type": "output_text", "text": text, "annotations": [citation(text)] });
        for (at, _) in sent.char_indices() {
            let (mut answer, _) = answer(Action::Redact);
            let mut stream = ResponseStream::default();
            let (first, second) = sent.split_at(at);
            let mut out = Vec::new();
            for (kind, key, value) in [
                ("output_text.delta", "delta", json!(first)),
                ("output_text.delta", "delta", json!(second)),
                ("output_text.annotation.added", "annotation", citation(&sent)),
                ("output_text.done", "text", json!(sent)),
                ("content_part.done", "part", part(&sent)),
            ] {
                let data = json!({ "type": format!("response.{kind}"), "output_index": 0, "content_index": 0,
                    "item_id": "m", key: value });
                out.extend(stream.push(&mut answer, SseEvent::data(data.to_string())).unwrap().0);
            }
            let events: Vec<Value> =
                out.iter().map(|event| serde_json::from_str(&event.data).unwrap()).collect();
            let of = |key: &str| events.iter().filter_map(|event| event.get(key)).collect::<Vec<_>>();
            let text: String = of("delta").iter().filter_map(|delta| delta.as_str()).collect();
            assert_eq!(text, received);
            assert_eq!(of("annotation"), [&citation(&received)], "{at}");
            assert_eq!(of("part"), [&part(&received)]);
            assert_eq!(json!(of("sequence_number")), json!((0..events.len()).collect::<Vec<_>>()));
        }
    }
}
