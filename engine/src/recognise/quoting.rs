//! Finds the end of a value: that of its quotes, or the next separator.

use std::ops::Range;

/// The most backslashes before a quote: each level of quoting doubles them.
const MAX_BACKSLASHES: usize = 15;
/// The longest text between typographic quotes, in bytes.
const MAX_TYPOGRAPHIC: usize = 256;
/// The quotes of typography, and those that close them.
const PAIRS: &[(char, &str)] = &[
    ('„', "“”"),
    ('“', "”"),
    ('”', "”"),
    ('«', "»"),
    ('»', "«"),
    ('‘', "’"),
    ('‚', "‘’"),
    ('「', "」"),
    ('『', "』"),
];

/// Returns the inside of the quotes at the start of a text, which may be escaped: `"…"`, `'…'`, `\"…\"`.
///
/// An escaped quote does not end the value. At most `most` bytes are read, and one line.
pub(super) fn quoted(text: &str, most: usize) -> Option<Range<usize>> {
    let escapes = text.bytes().take(MAX_BACKSLASHES + 1).take_while(|byte| *byte == b'\\').count();
    let prefix = usize::from(escapes == 0 && has_prefix(text));
    let quote = text.get(escapes + prefix..)?.chars().next()?;
    let start = escapes + prefix + quote.len_utf8();
    let inside = text.get(start..)?;
    if let Some((_, closing)) = PAIRS.iter().find(|(opening, _)| *opening == quote) {
        let inside = inside.get(..inside.floor_char_boundary(MAX_TYPOGRAPHIC)).unwrap_or(inside);
        let end = inside.find(|letter| closing.contains(letter) || letter == '\n')?;
        let value =
            inside.get(..end).filter(|_| inside.get(end..).is_some_and(|rest| !rest.starts_with('\n')))?;
        // French has spaces inside its quotes
        let start = start + value.len() - value.trim_start().len();
        return Some(start..start + value.trim().len());
    }
    if !matches!(quote, '"' | '\'' | '`') {
        return None;
    }
    let inside = inside.as_bytes().get(..most.min(inside.len()))?;
    // a shell knows no escapes between single quotes, so that a last backslash is one of the value
    let end = closing(inside, quote as u8, escapes)
        .or_else(|| inside.iter().position(|byte| *byte == b'\n' || *byte == quote as u8))?;
    let closes = inside.get(end).is_some_and(|byte| *byte != b'\n');
    closes.then_some(start..start + end)
}

/// Whether a string literal has a prefix of one letter: `b"…"`, `r'…'`.
fn has_prefix(text: &str) -> bool {
    matches!(
        text.as_bytes(),
        [b'b' | b'r' | b'u' | b'f' | b'B' | b'R' | b'N' | b'@' | b'$', b'"' | b'\'', ..]
    )
}

/// Returns the end of the value whose quote is behind so many backslashes: behind as many more, and an even number of
/// its own.
fn closing(inside: &[u8], quote: u8, escapes: usize) -> Option<usize> {
    let mut backslashes = 0;
    let mut skip = false;
    for (at, byte) in inside.iter().enumerate() {
        match *byte {
            _ if std::mem::take(&mut skip) => {}
            b'\n' => return None,
            b'\\' => {
                backslashes += 1;
                continue;
            }
            byte if byte == quote && backslashes % (2 * (escapes + 1)) == escapes => {
                // `''` is a quote in SQL
                let doubled = quote == b'\'' && at > 0 && inside.get(at + 1) == Some(&quote);
                if !doubled {
                    return Some(at - escapes);
                }
                skip = true;
            }
            _ => {}
        }
        backslashes = 0;
    }
    None
}

/// Returns the length of a value without quotes: up to white space, a bracket of markup, a separator of fields or a
/// quote that encloses the value and its label.
///
/// With `is_setting`, the value of a variable or an option, commas and semicolons end it only before another field.
pub(super) fn unquoted(text: &str, is_field: bool) -> usize {
    let ends = |(at, letter): (usize, char)| {
        let behind = text.get(at + letter.len_utf8()..).unwrap_or_default();
        match letter {
            '&' => parts_values(behind),
            ',' | ';' if is_field => parts_fields(behind),
            ',' | ';' | '<' | '>' | '、' | '，' | '。' | '；' | '”' | '»' => true,
            '"' | '\'' | '`' => !behind.starts_with(is_of_value),
            '\\' => behind.starts_with(['n', 'r', 't', '"', '\'', '\\']),
            _ => letter.is_whitespace(),
        }
    };
    text.char_indices().find(|letter| ends(*letter)).map_or(text.len(), |(at, _)| at)
}

/// Whether a quote before this character is part of a value without quotes.
fn is_of_value(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
}

/// Whether an `&` before this text separates two values of a query, or begins an HTML entity. Otherwise it is
/// part of a password.
pub(super) fn parts_values(behind: &str) -> bool {
    let name =
        behind.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric() || "_-.[]#".contains(letter));
    name.len() < behind.len() && name.starts_with(['=', ';'])
}

/// Whether a `,` or `;` before this text separates two fields, or ends a clause. Otherwise it is part of a
/// password.
pub(super) fn parts_fields(behind: &str) -> bool {
    let word = behind
        .split(|letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | ',' | ';'))
        .next();
    word.is_none_or(|word| word.is_empty() || word.contains(['=', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_their_insides() {
        for (text, want) in [
            (r#""plain" x"#, Some("plain")),
            (r#""ab\"cd", 1"#, Some(r#"ab\"cd"#)),
            (r#""ab\\", "x""#, Some(r"ab\\")),
            (r#"\"in\" x"#, Some("in")),
            (r#"\"a\\\"b\" x"#, Some(r#"a\\\"b"#)),
            (r#"\"a\\\\\" x"#, Some(r"a\\\\")),
            (r#"\\\"deep\\\" x"#, Some("deep")),
            (r"'it\'s' x", Some(r"it\'s")),
            ("'it''s' x", Some("it''s")),
            ("'' x", Some("")),
            (r"'ends\' x", Some(r"ends\")),
            ("„Straße“ x", Some("Straße")),
            ("« a b » x", Some("a b")),
            ("b'bytes'", Some("bytes")),
            ("\"open\nx\"", None),
            ("\"open", None),
            ("plain", None),
            ("", None),
        ] {
            let found = quoted(text, 64).and_then(|range| text.get(range));
            assert_eq!(found, want, "{text}");
        }
        assert_eq!(quoted("\"longer than that\"", 8), None);
    }

    #[test]
    fn ends_without_quotes() {
        for (text, is_field, want) in [
            ("abc def", false, "abc"),
            ("ab,cd;ef", true, "ab,cd;ef"),
            ("ab,cd", false, "ab"),
            ("ab;Server=x", true, "ab"),
            ("ab&c=d", false, "ab"),
            ("ab&c", false, "ab&c"),
            ("ab</b>", false, "ab"),
            ("ab\"cd\" x", false, "ab\"cd"),
            ("ab\\\" x", false, "ab"),
            ("ab\\nnext", false, "ab"),
            ("ab\\cd", false, "ab\\cd"),
            ("密码，请", false, "密码"),
        ] {
            assert_eq!(&text[..unquoted(text, is_field)], want, "{text}");
        }
    }
}
