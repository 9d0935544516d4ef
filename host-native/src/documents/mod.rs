//! Documents: read record by record, cut into what the engine sees, and written back with nothing
//! changed but the values that should.

mod csv;
mod json;
mod offsets;
mod passage;
mod source;
mod target;
mod text;

use std::{io::BufRead, ops::Range, path::Path};

use anyhow::Result;
use clap::ValueEnum;

pub use offsets::Offsets;
pub use passage::{Analysis, analyse, pieces, replaced};
pub use source::{Progress, Source, Sources};
pub use target::{Target, Targets};
pub use text::Chunks;

/// How a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Plain text, logs, source code: everything may change
    Text,
    /// Comma-separated values, or any other delimiter: only cells change
    Csv,
    /// One JSON document: only keys, strings and numbers change; a number becomes a string
    Json,
    /// One JSON document a line: only keys, strings and numbers change
    Ndjson,
}

impl Format {
    /// By the extension of the file's name; plain text where it tells nothing.
    pub fn of(path: &Path) -> Self {
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        match extension.as_ref().and_then(|extension| extension.to_str()) {
            Some("csv" | "tsv" | "tab") => Self::Csv,
            Some("json") => Self::Json,
            Some("ndjson" | "jsonl") => Self::Ndjson,
            _ => Self::Text,
        }
    }
}

/// A piece of a document, and the values in it that may hold personal data.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// As it stands in the document; all records joined are the document.
    pub raw: String,
    /// Line of the document that it starts on, from 1.
    pub line: usize,
    /// In the order in which they stand.
    pub values: Vec<Value>,
}

/// A value of a record.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// Where it stands in the raw text, quotes included.
    pub place: Range<usize>,
    /// Its column or key.
    pub label: Option<String>,
    /// What it says, without quotes and escapes.
    pub text: String,
}

/// The records of a document.
pub trait Records {
    /// The next record; none at the end.
    ///
    /// # Errors
    /// Where the document cannot be read or is not of its format; the line is named, nothing quoted.
    fn next(&mut self) -> Result<Option<Record>>;

    /// `text` as it must be written in place of the raw value `old`.
    fn encode(&self, old: &str, text: &str) -> String;
}

/// The records of a document of a format. `whole` keeps a plain text in one piece; `delimiter` is
/// that of CSV, found by looking when none.
pub fn records<'a>(
    input: Box<dyn BufRead + 'a>,
    format: Format,
    whole: bool,
    delimiter: Option<u8>,
) -> Box<dyn Records + 'a> {
    match format {
        Format::Text => Box::new(text::Blocks::new(input, whole)),
        Format::Csv => Box::new(csv::Rows::new(input, delimiter)),
        Format::Json => Box::new(json::Documents::whole(input)),
        Format::Ndjson => Box::new(json::Documents::lines(input)),
    }
}

impl Record {
    /// Line and column (code points), both from 1, of a place in a value's text. Where escapes keep
    /// it from being exact, it is the place of the value.
    pub fn position(&self, value: &Value, at: usize) -> (usize, usize) {
        let raw = self.raw.get(value.place.clone()).unwrap_or_default();
        let quote = usize::from(raw.starts_with('"') && raw != value.text);
        let same = raw.get(quote..).is_some_and(|raw| raw.starts_with(&value.text));
        let at = value.place.start + if same { quote + at } else { 0 };
        let before = self.raw.get(..at).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        (self.line + before.matches('\n').count(), column)
    }

    /// The raw text with new texts in place of some values: one entry a value.
    pub fn rewritten(&self, records: &dyn Records, texts: &[Option<String>]) -> String {
        let mut raw = String::with_capacity(self.raw.len());
        let mut done = 0;
        for (value, text) in self.values.iter().zip(texts) {
            let Some(text) = text else { continue };
            raw.push_str(self.raw.get(done..value.place.start).unwrap_or_default());
            let old = self.raw.get(value.place.clone()).unwrap_or_default();
            raw.push_str(&records.encode(old, text));
            done = value.place.end;
        }
        raw.push_str(self.raw.get(done..).unwrap_or_default());
        raw
    }
}
