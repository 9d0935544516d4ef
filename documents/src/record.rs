//! A record of a document, and the places in it.

use std::ops::Range;

use crate::{Edit, Value};

/// A piece of a document, and the values in it that may hold personal data.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// As in the document; all records joined are the document, or its text where the format is that of an Office document.
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
    /// Line and column (code points), both from 1, of a place in a value's text.
    pub fn of(&mut self, value: &Value, at: usize) -> (usize, usize) {
        // a field of a message may have no such place
        let at = (value.place.start + value.syntax.place(at)).min(value.place.end);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        places::Places,
        syntax::{Escape, Syntax},
    };

    #[test]
    fn positions_of_values_in_any_order() {
        let raw = "č,\"x y\"\n\n<a \"\"b>";
        let value = |place: Range<usize>, text: &str| Value { place, text: text.into(), ..Value::default() };
        let cell = Value {
            syntax: Syntax::cell(b',', Some((Places::from(1), Escape::Doubled('"')))),
            ..value(3..8, "x y")
        };
        let values = vec![value(0..2, "č"), cell, value(10..raw.len(), "<a \"b>")];
        let record = Record { raw: raw.into(), line: 5, values };
        let mut positions = record.positions();
        for (value, at, position) in
            [(1, 2, (5, 6)), (0, 0, (5, 1)), (1, 0, (5, 4)), (2, 5, (7, 6)), (1, 1, (5, 5))]
        {
            assert_eq!(positions.of(&record.values[value], at), position, "{value} {at}");
        }
    }
}
