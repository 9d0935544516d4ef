//! JSON: everything except the changed keys, strings and numbers is kept byte for byte.

use anyhow::{Result, bail};

use crate::{
    Gap, Value,
    parts::{LONGEST_HELD, Parts, Reader},
    places::Places,
    syntax::Syntax,
    value::label,
};

/// One document, as it arrives. Strings and numbers are values, labelled with their keys. So are keys, except
/// identifiers of programs.
#[derive(Default)]
pub(crate) struct Json {
    /// The unfinished rest of the input, and the position up to which its string was read.
    held: String,
    seen: usize,
    line: usize,
    /// The key of the next value, and those of the outer objects and lists.
    key: Option<String>,
    outer: Vec<Enclosing>,
    /// Whether a string that comes now is a key.
    expects_key: bool,
    /// Whether it is a notebook of Jupyter, in which a list of lines is a text.
    is_notebook: bool,
    /// Whether the next string is the first line of such a text.
    is_first_line: bool,
}

/// The keys of a notebook whose values are texts, not labelled values.
const TEXTS: [&str; 5] = ["source", "text", "text/plain", "text/markdown", "text/html"];

struct Enclosing {
    key: Option<String>,
    is_object: bool,
}

impl Json {
    /// A notebook of Jupyter.
    pub(crate) fn notebook() -> Self {
        Self { is_notebook: true, ..Self::default() }
    }

    fn scan(&mut self, is_last: bool, parts: &mut dyn Parts) -> Result<()> {
        let text = std::mem::take(&mut self.held);
        let mut at = 0;
        while let Some(first) = text.as_bytes().get(at) {
            let Some(end) = self.token_end(&text, at)? else { break };
            // a token that touches the end may continue in the next piece
            if end == text.len() && !is_last && !b"{}[]:,\"".contains(first) {
                break;
            }
            self.token(text.get(at..end).unwrap_or_default(), parts)?;
            at = end;
            self.seen = 0;
        }
        self.held = if at == 0 { text } else { text.get(at..).unwrap_or_default().to_owned() };
        Ok(())
    }

    /// The end of the token at `at`; `None` if it has not come yet.
    fn token_end(&mut self, text: &str, at: usize) -> Result<Option<usize>> {
        let rest = text.get(at..).unwrap_or_default();
        let space = |character: char| matches!(character, ' ' | '\t' | '\r' | '\n' | '\u{feff}');
        Ok(match rest.chars().next() {
            Some('"') => self.string_end(text.as_bytes(), at),
            Some('{' | '}' | '[' | ']' | ':' | ',') => Some(at + 1),
            Some(first) if space(first) => Some(text.len() - rest.trim_start_matches(space).len()),
            Some(first) if first.is_whitespace() => self.fail("a character is not allowed here")?,
            _ => {
                let is_inside =
                    |c: char| !c.is_whitespace() && !matches!(c, '"' | '{' | '}' | '[' | ']' | ':' | ',');
                Some(text.len() - rest.trim_start_matches(is_inside).len())
            }
        })
    }

    fn string_end(&mut self, bytes: &[u8], start: usize) -> Option<usize> {
        let mut at = start + self.seen.max(1);
        loop {
            match bytes.get(at) {
                Some(b'\\') if at + 1 == bytes.len() => break,
                Some(b'\\') => at += 2,
                Some(b'"') => return Some(at + 1),
                Some(_) => at += 1,
                None => break,
            }
        }
        self.seen = at - start;
        None
    }

    fn token(&mut self, token: &str, parts: &mut dyn Parts) -> Result<()> {
        match token.chars().next() {
            Some('"') => return self.string(token, parts),
            Some(mark @ ('{' | '}' | '[' | ']' | ':' | ',')) => self.punctuation(mark)?,
            Some(first) if first.is_whitespace() || first == '\u{feff}' => {
                self.line += token.bytes().filter(|byte| *byte == b'\n').count();
            }
            _ if is_number(token) => {
                let (label, text, syntax) = (self.key.clone(), token.to_owned(), Syntax::json_number());
                parts.value(token, Value { label, text, syntax, ..Value::default() });
                return Ok(());
            }
            _ if !["true", "false", "null"].contains(&token) => self.fail("a value is not valid")?,
            _ => (),
        }
        parts.keep(token);
        Ok(())
    }

    fn string(&mut self, token: &str, parts: &mut dyn Parts) -> Result<()> {
        let Some((text, places)) = decode(token) else {
            return self.fail("a string is not valid, or holds half of a surrogate pair");
        };
        let value = Value { text, syntax: Syntax::json(places), ..Value::default() };
        if !self.expects_key
            && self.is_notebook
            && self.key.as_deref().is_some_and(|key| TEXTS.contains(&key))
        {
            let gap = if self.is_first_line { Gap::Line } else { Gap::None };
            self.is_first_line = false;
            parts.value(token, Value { gap, ..value });
            return Ok(());
        }
        if !self.expects_key {
            parts.value(token, Value { label: self.key.clone(), ..value });
            return Ok(());
        }
        self.is_first_line = true;
        self.key = label(&value.text);
        let is_identifier = value.text.bytes().all(|byte| byte.is_ascii_graphic());
        // such a key is not written in front of its value
        let is_aside =
            self.key.is_none() || value.text.contains(|letter: char| letter.is_numeric() || letter == '@');
        if is_aside || !is_identifier {
            parts.value(token, Value { is_aside, is_key: !is_aside, ..value });
        } else {
            parts.keep(token);
        }
        Ok(())
    }

    fn punctuation(&mut self, mark: char) -> Result<()> {
        match mark {
            '{' | '[' => self.outer.push(Enclosing { key: self.key.clone(), is_object: mark == '{' }),
            '}' | ']' => match self.outer.pop() {
                Some(Enclosing { key, is_object }) if is_object == (mark == '}') => self.key = key,
                _ => self.fail("a bracket closes what is not open")?,
            },
            _ => (),
        }
        let is_object = self.outer.last().is_some_and(|outer| outer.is_object);
        self.expects_key = matches!(mark, ',' | '{') && is_object;
        Ok(())
    }

    fn fail<T>(&self, what: &str) -> Result<T> {
        bail!("line {} is not valid JSON: {what}; if it is plain text, say so as its format", self.line + 1)
    }
}

impl Reader for Json {
    fn read(&mut self, text: &str, parts: &mut dyn Parts) -> Result<()> {
        self.held.push_str(text);
        self.scan(false, parts)?;
        if self.held.len() > LONGEST_HELD {
            return self.fail("a value is longer than 16 MiB");
        }
        Ok(())
    }

    fn end(&mut self, parts: &mut dyn Parts) -> Result<()> {
        self.scan(true, parts)?;
        if !self.held.is_empty() {
            return self.fail("a string is not closed");
        }
        if !self.outer.is_empty() {
            return self.fail("an object or a list is not closed");
        }
        Ok(())
    }
}

/// The text of a string (RFC 8259, section 7) and its places in it; `None` if it is not valid.
pub(crate) fn decode(string: &str) -> Option<(String, Places)> {
    let inside = string.strip_prefix('"')?.strip_suffix('"')?;
    let (mut text, mut places) = (String::with_capacity(inside.len()), Places::from(1));
    let mut rest = inside;
    while let Some(at) = rest.find(|letter| letter == '\\' || letter < ' ') {
        let (plain, here) = rest.split_at(at);
        text.push_str(plain);
        let (letter, length) = escape(here)?;
        text.push(letter);
        rest = here.get(length..)?;
        places.add(text.len(), 1 + inside.len() - rest.len());
    }
    text.push_str(rest);
    Some((text, places))
}

/// The character of the escape at the start of a text, and its length; `None` if it is not valid.
fn escape(text: &str) -> Option<(char, usize)> {
    let letter = match *text.as_bytes().get(1).filter(|_| text.starts_with('\\'))? {
        letter @ (b'"' | b'\\' | b'/') => char::from(letter),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let first = unit(text)?;
            let second = text.get(6..).and_then(unit);
            let one = char::from_u32(first.into()).map(|letter| (letter, 6));
            let pair = || {
                let mut letters = char::decode_utf16([first, second?]);
                Some((letters.next()?.ok()?, 12))
            };
            return one.or_else(pair);
        }
        _ => return None,
    };
    Some((letter, 2))
}

/// The unit of an escape of the form `\u00e9`.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

/// Whether a token is a number (RFC 8259, section 6).
pub(crate) fn is_number(token: &str) -> bool {
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match token.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (token, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    all_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(all_digits)
        && exponent.is_none_or(|exponent| all_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

/// A document per line, each read by itself. A line that is no JSON is plain text: programs write both into one log,
/// and nothing may pass unseen.
#[derive(Default)]
pub(crate) struct JsonLines {
    held: String,
    line: usize,
}

impl Reader for JsonLines {
    fn read(&mut self, text: &str, parts: &mut dyn Parts) -> Result<()> {
        let Some(end) = text.rfind('\n').map(|at| at + 1) else {
            self.held.push_str(text);
            if self.held.len() > LONGEST_HELD {
                bail!("line {} is longer than 16 MiB", self.line + 1);
            }
            return Ok(());
        };
        let (ended, rest) = text.split_at(end);
        self.held.push_str(ended);
        let held = std::mem::replace(&mut self.held, rest.to_owned());
        for line in held.split_inclusive('\n') {
            self.line += 1;
            read_line(line, parts);
        }
        Ok(())
    }

    fn end(&mut self, parts: &mut dyn Parts) -> Result<()> {
        read_line(&std::mem::take(&mut self.held), parts);
        Ok(())
    }
}

fn read_line(line: &str, parts: &mut dyn Parts) {
    match read_all(line) {
        Some(read) => {
            for (raw, value) in read {
                match value {
                    Some(value) => parts.value(&raw, value),
                    None => parts.keep(&raw),
                }
            }
        }
        None => parts.value(line, Value { text: line.to_owned(), ..Value::default() }),
    }
    parts.end_record();
}

/// The parts of a whole document: values, and what is between them; `None` if it is no JSON.
pub(crate) fn read_all(text: &str) -> Option<Vec<(String, Option<Value>)>> {
    // most lines of a log, which need no error
    let first = text.trim_start_matches(['\u{feff}', ' ', '\t']).chars().next();
    if first.is_some_and(|first| !first.is_ascii_digit() && !"{[\"-tfn\r\n".contains(first)) {
        return None;
    }
    struct List(Vec<(String, Option<Value>)>);
    impl Parts for List {
        fn keep(&mut self, raw: &str) {
            self.0.push((raw.to_owned(), None));
        }
        fn value(&mut self, raw: &str, value: Value) {
            self.0.push((raw.to_owned(), Some(value)));
        }
        fn end_record(&mut self) {}
    }
    let mut list = List(Vec::new());
    let mut json = Json::default();
    json.read(text, &mut list).and_then(|()| json.end(&mut list)).ok()?;
    Some(list.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        analyse,
        tests::{self, outcome, protected, record_of, records_of, rewritten},
    };

    const DOCUMENT: &str = r#"{
  "name": "Jan \"N\" \u010d\\", "n": 1.00, "e": 1E5,
  "phones" : [ "601", {"deep": {"er": "x"}, "none": null}, "602"],
  "": "", "name": "twice"
}
"#;

    #[test]
    fn values_behind_their_keys() {
        let record = record_of(&mut Json::default(), DOCUMENT);
        let found: Vec<_> = record
            .values
            .iter()
            .map(|value| (value.label.as_deref().unwrap(), value.text.as_str()))
            .collect();
        let expected = [
            ("name", "Jan \"N\" č\\"),
            ("n", "1.00"),
            ("e", "1E5"),
            ("phones", "601"),
            ("er", "x"),
            ("phones", "602"),
            ("", ""),
            ("name", "twice"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn nothing_else_is_written_anew() {
        let record = record_of(&mut Json::default(), DOCUMENT);
        let mut texts = vec![None; record.values.len()];
        assert_eq!(rewritten(&record, &texts), DOCUMENT);
        texts[3] = Some("\"\n");
        assert_eq!(rewritten(&record, &texts), DOCUMENT.replace("\"601\"", r#""\"\n""#));
    }

    #[test]
    fn keys_and_numbers_may_be_personal_data() {
        let document = r#"{"a@example.com": -1.5e+3, "plain": 44051401359}"#;
        let record = record_of(&mut Json::default(), document);
        let found: Vec<_> = record
            .values
            .iter()
            .map(|value| (value.label.as_deref(), &*value.text, value.is_aside))
            .collect();
        let expected = [
            (None, "a@example.com", true),
            (Some("a@example.com"), "-1.5e+3", false),
            (Some("plain"), "44051401359", false),
        ];
        assert_eq!(found, expected);
        assert_eq!(rewritten(&record, &[Some("x"), None, Some("y")]), r#"{"x": -1.5e+3, "plain": "y"}"#);
    }

    /// A key of several words, or with letters beyond ASCII, is read in front of its value; an identifier is a label only.
    #[test]
    fn keys_are_read_with_their_values() {
        let document =
            r#"{"Emily Carter": 1, "Jméno": {"Ana": [2, 3]}, "first_name": "x", "a@b.cz": {"山田": null}}"#;
        let record = record_of(&mut Json::default(), document);
        let mut read = Vec::new();
        let found = analyse(&record.values, |passage| {
            read.push(passage.text().to_owned());
            Ok((tests::found(passage, &["Carter: 1"]), vec![]))
        });
        assert_eq!(read, ["Emily Carter: 1\nJméno: \nAna: 2\nAna: 3\nfirst name: x\n山田: ", "a@b.cz"]);
        // a finding over a key and its value is one in each
        let found = found.unwrap().findings;
        let originals: Vec<_> = found.iter().flatten().map(|found| found.entity.original.as_str()).collect();
        assert_eq!(originals, ["Carter", "1"]);
        let found = ["Emily Carter", "山田", "Ana"];
        let expected = r#"{"[R]": 1, "Jméno": {"Ana": [2, 3]}, "first_name": "x", "a@b.cz": {"[R]": null}}"#;
        assert_eq!(protected(&mut Json::default(), document, &found), expected);
    }

    #[test]
    fn lines_of_a_notebook_are_a_text() {
        let document = r##"{"cells": [{"cell_type": "code", "source": ["# by Emily\n", "Carter"], "outputs": [{"text": "Anna"}]}, {"source": ["x"]}]}"##;
        let record = record_of(&mut Json::notebook(), document);
        let mut read = Vec::new();
        analyse(&record.values, |passage| {
            read.push(passage.text().to_owned());
            Ok((tests::found(passage, &[]), vec![]))
        })
        .unwrap();
        assert_eq!(read, ["cell type: code\n# by Emily\nCarter\nAnna\nx"]);
        let expected = document.replace("Emily\\n", "[R]").replace("Carter", "[R]").replace("Anna", "[R]");
        assert_eq!(protected(&mut Json::notebook(), document, &["Emily\nCarter", "Anna"]), expected);
    }

    #[test]
    fn a_long_key_is_no_label() {
        let document = format!("{{\"a\": 1, \"{}\": [2, {{}}, 3], \"b\": 4}}", "k".repeat(101));
        let record = record_of(&mut Json::default(), &document);
        let found: Vec<_> =
            record.values.iter().map(|value| (value.label.as_deref(), &*value.text)).collect();
        let long = "k".repeat(101);
        assert_eq!(found, [(Some("a"), "1"), (None, &*long), (None, "2"), (None, "3"), (Some("b"), "4")]);
    }

    #[test]
    fn a_document_per_line() {
        let text = "{\"a\":\"x\"}\r\n\n\"y\"\n[\nplain";
        let records = records_of(&mut JsonLines::default(), text);
        let found: Vec<_> = records
            .iter()
            .flat_map(|record| record.values.iter().map(|value| (record.line, value.text.as_str())))
            .collect();
        assert_eq!(found, [(1, "x"), (3, "y"), (4, "[\n"), (5, "plain")]);
        assert_eq!(records.iter().map(|record| record.raw.as_str()).collect::<String>(), text);
    }

    #[test]
    fn strings() {
        for (string, text) in [
            (r#""""#, Some("")),
            (r#""a\u00e9\n\/\"\\\b\f\r\t""#, Some("aé\n/\"\\\u{8}\u{c}\r\t")),
            (r#""\ud83e\udd80""#, Some("🦀")),
            (r#""\ud83e""#, None),
            (r#""\ud83e\u0041""#, None),
            (r#""\udd80""#, None),
            (r#""\u+041""#, None),
            (r#""\u00""#, None),
            (r#""\x""#, None),
            (r#""\"#, None),
            ("\"a\nb\"", None),
        ] {
            assert_eq!(decode(string).map(|(text, _)| text).as_deref(), text, "{string}");
            assert_eq!(serde_json::from_str::<String>(string).ok().as_deref(), text, "{string}");
        }
    }

    #[test]
    fn numbers() {
        for token in ["0", "-0.50", "1E400", "12e-3", "44051401359"] {
            assert!(is_number(token), "{token}");
        }
        for token in ["01", "-", "1.", ".5", "1e", "+1", "1e+-2", "0x10"] {
            assert!(!is_number(token), "{token}");
        }
    }

    #[test]
    fn what_is_not_valid_is_refused() {
        for (document, what) in [
            (r#"["44051401359"#, "line 1 is not valid JSON: a string is not closed"),
            ("{\"a\": [1, 2]\n", "an object or a list is not closed"),
            ("[1]]", "a bracket closes"),
            ("PESEL 44051401359", "a value is not valid; if it is plain text"),
            (r#"["\x44051401359"]"#, "a string is not valid"),
            (r#"["\ud800"]"#, "half of a surrogate pair"),
            ("[\n\n01]", "line 3"),
        ] {
            let error = outcome(&mut Json::default(), document).unwrap_err().to_string();
            assert!(error.contains(what), "{document}: {error}");
            assert!(!error.contains("4405"), "{error}");
        }
    }
}
