//! The strings of a chat request's body, at any depth, each with its role.
//!
//! [`walk`] visits everything that may contain personal data: texts, names, metadata, keys of objects,
//! schemas of tools, tool calls with their JSON inside strings, numbers in them, and unknown keys. A field is
//! skipped only if the protocol's schema defines it as a keyword, an identifier or a provider's seal, and its
//! value has that form. No field is skipped because of its name alone.

use std::{collections::BTreeMap, mem};

use serde_json::{Map, Value};

use super::{
    json_text::{self, RewrittenJson},
    placeholder::is_caller,
    text::is_sealed,
};

/// The maximum nesting depth.
const MAX_DEPTH: usize = 64;
/// The longest identifier that is skipped, in bytes.
const MAX_ID: usize = 128;
/// The length of the shortest signature, in Base64 characters.
const MIN_SEAL: usize = 22;
/// Numbers with fewer digits are not personal data.
const MIN_NUMBER_DIGITS: usize = 7;

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
    /// The caller wrote it: a message or instructions, but not a tool, or text of a tool or a model.
    pub is_callers: bool,
    /// The provider signed it: it stays unchanged, whatever the visitor returns.
    pub signed: bool,
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
        has_text: false,
        calls: BTreeMap::new(),
        depth: 0,
    };
    walk.body(body, rest).await?;
    Ok(walk.left)
}

/// Converts a key to the label that a person would write before its value.
pub(super) fn as_label(key: &str) -> String {
    format!("{}: ", key.replace(['_', '-'], " "))
}

/// Known items of OpenAI's responses, other than calls and their results.
const ITEMS: [&str; 7] = [
    "compaction",
    "item_reference",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_list_tools",
    "reasoning",
    "tool_search_output",
];
const ASSISTANT: &str = "assistant";
const SYSTEM: &str = "system";
const TOOL: &str = "tool";
const USER: &str = "user";

/// Roles, which are keywords.
const ROLES: [&str; 6] = ["assistant", "developer", "function", "system", "tool", "user"];

/// Keys of a schema whose values map names to schemas.
const SCHEMA_NAMED: [&str; 5] =
    ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];
/// Keys of a schema whose values are text: a change alters the request, but they may contain anything.
const SCHEMA_TEXTS: [&str; 6] = ["const", "default", "enum", "example", "examples", "required"];
/// The URLs of the JSON Schema dialects.
const SCHEMA_DIALECTS: [&str; 2] = ["http://json-schema.org/", "https://json-schema.org/"];

struct BodyWalk<'v, V> {
    visit: &'v mut V,
    schema: RequestSchema,
    left: Left,
    role: String,
    beside: bool,
    /// The tool whose result is visited.
    tool: Option<String>,
    /// It is within messages or instructions.
    has_text: bool,
    /// Names of the tools that were called, by the id of the call.
    calls: BTreeMap<String, String>,
    depth: usize,
}

type Walked = Result<(), TooDeep>;

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
                    self.has_text = true;
                    let walked = self.as_role(SYSTEM, |walk| walk.content(value));
                    self.has_text = false;
                    walked?;
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
        (self.beside, self.has_text) = (false, true);
        match list {
            Value::Array(values) => {
                for value in values {
                    self.deeper(|walk| one(walk, value))?;
                    rest().await;
                }
            }
            other => self.deeper(|walk| walk.data(other, None))?,
        }
        (self.beside, self.has_text) = (true, false);
        Ok(())
    }

    fn is_responses(&self) -> bool {
        self.schema == RequestSchema::Responses
    }

    /// Whether the provider signs the model's thinking.
    fn has_seals(&self) -> bool {
        self.schema == RequestSchema::Messages
    }

    /// Visits an item of the input of OpenAI's responses.
    fn item(&mut self, item: &mut Value) -> Walked {
        let kind = string(item.get("type"));
        if matches!(kind, "" | "message") {
            return self.message(item);
        }
        if kind.ends_with("_call_output") {
            self.tool = Some(self.called(item.get("call_id")));
            let walked = self.as_role(TOOL, |walk| walk.item_of(item));
            self.tool = None;
            return walked;
        }
        self.note_call(item.get("call_id"), item.get("name").or_else(|| item.get("type")));
        match kind {
            "image_generation_call" => self.left.images += usize::from(item.get("result").is_some()),
            kind if kind.ends_with("_call") || ITEMS.contains(&kind) => {}
            _ => self.left.unknown += 1,
        }
        self.as_role(ASSISTANT, |walk| walk.item_of(item))
    }

    /// Visits the fields of an item.
    fn item_of(&mut self, item: &mut Value) -> Walked {
        let is_sealed_item = matches!(string(item.get("type")), "reasoning" | "compaction");
        let is_image = string(item.get("type")) == "image_generation_call";
        let Value::Object(members) = item else { return self.data(item, None) };
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "type" | "status" if is_name(value) => {}
                "id" | "call_id" => self.id(value)?,
                "encrypted_content" if is_sealed_item && is_seal(value) => self.left.signed += 1,
                "result" if is_image && is_seal(value) => {}
                "arguments" | "input" => match value {
                    Value::String(json) => self.json(json),
                    other => self.data(other, Some(key))?,
                },
                "content" | "output" | "summary" => self.output(value)?,
                "name" => self.data(value, None)?,
                _ => self.data(value, Some(key))?,
            }
        }
        self.keys(members, is_item_key)
    }

    /// Visits the output of an item: a string, parts, or any result of a tool.
    fn output(&mut self, output: &mut Value) -> Walked {
        match output {
            Value::Array(_) => self.each(output, Self::part),
            other => self.data(other, None),
        }
    }

    /// Visits the required format of the answer's text.
    fn text_format(&mut self, text: &mut Value) -> Walked {
        let Value::Object(members) = text else { return self.data(text, None) };
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "format" => self.format(value)?,
                _ => self.data(value, None)?,
            }
        }
        self.keys(members, |key| matches!(key, "format" | "verbosity"))
    }

    fn message(&mut self, message: &mut Value) -> Walked {
        let Value::Object(members) = message else { return self.data(message, None) };
        let role = members.get("role").and_then(Value::as_str).filter(|role| ROLES.contains(role));
        let role = role.unwrap_or(USER).to_owned();
        self.tool = match role.as_str() {
            TOOL => Some(self.called(members.get("tool_call_id"))),
            "function" => Some(string(members.get("name")).to_owned()),
            _ => None,
        };
        let walked = self.message_of(&role, members);
        self.tool = None;
        walked
    }

    fn message_of(&mut self, role: &str, members: &mut Map<String, Value>) -> Walked {
        self.as_role(role, |walk| {
            for (key, value) in members.iter_mut() {
                match key.as_str() {
                    "role" if is_one_of(value, &ROLES) => {}
                    "type" | "status" | "phase" if is_name(value) => {}
                    "content" => walk.content(value)?,
                    "tool_calls" => walk.each(value, Self::call)?,
                    "function_call" => walk.function(value)?,
                    "tool_call_id" | "id" => walk.id(value)?,
                    "audio" => {
                        walk.left.audio += usize::from(value.get("data").is_some());
                        walk.known(value)?;
                    }
                    // Ollama's own API has images here
                    "images" => {
                        walk.left.images += usize::from(!value.is_null());
                        walk.data(value, None)?;
                    }
                    "name" | "refusal" | "reasoning" | "reasoning_content" | "role" => {
                        walk.data(value, None)?
                    }
                    _ => walk.data(value, Some(key))?,
                }
            }
            walk.keys(members, is_message_key)
        })
    }

    /// Visits a content: a string, or parts.
    fn content(&mut self, content: &mut Value) -> Walked {
        match content {
            Value::Null | Value::String(_) => self.data(content, None),
            Value::Array(_) => self.each(content, Self::part),
            Value::Object(members) if members.contains_key("type") => self.part(content),
            Value::Object(_) | Value::Bool(_) | Value::Number(_) => {
                self.left.unknown += 1;
                self.data(content, None)
            }
        }
    }

    fn part(&mut self, part: &mut Value) -> Walked {
        let kind = string(part.get("type"));
        if kind.ends_with("tool_use") {
            self.note_call(part.get("id"), part.get("name"));
        }
        // the result of a tool belongs to that tool, whatever the role of its message
        if kind.ends_with("tool_result") && self.tool.is_none() {
            self.tool = Some(self.called(part.get("tool_use_id")));
            let walked = self.as_role(TOOL, |walk| walk.part(part));
            self.tool = None;
            return walked;
        }
        let count = match kind {
            "thinking" | "redacted_thinking"
                if self.has_seals() && self.role == ASSISTANT && is_signed(part) =>
            {
                self.left.signed += 1;
                return self.signed(part);
            }
            "text" | "input_text" | "output_text" | "summary_text" | "reasoning_text" | "refusal"
            | "tool_use" | "tool_result" | "thinking" | "redacted_thinking" => None,
            "image_url" | "input_image" | "image" => Some(&mut self.left.images),
            "input_audio" | "audio" => Some(&mut self.left.audio),
            "document" if is_readable(part) => None,
            "file" | "input_file" | "document" => Some(&mut self.left.files),
            kind if is_of_a_tool(kind) || part.is_string() => None,
            _ => {
                self.left.unknown += 1;
                None
            }
        };
        let is_media = count.is_some();
        if let Some(count) = count {
            *count += 1;
        }
        self.known_part(part, is_media)
    }

    /// Visits a signed text, which stays; everything else in the part is data.
    fn signed(&mut self, part: &mut Value) -> Walked {
        const SIGNED: [&str; 3] = ["data", "signature", "thinking"];
        let Value::Object(members) = part else { return Ok(()) };
        for (key, value) in members.iter_mut() {
            match (key.as_str(), &*value) {
                ("type", _) => {}
                ("data" | "signature", value) if is_seal(value) => {}
                (signed, Value::String(text)) if SIGNED.contains(&signed) => {
                    let here = at(&self.role, self.beside, self.tool.as_deref(), self.has_text);
                    self.visit.text(At { signed: true, ..here }, text);
                }
                _ => self.data(value, Some(key))?,
            }
        }
        self.keys(members, |key| key == "type" || SIGNED.contains(&key))
    }

    /// Visits a part. Only a part that counts as media may contain content that cannot be inspected.
    fn known_part(&mut self, part: &mut Value, is_media: bool) -> Walked {
        let Value::Object(members) = part else { return self.data(part, None) };
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "type" if is_name(value) => {}
                key if self.has_seals() && is_sealed(key, value) => {}
                "tool_use_id" | "id" | "file_id" => self.id(value)?,
                "content" => self.content(value)?,
                "text" | "refusal" | "name" => self.data(value, None)?,
                "image_url" | "input_audio" | "file" | "source" if is_media => self.media(value)?,
                _ => self.data(value, Some(key))?,
            }
        }
        self.keys(members, is_part_key)
    }

    /// Visits an image, a sound or a file: links and names are visited, encoded content is not.
    fn media(&mut self, media: &mut Value) -> Walked {
        match media {
            Value::Object(members) => {
                for (key, value) in members.iter_mut() {
                    match key.as_str() {
                        "data" | "file_data" => {}
                        "file_id" => self.id(value)?,
                        "url" if is_encoded(value) => {}
                        _ => self.data(value, None)?,
                    }
                }
                self.keys(members, is_media_key)
            }
            _ if is_encoded(media) => Ok(()),
            _ => self.data(media, None),
        }
    }

    /// Visits a tool call of the model.
    fn call(&mut self, call: &mut Value) -> Walked {
        let name = call.pointer("/function/name").or_else(|| call.pointer("/custom/name"));
        self.note_call(call.get("id"), name);
        let Value::Object(members) = call else { return self.data(call, None) };
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "type" if is_name(value) => {}
                "id" => self.id(value)?,
                "function" | "custom" => self.function(value)?,
                _ => self.data(value, Some(key))?,
            }
        }
        self.keys(members, |key| matches!(key, "type" | "id" | "function" | "custom" | "index"))
    }

    fn function(&mut self, function: &mut Value) -> Walked {
        let Value::Object(members) = function else { return self.data(function, None) };
        for (key, value) in members.iter_mut() {
            match (key.as_str(), value) {
                ("arguments" | "input", Value::String(json)) => self.json(json),
                ("name", value) => self.data(value, None)?,
                (key, value) => self.data(value, Some(key))?,
            }
        }
        self.keys(members, |key| matches!(key, "name" | "arguments" | "input"))
    }

    /// Stores the tool of a call by the call's id.
    fn note_call(&mut self, id: Option<&Value>, name: Option<&Value>) {
        let (id, name) = (string(id), string(name));
        if !id.is_empty() {
            self.calls.insert(id.to_owned(), name.to_owned());
        }
    }

    /// Returns the tool of a call by the call's id; empty if unknown.
    fn called(&self, id: Option<&Value>) -> String {
        self.calls.get(string(id)).cloned().unwrap_or_default()
    }

    /// Visits JSON inside a string.
    fn json(&mut self, json: &mut String) {
        let here = at(&self.role, self.beside, self.tool.as_deref(), self.has_text);
        let visit = &mut *self.visit;
        let shown = |leaf: json_text::Leaf<'_>| {
            let number = leaf.number && digits(leaf.text) < MIN_NUMBER_DIGITS;
            if number || leaf.text.is_empty() {
                return None;
            }
            visit.text(At { label: leaf.label, ..here }, leaf.text)
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

    /// Visits the definition of a tool, in the formats of OpenAI and Anthropic.
    fn tool(&mut self, tool: &mut Value) -> Walked {
        let Value::Object(members) = tool else { return self.data(tool, None) };
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "type" if is_name(value) => {}
                "function" => self.tool(value)?,
                "parameters" | "input_schema" => self.schema(value)?,
                _ => self.data(value, None)?,
            }
        }
        self.keys(members, is_tool_key)
    }

    fn format(&mut self, format: &mut Value) -> Walked {
        let Value::Object(members) = format else { return self.data(format, None) };
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "type" if is_name(value) => {}
                "json_schema" => self.format(value)?,
                "schema" => self.schema(value)?,
                _ => self.data(value, None)?,
            }
        }
        self.keys(members, |key| is_tool_key(key) || matches!(key, "json_schema" | "schema"))
    }

    /// Visits an object of the API with a type and names.
    fn known(&mut self, value: &mut Value) -> Walked {
        let Value::Object(members) = value else {
            return if is_name(value) { Ok(()) } else { self.data(value, None) };
        };
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "type" if is_name(value) => {}
                "id" => self.id(value)?,
                _ => self.data(value, None)?,
            }
        }
        self.keys(members, |key| matches!(key, "type" | "id" | "name" | "function"))
    }

    /// Visits a JSON schema: everything except the standard's keywords is text.
    fn schema(&mut self, schema: &mut Value) -> Walked {
        self.deeper(|walk| match schema {
            Value::Object(members) => {
                for (key, value) in members.iter_mut() {
                    match (key.as_str(), value) {
                        ("type" | "format", value) if is_name(value) => {}
                        ("$schema", Value::String(dialect)) if is_dialect(dialect) => {}
                        (key, Value::Object(named)) if SCHEMA_NAMED.contains(&key) => {
                            named.values_mut().try_for_each(|schema| walk.schema(schema))?;
                            walk.keys(named, |_| false)?;
                        }
                        (key, value) if SCHEMA_TEXTS.contains(&key) => walk.data(value, None)?,
                        (_, value) => walk.schema(value)?,
                    }
                }
                walk.keys(members, is_schema_key)
            }
            Value::Array(schemas) => schemas.iter_mut().try_for_each(|schema| walk.schema(schema)),
            other => walk.data(other, None),
        })
    }

    /// Visits the caller's own data: every string, every key, and every long number.
    fn data(&mut self, data: &mut Value, label: Option<&str>) -> Walked {
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

    /// Visits an identifier: a value of another form is text, and digits only may be a personal number.
    fn id(&mut self, id: &mut Value) -> Walked {
        let is_id = |id: &str| {
            id.len() <= MAX_ID
                && id
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':'))
        };
        if id.as_str().is_some_and(is_id) && !is_digits(id) {
            self.left.ids += 1;
            return Ok(());
        }
        self.data(id, None)
    }

    /// Visits the keys of an object that are not the API's.
    fn keys(&mut self, members: &mut Map<String, Value>, known: impl Fn(&str) -> bool) -> Walked {
        let changed: Vec<(String, String)> = members
            .keys()
            .filter(|key| !known(key))
            .filter_map(|key| {
                let new = self.shown(key, None)?;
                Some((key.clone(), new))
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
        let here = at(&self.role, self.beside, self.tool.as_deref(), self.has_text);
        self.visit.text(At { label, ..here }, text)
    }

    fn each(&mut self, list: &mut Value, mut one: impl FnMut(&mut Self, &mut Value) -> Walked) -> Walked {
        self.deeper(|walk| match list {
            Value::Array(values) => values.iter_mut().try_for_each(|value| one(walk, value)),
            other => walk.data(other, None),
        })
    }

    fn as_role(&mut self, role: &str, walk: impl FnOnce(&mut Self) -> Walked) -> Walked {
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
fn at<'s>(role: &'s str, beside: bool, tool: Option<&'s str>, has_text: bool) -> At<'s> {
    let is_callers = has_text && tool.is_none() && is_caller(role);
    At { role, label: None, beside, tool, is_callers, signed: false }
}

/// Returns a string; empty if the value is absent.
fn string(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
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

/// Whether a value is one of these words.
fn is_one_of(value: &Value, words: &[&str]) -> bool {
    value.as_str().is_some_and(|word| words.contains(&word))
}

/// Whether a value has the form of an API keyword, which is not text of the caller.
fn is_name(value: &Value) -> bool {
    let letters = |word: &str| {
        word.len() <= MAX_ID && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    value.as_str().is_some_and(letters)
}

/// Whether reasoning contains a provider's signature or ciphertext. Other reasoning may be changed.
fn is_signed(reasoning: &Value) -> bool {
    ["signature", "data"].iter().any(|key| reasoning.get(key).is_some_and(is_seal))
}

fn is_dialect(url: &str) -> bool {
    SCHEMA_DIALECTS.iter().any(|known| url.starts_with(known)) && url.len() <= MAX_ID && !url.contains(' ')
}

/// Whether a part of this kind belongs to a tool that the provider runs, such as `web_search_tool_result` or
/// its content.
fn is_of_a_tool(kind: &str) -> bool {
    ["_tool_use", "_result", "_tool_result_error"].iter().any(|end| kind.ends_with(end))
}

/// Whether a list contains this word.
fn holds(list: &Value, word: &str) -> bool {
    list.as_array().is_some_and(|list| list.iter().any(|value| value == word))
}

/// Whether a document is text, which can be inspected.
fn is_readable(document: &Value) -> bool {
    document.pointer("/source/type").is_some_and(|kind| is_one_of(kind, &["content", "text"]))
}

/// Whether a text is a link that contains a file: `data:image/png;base64,` and the content.
fn holds_a_file(text: &str) -> bool {
    let Some((head, _)) = text.split_once(',') else { return false };
    let head = head.to_ascii_lowercase();
    head.strip_prefix("data:").is_some_and(|kind| kind.ends_with(";base64") && !kind.contains(' '))
}

/// Whether a value consists of a long run of digits.
fn is_digits(value: &Value) -> bool {
    let has_letter = |text: &str| text.bytes().any(|byte| byte.is_ascii_alphabetic());
    value.as_str().is_some_and(|text| !has_letter(text) && digits(text) >= MIN_NUMBER_DIGITS)
}

/// Whether a link contains its content.
fn is_encoded(link: &Value) -> bool {
    link.as_str().and_then(|link| link.get(..5)).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// Whether a value has the form of a provider's signature or ciphertext: at least 16 bytes in Base64 of
/// either alphabet, with letters of both cases and digits. Findings in it are accidental.
pub(super) fn is_seal(value: &Value) -> bool {
    let Some(text) = value.as_str() else { return false };
    let bytes = text.trim_end_matches('=');
    let has = |of: fn(&u8) -> bool| bytes.bytes().any(|byte| of(&byte));
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
    let is_whole = text.len() - bytes.len() <= 2 && bytes.len() % 4 != 1;
    bytes.len() >= MIN_SEAL
        && is_whole
        && bytes.bytes().all(letter)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

fn digits(number: &str) -> usize {
    number.bytes().filter(u8::is_ascii_digit).count()
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

fn is_message_key(key: &str) -> bool {
    const KNOWN: [&str; 10] = [
        "audio",
        "content",
        "function_call",
        "id",
        "name",
        "reasoning",
        "reasoning_content",
        "refusal",
        "role",
        "tool_call_id",
    ];
    KNOWN.contains(&key) || key == "tool_calls"
}

fn is_part_key(key: &str) -> bool {
    const KNOWN: [&str; 17] = [
        "cache_control",
        "content",
        "encrypted_content",
        "encrypted_index",
        "file",
        "file_id",
        "id",
        "image_url",
        "input",
        "input_audio",
        "is_error",
        "name",
        "refusal",
        "source",
        "text",
        "tool_use_id",
        "type",
    ];
    KNOWN.contains(&key)
}

fn is_media_key(key: &str) -> bool {
    matches!(
        key,
        "data" | "detail" | "file_data" | "file_id" | "filename" | "format" | "media_type" | "type" | "url"
    )
}

fn is_tool_key(key: &str) -> bool {
    matches!(key, "description" | "function" | "input_schema" | "name" | "parameters" | "strict" | "type")
}

fn is_schema_key(key: &str) -> bool {
    SCHEMA_NAMED.contains(&key)
        || SCHEMA_TEXTS.contains(&key)
        || matches!(
            key,
            "$anchor"
                | "$comment"
                | "$dynamicRef"
                | "$id"
                | "$ref"
                | "$schema"
                | "additionalProperties"
                | "allOf"
                | "anyOf"
                | "contentEncoding"
                | "contentMediaType"
                | "dependentRequired"
                | "description"
                | "format"
                | "items"
                | "not"
                | "oneOf"
                | "pattern"
                | "title"
                | "type"
        )
}

fn is_item_key(key: &str) -> bool {
    const KNOWN: [&str; 13] = [
        "action",
        "arguments",
        "call_id",
        "content",
        "encrypted_content",
        "id",
        "input",
        "name",
        "output",
        "result",
        "status",
        "summary",
        "type",
    ];
    KNOWN.contains(&key)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use serde_json::json;

    use super::*;

    fn walk(body: &mut Value, schema: RequestSchema, visit: &mut impl Visit) -> Result<Left, TooDeep> {
        super::walk(body, schema, visit, &mut async || {}).now_or_never().unwrap()
    }

    /// As Anthropic's signatures look.
    const SEAL: &str = "EqQBCgIYAhIM1gbcDa9GJwZA2b3h";

    /// Every string that is shown, as `role|label|text`, and the body with each of them in brackets.
    fn shown(body: &Value) -> (Vec<String>, Value, Left) {
        let (mut body, mut seen) = (body.clone(), Vec::new());
        let mut visit = |at: At<'_>, text: &str| {
            let signed = if at.signed { "signed|" } else { "" };
            seen.push(format!("{signed}{}|{}|{text}", at.role, at.label.unwrap_or("-")));
            Some(format!("<{text}>"))
        };
        let left = walk(&mut body, RequestSchema::Messages, &mut visit).unwrap();
        seen.sort();
        (seen, body, left)
    }

    #[test]
    fn strings_and_their_roles() {
        for (body, want, after) in [
            (
                json!({ "model": "m", "messages": [{ "role": "user", "content": "hi", "name": "Jan" }] }),
                vec!["user|-|Jan", "user|-|hi"],
                json!({ "model": "m", "messages": [{ "role": "user", "content": "<hi>", "name": "<Jan>" }] }),
            ),
            (
                json!({ "messages": [{ "role": "tool", "tool_call_id": "call_1", "content": [
                    { "type": "text", "text": "a" }, "b" ] }] }),
                vec!["tool|-|a", "tool|-|b"],
                json!({ "messages": [{ "role": "tool", "tool_call_id": "call_1", "content": [
                    { "type": "text", "text": "<a>" }, "<b>" ] }] }),
            ),
            (
                json!({ "messages": [{ "role": "jan@x.cz", "tool_call_id": "jan@x.cz" }] }),
                vec!["user|-|jan@x.cz", "user|-|jan@x.cz"],
                json!({ "messages": [{ "role": "<jan@x.cz>", "tool_call_id": "<jan@x.cz>" }] }),
            ),
            (
                json!({ "messages": [{ "role": "assistant", "content": null, "tool_calls": [{ "id": "c",
                    "type": "function", "function": { "name": "f",
                    "arguments": "{ \"ssn\": \"1\", \"n\": 1.50, \"card\": 4111111111111111 }" } }] }] }),
                vec![
                    "assistant|-|card",
                    "assistant|-|f",
                    "assistant|-|n",
                    "assistant|-|ssn",
                    "assistant|card|4111111111111111",
                    "assistant|ssn|1",
                ],
                json!({ "messages": [{ "role": "assistant", "content": null, "tool_calls": [{ "id": "c",
                    "type": "function", "function": { "name": "<f>", "arguments":
                    "{ \"<ssn>\": \"<1>\", \"<n>\": 1.50, \"<card>\": \"<4111111111111111>\" }" } }] }] }),
            ),
            (
                json!({ "messages": [{ "role": "assistant", "tool_calls": [{ "function": {
                    "arguments": "not json" } }] }] }),
                vec!["assistant|-|not json"],
                json!({ "messages": [{ "role": "assistant", "tool_calls": [{ "function": {
                    "arguments": "<not json>" } }] }] }),
            ),
            (
                json!({ "user": "u", "metadata": { "k": "v", "type": "t" }, "new": ["x"], "seed": 12345678 }),
                vec![
                    "user|-|k",
                    "user|-|new",
                    "user|-|type",
                    "user|k|v",
                    "user|new|x",
                    "user|type|t",
                    "user|user|u",
                ],
                json!({ "user": "<u>", "metadata": { "<k>": "<v>", "<type>": "<t>" }, "<new>": ["<x>"],
                    "seed": 12345678 }),
            ),
            (
                json!({ "system": "s", "tools": [{ "type": "function", "function": { "name": "f",
                    "description": "d", "parameters": { "type": "object", "properties": { "p": {
                    "type": "string", "enum": ["e"], "description": "pd", "default": "dv" } },
                    "required": ["p"] } } }] }),
                vec![
                    "system|-|d",
                    "system|-|dv",
                    "system|-|e",
                    "system|-|f",
                    "system|-|p",
                    "system|-|p",
                    "system|-|pd",
                    "system|-|s",
                ],
                json!({ "system": "<s>", "tools": [{ "type": "function", "function": { "name": "<f>",
                    "description": "<d>", "parameters": { "type": "object", "properties": { "<p>": {
                    "type": "string", "enum": ["<e>"], "description": "<pd>", "default": "<dv>" } },
                    "required": ["<p>"] } } }] }),
            ),
            (
                json!({ "messages": [{ "role": "assistant", "function_call": { "name": "f", "arguments": "{\"a\":\"b\"}" } }] }),
                vec!["assistant|-|a", "assistant|-|f", "assistant|a|b"],
                json!({ "messages": [{ "role": "assistant", "function_call": { "name": "<f>",
                    "arguments": "{\"<a>\":\"<b>\"}" } }] }),
            ),
            (json!("alone"), vec!["user|-|alone"], json!("<alone>")),
        ] {
            let (seen, changed, _) = shown(&body);
            assert_eq!(seen, want, "{body}");
            assert_eq!(changed, after, "{body}");
        }
    }

    #[test]
    fn what_is_left() {
        let parts = |parts: Value| json!({ "messages": [{ "role": "user", "content": parts }] });
        let thought = |parts: Value| json!({ "messages": [{ "role": "assistant", "content": parts }] });
        let none = Left::default();
        for (body, want, seen) in [
            (
                parts(json!([{ "type": "image_url", "image_url": { "url": "data:image/png;base64,AA" } }])),
                Left { images: 1, ..none },
                vec![],
            ),
            (
                parts(json!([{ "type": "image_url", "image_url": { "url": "https://x/" } }])),
                Left { images: 1, ..none },
                vec!["user|-|https://x/"],
            ),
            (
                parts(json!([{ "type": "input_audio", "input_audio": { "data": "AA", "format": "wav" } }])),
                Left { audio: 1, ..none },
                vec!["user|-|wav"],
            ),
            (
                parts(json!([{ "type": "file", "file": { "file_id": "f-1" } }])),
                Left { files: 1, ids: 1, ..none },
                vec![],
            ),
            (
                parts(json!([{ "type": "thinking", "thinking": "t", "signature": "" }])),
                none,
                vec!["user|-|signature", "user|-|thinking", "user|thinking|t"],
            ),
            // a search of the provider's, as it comes back with the next turn
            (
                parts(json!([
                    { "type": "server_tool_use", "id": "s1", "name": "web_search", "input": { "query": "q" } },
                    { "type": "web_search_tool_result", "tool_use_id": "s1", "content": [
                        { "type": "web_search_result", "title": "t", "encrypted_content": "EqQBCgIYAhIM1gbcDa9GJwZA2b3h" }] },
                    { "type": "web_search_tool_result", "tool_use_id": "s2", "content":
                        { "type": "web_search_tool_result_error", "error_code": "c" } },
                ])),
                Left { ids: 3, ..none },
                vec![
                    "tool|-|error_code",
                    "tool|-|title",
                    "tool|error_code|c",
                    "tool|title|t",
                    "user|-|query",
                    "user|-|web_search",
                    "user|query|q",
                ],
            ),
            (
                json!({ "modalities": ["text", "audio"] }),
                Left { audio: 1, ..none },
                vec!["user|-|audio", "user|-|text"],
            ),
            // what holds bytes where none belong is text
            (
                parts(
                    json!([{ "type": "text", "text": "t", "file": { "file_data": "f" }, "image_url": "data:,i" }]),
                ),
                none,
                vec!["user|-|file_data", "user|-|t", "user|file_data|f", "user|image_url|data:,i"],
            ),
            (
                parts(
                    json!([{ "type": "tool_result", "content": [{ "type": "text", "source": { "data": "s" } }] }]),
                ),
                none,
                vec!["tool|-|data", "tool|data|s"],
            ),
            (
                parts(json!([{ "type": "document", "source": { "type": "text", "data": "d" } }])),
                none,
                vec!["user|-|data", "user|-|type", "user|data|d", "user|type|text"],
            ),
            (
                json!({ "messages": [{ "images": ["AA"], "audio": { "data": "BB" },
                    "x": [{ "y": "data:image/png;base64,AA" }], "content": "data:image/png;base64,AA" }] }),
                Left { images: 1, audio: 1, files: 1, ..none },
                vec![
                    "user|-|AA",
                    "user|-|BB",
                    "user|-|data",
                    "user|-|data:image/png;base64,AA",
                    "user|-|images",
                    "user|-|x",
                    "user|-|y",
                    "user|y|data:image/png;base64,AA",
                ],
            ),
            (
                json!({ "user": 4111111111111111_u64, "seed": 4111111111111111_u64, "metadata": 4111111111111111_u64 }),
                none,
                vec!["user|metadata|4111111111111111", "user|user|4111111111111111"],
            ),
            (
                json!({ "messages": [{ "tool_call_id": "44051401359", "content": [
                    { "type": "redacted_thinking", "data": "44051401359" }] }] }),
                none,
                vec!["user|-|44051401359", "user|-|data", "user|data|44051401359"],
            ),
            (
                json!({ "tools": [{ "parameters": { "enum": [1, 2.5], "const": { "a": ["b", 3, null] } } }] }),
                none,
                vec!["system|-|a", "system|a|b"],
            ),
            (
                parts(json!([{ "type": "new", "x": "y" }])),
                Left { unknown: 1, ..none },
                vec!["user|-|x", "user|x|y"],
            ),
            (parts(json!({ "x": "y" })), Left { unknown: 1, ..none }, vec!["user|-|x", "user|x|y"]),
            // a seal of a provider, in the role that has one
            (
                thought(json!([{ "type": "thinking", "thinking": "t", "signature": SEAL }])),
                Left { signed: 1, ..none },
                vec!["signed|assistant|-|t"],
            ),
            (
                thought(json!([{ "type": "redacted_thinking", "data": SEAL, "x": "y" }])),
                Left { signed: 1, ..none },
                vec!["assistant|-|x", "assistant|x|y"],
            ),
            // a made-up seal, and a seal in another role
            (
                thought(json!([{ "type": "thinking", "thinking": "t", "signature": "4111111111111111" }])),
                none,
                vec![
                    "assistant|-|signature",
                    "assistant|-|thinking",
                    "assistant|signature|4111111111111111",
                    "assistant|thinking|t",
                ],
            ),
            (
                parts(json!([{ "type": "thinking", "thinking": "t", "signature": SEAL }])),
                none,
                vec!["user|-|signature", "user|-|thinking", "user|thinking|t"],
            ),
            (
                parts(json!([{ "type": "text", "text": "t", "encrypted_content": "4111111111111111" }])),
                none,
                vec!["user|-|t", "user|encrypted_content|4111111111111111"],
            ),
            (
                json!({ "response_format": { "type": "json_schema", "json_schema": { "schema": {
                    "properties": { "a": { "const": "c", "$ref": "r" } }, "$defs": { "d": { "pattern": "p" } } } } } }),
                none,
                vec!["system|-|a", "system|-|c", "system|-|d", "system|-|p", "system|-|r"],
            ),
        ] {
            let (shown, _, left) = shown(&body);
            assert_eq!((left, shown), (want, seen.into_iter().map(str::to_owned).collect()), "{body}");
        }
    }

    #[test]
    fn keys_that_become_one_keep_their_values() {
        let mut body = json!({ "metadata": { "a": 1, "b": 2, "c": 3 } });
        let mut visit = |_: At<'_>, text: &str| (text.len() == 1).then(|| "x".to_owned());
        walk(&mut body, RequestSchema::Messages, &mut visit).unwrap();
        assert_eq!(body, json!({ "metadata": { "x": 1, "x_2": 2, "x_3": 3 } }));
    }

    /// A provider that signs nothing gets nothing that is called signed.
    #[test]
    fn without_seals_everything_is_text() {
        let part =
            json!({ "type": "thinking", "thinking": "t", "signature": SEAL, "encrypted_content": SEAL });
        let mut body = json!({ "messages": [{ "role": "assistant", "content": [part] }] });
        let mut seen = 0;
        let left = walk(&mut body, RequestSchema::Completions, &mut |at: At<'_>, _: &str| {
            assert!(!at.signed);
            seen += 1;
            None
        });
        assert_eq!((left, seen), (Ok(Left::default()), 5));
    }

    #[test]
    fn seals() {
        for (text, want) in [
            (SEAL, true),
            ("c2lnbmVkIGJ5IHRoZSBwcm92aWRlcg==", true),
            ("gAAAAABm-_x7Zk2qd3mabX9Y8Z7W6V5U", true),
            ("4111111111111111", false),
            ("41111111111111114111111111111111", false),
            ("made-up", false),
            ("eva@example.com0123456789ABCDEFGH", false),
            ("jannovakjannovakjannovak", false),
            ("EqQBCgIYAhIM1gbcDa9GJwZA2b3h=a", false),
        ] {
            assert_eq!(is_seal(&json!(text)), want, "{text}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nest = |levels: usize| (0..levels).fold(json!("x"), |inner, _| json!([inner]));
        for (levels, fits) in [(50, true), (100, false)] {
            let mut body = json!({ "metadata": nest(levels) });
            assert_eq!(
                walk(&mut body, RequestSchema::Messages, &mut |_: At<'_>, _: &str| None).is_ok(),
                fits,
                "{levels}"
            );
        }
    }
}
