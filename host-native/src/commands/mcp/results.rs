//! Protects results, errors and parameters by the shapes of the protocol.
//!
//! Every string and number is protected, wherever it is, except the few that both sides must read alike: URIs that the
//! client has sent, and cursors. Those are put back afterwards, by their place.

use anyhow::{Result, bail};
use serde_json::{Value, json};
use textveil_engine::options::DenyRule;
use textveil_service::chat::seams::Seams;

use super::super::json_value::JsonProtector;

/// Fields of a result that the protocol reads, and no model.
const OF_PROTOCOL: [&str; 5] = ["resultType", "nextCursor", "ttlMs", "cacheScope", "requestState"];
/// Fields of parameters by which a message belongs to another one.
const REFERENCES: [&str; 3] = ["requestId", "progressToken", "elicitationId"];
/// The keys of `_meta` that the protocol has.
const META_PREFIX: &str = "io.modelcontextprotocol/";
/// Capabilities whose methods do not pass.
const UNKNOWN_CAPABILITIES: [&str; 3] = ["experimental", "extensions", "tasks"];

/// A request that a result answers.
pub struct Asked {
    pub method: String,
    /// The URI that is read.
    pub uri: Option<String>,
}

/// Protects what a server sends.
pub struct Results {
    pub json: JsonProtector,
    /// Whether binary content passes.
    pub passes_binary: bool,
    /// Whether methods and content of unknown kinds pass.
    pub passes_unknown: bool,
}

/// A value that is being protected.
struct Draft {
    value: Value,
    /// The texts that a reader may join, in order.
    texts: Vec<String>,
    /// The values to put back, with their places as JSON pointers.
    kept: Vec<(String, Value)>,
}

impl Results {
    /// Protects a result.
    ///
    /// # Errors
    /// If it cannot be read, or the engine rejects it.
    pub fn result(&self, asked: &Asked, result: &Value) -> Result<Value> {
        let mut draft = Draft::of(result)?;
        let method = asked.method.as_str();
        match method {
            "tools/list" => return Ok(draft.value),
            "initialize" | "server/discover" => {
                if !self.passes_unknown
                    && let Some(capabilities) =
                        draft.value.get_mut("capabilities").and_then(Value::as_object_mut)
                {
                    capabilities.retain(|name, _| !UNKNOWN_CAPABILITIES.contains(&name.as_str()));
                }
                return Ok(draft.value);
            }
            "tools/call" => self.content(&mut draft, "/content"),
            "prompts/get" => self.messages(&mut draft, "/messages"),
            "resources/read" => self.contents(&mut draft, asked.uri.as_deref()),
            "resources/list" => draft.keep_in_each("/resources", "uri"),
            "resources/templates/list" => draft.keep_in_each("/resourceTemplates", "uriTemplate"),
            "prompts/list" => draft.keep_names_of_prompts(),
            _ if super::wrapper::is_known(method) => (),
            // the operator has let its method pass
            _ => return Ok(draft.value),
        }
        match draft.value.get("resultType").map(Value::as_str) {
            None | Some(Some("complete")) => (),
            Some(Some("input_required")) => {
                for name in draft.keys("/inputRequests") {
                    let place = format!("/inputRequests/{}", escaped(&name));
                    draft.keep(&format!("{place}/method"));
                    self.messages(&mut draft, &format!("{place}/params/messages"));
                }
            }
            Some(_) if self.passes_unknown => return Ok(draft.value),
            Some(_) => bail!("its resultType is unknown"),
        }
        draft.keep_fields("", |name| OF_PROTOCOL.contains(&name));
        draft.keep_fields("/_meta", |name| name.starts_with(META_PREFIX));
        self.finish(draft)
    }

    /// Protects an error; its code stays.
    ///
    /// # Errors
    /// As [`Self::result`].
    pub fn error(&self, error: &Value) -> Result<Value> {
        let mut draft = Draft::of(error)?;
        if draft.value.get("code").is_some_and(Value::is_i64) {
            draft.keep("/code");
        }
        self.finish(draft)
    }

    /// Protects the parameters of a request.
    ///
    /// # Errors
    /// As [`Self::result`].
    pub fn request(&self, params: &Value) -> Result<Value> {
        let mut draft = Draft::of(params)?;
        self.messages(&mut draft, "/messages");
        draft.keep_fields("", |name| REFERENCES.contains(&name));
        draft.keep_fields("/_meta", |name| name.starts_with(META_PREFIX) || REFERENCES.contains(&name));
        self.finish(draft)
    }

    /// Protects the parameters of a notification.
    ///
    /// # Errors
    /// As [`Self::result`].
    pub fn notification(&self, params: &Value) -> Result<Value> {
        let mut draft = Draft::of(params)?;
        draft.keep_fields("", |name| REFERENCES.contains(&name) || name == "uri");
        draft.keep_fields("/_meta", |name| name.starts_with(META_PREFIX) || REFERENCES.contains(&name));
        self.finish(draft)
    }

    /// Protects a draft. The parts of a value over several texts are findings everywhere in it.
    fn finish(&self, draft: Draft) -> Result<Value> {
        let Draft { value, texts, kept } = draft;
        let mut failed = None;
        let mut seams = Seams::default();
        let mut find = |text: &str| match self.json.engine.detect(text, &self.json.detection) {
            Ok(found) => found.entities,
            Err(error) => {
                failed.get_or_insert(error);
                Vec::new()
            }
        };
        for text in &texts {
            seams.read("", text, &mut find);
        }
        if let Some(error) = failed {
            return Err(error.into());
        }
        let parts = (0..texts.len()).flat_map(|number| seams.take(number));
        let deny = parts.map(|part| DenyRule { value: part.original, kind: Some(part.kind.into_owned()) });
        let (mut value, _) = self.json.protected_with(&value, deny.collect())?;
        for (place, kept) in kept {
            if let Some(protected) = value.pointer_mut(&place) {
                *protected = kept;
            }
        }
        Ok(value)
    }

    /// Reads content at a place: an item, or a list of items.
    fn content(&self, draft: &mut Draft, place: &str) {
        match draft.value.pointer(place) {
            Some(Value::Array(items)) => {
                for index in 0..items.len() {
                    self.item(draft, &format!("{place}/{index}"));
                }
            }
            Some(_) => self.item(draft, place),
            None => (),
        }
    }

    fn item(&self, draft: &mut Draft, place: &str) {
        let kind = draft.value.pointer(place).and_then(|item| item.get("type")).and_then(Value::as_str);
        let what = match kind {
            Some("text") => return draft.text(&format!("{place}/text")),
            Some("resource") if draft.value.pointer(&format!("{place}/resource/blob")).is_none() => {
                return draft.text(&format!("{place}/resource/text"));
            }
            Some("tool_result") => return self.content(draft, &format!("{place}/content")),
            Some("resource_link" | "tool_use") => return,
            Some("resource") if self.passes_binary => return draft.keep(&format!("{place}/resource/blob")),
            Some("image" | "audio") if self.passes_binary => return draft.keep(&format!("{place}/data")),
            Some("image") => "image",
            Some("audio") => "audio",
            Some("resource") => "binary resource",
            _ if self.passes_unknown => return,
            _ => "content of an unknown type",
        };
        if let Some(item) = draft.value.pointer_mut(place) {
            *item = json!({ "type": "text", "text": dropped(what) });
        }
    }

    /// Reads messages with a role and content.
    fn messages(&self, draft: &mut Draft, place: &str) {
        let count = draft.value.pointer(place).and_then(Value::as_array).map_or(0, Vec::len);
        for index in 0..count {
            self.content(draft, &format!("{place}/{index}/content"));
        }
    }

    /// Reads the contents of a resource; the URI that was asked for stays.
    fn contents(&self, draft: &mut Draft, asked: Option<&str>) {
        let count = draft.value.get("contents").and_then(Value::as_array).map_or(0, Vec::len);
        for index in 0..count {
            let place = format!("/contents/{index}");
            let uri = draft.value.pointer(&format!("{place}/uri")).and_then(Value::as_str);
            if uri.is_some() && uri == asked {
                draft.keep(&format!("{place}/uri"));
            }
            let has_blob = draft.value.pointer(&format!("{place}/blob")).is_some();
            if !has_blob {
                draft.text(&format!("{place}/text"));
            } else if self.passes_binary {
                draft.keep(&format!("{place}/blob"));
            } else if let Some(fields) = draft.value.pointer_mut(&place).and_then(Value::as_object_mut) {
                fields.remove("blob");
                fields.insert("mimeType".to_owned(), json!("text/plain"));
                fields.insert("text".to_owned(), json!(dropped("binary resource")));
            }
        }
    }
}

/// The note instead of content that cannot be searched.
fn dropped(what: &str) -> String {
    format!("[{what} removed: it cannot be searched for personal data]")
}

/// A key, as a JSON pointer has it.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

impl Draft {
    /// # Errors
    /// If it is not an object, as everything is that the protocol has.
    fn of(value: &Value) -> Result<Self> {
        if !value.is_object() {
            bail!("it is not an object");
        }
        Ok(Self { value: value.clone(), texts: Vec::new(), kept: Vec::new() })
    }

    /// Puts back what is at a place now.
    fn keep(&mut self, place: &str) {
        if let Some(value) = self.value.pointer(place) {
            self.kept.push((place.to_owned(), value.clone()));
        }
    }

    fn keys(&self, place: &str) -> Vec<String> {
        let fields = self.value.pointer(place).and_then(Value::as_object);
        fields.into_iter().flatten().map(|(name, _)| name.clone()).collect()
    }

    /// Puts back these fields of an object.
    fn keep_fields(&mut self, place: &str, is_kept: impl Fn(&str) -> bool) {
        for name in self.keys(place).into_iter().filter(|name| is_kept(name)) {
            self.keep(&format!("{place}/{}", escaped(&name)));
        }
    }

    /// Puts back a field of each object of a list.
    fn keep_in_each(&mut self, list: &str, field: &str) {
        let count = self.value.pointer(list).and_then(Value::as_array).map_or(0, Vec::len);
        (0..count).for_each(|index| self.keep(&format!("{list}/{index}/{field}")));
    }

    /// Puts back the names by which prompts are asked for.
    fn keep_names_of_prompts(&mut self) {
        self.keep_in_each("/prompts", "name");
        let count = self.value.get("prompts").and_then(Value::as_array).map_or(0, Vec::len);
        (0..count).for_each(|index| self.keep_in_each(&format!("/prompts/{index}/arguments"), "name"));
    }

    /// Adds a text that a reader may join with its neighbours.
    fn text(&mut self, place: &str) {
        if let Some(text) = self.value.pointer(place).and_then(Value::as_str).filter(|text| !text.is_empty())
        {
            self.texts.push(text.to_owned());
        }
    }
}
