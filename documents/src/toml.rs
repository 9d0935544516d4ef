//! TOML (1.0): strings, dates and numbers change, and are labelled with their keys; comments are read as text.

use crate::{
    Value,
    lines::{Entries, LONGEST_STRING, comment, content_length, line_length, setting},
    parts::Parts,
    places::Places,
    strings::{decode_double, string_length},
    syntax::{Escape, Syntax},
};

/// The tokens of a document.
#[derive(Default)]
pub(crate) struct Toml {
    /// The key of the next value, and those of the outer arrays and inline tables.
    key: Option<String>,
    outer: Vec<Bracket>,
    is_value: bool,
    is_header: bool,
}

struct Bracket {
    key: Option<String>,
    is_table: bool,
}

impl Entries for Toml {
    fn entry(&mut self, text: &str, is_last: bool, parts: &mut dyn Parts) -> Option<usize> {
        let first = text.chars().next()?;
        match first {
            '#' => {
                let length = content_length(text.get(..line_length(text))?);
                comment(text.get(..length)?, parts);
                Some(length)
            }
            '"' | '\'' => self.string(text, first, is_last, parts),
            '\n' => {
                if self.outer.is_empty() {
                    (self.is_value, self.is_header) = (false, false);
                }
                parts.keep("\n");
                Some(1)
            }
            '[' | ']' | '{' | '}' | ',' | '=' => {
                self.mark(first);
                parts.keep(text.get(..1)?);
                Some(1)
            }
            _ => {
                let is_inside = |letter: char| !letter.is_whitespace() && !"#\"'[]{},=".contains(letter);
                let length =
                    text.find(|letter| !is_inside(letter)).unwrap_or(text.len()).max(first.len_utf8());
                self.word(text.get(..length)?, parts);
                Some(length)
            }
        }
    }
}

impl Toml {
    fn mark(&mut self, mark: char) {
        match mark {
            '[' if !self.is_value && self.outer.is_empty() => self.is_header = true,
            '[' | '{' => {
                self.outer.push(Bracket { key: self.key.clone(), is_table: mark == '{' });
                self.is_value = mark == '[';
            }
            ']' | '}' if !self.is_header => {
                self.key = self.outer.pop().and_then(|outer| outer.key);
                self.is_value = true;
            }
            ',' => self.is_value = !self.outer.last().is_some_and(|outer| outer.is_table),
            '=' => self.is_value = true,
            _ => (),
        }
    }

    /// Reads a part of a key, or a value without quotes.
    fn word(&mut self, word: &str, parts: &mut dyn Parts) {
        if word.chars().all(char::is_whitespace) {
            parts.keep(word);
        } else if !self.is_value {
            let start = word.rfind('.').map_or(0, |at| at + 1);
            self.key = setting(word, word.get(start..).unwrap_or(word), Syntax::toml_key(start), parts);
        } else if matches!(word, "true" | "false" | "inf" | "nan" | "+inf" | "-inf") {
            parts.keep(word);
        } else {
            let (label, syntax) = (self.key.clone(), Syntax::toml_bare());
            parts.value(word, Value { label, text: word.to_owned(), syntax, ..Value::default() });
        }
    }

    fn string(&mut self, text: &str, quote: char, is_last: bool, parts: &mut dyn Parts) -> Option<usize> {
        let three = quote.to_string().repeat(3);
        let is_long = text.starts_with(&three);
        let mark = if is_long { three.as_str() } else { text.get(..1)? };
        let near = text.get(..LONGEST_STRING).unwrap_or(text);
        let length = string_length(near, mark, false);
        let is_whole = |length: &usize| is_long || !text.get(..*length).is_some_and(|raw| raw.contains('\n'));
        let Some(length) = length.filter(is_whole) else {
            let line = text.get(..line_length(text))?;
            if is_long && !is_last && text.len() < LONGEST_STRING {
                return None;
            }
            let length = content_length(line);
            crate::lines::other(line.get(..length)?, parts);
            return Some(length);
        };
        let raw = text.get(..length)?;
        let (start, inside) = (mark.len(), raw.get(mark.len()..length - mark.len())?);
        let (read, syntax) = match quote {
            '"' => {
                let (read, places) = decode_double(inside, start);
                (read, Syntax::toml_string(places, is_long))
            }
            _ => {
                let escape =
                    Escape::Literal { quote, times: if is_long { 3 } else { 1 }, has_lines: is_long };
                (inside.to_owned(), Syntax::escaped(Places::from(start), escape))
            }
        };
        if self.is_value {
            parts.value(raw, Value { label: self.key.clone(), text: read, syntax, ..Value::default() });
        } else {
            self.key = setting(raw, &read, syntax, parts);
        }
        Some(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lines::Lines,
        tests::{labelled, protected},
    };

    fn toml() -> Lines<Toml> {
        Lines::new(Toml::default())
    }

    #[test]
    fn keys_label_their_values() {
        let text = "# by Anna\n[owner]\nname = \"Anna \\u00e9\" # chief\nborn = 1979-05-27T07:32:00Z\nphones = [\n  '+49 30 1', # home\n  \"b\",\n]\n\
            site.\"Emily Carter\" = { city = \"Leeds\", n = [1, { x = 2.5 }], ok = true }\nlong = \"\"\"\na \"b\" \\\n  c\"\"\"\nlit = '''it's'''\nkey2 = 7\n\"open = 1\n";
        let expected = [
            ("", "# by Anna"),
            ("name", "Anna é"),
            ("", "# chief"),
            ("born", "1979-05-27T07:32:00Z"),
            ("phones", "+49 30 1"),
            ("", "# home"),
            ("phones", "b"),
            ("", "Emily Carter"),
            ("city", "Leeds"),
            ("n", "1"),
            ("x", "2.5"),
            ("long", "\na \"b\" c"),
            ("lit", "it's"),
            ("", "key2"),
            ("key2", "7"),
            ("", "\"open = 1"),
        ];
        labelled(&mut toml(), text, &expected);
    }

    #[test]
    fn replacements_are_written_for_their_places() {
        let text = "a = \"x X\" # X\nb = 17\nc = 'X'\n\"X y\" = 1\nd = \"\"\"\nX\n\"\"\"\n";
        assert_eq!(
            protected(&mut toml(), text, &["X", "17"]),
            "a = \"x [R]\" # [R]\nb = \"[R]\"\nc = '[R]'\n\"[R] y\" = 1\nd = \"\"\"\n[R]\n\"\"\"\n"
        );
    }
}
