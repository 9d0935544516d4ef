//! Replacements inside the strings of a text: of JSON, of source code, of SQL.
//!
//! A caller's own replacement may have quotes, backslashes or line breaks, with which a log line in JSON is no JSON any more.
//! Other replacements have no such characters.

use std::borrow::Cow;

/// The number of bytes before a finding in which its string begins.
const REACH: usize = 1024;
/// The most levels of quoting: each doubles the backslashes.
const LEVELS: u32 = 4;

/// Escapes a replacement for the string around its place. Outside a string it stays.
pub(super) fn written<'r>(text: &str, at: usize, replacement: &'r str) -> Cow<'r, str> {
    let is_special = |letter: char| matches!(letter, '"' | '\'' | '\\') || letter.is_control();
    if !replacement.contains(is_special) {
        return Cow::Borrowed(replacement);
    }
    match string_around(text.as_bytes(), at) {
        Some((b'\'', 0)) => Cow::Owned(replacement.replace('\'', "''")),
        Some((b'"', levels)) => {
            Cow::Owned((0..=levels).fold(replacement.to_owned(), |text, _| escaped(&text)))
        }
        _ => Cow::Borrowed(replacement),
    }
}

/// Escapes a text for the inside of a string of JSON.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 2);
    for letter in text.chars() {
        match letter {
            '"' | '\\' => escaped.extend(['\\', letter]),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            _ if letter < ' ' => escaped.push_str(&format!("\\u{:04x}", u32::from(letter))),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// Returns the quote of the string around a place of its line, and how many levels of strings are around that.
fn string_around(bytes: &[u8], at: usize) -> Option<(u8, u32)> {
    let before = bytes.get(at.saturating_sub(REACH)..at)?;
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let quote = line.iter().rposition(|byte| matches!(byte, b'"' | b'\''))?;
    let ahead = line.get(..quote)?;
    let slashes = ahead.iter().rev().take_while(|byte| **byte == b'\\').count();
    let ahead = ahead.get(..quote - slashes)?.trim_ascii_end();
    // prose has quotes, too: a string begins behind a separator of fields
    let begins = ahead.last().is_some_and(|byte| b":=,([{".contains(byte));
    let levels = (slashes + 1).ilog2();
    begins.then_some((*line.get(quote)?, levels)).filter(|_| levels <= LEVELS)
}

#[cfg(test)]
mod tests {
    use crate::{
        api::options::{DetectOptions, Mode, Operator, ProtectOptions},
        protect,
    };

    #[test]
    fn a_replacement_is_escaped_for_its_string() {
        let operator = Operator { new_value: Some("a \"b\"\n'c'".into()), ..Operator::default() };
        let operators = [("email".to_owned(), operator)].into();
        let options = ProtectOptions { mode: Mode::Replace, operators, ..ProtectOptions::default() };
        for (text, written) in [
            (r#"{"to": "x@example.com"}"#, r#"{"to": "a \"b\"\n'c'"}"#),
            (r#"{"m": "{\"to\": \"x@example.com\"}"}"#, r#"{"m": "{\"to\": \"a \\\"b\\\"\\n'c'\"}"}"#),
            (r#"{"m": "at\nx@example.com, y"}"#, r#"{"m": "at\na \"b\"\n'c', y"}"#),
            ("VALUES (1, 'x@example.com')", "VALUES (1, 'a \"b\"\n''c''')"),
            ("say \"x@example.com\"", "say \"a \"b\"\n'c'\""),
            ("to x@example.com", "to a \"b\"\n'c'"),
        ] {
            let protected = protect(text, &DetectOptions::default(), &options, None).unwrap();
            assert_eq!(protected.text, written);
            assert!(
                serde_json::from_str::<serde_json::Value>(&protected.text).is_ok() || !text.starts_with('{')
            );
        }
    }
}
