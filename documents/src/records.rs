//! The records of a document: its parts as they come out of a reader.

use std::{io::Read, ops::Range};

use anyhow::{Context, Result, bail};
use encoding_rs::Encoding;

use crate::{
    Chunks, Edit, Format, Value, docx, mail,
    parts::{Collector, Parts, Reader},
};

/// Longest document that is held in memory because its format cannot be read in pieces, in bytes.
const LONGEST: u64 = 64 << 20;

/// A piece of a document, and the values in it that may hold personal data.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// As in the document; all records joined are the document, or its text where the format is `docx`.
    pub raw: String,
    /// Line of the document that it starts on, from 1.
    pub line: usize,
    /// In document order.
    pub values: Vec<Value>,
}

impl Record {
    /// Returns the positions in the document, for values in order.
    pub fn positions(&self) -> Positions<'_> {
        Positions { record: self, at: 0, line: self.line, column: 1 }
    }

    /// Returns the raw text with edits in its values: one list per value, each in order and without overlaps.
    pub fn rewritten(&self, edits: &[Vec<Edit>]) -> String {
        let mut raw = String::with_capacity(self.raw.len());
        let mut done = 0;
        for (value, edits) in self.values.iter().zip(edits).filter(|(_, edits)| !edits.is_empty()) {
            let Value { place: Range { start, end }, .. } = value;
            raw.push_str(self.raw.get(done..*start).unwrap_or_default());
            raw.push_str(&value.written(self.raw.get(*start..*end).unwrap_or_default(), edits));
            done = *end;
        }
        raw.push_str(self.raw.get(done..).unwrap_or_default());
        raw
    }
}

/// Lines and columns of a record. Going through its values in order takes one pass over its text.
pub struct Positions<'r> {
    record: &'r Record,
    /// The last place, and its line and column.
    at: usize,
    line: usize,
    column: usize,
}

impl Positions<'_> {
    /// Line and column (code points), both from 1, of a place in a value's text. Where escapes keep
    /// it from being exact, it is the place of the value.
    pub fn of(&mut self, value: &Value, at: usize) -> (usize, usize) {
        let raw = self.record.raw.get(value.place.clone()).unwrap_or_default();
        // by their lengths: a long value may have many findings
        let at = match raw.len().checked_sub(value.text.len()) {
            Some(0) => at,
            Some(2) if raw.starts_with(['"', '\'']) => 1 + at,
            _ => 0,
        };
        let at = value.place.start + at;
        if at < self.at {
            *self = self.record.positions();
        }
        for character in self.record.raw.get(self.at..at).unwrap_or_default().chars() {
            if character == '\n' {
                (self.line, self.column) = (self.line + 1, 1);
            } else {
                self.column += 1;
            }
        }
        self.at = at.max(self.at);
        (self.line, self.column)
    }
}

/// How a document is read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Its format.
    pub format: Format,
    /// Whether a plain text is one record; otherwise it is cut to pieces that each fit one call of the engine.
    pub is_whole: bool,
    /// What separates cells of CSV; found by looking if absent.
    pub delimiter: Option<u8>,
    /// The encoding of the text; found by looking if absent.
    pub encoding: Option<&'static Encoding>,
}

/// A document that arrives in pieces of text.
pub struct Document {
    reader: Box<dyn Reader>,
    collector: Collector,
}

impl Document {
    /// Opens a document of a format that is text.
    ///
    /// # Errors
    /// If documents of the format are no text: `eml` and `docx`, which [`Records`] reads.
    pub fn open(format: Format) -> Result<Self> {
        let reader =
            format.reader(None, false).context("a document of this format does not come in pieces")?;
        Ok(Self { reader, collector: Collector::default() })
    }

    /// Takes the next piece and returns the records that are complete.
    ///
    /// # Errors
    /// If the document is malformed; the error names the line and quotes nothing.
    pub fn push(&mut self, text: &str) -> Result<Vec<Record>> {
        self.reader.read(text, &mut self.collector)?;
        Ok(self.collector.complete())
    }

    /// Returns the remaining records.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn finish(&mut self) -> Result<Vec<Record>> {
        self.reader.end(&mut self.collector)?;
        self.collector.end_record();
        Ok(self.collector.complete())
    }
}

/// The records of a document, in order.
pub struct Records<R> {
    source: Source<R>,
    collector: Collector,
}

enum Source<R> {
    /// Read in pieces.
    Text {
        chunks: Chunks<R>,
        reader: Box<dyn Reader>,
    },
    /// Read as a whole.
    Bytes {
        input: R,
        read: fn(&[u8], &mut dyn Parts) -> Result<()>,
    },
    Ended {
        encoding: Option<&'static Encoding>,
    },
}

impl<R: Read> Records<R> {
    /// Opens a document.
    pub fn open(input: R, Reading { format, is_whole, delimiter, encoding }: Reading) -> Self {
        let source = match format.reader(delimiter, is_whole) {
            Some(reader) => Source::Text { chunks: Chunks::new(input, encoding), reader },
            None if format == Format::Docx => Source::Bytes { input, read: docx::read },
            None => Source::Bytes { input, read: mail::read },
        };
        Self { source, collector: Collector::default() }
    }

    /// The encoding that the text was found to be in; `None` for ASCII, and where the format has encodings of its own.
    pub fn encoding(&self) -> Option<&'static Encoding> {
        match &self.source {
            Source::Text { chunks, .. } => chunks.encoding(),
            Source::Bytes { .. } => None,
            Source::Ended { encoding } => *encoding,
        }
    }

    /// Returns the next record; `None` at the end.
    ///
    /// # Errors
    /// If the document cannot be read or is malformed; the error names the line and quotes nothing.
    pub fn next_record(&mut self) -> Result<Option<Record>> {
        loop {
            if let Some(record) = self.collector.next() {
                return Ok(Some(record));
            }
            match &mut self.source {
                Source::Ended { .. } => return Ok(None),
                Source::Text { chunks, reader } => match chunks.next_chunk()? {
                    Some(chunk) => {
                        reader.read(&chunk, &mut self.collector)?;
                        continue;
                    }
                    None => reader.end(&mut self.collector)?,
                },
                Source::Bytes { input, read } => {
                    let mut bytes = Vec::new();
                    input.take(LONGEST + 1).read_to_end(&mut bytes).context("the document cannot be read")?;
                    if bytes.len() as u64 > LONGEST {
                        bail!("the document is longer than 64 MiB");
                    }
                    read(&bytes, &mut self.collector)?;
                }
            }
            let encoding = self.encoding();
            self.collector.end_record();
            self.source = Source::Ended { encoding };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_values_in_any_order() {
        let raw = "č,\"x y\"\n\n<a \"\"b>";
        let value = |place: Range<usize>, text: &str| Value { place, text: text.into(), ..Value::default() };
        let values = vec![value(0..2, "č"), value(3..8, "x y"), value(10..raw.len(), "<a \"b>")];
        let record = Record { raw: raw.into(), line: 5, values };
        let mut positions = record.positions();
        for (value, at, position) in
            [(1, 2, (5, 6)), (0, 0, (5, 1)), (1, 0, (5, 4)), (2, 5, (7, 1)), (1, 1, (5, 5))]
        {
            assert_eq!(positions.of(&record.values[value], at), position, "{value} {at}");
        }
    }
}
