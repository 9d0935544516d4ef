//! The parts of a document: readers hand over its parts, and records collect them.

use std::collections::VecDeque;

use anyhow::Result;

use crate::{Record, Value};

/// Longest piece of a document that a reader holds to know what it is, in bytes.
pub(crate) const LONGEST_HELD: usize = 16 << 20;
/// Longest record, in bytes; a longer one is cut between two values.
const LONGEST_RECORD: usize = 1 << 20;

/// Reads a document of one format and hands over its parts in order.
pub(crate) trait Reader: Send {
    /// Takes the next piece of text; what does not end in it is held.
    ///
    /// # Errors
    /// If the document is malformed, with the line. The error quotes nothing.
    fn read(&mut self, text: &str, parts: &mut dyn Parts) -> Result<()>;

    /// Hands over the rest.
    ///
    /// # Errors
    /// As [`Self::read`].
    fn end(&mut self, parts: &mut dyn Parts) -> Result<()>;
}

/// Takes the parts of a document.
pub(crate) trait Parts {
    /// Takes the text between the values.
    fn keep(&mut self, raw: &str);
    /// Takes a value that may be personal data; its place is set here.
    fn value(&mut self, raw: &str, value: Value);
    /// The values so far are not read together with the following ones.
    fn end_record(&mut self);
}

/// Collects parts to records.
#[derive(Default)]
pub(crate) struct Collector {
    record: Record,
    lines: usize,
    done: VecDeque<Record>,
}

impl Collector {
    /// Takes the oldest complete record.
    #[cfg(any(feature = "charset", test))]
    pub(crate) fn next(&mut self) -> Option<Record> {
        self.done.pop_front()
    }

    /// Takes all complete records.
    pub(crate) fn complete(&mut self) -> Vec<Record> {
        self.done.drain(..).collect()
    }

    fn add(&mut self, raw: &str) {
        self.record.raw.push_str(raw);
        self.lines += raw.bytes().filter(|byte| *byte == b'\n').count();
    }
}

impl Parts for Collector {
    fn keep(&mut self, raw: &str) {
        self.add(raw);
        if self.record.raw.len() > LONGEST_RECORD {
            self.end_record();
        }
    }

    fn value(&mut self, raw: &str, mut value: Value) {
        let start = self.record.raw.len();
        value.place = start..start + raw.len();
        self.record.values.push(value);
        self.keep(raw);
    }

    fn end_record(&mut self) {
        if self.record.raw.is_empty() {
            return;
        }
        let mut record = std::mem::take(&mut self.record);
        record.line = self.lines + 1 - record.raw.bytes().filter(|byte| *byte == b'\n').count();
        self.done.push_back(record);
    }
}
