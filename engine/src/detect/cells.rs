//! Cells: the values of a text that joins those of a table, a form or a document.
//!
//! A value may be recognised over several cells, as an address is whose postal code has a column of its own. It is
//! reported in each of them, so that a caller that replaces findings changes cells and never their separators.

use crate::{
    api::{
        entity::{OffsetUnit, Span},
        error::Error,
        limits::MAX_TEXT_CHARS,
    },
    text::offsets::Cursor,
};

/// The cells of a call, checked except for their places: in order, in the caller's unit.
#[derive(Default)]
pub(crate) struct Cells(Vec<Span>);

impl Cells {
    /// Checks the order of the cells.
    ///
    /// # Errors
    /// `invalid_request` naming the cell that ends before it starts or starts within the one before.
    pub fn new(cells: &[Span]) -> Result<Self, Error> {
        if cells.len() > MAX_TEXT_CHARS {
            return Err(Error::invalid("cells", "has more than 50000 entries; send fewer"));
        }
        let mut done = 0;
        for (index, cell) in cells.iter().enumerate() {
            let refuse =
                |field: &str, message| Err(Error::invalid(format!("cells[{index}].{field}"), message));
            if cell.start < done {
                return refuse("start", "must not be before the end of the cell before");
            }
            if cell.end < cell.start {
                return refuse("end", "must not be less than start");
            }
            done = cell.end;
        }
        Ok(Self(cells.to_vec()))
    }

    /// # Errors
    /// `invalid_request` naming `cells` if there are any: they belong to one text.
    pub fn must_be_absent(&self) -> Result<(), Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(Error::invalid("cells", "belong to one text; send them with a call for that text alone"))
    }

    /// Returns the cells in bytes of a text, in one pass over it; `None` for a text that is one value.
    ///
    /// # Errors
    /// `invalid_request` naming the offset that is outside the text or within a character.
    pub fn locate(&self, text: &str, unit: OffsetUnit) -> Result<Option<Vec<Span>>, Error> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let mut cursor = Cursor::new(text, unit);
        let mut byte = |offset, index, field| {
            cursor.go_to(offset).ok_or_else(|| {
                let field = format!("cells[{index}].{field}");
                Error::invalid(field, "must be the offset of a character of the text")
            })
        };
        let cells = self.0.iter().enumerate().map(|(index, cell)| {
            Ok(Span { start: byte(cell.start, index, "start")?, end: byte(cell.end, index, "end")? })
        });
        cells.collect::<Result<_, _>>().map(Some)
    }
}

/// Returns the parts of a finding in the cells, in bytes.
///
/// White space at both ends and the separators that an address has between its parts belong to no part. A part has a
/// letter or a digit. The cells before the finding are removed from `cells`: findings come in order.
pub(crate) fn parts(text: &str, found: Span, cells: &mut &[Span]) -> Vec<Span> {
    while let Some((_, later)) = cells.split_first().filter(|(cell, _)| cell.end <= found.start) {
        *cells = later;
    }
    let touched = cells.iter().take_while(|cell| cell.start < found.end);
    touched.filter_map(|cell| part(text, found, *cell)).collect()
}

fn part(text: &str, found: Span, cell: Span) -> Option<Span> {
    let (start, end) = (found.start.max(cell.start), found.end.min(cell.end));
    if (start, end) == (found.start, found.end) {
        return Some(found);
    }
    let part = text.get(start..end)?;
    let is_between = |letter: char| letter.is_whitespace() || matches!(letter, ',' | ';');
    let bare = part.trim_start_matches(is_between);
    let start = start + (part.len() - bare.len());
    let bare = bare.trim_end_matches(is_between);
    bare.contains(char::is_alphanumeric).then_some(Span { start, end: start + bare.len() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        DetectOptions, Finder, Keyring, Mode, ProtectOptions, Stream, Work, detect, detect_batch, protect,
        restore,
    };

    /// The address of a form: each line has a label, and behind it a value.
    const FORM: &str = "street: 12 High St\nzip: LS1 1AA\ncity: Leeds";

    fn span(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// Options with the values behind the labels as cells.
    fn options(text: &str) -> DetectOptions {
        let mut at = 0;
        let cells = text.split_inclusive('\n').map(|line| {
            let start = at + line.find(": ").map_or(0, |colon| colon + 2);
            at += line.len();
            span(start, at - usize::from(line.ends_with('\n')))
        });
        DetectOptions {
            cells: cells.collect(),
            offset_unit: Some(OffsetUnit::Byte),
            ..DetectOptions::default()
        }
    }

    #[test]
    fn a_finding_over_cells_is_one_in_each() {
        let found = detect(FORM, &options(FORM)).unwrap().entities;
        let found: Vec<(&str, &str)> =
            found.iter().map(|entity| (entity.kind.as_ref(), entity.original.as_str())).collect();
        assert_eq!(found, [("address", "12 High St"), ("address", "LS1 1AA"), ("city", "Leeds")]);
        let whole = DetectOptions::default();
        assert!(detect(FORM, &whole).unwrap().entities.len() < 3, "without cells it is one finding");
    }

    #[test]
    fn every_mode_keeps_what_separates_cells() {
        let keys = Keyring::new(0, b"a secret of 16 bytes or more").unwrap();
        for mode in [Mode::Replace, Mode::Mask, Mode::Hash, Mode::Tokenize, Mode::Policy] {
            let protection = ProtectOptions { mode, ..ProtectOptions::default() };
            let protected = protect(FORM, &options(FORM), &protection, Some(&keys)).unwrap().text;
            let lines: Vec<(&str, &str)> =
                protected.lines().map(|line| line.split_once(": ").unwrap()).collect();
            let labels: Vec<&str> = lines.iter().map(|(label, _)| *label).collect();
            assert_eq!(labels, ["street", "zip", "city"], "{mode:?}");
            assert!(lines.iter().all(|(_, value)| !value.is_empty()), "{mode:?}: {protected}");
            if mode == Mode::Tokenize {
                assert_eq!(restore(&protected, &keys).unwrap().text, FORM);
            }
        }
    }

    #[test]
    fn parts_have_letters_and_no_separators_at_their_ends() {
        let text = "a, |b c|; ,|, d";
        let cells: Vec<Span> = [0..3, 4..7, 8..11, 12..15].map(|cell| span(cell.start, cell.end)).to_vec();
        let parts = |start, end| parts(text, span(start, end), &mut &*cells);
        assert_eq!(parts(0, 15), [span(0, 1), span(4, 7), span(14, 15)]);
        // a finding within one cell stays as it is, and one between cells is dropped
        assert_eq!(parts(0, 3), [span(0, 3)]);
        assert_eq!(parts(3, 4), []);
        assert_eq!(parts(7, 12), []);
    }

    #[test]
    fn offsets_are_in_the_unit_of_the_call() {
        let text = "🙂 44051401359";
        for (unit, start) in [(OffsetUnit::CodePoint, 2), (OffsetUnit::Utf16, 3), (OffsetUnit::Byte, 5)] {
            let cells = vec![span(0, start - 1), span(start, start + 11)];
            let options = DetectOptions { cells, offset_unit: Some(unit), ..DetectOptions::default() };
            Finder::new(&options).unwrap().detect(text).unwrap();
            let beyond = DetectOptions { cells: vec![span(0, start + 12)], ..options };
            assert_eq!(detect(text, &beyond).unwrap_err().field(), Some("cells[0].end"), "{unit:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (cells, field) in [
            (vec![span(0, 4), span(3, 5)], "cells[1].start"),
            (vec![span(4, 3)], "cells[0].end"),
            (vec![span(0, 0); MAX_TEXT_CHARS + 1], "cells"),
        ] {
            let options = DetectOptions { cells, ..DetectOptions::default() };
            assert_eq!(detect("PESEL 44051401359", &options).unwrap_err().field(), Some(field));
        }
        let options = DetectOptions { cells: vec![span(0, 1)], ..DetectOptions::default() };
        assert_eq!(detect_batch(&["a", "b"], &options).unwrap_err().field(), Some("cells"));
        let stream = Stream::new(options, ProtectOptions::default(), None);
        assert_eq!(stream.err().unwrap().field(), Some("cells"));
    }

    /// The work for cells is linear in their number, however many findings there are.
    #[test]
    fn many_cells_take_linear_work() {
        let work = |lines: usize| {
            let text = "mail: a@example.com\n".repeat(lines);
            let work = Work::default();
            Finder::unlimited(&options(&text)).unwrap().detect_counted(&text, &work).unwrap();
            work.total()
        };
        assert!(work(2_000) < 21 * work(100));
    }
}
