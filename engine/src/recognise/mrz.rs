//! Machine readable zones, from a `<` of their first line (ICAO Doc 9303).

use super::{
    scan::Scanner,
    table::{Read, Recognise, WrittenValue},
};
use crate::{api::facts::Invalid, catalogue};

/// The number of lines, and the characters per line.
const FORMS: [(usize, usize); 3] = [(3, 30), (2, 36), (2, 44)];
/// The maximum number of characters per line.
const MAX: usize = 44;

/// The result for a `<` in a text.
enum ZoneSearch {
    /// The range of the zone, in bytes of the text.
    Whole(usize, usize),
    /// The text ends after the first lines of a zone.
    Begun,
    /// No zone; the next `<` that may be part of one is at this place or later.
    No(usize),
}

/// Returns the zone whose first line has the `<` at `at`, in bytes of the text, and where the search
/// continues.
pub(crate) fn around(text: &str, at: usize) -> (Option<(usize, usize)>, usize) {
    match zone(text.as_bytes(), at) {
        ZoneSearch::Whole(start, end) => (Some((start, end)), end),
        ZoneSearch::Begun => (None, text.len()),
        ZoneSearch::No(next) => (None, next),
    }
}

/// Whether a text ends between two lines of a zone.
pub(crate) fn breaks_off(text: &str) -> bool {
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find('<')).map(|at| from + at) {
        from = match zone(text.as_bytes(), at) {
            ZoneSearch::Begun => return true,
            ZoneSearch::Whole(_, next) | ZoneSearch::No(next) => next,
        };
    }
    false
}

fn zone(bytes: &[u8], at: usize) -> ZoneSearch {
    let formed = |byte: &&u8| **byte == b'<' || byte.is_ascii_digit() || byte.is_ascii_uppercase();
    let before = bytes.iter().take(at).rev().take(MAX).take_while(formed).count();
    let after = bytes.iter().skip(at).take(MAX + 1).take_while(formed).count();
    let (start, first_end) = (at - before, at + after);
    let Some((lines, width)) = FORMS.into_iter().find(|(_, width)| *width == before + after) else {
        return ZoneSearch::No(first_end.max(at + 1));
    };
    let mut end = first_end;
    for _ in 1..lines {
        let gap = bytes.iter().skip(end).take(8).take_while(|byte| byte.is_ascii_whitespace()).count();
        if end + gap == bytes.len() {
            return ZoneSearch::Begun;
        }
        let line = bytes.iter().skip(end + gap).take(width + 1).take_while(formed).count();
        if gap == 0 || line != width {
            return ZoneSearch::No(first_end);
        }
        end += gap + width;
    }
    ZoneSearch::Whole(start, end)
}

/// Machine readable zones. The state is the end of the text that was read.
pub(super) struct MachineReadableZones;

impl Recognise for MachineReadableZones {
    type State = usize;

    const MARKS: &'static [u8] = b"<";

    fn at_mark(scanner: &mut Scanner<'_>, at: usize, _: u8) {
        read(scanner, at);
    }

    fn judge(value: &WrittenValue<'_>) -> Result<Read, Invalid> {
        value.as_written()
    }
}

/// Reads a machine readable zone from a `<` in its first line.
fn read(scanner: &mut Scanner<'_>, at: usize) {
    if at >= scanner.states.mrz {
        let (found, read) = around(scanner.text, at);
        scanner.states.mrz = read;
        if let Some((start, end)) = found {
            scanner.judged(catalogue::MRZ, start, end);
        }
    }
}

#[cfg(test)]
#[test]
fn zones() {
    let passport =
        "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10";
    let card =
        "I<UTOD231458907<<<<<<<<<<<<<<<\n 7408122F1204159UTO<<<<<<<<<<<6\r\nERIKSSON<<ANNA<MARIA<<<<<<<<<<";
    for (text, zone) in [
        (format!("MRZ: {passport}."), Some(passport)),
        (card.to_owned(), Some(card)),
        (passport.replace('\n', ""), None),
        (format!("{passport}0"), None),
        ("a < b".to_owned(), None),
        ("<".repeat(100), None),
    ] {
        let found = around(&text, text.find('<').unwrap_or_default()).0.map(|(start, end)| &text[start..end]);
        assert_eq!(found, zone, "{text}");
    }
    for (text, more) in [
        ("MRZ: P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\n", true),
        ("I<UTOD231458907<<<<<<<<<<<<<<<\n7408122F1204159UTO<<<<<<<<<<<6\n", true),
        ("I<UTOD231458907<<<<<<<<<<<<<<<\n7408122F1204159UTO<<<<<<<<<<<\n", false),
        (passport, false),
        ("a < b\n", false),
    ] {
        assert_eq!(breaks_off(text), more, "{text}");
    }
}
