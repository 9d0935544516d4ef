//! Texts in which characters are written as escapes of JSON, such as the result of a tool that a program wrote:
//! `{"name": "Dvo\u0159\u00e1k"}`. They are searched as they read, and changed as they are written.

use std::borrow::Cow;

use serde::de::IgnoredAny;

/// The maximum number of layers of escapes: JSON in a string of JSON in a string.
const MAX_LAYERS: usize = 3;

/// A text as it reads, and where each character of it is written.
pub struct Readable<'t> {
    text: Cow<'t, str>,
    /// From the text as it reads to the one as it is written.
    layers: Vec<Layer>,
}

/// The places where the distance to the written text changes: a byte of the text that was read, and the byte at which
/// it is written, in order.
type Layer = Vec<(usize, usize)>;

impl<'t> Readable<'t> {
    /// Reads the escapes of a text of JSON; of any other text those of the form `\u00e1`, since a backslash before
    /// another letter may be the text's own.
    pub fn of(written: &'t str) -> Self {
        let mut readable = Self { text: Cow::Borrowed(written), layers: Vec::new() };
        while readable.layers.len() < MAX_LAYERS
            && let Some((text, layer)) = read(&readable.text)
        {
            readable.text = Cow::Owned(text);
            readable.layers.insert(0, layer);
        }
        readable
    }

    /// The text as it reads.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the byte at which the character at this byte of the text is written; for the end of the text, the end.
    pub fn written_at(&self, byte: usize) -> usize {
        self.layers.iter().fold(byte, |byte, layer| {
            let after = layer.partition_point(|(read, _)| *read <= byte);
            let (read, written) =
                after.checked_sub(1).and_then(|at| layer.get(at)).copied().unwrap_or_default();
            written + (byte - read)
        })
    }
}

/// The text with its escapes decoded; `None` for a text without escapes.
fn read(written: &str) -> Option<(String, Layer)> {
    if !written.contains('\\') {
        return None;
    }
    let is_json = written.trim_start().starts_with(['{', '[', '"'])
        && serde_json::from_str::<IgnoredAny>(written).is_ok();
    let (mut text, mut layer) = (String::with_capacity(written.len()), Layer::new());
    let mut rest = written;
    while let Some((plain, here)) = rest.find('\\').and_then(|at| rest.split_at_checked(at)) {
        text.push_str(plain);
        let escape = unicode(here).or_else(|| is_json.then(|| short(here)).flatten());
        // a backslash that begins no escape is itself
        let (letter, len) = escape.unwrap_or(('\\', 1));
        let after = here.get(len..)?;
        if escape.is_some() {
            layer.push((text.len(), written.len() - here.len()));
            layer.push((text.len() + letter.len_utf8(), written.len() - after.len()));
        }
        text.push(letter);
        rest = after;
    }
    text.push_str(rest);
    (!layer.is_empty()).then_some((text, layer))
}

/// The character of an escape of the form `\u00e1`, or of two that are a pair, and its length in bytes.
fn unicode(text: &str) -> Option<(char, usize)> {
    const LEN: usize = r"\u00e1".len();
    let unit = |text: &str| {
        let hex = text.strip_prefix(r"\u")?.get(..4)?;
        let is_hex = hex.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_hex.then(|| u16::from_str_radix(hex, 16).ok()).flatten()
    };
    let first = unit(text)?;
    if let Some(letter) = char::from_u32(first.into()) {
        return Some((letter, LEN));
    }
    let pair = [first, unit(text.get(LEN..)?)?];
    let letter = char::decode_utf16(pair).next()?.ok()?;
    Some((letter, 2 * LEN))
}

/// The character of an escape of two bytes.
fn short(text: &str) -> Option<(char, usize)> {
    let letter = match text.as_bytes().get(1)? {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        letter @ (b'"' | b'\\' | b'/') => char::from(*letter),
        _ => return None,
    };
    Some((letter, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_and_how_it_reads() {
        for (written, want) in [
            ("plain", "plain"),
            (r#"{"n": "Dvo\u0159\u00e1k"}"#, r#"{"n": "Dvořák"}"#),
            (r#"{"n": "Dvo\u0159\u00e1k""#, r#"{"n": "Dvořák""#),
            (r#"{"a": "Main St\n\"1\"", "u": "a\/b"}"#, "{\"a\": \"Main St\n\"1\"\", \"u\": \"a/b\"}"),
            (r#"{"a": "{\"m\": \"x\\u0040y\"}"}"#, r#"{"a": "{"m": "x@y"}"}"#),
            // a path, not JSON
            (r"firma\novak and C:\users", r"firma\novak and C:\users"),
            (r"\ud83d\ude00 \ud83d \u12", "\u{1f600} \\ud83d \\u12"),
            (r"\", r"\"),
        ] {
            assert_eq!(Readable::of(written).text(), want, "{written}");
        }
    }

    #[test]
    fn each_character_is_written_somewhere() {
        for written in [
            "plain á",
            r#"{"n": "Dvo\u0159\u00e1k \ud83d\ude00!", "a": "1\n2"}"#,
            r#"["{\"m\": \"x\\u0040y\"}"]"#,
        ] {
            let readable = Readable::of(written);
            let places: Vec<_> = readable
                .text()
                .char_indices()
                .map(|(at, letter)| (readable.written_at(at), letter))
                .collect();
            for (at, letter) in &places {
                let here = written.get(*at..).unwrap();
                assert!(here.starts_with(*letter) || here.starts_with('\\'), "{written}: {letter} at {at}");
            }
            assert!(places.is_sorted_by(|one, next| one.0 < next.0), "{written}");
            assert_eq!(readable.written_at(readable.text().len()), written.len());
        }
    }
}
