//! Strings in quotes, as YAML, TOML and files of settings write them.

use crate::places::Places;

/// Returns the length of the string at the start of a text, with its quotes; `None` without an end. `mark` is what begins
/// and ends it. In double quotes a backslash escapes; a single quote may be doubled where `is_doubled`.
pub(crate) fn string_length(text: &str, mark: &str, is_doubled: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let escapes = mark.starts_with('"');
    let mut at = mark.len();
    while at < bytes.len() {
        let rest = bytes.get(at..)?;
        if escapes && rest.starts_with(b"\\") || is_doubled && rest.starts_with(b"''") {
            at += 2;
        } else if rest.starts_with(mark.as_bytes()) {
            // up to two quotes may precede the end of several
            let more = rest
                .iter()
                .skip(mark.len())
                .take_while(|byte| mark.len() > 1 && mark.as_bytes().first() == Some(*byte));
            return Some(at + mark.len() + more.take(2).count());
        } else {
            at += 1;
        }
    }
    None
}

/// Decodes the escapes between double quotes, from a place on; one that is not known stays.
pub(crate) fn decode_double(inside: &str, start: usize) -> (String, Places) {
    let (mut text, mut places) = (String::with_capacity(inside.len()), Places::from(start));
    let mut rest = inside;
    while let Some(at) = rest.find('\\') {
        let (plain, here) = rest.split_at(at);
        text.push_str(plain);
        match escape(here) {
            Some((letter, length)) => {
                text.extend(letter);
                rest = here.get(length..).unwrap_or_default();
                let written_end = start + inside.len() - rest.len();
                match letter {
                    Some(_) => places.add(text.len(), written_end),
                    None => places.leave_out(text.len(), written_end),
                }
            }
            None => {
                // the letter behind the backslash may be another backslash
                let length = 1 + here.chars().nth(1).map_or(0, char::len_utf8);
                text.push_str(here.get(..length).unwrap_or_default());
                rest = here.get(length..).unwrap_or_default();
            }
        }
    }
    text.push_str(rest);
    (text, places)
}

/// Decodes doubled single quotes, from a place on.
pub(crate) fn decode_single(inside: &str, start: usize) -> (String, Places) {
    let (mut text, mut places) = (String::with_capacity(inside.len()), Places::from(start));
    let mut rest = inside;
    while let Some((before, after)) = rest.split_once("''") {
        text.push_str(before);
        text.push('\'');
        rest = after;
        places.add(text.len(), start + inside.len() - rest.len());
    }
    text.push_str(rest);
    (text, places)
}

/// The character of the escape at the start of a text, if it has one, and its length; `None` if it is not known.
fn escape(text: &str) -> Option<(Option<char>, usize)> {
    let letter = match text.as_bytes().get(1)? {
        b'n' => '\n',
        b't' | b'\t' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'e' => '\u{1b}',
        b'0' => '\0',
        byte @ (b'"' | b'\\' | b'/' | b' ') => char::from(*byte),
        b'_' => '\u{a0}',
        b'N' => '\u{85}',
        b'L' => '\u{2028}',
        b'P' => '\u{2029}',
        b'a' => '\u{7}',
        b'v' => '\u{b}',
        b'x' => return hex(text, 2),
        b'u' => return pair(text).or_else(|| hex(text, 4)),
        b'U' => return hex(text, 8),
        b'\n' | b'\r' => {
            // an escaped line break goes with the spaces behind it
            let rest = text.get(1..)?;
            return Some((None, text.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len()));
        }
        _ => return None,
    };
    Some((Some(letter), 2))
}

fn hex(text: &str, digits: usize) -> Option<(Option<char>, usize)> {
    let written =
        text.get(2..2 + digits).filter(|written| written.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    Some((Some(char::from_u32(u32::from_str_radix(written, 16).ok()?)?), 2 + digits))
}

/// Two escapes that are one character in UTF-16, as writers of JSON have them.
fn pair(text: &str) -> Option<(Option<char>, usize)> {
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let letter = char::decode_utf16([unit(text)?, unit(text.get(6..)?)?]).next()?.ok()?;
    (letter > '\u{ffff}').then_some((Some(letter), 12))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_at_their_marks() {
        for (text, mark, is_doubled, length) in [
            (r#""a\"b" c"#, "\"", false, Some(6)),
            ("'it''s' x", "'", true, Some(7)),
            ("'it''s' x", "'", false, Some(4)),
            (r#""""a"b"""" x"#, "\"\"\"", false, Some(10)),
            ("'''a''' x", "'''", false, Some(7)),
            ("\"open", "\"", false, None),
        ] {
            assert_eq!(string_length(text, mark, is_doubled), length, "{text}");
        }
    }

    #[test]
    fn escapes_are_decoded_with_their_places() {
        for (inside, text) in [
            (r"a\tb\x41\u00e9\U0001F980", "a\tbAé🦀"),
            (r"\ud83e\udd80 \q \\n", "🦀 \\q \\n"),
            ("a\\\n   b", "ab"),
            (r"\", "\\"),
            (r"\ud800", "\\ud800"),
        ] {
            let (decoded, places) = decode_double(inside, 1);
            assert_eq!(decoded, text, "{inside}");
            assert_eq!(places.of(decoded.len()), 1 + inside.len(), "{inside}");
        }
        let (text, places) = decode_single("it''s", 1);
        assert_eq!((text.as_str(), places.of(3)), ("it's", 5));
    }
}
