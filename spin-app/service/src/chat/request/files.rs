//! Files of text inside a request: `data:text/plain;base64,…` and the sources of documents in base64.

use base64ct::{Base64, Encoding as _};
use serde_json::Value;

use super::forms::{is_one_of, string};

/// Media types of text, besides those that begin with `text/`.
const TEXT_TYPES: [&str; 8] = [
    "application/csv",
    "application/json",
    "application/jsonl",
    "application/toml",
    "application/x-ndjson",
    "application/x-yaml",
    "application/xml",
    "application/yaml",
];

/// Formats that write their text in a form of their own, whatever the media type says.
const FOREIGN: [&str; 2] = ["%PDF-", "{\\rtf"];

/// The places of a file's content in a part: of chat completions, of responses, of messages.
const CONTENTS: [&str; 3] = ["/file/file_data", "/file_data", "/source/data"];

/// Other places of a file: what is there cannot be inspected.
const LINKS: [&str; 6] =
    ["/file/file_id", "/file_id", "/file_url", "/source/file_id", "/source/url", "/file/file_url"];

/// A file of text.
pub(super) struct TextFile {
    /// The beginning of its data URI, up to the comma; empty without one.
    pub(super) head: String,
    pub(super) text: String,
}

impl TextFile {
    /// Decodes the content of a file; `None` if it is not text in UTF-8, or `kind` and the data URI call it something
    /// else.
    fn decode(data: &str, kind: &str) -> Option<Self> {
        let (head, encoded) = match data.split_once(',') {
            Some((head, encoded)) => (head, encoded),
            None => ("", data),
        };
        let kind = match head {
            "" => kind,
            head => {
                let parameters = head.get(5..).filter(|_| is_data(head))?;
                parameters.strip_suffix(";base64").or_else(|| parameters.strip_suffix(";BASE64"))?
            }
        };
        if !is_text_type(kind) {
            return None;
        }
        let text = String::from_utf8(Base64::decode_vec(encoded).ok()?).ok()?;
        let is_text = |letter: char| !letter.is_control() || "\t\n\r\u{c}".contains(letter);
        let is_foreign = FOREIGN.iter().any(|start| text.starts_with(start));
        (text.chars().all(is_text) && !is_foreign).then(|| Self { head: head.to_owned(), text })
    }

    /// Writes the content as it was written.
    pub(super) fn encode(&self) -> String {
        let comma = if self.head.is_empty() { "" } else { "," };
        format!("{}{comma}{}", self.head, Base64::encode_string(self.text.as_bytes()))
    }
}

/// Returns the file of text that a part has in itself, and the place of its content.
///
/// `None` if the part has also a link to a file.
pub(super) fn text_file(part: &mut Value) -> Option<(&mut String, TextFile)> {
    if LINKS.iter().any(|link| part.pointer(link).is_some_and(|link| !link.is_null())) {
        return None;
    }
    let mut contents = CONTENTS.into_iter().filter(|content| part.pointer(content).is_some());
    let (Some(content), None) = (contents.next(), contents.next()) else { return None };
    // a source of another type is a link, or text as it is
    if part.pointer("/source/type").is_some_and(|kind| !is_one_of(kind, &["base64"])) {
        return None;
    }
    let file = TextFile::decode(string(part.pointer(content)), string(part.pointer("/source/media_type")))?;
    match part.pointer_mut(content) {
        Some(Value::String(data)) => Some((data, file)),
        _ => None,
    }
}

fn is_data(head: &str) -> bool {
    head.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// Whether a media type, with its parameters, is that of text. Text in another charset than UTF-8 cannot be read here.
fn is_text_type(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    let mut parts = kind.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let mut charsets = parts.filter_map(|part| part.strip_prefix("charset="));
    let is_text = name.strip_prefix("text/").is_some_and(|name| name != "rtf") || TEXT_TYPES.contains(&name);
    is_text && charsets.all(|charset| matches!(charset.trim_matches('"'), "utf-8" | "utf8" | "us-ascii"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn files_of_text_are_told_by_type_and_content() {
        let encoded = |bytes: &[u8]| Base64::encode_string(bytes);
        let (text, pdf, bytes) = (encoded("Zoë\r\n".as_bytes()), encoded(b"%PDF-1.7"), encoded(b"a\0b"));
        let data = |kind: &str, encoded: &str| format!("data:{kind};base64,{encoded}");
        let file = |data: String| json!({ "type": "file", "file": { "filename": "a", "file_data": data } });
        let input = |data: String| json!({ "type": "input_file", "file_data": data });
        let document = |kind: &str, data: &str| json!({ "type": "document", "source": { "type": "base64", "media_type": kind, "data": data } });
        let mut with_id = input(data("text/plain", &text));
        with_id["file_id"] = json!("file-1");
        let mut with_url = document("text/plain", &text);
        with_url["source"]["url"] = json!("https://example.com/");
        for (mut part, want) in [
            (file(data("text/plain", &text)), true),
            (file(data("text/csv;charset=UTF-8", &text)), true),
            (file(data("application/json", &text)), true),
            (input(data("TEXT/Markdown", &text)), true),
            (document("text/plain", &text), true),
            (file(data("text/plain;charset=utf-16", &text)), false),
            (file(data("text/rtf", &text)), false),
            (file(data("application/pdf", &text)), false),
            (file(data("text/plain", &pdf)), false),
            (file(data("text/plain", &bytes)), false),
            (file(data("text/plain", "?")), false),
            (file(format!("data:text/plain,{text}")), false),
            (file(text.clone()), false),
            (document("application/pdf", &text), false),
            (
                json!({ "type": "document", "source": { "type": "url", "url": "https://example.com/" } }),
                false,
            ),
            (with_id, false),
            (with_url, false),
        ] {
            let shown = part.to_string();
            let found = text_file(&mut part);
            assert_eq!(found.is_some(), want, "{shown}");
            if let Some((data, file)) = found {
                assert_eq!((file.text.as_str(), file.encode()), ("Zoë\r\n", data.clone()), "{shown}");
            }
        }
    }
}
