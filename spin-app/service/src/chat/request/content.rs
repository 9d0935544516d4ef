//! The content of a message: a string, or parts, as all protocols have them.

use serde_json::Value;

use super::{
    ASSISTANT, BodyWalk, Spelling, USER, Visit, Walked,
    files::{TextFile, text_file},
    forms::{is_encoded, is_name, is_one_of, string},
};
use crate::chat::{anthropic::is_signed, text::is_sealed};

impl<V: Visit> BodyWalk<'_, V> {
    /// Visits a content: a string, or parts.
    pub(in crate::chat) fn content(&mut self, content: &mut Value) -> Walked {
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

    pub(in crate::chat) fn part(&mut self, part: &mut Value) -> Walked {
        if part.get("type").is_some_and(|kind| is_one_of(kind, &["document", "file", "input_file"]))
            && self.file(part)
        {
            return self.known_part(part, true);
        }
        let kind = string(part.get("type"));
        if kind.ends_with("tool_use") {
            self.note_call(part.get("id"), part.get("name"));
        }
        // the result of a tool belongs to that tool, whatever the role of its message
        if kind.ends_with("tool_result") && self.tool.is_none() {
            let tool = self.called(part.get("tool_use_id"));
            return self.as_tool(tool, |walk| walk.part(part));
        }
        // so does what a search found, which the caller only passes on
        if kind == "search_result" && self.tool.is_none() {
            return self.as_tool(kind.to_owned(), |walk| walk.part(part));
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

    /// Visits the text of a file that is in the part itself; `false` if the part has another file, or a link to one.
    fn file(&mut self, part: &mut Value) -> bool {
        let Some((data, TextFile { head, text })) = text_file(part) else { return false };
        if let Some(new) = self.shown(&text, None) {
            *data = TextFile { head, text: new }.encode();
        }
        true
    }

    /// Visits a part. Only a part that counts as media may contain content that cannot be inspected.
    pub(in crate::chat) fn known_part(&mut self, part: &mut Value, is_media: bool) -> Walked {
        let Value::Object(members) = part else { return self.data(part, None) };
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "type" if is_name(value) => {}
                // a user has nothing that the provider signed
                key if self.has_seals() && self.role != USER && is_sealed(key, value) => {}
                "tool_use_id" | "id" | "file_id" => self.id(value)?,
                "content" => self.content(value)?,
                "text" | "refusal" => self.data(value, None)?,
                "name" => self.word(value, Spelling::Word)?,
                "image_url" | "input_audio" | "file" | "file_data" | "source" if is_media => {
                    self.media(value)?
                }
                "source" if string(value.get("type")) == "content" => self.known_part(value, false)?,
                _ => self.data(value, Some(key))?,
            }
        }
        self.keys(members, is_part_key)
    }

    /// Visits an image, a sound or a file: links and names are visited, encoded content is not. That of a file of text
    /// was visited before.
    pub(in crate::chat) fn media(&mut self, media: &mut Value) -> Walked {
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
}

/// Whether a part of this kind belongs to a tool that the provider runs, such as `web_search_tool_result` or
/// its content.
fn is_of_a_tool(kind: &str) -> bool {
    ["_tool_use", "_result", "_tool_result_error"].iter().any(|end| kind.ends_with(end))
}

/// Whether a document is text, which can be inspected.
fn is_readable(document: &Value) -> bool {
    document.pointer("/source/type").is_some_and(|kind| is_one_of(kind, &["content", "text"]))
}

fn is_part_key(key: &str) -> bool {
    const KNOWN: [&str; 20] = [
        "cache_control",
        "content",
        "encrypted_content",
        "encrypted_index",
        "file",
        "file_data",
        "file_id",
        "file_url",
        "filename",
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
