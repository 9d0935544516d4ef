//! Tables: comma-separated values and similar formats (RFC 4180). Everything except the changed cells is kept
//! byte for byte.

use std::io::BufRead;

use anyhow::{Result, bail};

use super::{Record, Records, Value, text::read_line};

/// The longest row, in bytes. A longer one has an unclosed quote.
const LONGEST: usize = 16 << 20;

/// The rows of a table. The first one names the columns; it is read as a row too, since a table need
/// not have a header.
pub struct Rows<R> {
    input: R,
    delimiter: Option<u8>,
    names: Option<Vec<String>>,
    line: usize,
}

impl<R: BufRead> Rows<R> {
    /// With this delimiter, or with the one that the first line has most of.
    pub fn new(input: R, delimiter: Option<u8>) -> Self {
        Self { input, delimiter, names: None, line: 1 }
    }

    fn values(&self, raw: &str, cells: Vec<std::ops::Range<usize>>) -> Vec<Value> {
        let names = self.names.as_deref().unwrap_or_default();
        let value = |(column, place): (usize, std::ops::Range<usize>)| Value {
            label: names.get(column).cloned(),
            text: decode(raw.get(place.clone()).unwrap_or_default()),
            place,
        };
        cells.into_iter().enumerate().map(value).collect()
    }
}

impl<R: BufRead> Records for Rows<R> {
    fn next(&mut self) -> Result<Option<Record>> {
        let line = self.line;
        let mut raw = String::new();
        let mut row = Row::default();
        loop {
            let read = raw.len();
            let more = read_line(&mut self.input, &mut raw, self.line, LONGEST)?;
            if !more {
                if row.quoted() {
                    bail!("line {line} opens a quote that is never closed");
                }
                break;
            }
            self.line += 1;
            if raw.len() > LONGEST {
                bail!("line {line} opens a quote that is not closed within {LONGEST} bytes");
            }
            let added = raw.get(read..).unwrap_or_default();
            let delimiter = *self.delimiter.get_or_insert_with(|| likely_delimiter(added));
            row.read(added, read, delimiter);
            if !row.quoted() {
                break;
            }
        }
        if raw.is_empty() {
            return Ok(None);
        }
        let values = self.values(&raw, row.cells);
        if self.names.is_none() {
            let name = |value: &Value| value.text.trim_start_matches('\u{feff}').to_owned();
            self.names = Some(values.iter().map(name).collect());
        }
        Ok(Some(Record { raw, line, values }))
    }

    fn encode(&self, old: &str, text: &str) -> String {
        let delimiter = char::from(self.delimiter.unwrap_or(b','));
        let quote = old.starts_with('"') || text.contains([delimiter, '"', '\n', '\r']);
        if quote { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
    }
}

/// Where in a row the cells are, quotes included.
#[derive(Default)]
struct Row {
    cells: Vec<std::ops::Range<usize>>,
    start: usize,
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

impl Row {
    fn quoted(&self) -> bool {
        self.state == State::Quoted
    }

    /// Goes on with a line that starts at `offset` of the row.
    fn read(&mut self, line: &str, offset: usize, delimiter: u8) {
        for (at, byte) in line.bytes().enumerate() {
            let at = offset + at;
            self.state = match (self.state, byte) {
                (State::Quoted, b'"') => State::Quote,
                (State::Quoted, _) | (State::Quote, b'"') => State::Quoted,
                (State::Start, b'"') => State::Quoted,
                (_, byte) if byte == delimiter => {
                    self.cells.push(self.start..at);
                    self.start = at + 1;
                    State::Start
                }
                _ => State::Plain,
            };
        }
        if !self.quoted() {
            let content = line.trim_end_matches(['\r', '\n']).len();
            self.cells.push(self.start..(offset + content).max(self.start));
        }
    }
}

fn decode(raw: &str) -> String {
    match raw.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => raw.to_owned(),
    }
}

fn likely_delimiter(line: &str) -> u8 {
    let mut quoted = false;
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0), (b'|', 0)];
    for byte in line.bytes() {
        quoted ^= byte == b'"';
        if let Some((_, count)) = counts.iter_mut().find(|(delimiter, _)| !quoted && *delimiter == byte) {
            *count += 1;
        }
    }
    // of equals the first, which is the comma
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map_or(b',', |(delimiter, _)| delimiter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(table: &str) -> Vec<Record> {
        let mut rows = Rows::new(table.as_bytes(), None);
        std::iter::from_fn(|| rows.next().unwrap()).collect()
    }

    #[test]
    fn cells_of_every_kind() {
        let table = "\u{feff}name;\"note\"\r\n\"Novák; Jan\";\"a \"\"b\"\"\r\nc\"\r\n\r\n;\"\";x\"y\nlast;";
        let rows = all(table);
        let cells: Vec<Vec<&str>> =
            rows.iter().map(|row| row.values.iter().map(|value| value.text.as_str()).collect()).collect();
        assert_eq!(
            cells,
            [
                vec!["\u{feff}name", "note"],
                vec!["Novák; Jan", "a \"b\"\r\nc"],
                vec![""],
                vec!["", "", "x\"y"],
                vec!["last", ""]
            ]
        );
        assert_eq!(rows.iter().map(|row| row.line).collect::<Vec<_>>(), [1, 2, 4, 5, 6]);
        assert_eq!(rows[1].values[0].label.as_deref(), Some("name"));
        assert_eq!(rows.iter().map(|row| row.raw.as_str()).collect::<String>(), table);
    }

    #[test]
    fn only_what_changes_is_written_anew() {
        let mut rows = Rows::new("\"a\",b,c,\"d\"\"\"\r\n".as_bytes(), None);
        let row = rows.next().unwrap().unwrap();
        let texts = [Some("x\"".into()), Some("1,2".into()), Some("[REDACTED]".into()), None];
        assert_eq!(row.rewritten(&rows, &texts), "\"x\"\"\",\"1,2\",[REDACTED],\"d\"\"\"\r\n");
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
        let mut rows = Rows::new("a,b\nc,\"d\ne\n".as_bytes(), None);
        assert!(rows.next().is_ok());
        assert_eq!(rows.next().unwrap_err().to_string(), "line 2 opens a quote that is never closed");
    }
}
