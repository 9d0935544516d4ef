//! The strings of a chat request's body, at any depth, each with its role.
//!
//! [`walk`] visits everything that may contain personal data: texts, names, metadata, keys of objects,
//! schemas of tools, tool calls with their JSON inside strings, numbers in them, and unknown keys. A field is
//! skipped only if the protocol's schema defines it as a keyword, an identifier or a provider's seal, and its
//! value has that form. No field is skipped because of its name alone.
//!
//! This module has the parts that all protocols share: the fields beside the conversation, the content of messages, the
//! definitions of tools. Messages, items and signed thinking are in the module `request` of their protocol.

mod content;
mod files;
pub(super) mod forms;
mod schema;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, mem};

use serde_json::{Map, Value};

use super::json_text::{self, RewrittenJson};
use forms::{
    MIN_NUMBER_DIGITS, digits, holds, holds_a_file, id_prefix, is_id, is_name, string, whole_number,
};

/// The maximum nesting depth.
const MAX_DEPTH: usize = 64;

/// The position of a string in the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At<'a> {
    /// The role of its message; `system` for tools and formats, `user` for everything else.
    pub role: &'a str,
    /// Its key, if that key is the caller's own.
    pub label: Option<&'a str>,
    /// It is outside the conversation: instructions, tools, metadata.
    pub beside: bool,
    /// The tool whose result it is; empty if its name is unknown.
    pub tool: Option<&'a str>,
    /// The provider signed it: it stays unchanged, whatever the visitor returns.
    pub signed: bool,
    /// Its spelling.
    pub spelling: Spelling,
}

impl At<'_> {
    /// Whether it is a text of the conversation, which may go on in the next one.
    pub(super) fn is_said(&self) -> bool {
        !self.beside && !self.signed && self.label.is_none() && self.spelling == Spelling::Text
    }

    /// Whether the API takes letters, digits, `_` and `-` only.
    pub(super) fn is_word(&self) -> bool {
        matches!(self.spelling, Spelling::Word | Spelling::Participant)
    }
}

/// The spelling of a string of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spelling {
    /// As its author wrote it.
    #[default]
    Text,
    /// As a key of an object, or as another string of JSON without a key.
    Key,
    /// As one word of letters, digits, `_` and `-`, as APIs want identifiers and the names of tools: `email_jan_novak`.
    Word,
    /// As such a word, which names a participant of the conversation: `jan_novak`.
    Participant,
}

/// Visits strings; a returned text replaces the string.
pub trait Visit {
    /// Visits a string of the body.
    fn text(&mut self, at: At<'_>, text: &str) -> Option<String>;
}

impl<F: FnMut(At<'_>, &str) -> Option<String>> Visit for F {
    fn text(&mut self, at: At<'_>, text: &str) -> Option<String> {
        self(at, text)
    }
}

/// Counts of parts that were not or cannot be visited: the caller decides whether to send the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Identifiers of calls, messages and files.
    pub ids: usize,
    /// Reasoning that the provider signed.
    pub signed: usize,
    /// The part of these that contains a value of the caller that is replaced elsewhere; counted by the
    /// visitor.
    pub unclean: usize,
    /// Images; only their links were visited.
    pub images: usize,
    /// Sounds.
    pub audio: usize,
    /// Files.
    pub files: usize,
    /// Contents or parts of an unknown kind; their strings were visited.
    pub unknown: usize,
}

/// The protocol of a request: its schema defines which fields are text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestSchema {
    /// OpenAI's chat completions and embeddings.
    Completions,
    /// OpenAI's responses.
    Responses,
    /// Anthropic's messages. The provider signs the model's thinking, and accepts it only unchanged.
    Messages,
}

/// The body nests deeper than 64 values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooDeep;

/// Passes every string of the body to `visit` and replaces it by the result: first the conversation from its
/// beginning on, then everything else.
///
/// `schema` is that of the protocol in which the body is sent. `rest` is awaited after each message and each
/// other field.
///
/// # Errors
/// [`TooDeep`]; the strings above that depth are already changed.
pub async fn walk(
    body: &mut Value,
    schema: RequestSchema,
    visit: &mut impl Visit,
    rest: &mut impl AsyncFnMut(),
) -> Result<Left, TooDeep> {
    let mut walk = BodyWalk {
        visit,
        schema,
        left: Left::default(),
        role: USER.to_owned(),
        beside: true,
        tool: None,
        calls: BTreeMap::new(),
        spelling: Spelling::Text,
        depth: 0,
    };
    walk.body(body, rest).await?;
    Ok(walk.left)
}

/// Converts a key to the label that a person would write before its value.
pub(super) fn as_label(key: &str) -> String {
    format!("{}: ", key.replace(['_', '-'], " "))
}

pub(in crate::chat) const ASSISTANT: &str = "assistant";
const SYSTEM: &str = "system";
pub(in crate::chat) const TOOL: &str = "tool";
pub(in crate::chat) const USER: &str = "user";

/// A walk over one body. Each protocol adds the parts of its own.
pub(in crate::chat) struct BodyWalk<'v, V> {
    pub(in crate::chat) visit: &'v mut V,
    schema: RequestSchema,
    pub(in crate::chat) left: Left,
    pub(in crate::chat) role: String,
    pub(in crate::chat) beside: bool,
    /// The tool whose result is visited.
    pub(in crate::chat) tool: Option<String>,
    /// Names of the tools that were called, by the id of the call.
    calls: BTreeMap<String, String>,
    spelling: Spelling,
    depth: usize,
}

pub(in crate::chat) type Walked = Result<(), TooDeep>;

impl<V: Visit> BodyWalk<'_, V> {
    async fn body(&mut self, body: &mut Value, rest: &mut impl AsyncFnMut()) -> Walked {
        let Value::Object(members) = body else { return self.data(body, None) };
        let mut ordered: Vec<_> = members.iter_mut().collect();
        ordered.sort_by_key(|(key, _)| match key.as_str() {
            "messages" => 0,
            "input" if self.is_responses() => 0,
            "system" | "instructions" | "text" | "tools" | "functions" | "response_format" => 1,
            _ => 2,
        });
        for (key, value) in ordered {
            match key.as_str() {
                "model" => {}
                "previous_response_id" if self.is_responses() => self.id(value)?,
                "conversation" if self.is_responses() => match value {
                    Value::Object(members) if members.len() == 1 && members.contains_key("id") => {
                        members.values_mut().try_for_each(|id| self.id(id))?;
                    }
                    other => self.id(other)?,
                },
                // `seed` and similar parameters are not data
                key if value.is_number() && is_number(key) => {}
                "messages" => self.conversation(value, Self::message, rest).await?,
                "input" if self.is_responses() => self.conversation(value, Self::item, rest).await?,
                "text" if self.is_responses() => self.as_role(SYSTEM, |walk| walk.text_format(value))?,
                key if key == "system" || (key == "instructions" && self.is_responses()) => {
                    self.as_role(SYSTEM, |walk| walk.content(value))?;
                }
                "tools" | "functions" => self.as_role(SYSTEM, |walk| walk.each(value, Self::tool))?,
                "response_format" => self.as_role(SYSTEM, |walk| walk.format(value))?,
                "tool_choice" | "function_call" => self.as_role(SYSTEM, |walk| walk.known(value))?,
                "stop" | "stop_sequences" => self.data(value, None)?,
                "modalities" => {
                    // a requested audio answer cannot be inspected
                    self.left.audio += usize::from(holds(value, "audio"));
                    self.left.images += usize::from(holds(value, "image"));
                    self.data(value, None)?;
                }
                // texts for embeddings
                "input" if value.is_array() => {
                    for text in value.as_array_mut().into_iter().flatten() {
                        self.deeper(|walk| walk.data(text, Some(key)))?;
                        rest().await;
                    }
                }
                _ => self.data(value, Some(key))?,
            }
            rest().await;
        }
        self.keys(members, is_parameter)
    }

    /// Visits the messages or items of a conversation.
    async fn conversation(
        &mut self,
        list: &mut Value,
        one: fn(&mut Self, &mut Value) -> Walked,
        rest: &mut impl AsyncFnMut(),
    ) -> Walked {
        self.beside = false;
        match list {
            Value::Array(values) => {
                for value in values {
                    self.deeper(|walk| one(walk, value))?;
                    rest().await;
                }
            }
            other => self.deeper(|walk| walk.data(other, None))?,
        }
        self.beside = true;
        Ok(())
    }

    fn is_responses(&self) -> bool {
        self.schema == RequestSchema::Responses
    }

    /// Whether the provider signs the model's thinking.
    pub(in crate::chat) fn has_seals(&self) -> bool {
        self.schema == RequestSchema::Messages
    }

    /// Stores the tool of a call by the call's id. The tool of two calls with one id is unknown.
    pub(in crate::chat) fn note_call(&mut self, id: Option<&Value>, name: Option<&Value>) {
        let (id, name) = (string(id), string(name));
        if !id.is_empty() {
            let known = self.calls.entry(id.to_owned()).or_insert_with(|| name.to_owned());
            if known != name {
                known.clear();
            }
        }
    }

    /// Visits what a tool said, whatever the role of its message.
    pub(in crate::chat) fn as_tool(
        &mut self,
        tool: String,
        walk: impl FnOnce(&mut Self) -> Walked,
    ) -> Walked {
        self.tool = Some(tool);
        let walked = self.as_role(TOOL, walk);
        self.tool = None;
        walked
    }

    /// Returns the tool of a call by the call's id; empty if unknown.
    pub(in crate::chat) fn called(&self, id: Option<&Value>) -> String {
        self.calls.get(string(id)).cloned().unwrap_or_default()
    }

    /// Visits JSON inside a string.
    pub(in crate::chat) fn json(&mut self, json: &mut String) {
        let here = at(&self.role, self.beside, self.tool.as_deref());
        let visit = &mut *self.visit;
        let shown = |leaf: json_text::Leaf<'_>| {
            let whole = if leaf.number { whole_number(leaf.text) } else { None };
            let text = whole.as_deref().unwrap_or(leaf.text);
            let number = leaf.number && digits(text) < MIN_NUMBER_DIGITS;
            if number || text.is_empty() {
                return None;
            }
            visit.text(At { label: leaf.label, spelling: Spelling::Key, ..here }, text)
        };
        match json_text::rewrite(json, shown) {
            RewrittenJson::Changed(new) => *json = new,
            RewrittenJson::Same => {}
            RewrittenJson::NotJson => {
                if let Some(new) = self.shown(json, None) {
                    *json = new;
                }
            }
        }
    }

    /// Visits an object of the API with a type and names.
    pub(in crate::chat) fn known(&mut self, value: &mut Value) -> Walked {
        let Value::Object(members) = value else {
            return if is_name(value) { Ok(()) } else { self.data(value, None) };
        };
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "type" if is_name(value) => {}
                "id" => self.id(value)?,
                "name" => self.word(value, Spelling::Word)?,
                "function" => self.known(value)?,
                _ => self.data(value, None)?,
            }
        }
        self.keys(members, |key| matches!(key, "type" | "id" | "name" | "function"))
    }

    /// Visits the caller's own data: every string, every key, and every long number.
    pub(in crate::chat) fn data(&mut self, data: &mut Value, label: Option<&str>) -> Walked {
        self.deeper(|walk| match data {
            Value::Object(members) => {
                for (key, value) in members.iter_mut() {
                    walk.data(value, Some(key))?;
                }
                walk.keys(members, |_| false)
            }
            Value::Array(values) => values.iter_mut().try_for_each(|value| walk.data(value, label)),
            Value::String(text) => {
                // under a key of unknown meaning
                walk.left.files += usize::from(label.is_some() && holds_a_file(text));
                if let Some(new) = walk.shown(text, label) {
                    *text = new;
                }
                Ok(())
            }
            Value::Number(number) => {
                let written = number.to_string();
                let written = whole_number(&written).unwrap_or(written);
                if digits(&written) >= MIN_NUMBER_DIGITS
                    && let Some(new) = walk.shown(&written, label)
                {
                    *data = Value::String(new);
                }
                Ok(())
            }
            Value::Null | Value::Bool(_) => Ok(()),
        })
    }

    /// Visits an identifier: one of another form than a provider's is text.
    pub(in crate::chat) fn id(&mut self, id: &mut Value) -> Walked {
        let Value::String(text) = id else { return self.word(id, Spelling::Word) };
        if is_id(text) {
            self.left.ids += 1;
            return Ok(());
        }
        // the prefix is the API's, and no label of the rest
        let (prefix, rest) = text.split_at(id_prefix(text).len());
        let mut rest = Value::from(rest);
        self.word(&mut rest, Spelling::Word)?;
        *text = format!("{prefix}{}", string(Some(&rest)));
        Ok(())
    }

    /// Visits a name that the API writes as one word.
    pub(in crate::chat) fn word(&mut self, word: &mut Value, spelling: Spelling) -> Walked {
        let before = mem::replace(&mut self.spelling, spelling);
        let walked = self.data(word, None);
        self.spelling = before;
        walked
    }

    /// Visits the keys of an object that are not the API's.
    pub(in crate::chat) fn keys(
        &mut self,
        members: &mut Map<String, Value>,
        known: impl Fn(&str) -> bool,
    ) -> Walked {
        let changed: Vec<(String, String)> = members
            .keys()
            .filter(|key| !known(key))
            .filter_map(|key| {
                let before = mem::replace(&mut self.spelling, Spelling::Key);
                let new = self.shown(key, None);
                self.spelling = before;
                Some((key.clone(), new?))
            })
            .collect();
        for (old, new) in changed {
            let Some(value) = members.shift_remove(&old) else { continue };
            members.insert(free_key(members, new), value);
        }
        Ok(())
    }

    fn shown(&mut self, text: &str, label: Option<&str>) -> Option<String> {
        if text.is_empty() {
            return None;
        }
        let here = at(&self.role, self.beside, self.tool.as_deref());
        self.visit.text(At { label, spelling: self.spelling, ..here }, text)
    }

    pub(in crate::chat) fn each(
        &mut self,
        list: &mut Value,
        mut one: impl FnMut(&mut Self, &mut Value) -> Walked,
    ) -> Walked {
        self.deeper(|walk| match list {
            Value::Array(values) => values.iter_mut().try_for_each(|value| one(walk, value)),
            other => walk.data(other, None),
        })
    }

    pub(in crate::chat) fn as_role(&mut self, role: &str, walk: impl FnOnce(&mut Self) -> Walked) -> Walked {
        let before = mem::replace(&mut self.role, role.to_owned());
        let walked = self.deeper(walk);
        self.role = before;
        walked
    }

    fn deeper(&mut self, walk: impl FnOnce(&mut Self) -> Walked) -> Walked {
        if self.depth >= MAX_DEPTH {
            return Err(TooDeep);
        }
        self.depth += 1;
        let walked = walk(self);
        self.depth -= 1;
        walked
    }
}

/// Returns the position of a string without a label.
pub(in crate::chat) fn at<'s>(role: &'s str, beside: bool, tool: Option<&'s str>) -> At<'s> {
    At { role, label: None, beside, tool, signed: false, spelling: Spelling::Text }
}

/// Returns a key that the object does not have: if two keys become equal, both values must be kept.
pub(super) fn free_key(members: &Map<String, Value>, key: String) -> String {
    let mut free = key.clone();
    let mut number = 2;
    while members.contains_key(&free) {
        free = format!("{key}_{number}");
        number += 1;
    }
    free
}

/// Keys of a body whose values are numbers in the API.
fn is_number(key: &str) -> bool {
    const KNOWN: [&str; 19] = [
        "dimensions",
        "frequency_penalty",
        "logprobs",
        "max_completion_tokens",
        "max_output_tokens",
        "max_tokens",
        "max_tool_calls",
        "min_p",
        "n",
        "presence_penalty",
        "random_seed",
        "repetition_penalty",
        "seed",
        "temperature",
        "top_a",
        "top_k",
        "top_logprobs",
        "top_p",
        "typical_p",
    ];
    KNOWN.contains(&key)
}

/// Keys of a body that are the API's; all others are visited.
fn is_parameter(key: &str) -> bool {
    const KNOWN: [&str; 38] = [
        "audio",
        "background",
        "conversation",
        "function_call",
        "functions",
        "include",
        "input",
        "instructions",
        "logit_bias",
        "messages",
        "metadata",
        "modalities",
        "model",
        "parallel_tool_calls",
        "prediction",
        "previous_response_id",
        "prompt",
        "privacy",
        "prompt_cache_key",
        "reasoning",
        "reasoning_effort",
        "response_format",
        "safety_identifier",
        "service_tier",
        "stop",
        "stop_sequences",
        "store",
        "stream",
        "stream_options",
        "system",
        "text",
        "thinking",
        "tool_choice",
        "tools",
        "truncation",
        "user",
        "verbosity",
        "web_search_options",
    ];
    is_number(key) || KNOWN.contains(&key)
}
