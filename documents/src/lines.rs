//! [`Lines`]: formats of entries, each of which is a line with its continuations, or a part of one.

use anyhow::{Result, bail};

use crate::{
    Value,
    parts::{LONGEST_HELD, Parts, Reader},
    syntax::{Escape, Syntax},
    value::label,
};

/// The number of bytes in which a string must end that begins in a line. A quote without an end is a letter.
pub(crate) const LONGEST_STRING: usize = 1 << 20;

/// A format of entries.
pub(crate) trait Entries: Send {
    /// Hands over the entry at the start of a text, which ends with a whole line, and returns its length; `None` if its end
    /// has not come. Nothing more comes if it `is_last`.
    fn entry(&mut self, text: &str, is_last: bool, parts: &mut dyn Parts) -> Option<usize>;
}

/// Reads entries as they arrive.
pub(crate) struct Lines<E> {
    entries: E,
    held: String,
    /// The length at which the held text is read again: it doubles while an entry does not end.
    wanted: usize,
    line: usize,
}

impl<E: Entries> Lines<E> {
    pub(crate) fn new(entries: E) -> Self {
        Self { entries, held: String::new(), wanted: 0, line: 0 }
    }

    fn scan(&mut self, is_last: bool, parts: &mut dyn Parts) {
        let text = std::mem::take(&mut self.held);
        let end = if is_last { text.len() } else { text.rfind('\n').map_or(0, |at| at + 1) };
        let lines = text.get(..end).unwrap_or_default();
        let mut at = 0;
        while at < lines.len() {
            let rest = lines.get(at..).unwrap_or_default();
            let Some(length) = self.entries.entry(rest, is_last, parts) else { break };
            let length = length.max(1);
            self.line += rest.bytes().take(length).filter(|byte| *byte == b'\n').count();
            at += length;
        }
        self.held = if at == 0 { text } else { text.get(at..).unwrap_or_default().to_owned() };
        self.wanted = if at == 0 && end > 0 { 2 * self.held.len() } else { 0 };
    }
}

impl<E: Entries> Reader for Lines<E> {
    fn read(&mut self, text: &str, parts: &mut dyn Parts) -> Result<()> {
        self.held.push_str(text);
        if self.held.len() >= self.wanted {
            self.scan(false, parts);
        }
        if self.held.len() > LONGEST_HELD {
            bail!("line {} begins a value that is longer than 16 MiB", self.line + 1);
        }
        Ok(())
    }

    fn end(&mut self, parts: &mut dyn Parts) -> Result<()> {
        self.scan(true, parts);
        Ok(())
    }
}

/// Returns the length of the first line, with its break.
pub(crate) fn line_length(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |at| at + 1)
}

/// Returns the length of the content of a line: without its break and the spaces before that.
pub(crate) fn content_length(line: &str) -> usize {
    line.trim_end_matches([' ', '\t', '\r', '\n']).len()
}

/// Returns the number of spaces and tabs at the start.
pub(crate) fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// Hands over a comment, which ends with its line.
pub(crate) fn comment(raw: &str, parts: &mut dyn Parts) {
    if !raw.is_empty() {
        let syntax = Syntax::escaped(Default::default(), Escape::Line);
        parts.value(raw, Value { text: raw.to_owned(), is_aside: true, syntax, ..Value::default() });
    }
}

/// Hands over what does not belong to the format, as text.
pub(crate) fn other(raw: &str, parts: &mut dyn Parts) {
    let blanks = blanks(raw);
    let content = content_length(raw).max(blanks);
    parts.keep(raw.get(..blanks).unwrap_or_default());
    if let Some(text) = raw.get(blanks..content).filter(|text| !text.is_empty()) {
        let syntax = Syntax::escaped(Default::default(), Escape::Line);
        parts.value(text, Value { text: text.to_owned(), syntax, ..Value::default() });
    }
    parts.keep(raw.get(content..).unwrap_or_default());
}

/// Hands over the key of a setting: a value where it may be more than a label. Returns the label.
pub(crate) fn setting(raw: &str, text: &str, syntax: Syntax, parts: &mut dyn Parts) -> Option<String> {
    let label = label(text);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./ ".contains(&byte);
    let is_name = label.is_some() && text.bytes().all(is_word);
    // a name with digits is read in front of its value, where it labels it: `API_KEY_2`
    if is_name && !text.bytes().any(|byte| byte.is_ascii_digit() || byte == b' ') {
        parts.keep(raw);
    } else {
        let is_aside = !is_name && (label.is_none() || text.contains(|c: char| c.is_numeric() || c == '@'));
        let value = Value { text: text.to_owned(), is_aside, is_key: !is_aside, syntax, ..Value::default() };
        parts.value(raw, value);
    }
    label
}
