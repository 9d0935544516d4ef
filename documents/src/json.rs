//! JSON: everything except the changed keys, strings and numbers is kept byte for byte.

use std::io::{BufRead, Read};

use anyhow::{Context, Result, bail};
use serde::de::IgnoredAny;

use super::{
    Record, Records, Value,
    text::{not_utf8, read_line},
};

/// Longest document, in bytes: it is held in memory.
const LONGEST: usize = 1 << 30;

/// The documents of an input: one, or one a line.
pub struct Documents<R> {
    input: R,
    lines: bool,
    line: usize,
}

impl<R: BufRead> Documents<R> {
    /// The input is one document.
    pub fn whole(input: R) -> Self {
        Self { input, lines: false, line: 1 }
    }

    /// Reads every line as a document; empty lines are skipped.
    pub fn lines(input: R) -> Self {
        Self { input, lines: true, line: 1 }
    }

    fn read(&mut self) -> Result<String> {
        let mut raw = String::new();
        if self.lines {
            read_line(&mut self.input, &mut raw, self.line, LONGEST)?;
        } else {
            let mut bytes = Vec::new();
            self.input.by_ref().take(LONGEST as u64 + 1).read_to_end(&mut bytes)?;
            if bytes.len() > LONGEST {
                bail!("the document is longer than {LONGEST} bytes; split it, or use one document a line");
            }
            raw = String::from_utf8(bytes).map_err(|error| {
                let before = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
                not_utf8(1 + before.iter().filter(|byte| **byte == b'\n').count())
            })?;
        }
        Ok(raw)
    }
}

impl<R: BufRead> Records for Documents<R> {
    fn next(&mut self) -> Result<Option<Record>> {
        let line = self.line;
        let raw = self.read()?;
        if raw.is_empty() {
            return Ok(None);
        }
        self.line += 1;
        if raw.trim().is_empty() && self.lines {
            return Ok(Some(Record { raw, line, values: Vec::new() }));
        }
        let document = raw.trim_start_matches('\u{feff}');
        if let Err(error) = serde_json::from_str::<IgnoredAny>(document) {
            // serde_json's own message may quote what it read
            bail!(
                "line {} column {}: not valid JSON; for plain text say --format text",
                line + error.line().saturating_sub(1),
                error.column()
            );
        }
        let values = values(&raw).with_context(|| format!("line {line}"))?;
        Ok(Some(Record { raw, line, values }))
    }

    fn encode(&self, _old: &str, text: &str) -> String {
        serde_json::Value::from(text).to_string()
    }
}

/// Returns the strings and numbers of a valid document, each labelled with its key, and the keys that are
/// more than a label.
fn values(raw: &str) -> Result<Vec<Value>> {
    let bytes = raw.as_bytes();
    let mut values = Vec::new();
    let mut key: Option<String> = None;
    let mut outer: Vec<Option<String>> = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => outer.push(key.clone()),
            b'}' | b']' => key = outer.pop().flatten(),
            b'"' => {
                let end = string_end(bytes, at);
                let place = at..end;
                let text: String = serde_json::from_str(raw.get(place.clone()).unwrap_or_default())
                    .map_err(|_| anyhow::anyhow!("a string holds half of a surrogate pair; no text can"))?;
                let rest = raw.get(end..).unwrap_or_default();
                if rest.trim_start_matches([' ', '\t', '\r', '\n']).starts_with(':') {
                    // a name without either is a label and no more
                    if text.contains(|letter: char| letter.is_numeric() || letter == '@') {
                        values.push(Value { place, label: None, text: text.clone() });
                    }
                    key = Some(text);
                } else {
                    values.push(Value { place, label: key.clone(), text });
                }
                at = end;
                continue;
            }
            b'-' | b'0'..=b'9' => {
                let end = number_end(bytes, at);
                let text = raw.get(at..end).unwrap_or_default().to_owned();
                values.push(Value { place: at..end, label: key.clone(), text });
                at = end;
                continue;
            }
            _ => (),
        }
        at += 1;
    }
    Ok(values)
}

/// The place after the string that starts at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') => return at + 1,
            Some(_) => at += 1,
            None => return bytes.len(),
        }
    }
}

/// The place after the number that starts at `start`.
fn number_end(bytes: &[u8], start: usize) -> usize {
    let number = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    let rest = bytes.get(start..).unwrap_or_default();
    start + rest.iter().position(|byte| !number(byte)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"{
  "name": "Jan \"N\" \u010d\\", "n": 1.00, "e": 1E5,
  "phones" : [ "601", {"deep": {"er": "x"}, "none": null}, "602"],
  "": "", "name": "twice"
}
"#;

    #[test]
    fn values_behind_their_keys() {
        let record = Documents::whole(DOCUMENT.as_bytes()).next().unwrap().unwrap();
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
        let mut documents = Documents::whole(DOCUMENT.as_bytes());
        let record = documents.next().unwrap().unwrap();
        let mut texts = vec![None; record.values.len()];
        assert_eq!(record.rewritten(&documents, &texts), DOCUMENT);
        texts[3] = Some("\"\n".into());
        assert_eq!(record.rewritten(&documents, &texts), DOCUMENT.replace("\"601\"", r#""\"\n""#));
    }

    #[test]
    fn keys_and_numbers_may_be_personal_data() {
        let document = r#"{"a@example.com": -1.5e+3, "plain": 44051401359}"#;
        let mut documents = Documents::whole(document.as_bytes());
        let record = documents.next().unwrap().unwrap();
        let found: Vec<_> =
            record.values.iter().map(|value| (value.label.as_deref(), &*value.text)).collect();
        let expected =
            [(None, "a@example.com"), (Some("a@example.com"), "-1.5e+3"), (Some("plain"), "44051401359")];
        assert_eq!(found, expected);
        let texts = [Some("x".into()), None, Some("y".into())];
        assert_eq!(record.rewritten(&documents, &texts), r#"{"x": -1.5e+3, "plain": "y"}"#);
    }

    #[test]
    fn a_document_a_line() {
        let mut documents = Documents::lines("{\"a\":\"x\"}\r\n\n\"y\"\n[".as_bytes());
        let mut texts = Vec::new();
        for _ in 0..3 {
            let record = documents.next().unwrap().unwrap();
            texts.extend(record.values.into_iter().map(|value| (record.line, value.text)));
        }
        assert_eq!(texts, [(1, "x".to_owned()), (3, "y".to_owned())]);
        let error = documents.next().unwrap_err().to_string();
        assert!(error.starts_with("line 4 column 1: not valid JSON"), "{error}");
    }

    #[test]
    fn half_a_surrogate_pair_is_refused() {
        assert!(Documents::whole(r#"["\ud800"]"#.as_bytes()).next().is_err());
    }
}
