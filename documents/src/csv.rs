//! Tables: comma-separated values and similar formats (RFC 4180). Everything except the changed cells is kept
//! byte for byte.

use std::ops::Range;

use anyhow::{Result, bail};

use crate::{
    Value,
    parts::{LONGEST_HELD, Parts, Reader},
    places::Places,
    syntax::Syntax,
    value::label,
};

/// The rows of a table. The first one names the columns; it is read as a row too, since a table need
/// not have a header.
pub(crate) struct Csv {
    delimiter: Option<u8>,
    names: Option<Vec<Option<String>>>,
    line: usize,
    /// The row that has not ended yet, and how far it was read.
    row: String,
    seen: usize,
    lines: usize,
    cells: Vec<Range<usize>>,
    cell: usize,
    state: State,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Start,
    Plain,
    Quoted,
    /// After a quote inside a quoted cell: its end, or the first of two.
    Quote,
}

impl Csv {
    /// With this delimiter, or with the one that the first line has most of.
    pub(crate) fn new(delimiter: Option<u8>) -> Self {
        Self {
            delimiter,
            names: None,
            line: 1,
            row: String::new(),
            seen: 0,
            lines: 0,
            cells: Vec::new(),
            cell: 0,
            state: State::Start,
        }
    }

    fn scan(&mut self, delimiter: u8, parts: &mut dyn Parts) {
        let text = std::mem::take(&mut self.row);
        let mut start = 0;
        for (at, byte) in text.bytes().enumerate().skip(self.seen) {
            self.lines += usize::from(byte == b'\n');
            self.state = match (self.state, byte) {
                (State::Quoted, b'"') => State::Quote,
                (State::Quoted, _) | (State::Start | State::Quote, b'"') => State::Quoted,
                (_, byte) if byte == delimiter => {
                    self.cells.push(self.cell..at - start);
                    self.cell = at + 1 - start;
                    State::Start
                }
                _ => State::Plain,
            };
            if byte == b'\n' && self.state != State::Quoted {
                self.end_row(text.get(start..=at).unwrap_or_default(), delimiter, parts);
                start = at + 1;
            }
        }
        self.seen = text.len() - start;
        self.row = if start == 0 { text } else { text.get(start..).unwrap_or_default().to_owned() };
    }

    /// Hands over a row, with its line break.
    fn end_row(&mut self, row: &str, delimiter: u8, parts: &mut dyn Parts) {
        let content = row.trim_end_matches(['\r', '\n']).len();
        self.cells.push(self.cell..content.max(self.cell));
        let mut done = 0;
        let mut texts = Vec::with_capacity(self.cells.len());
        for (column, place) in self.cells.drain(..).enumerate() {
            parts.keep(row.get(done..place.start).unwrap_or_default());
            done = place.end;
            let cell = row.get(place).unwrap_or_default();
            let (text, places) = decode(cell);
            if self.names.is_none() {
                texts.push(label(text.trim_start_matches('\u{feff}')));
            }
            let label = self.names.as_ref().and_then(|names| names.get(column)).cloned().flatten();
            let syntax = Syntax::cell(delimiter, places);
            parts.value(cell, Value { label, text, syntax, ..Value::default() });
        }
        parts.keep(row.get(done..).unwrap_or_default());
        parts.end_record();
        self.names.get_or_insert(texts);
        self.line += self.lines;
        (self.lines, self.cell, self.state) = (0, 0, State::Start);
    }

    fn delimiter(&mut self, line: &str) -> u8 {
        *self.delimiter.get_or_insert_with(|| likely_delimiter(line))
    }
}

impl Reader for Csv {
    fn read(&mut self, text: &str, parts: &mut dyn Parts) -> Result<()> {
        self.row.push_str(text);
        let delimiter = match (self.delimiter, self.row.split_once('\n')) {
            (Some(delimiter), _) => delimiter,
            (None, Some((line, _))) => likely_delimiter(line),
            (None, None) if self.row.len() < LONGEST_HELD => return Ok(()),
            (None, None) => likely_delimiter(&self.row),
        };
        self.delimiter = Some(delimiter);
        self.scan(delimiter, parts);
        if self.row.len() > LONGEST_HELD {
            bail!("line {} opens a quote that is not closed within {LONGEST_HELD} bytes", self.line);
        }
        Ok(())
    }

    fn end(&mut self, parts: &mut dyn Parts) -> Result<()> {
        let row = self.row.clone();
        let delimiter = self.delimiter(&row);
        self.scan(delimiter, parts);
        if self.state == State::Quoted {
            bail!("line {} opens a quote that is never closed", self.line);
        }
        let row = std::mem::take(&mut self.row);
        if !row.is_empty() {
            self.end_row(&row, delimiter, parts);
        }
        Ok(())
    }
}

/// The text of a cell, and its places in a quoted one.
fn decode(raw: &str) -> (String, Option<Places>) {
    let Some(inside) = raw.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) else {
        return (raw.to_owned(), None);
    };
    let (mut text, mut places) = (String::with_capacity(inside.len()), Places::from(1));
    let mut rest = inside;
    while let Some((before, after)) = rest.split_once("\"\"") {
        text.push_str(before);
        text.push('"');
        rest = after;
        places.add(text.len(), 1 + inside.len() - rest.len());
    }
    text.push_str(rest);
    (text, Some(places))
}

/// Of equally frequent ones the first, which is the comma.
fn likely_delimiter(line: &str) -> u8 {
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0), (b'|', 0)];
    let mut is_quoted = false;
    for byte in line.bytes() {
        is_quoted ^= byte == b'"';
        if let Some((_, count)) = counts.iter_mut().find(|(delimiter, _)| !is_quoted && *delimiter == byte) {
            *count += 1;
        }
    }
    let [first, others @ ..] = counts;
    others.into_iter().fold(first, |best, other| if other.1 > best.1 { other } else { best }).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{outcome, record_of, records_of, rewritten};

    const TABLE: &str = "\u{feff}jméno;e-mail;pozn\r\n\"Novák, \"\"J\"\"\";a@b.cz;\r\n\n\"víc\nřádků\";;x";

    #[test]
    fn cells_of_rows() {
        let rows = records_of(&mut Csv::new(None), TABLE);
        let texts = |row: usize| rows[row].values.iter().map(|value| value.text.as_str()).collect::<Vec<_>>();
        assert_eq!(texts(0), ["\u{feff}jméno", "e-mail", "pozn"]);
        assert_eq!(texts(1), ["Novák, \"J\"", "a@b.cz", ""]);
        assert_eq!(texts(2), [""]);
        assert_eq!(texts(3), ["víc\nřádků", "", "x"]);
        let labels: Vec<_> = rows[3].values.iter().map(|value| value.label.as_deref().unwrap()).collect();
        assert_eq!(labels, ["jméno", "e-mail", "pozn"]);
        assert_eq!(rows.iter().map(|row| row.line).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(rows.iter().map(|row| row.raw.as_str()).collect::<String>(), TABLE);
    }

    #[test]
    fn only_changed_cells_are_written_anew() {
        let row = record_of(&mut Csv::new(None), "\"a\",b, \"c\" ,\"d\"\"\"\r\n");
        assert_eq!(
            rewritten(&row, &[None, Some("x,\"y"), None, None]),
            "\"a\",\"x,\"\"y\", \"c\" ,\"d\"\"\"\r\n"
        );
        assert_eq!(rewritten(&row, &[Some("x"), None, Some("y"), None]), "\"x\",b,y,\"d\"\"\"\r\n");
    }

    #[test]
    fn delimiters() {
        for (line, delimiter) in [
            ("a,b;c,d", b','),
            ("a;b", b';'),
            ("a\tb", b'\t'),
            ("a|b|c,d", b'|'),
            ("a", b','),
            ("\"a;;;\",b", b','),
        ] {
            assert_eq!(likely_delimiter(line), delimiter, "{line}");
        }
    }

    #[test]
    fn a_quote_that_is_never_closed() {
        let error = outcome(&mut Csv::new(None), "a,b\nc,\"d\ne\n").unwrap_err();
        assert_eq!(error.to_string(), "line 2 opens a quote that is never closed");
    }
}
