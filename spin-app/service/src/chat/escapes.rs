//! Texts with encoded characters, such as the result of a tool that a program wrote: `{"name": "Dvo\u0159\u00e1k"}`, a URL
//! with `%40`, HTML with `&#64;`, base64. They are searched as they read, and changed as they are written.
//!
//! | encoding | decoded |
//! | --- | --- |
//! | escapes of JSON and of programs | `\u00e1`, `\u{e1}`, `\x40`, also behind several backslashes; `\n` and `\"` in JSON and in text that was escaped as JSON |
//! | percent | `%40`, `%C3%A1` |
//! | character references of HTML | `&#64;`, `&#x40;`, `&eacute;` |
//! | tag characters of Unicode | an invisible copy of ASCII |
//!
//! Each layer is one pass, and there are at most three, so the time is linear in the text.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use textveil_engine::escape;

/// The maximum number of layers of escapes: JSON in a string of JSON in a string.
const MAX_LAYERS: usize = 3;
/// The longest name of a character reference, in bytes, with `&` and `;`.
const MAX_REFERENCE: usize = 34;

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
    /// Decodes a text.
    pub fn of(written: &'t str) -> Self {
        let mut readable = Self { text: Cow::Borrowed(written), layers: Vec::new() };
        while readable.layers.len() < MAX_LAYERS
            && let Some((text, layer)) = unescape(&readable.text)
        {
            readable.text = Cow::Owned(text);
            readable.layers.insert(0, layer);
        }
        readable
    }

    /// Reads a word of letters, digits, `_` and `-` as words; with a capital each where it names a person.
    pub fn of_word(word: &'t str, names_person: bool) -> Self {
        let separator = if word.contains('_') { '_' } else { '-' };
        let mut begins = true;
        let letters = word.chars().map(|letter| {
            let is_first = std::mem::replace(&mut begins, letter == separator);
            match letter {
                letter if letter == separator => ' ',
                // of the same length, so that places stay
                letter if is_first && names_person => letter.to_ascii_uppercase(),
                letter => letter,
            }
        });
        Self { text: Cow::Owned(letters.collect()), layers: Vec::new() }
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
fn unescape(written: &str) -> Option<(String, Layer)> {
    let begins = |letter: char| matches!(letter, '\\' | '%' | '&' | '\u{e0020}'..='\u{e007e}');
    let first = written.find(begins)?;
    // a backslash before a letter may be the text's own, as in a path
    let is_json = written.contains("\\\"")
        || written.trim_start().starts_with(['{', '[', '"'])
            && serde_json::from_str::<IgnoredAny>(written).is_ok();
    let (mut text, mut layer) = (String::with_capacity(written.len()), Layer::new());
    let mut rest = written;
    let mut next = Some(first);
    while let Some((plain, here)) = next.and_then(|at| rest.split_at_checked(at)) {
        text.push_str(plain);
        let escape = escape(here).or_else(|| match here.as_bytes().first()? {
            // of several backslashes, two are one of the text: the next layer has the rest
            b'\\' if is_json => short(here),
            b'&' => reference(here),
            _ => None,
        });
        let (letter, len) = match escape {
            Some((letter, len)) => {
                layer.push((text.len(), written.len() - here.len()));
                layer.push((text.len() + letter.len_utf8(), written.len() - here.len() + len));
                (letter, len)
            }
            // the first character begins no escape, and is itself
            None => here.chars().next().map(|letter| (letter, letter.len_utf8()))?,
        };
        text.push(letter);
        rest = here.get(len..)?;
        next = rest.find(begins);
    }
    text.push_str(rest);
    (!layer.is_empty()).then_some((text, layer))
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

/// The character of any reference of HTML with a name, and its length in bytes.
fn reference(text: &str) -> Option<(char, usize)> {
    let head = text.as_bytes().get(..text.len().min(MAX_REFERENCE))?;
    let len = head.iter().position(|byte| *byte == b';')? + 1;
    let written = text.get(..len)?;
    let read = htmlize::unescape(written);
    let mut letters = read.chars();
    let letter = letters.next()?;
    (letters.next().is_none() && read != written).then_some((letter, len))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
            // two levels
            (r"jan\\u0040example.cz", "jan@example.cz"),
            (r"jan\\\\u0040example.cz", "jan@example.cz"),
            (r"\\ud83d\\ude00", "\u{1f600}"),
            (r"jan\x40example.cz, jan\u{40}example.cz", "jan@example.cz, jan@example.cz"),
            (r#"said: {\"mail\": \"jan\\u0040example.cz\"}\n"#, "said: {\"mail\": \"jan@example.cz\"}\n"),
            // percent
            ("https://x.cz/?q=jan%40example.cz", "https://x.cz/?q=jan@example.cz"),
            ("J%C3%B6rg 100% sure, 5%20", "Jörg 100% sure, 5 "),
            ("jan%2540example.cz", "jan@example.cz"),
            ("%zz %4 %C3 %00 %ff", "%zz %4 %C3 %00 %ff"),
            // HTML
            ("jan&#64;example.cz &#x40; J&ouml;rg", "jan@example.cz @ Jörg"),
            ("a &amp;#64; b & c &nosuch; &;", "a @ b & c &nosuch; &;"),
            // an invisible copy
            ("\u{e006a}\u{e0061}\u{e006e}\u{e0040}x", "jan@x"),
            ("a\u{e0001}\u{e007f}", "a\u{e0001}\u{e007f}"),
        ] {
            assert_eq!(Readable::of(written).text(), want, "{written}");
        }
    }

    #[test]
    fn words_of_names() {
        for (word, is_person, want) in [
            ("email_jan_novak", false, "email jan novak"),
            ("jan_novak", true, "Jan Novak"),
            ("jan-novak", true, "Jan Novak"),
            ("anna-maria_novak", true, "Anna-maria Novak"),
            ("řehoř_x", true, "řehoř X"),
        ] {
            assert_eq!(Readable::of_word(word, is_person).text(), want, "{word}");
        }
    }

    #[test]
    fn each_character_is_written_somewhere() {
        for written in [
            "plain á",
            r#"{"n": "Dvo\u0159\u00e1k \ud83d\ude00!", "a": "1\n2"}"#,
            r#"["{\"m\": \"x\\u0040y\"}"]"#,
            "J%C3%B6rg &amp;#64; \u{e0040} x",
        ] {
            let readable = Readable::of(written);
            let places: Vec<_> = readable
                .text()
                .char_indices()
                .map(|(at, letter)| (readable.written_at(at), letter))
                .collect();
            for (at, letter) in &places {
                let here = written.get(*at..).unwrap();
                let is_escape = here.starts_with(['\\', '%', '&', '\u{e0040}']);
                assert!(here.starts_with(*letter) || is_escape, "{written}: {letter} at {at}");
            }
            assert!(places.is_sorted_by(|one, next| one.0 < next.0), "{written}");
            assert_eq!(readable.written_at(readable.text().len()), written.len());
        }
    }

    proptest! {
        /// The places of any text are in order, in its bounds and between characters.
        #[test]
        fn places_are_sound(written in r#"([a-zA-Z0-9+/=_-]|\\|\\u0040|\\ud83d\\ude00|%4|%C3%B6|&#6|&amp;|;|á|\{|"|\x{e0041}){0,80}"#) {
            let readable = Readable::of(&written);
            let mut last = 0;
            for (at, _) in readable.text().char_indices() {
                let place = readable.written_at(at);
                prop_assert!(last <= place && place <= written.len());
                prop_assert!(written.is_char_boundary(place), "{place}");
                last = place;
            }
            prop_assert_eq!(readable.written_at(readable.text().len()), written.len());
        }
    }
}
