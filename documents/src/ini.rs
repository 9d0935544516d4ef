//! Files of settings: `.env`, `.ini`, `.properties` and the like. Keys label their values.

use crate::{
    Value,
    lines::{Entries, LONGEST_STRING, blanks, comment, content_length, line_length, other, setting},
    parts::Parts,
    places::Places,
    syntax::{Escape, Syntax},
};

/// The lines of settings.
pub(crate) struct Ini;

impl Entries for Ini {
    fn entry(&mut self, text: &str, is_last: bool, parts: &mut dyn Parts) -> Option<usize> {
        let mut end = line_length(text);
        let line = text.get(..end)?;
        let indent = blanks(line);
        let first = line.get(indent..)?.chars().next();
        if matches!(first, Some('#' | ';' | '!')) {
            parts.keep(line.get(..indent)?);
            let content = content_length(line);
            comment(line.get(indent..content)?, parts);
            parts.keep(line.get(content..)?);
            return Some(end);
        }
        let Some((key, value)) = separated(line) else {
            section(line, parts);
            return Some(end);
        };
        let written = text.get(value..)?;
        let quote = written.chars().next().filter(|first| matches!(first, '"' | '\'' | '`'));
        let length = quote.and_then(|quote| string_length(written, quote));
        if quote.is_some() && length.is_none() && !is_last && written.len() < LONGEST_STRING {
            return None;
        }
        let length = length.filter(|length| ends(written.get(*length..).unwrap_or_default()));
        // a backslash at the end of a line continues it
        while length.is_none() && continues(text.get(..end)?) {
            if end == text.len() && !is_last {
                return None;
            }
            let more = line_length(text.get(end..)?);
            if more == 0 {
                break;
            }
            end += more;
        }
        let name = text.get(key.clone())?;
        parts.keep(text.get(..key.start)?);
        let label = setting(name, name, Syntax::escaped(Places::default(), Escape::Line), parts);
        parts.keep(text.get(key.end..value)?);
        let (raw, text_of, syntax) = match (quote, length) {
            (Some(quote), Some(length)) => {
                let raw = written.get(..length)?;
                end = value + length + line_length(written.get(length..)?);
                let escape = match quote {
                    '"' => Escape::Quoted,
                    _ => Escape::Literal { quote, times: 1, has_lines: true },
                };
                (raw, raw.get(1..length - 1)?, Syntax::escaped(Places::from(1), escape))
            }
            _ => {
                let raw = text.get(value..end)?;
                let raw = raw.get(..content_length(raw))?;
                (raw, raw, Syntax::escaped(Places::default(), Escape::Line))
            }
        };
        if !raw.is_empty() {
            parts.value(raw, Value { label, text: text_of.to_owned(), syntax, ..Value::default() });
        }
        let rest = text.get(value + raw.len()..end)?;
        let start = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let content = content_length(rest).max(start);
        parts.keep(rest.get(..start)?);
        comment(rest.get(start..content)?, parts);
        parts.keep(rest.get(content..)?);
        Some(end)
    }
}

/// Returns the length of a string in quotes. Escapes are those of double quotes.
fn string_length(text: &str, quote: char) -> Option<usize> {
    let within = text.get(..text.len().min(LONGEST_STRING)).unwrap_or(text);
    crate::strings::string_length(within, quote.encode_utf8(&mut [0; 4]), false)
}

/// Whether a string may end before a text: only spaces or a comment follow in its line.
fn ends(rest: &str) -> bool {
    let line = rest.get(..line_length(rest)).unwrap_or_default().trim();
    line.is_empty() || line.starts_with(['#', ';'])
}

/// Whether a line ends with a backslash that is not escaped.
fn continues(line: &str) -> bool {
    let content = line.trim_end_matches(['\r', '\n']);
    content.len() < line.len() && content.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// Returns the place of the key of a line, and the start of its value; `None` without a separator.
fn separated(line: &str) -> Option<(std::ops::Range<usize>, usize)> {
    let content = line.get(..content_length(line))?;
    let equals = content.find('=');
    let colon = content.match_indices(':').map(|(at, _)| at).find(|at| {
        content.get(at + 1..).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    });
    let at = equals.into_iter().chain(colon).min()?;
    let mut start = blanks(content);
    for word in ["export ", "set "] {
        if content.get(start..).is_some_and(|rest| rest.starts_with(word)) {
            start += word.len();
        }
    }
    let end = start + content.get(start..at)?.trim_end().len();
    let value = at + 1 + blanks(line.get(at + 1..)?);
    (end > start).then_some((start..end, value))
}

/// Hands over a line without a separator: the head of a section, or a text.
fn section(line: &str, parts: &mut dyn Parts) {
    let content = line.trim();
    let name = content.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_word = |byte: u8| byte.is_ascii_alphabetic() || b"_-. :\"".contains(&byte);
    if content.is_empty() || name.is_some_and(|name| name.bytes().all(is_word)) {
        parts.keep(line);
    } else {
        other(line, parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lines::Lines,
        tests::{labelled, protected},
    };

    #[test]
    fn keys_label_their_values() {
        let text = "; of Anna\n[mail]\n full name = Anna Kellermann ; chief\nexport API_KEY_2='a\nb' # c\nurl: https://a.example/x\n\
            empty=\nlong = a \\\n  b\nplain text\nq = \"say \\\"x\\\"\"\nhalf = 'tis\n";
        let expected = [
            ("", "; of Anna"),
            ("", "full name"),
            ("full name", "Anna Kellermann ; chief"),
            ("", "API_KEY_2"),
            ("API_KEY_2", "a\nb"),
            ("", "# c"),
            ("url", "https://a.example/x"),
            ("long", "a \\\n  b"),
            ("", "plain text"),
            ("q", "say \\\"x\\\""),
            ("half", "'tis"),
        ];
        labelled(&mut Lines::new(Ini), text, &expected);
    }

    #[test]
    fn replacements_are_written_for_their_places() {
        let text = "a = \"x X\" # X\nb = X\nc = 'X'\nX y = 1\n";
        assert_eq!(
            protected(&mut Lines::new(Ini), text, &["X"]),
            "a = \"x [R]\" # [R]\nb = [R]\nc = '[R]'\n[R] y = 1\n"
        );
    }
}
