//! Documents: read record by record, split into values for the engine, and written back with only the changed
//! values replaced.

mod csv;
mod json;
mod offsets;
mod passage;
mod text;

use std::ops::Range;

use anyhow::Result;

pub use csv::Rows;
pub use json::Documents;
pub use offsets::Offsets;
pub use passage::{Analysis, analyse, pieces, replaced};
pub use text::{Blocks, Chunks};

/// A piece of a document, and the values in it that may hold personal data.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Exactly as in the document; all records joined are the document.
    pub raw: String,
    /// Line of the document that it starts on, from 1.
    pub line: usize,
    /// In document order.
    pub values: Vec<Value>,
}

/// A value of a record.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// Its bytes in the raw text, quotes included.
    pub place: Range<usize>,
    /// Its column or key.
    pub label: Option<String>,
    /// Its text, without quotes and escapes.
    pub text: String,
}

/// The records of a document.
pub trait Records {
    /// Returns the next record; `None` at the end.
    ///
    /// # Errors
    /// If the document cannot be read or is malformed; the error names the line and quotes nothing.
    fn next(&mut self) -> Result<Option<Record>>;

    /// Encodes `text` to replace the raw value `old`.
    fn encode(&self, old: &str, text: &str) -> String;
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

    /// Returns the raw text with some values replaced: one entry per value.
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
