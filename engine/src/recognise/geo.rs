//! Coordinates, from the comma between them or from a degree sign.

use super::{
    scan::{ScannedWord, Scanner},
    table::{Read, Recognise, WrittenValue},
};
use crate::{
    api::facts::Invalid,
    catalogue,
    checks::geo,
    phrase::bytes::{DIGIT, HIGH},
};

/// Coordinates. The state is the end of the last ones in degrees.
pub(super) struct Coordinates;

impl Recognise for Coordinates {
    type State = usize;

    const MARKS: &'static [u8] = b",";

    fn at_mark(scanner: &mut Scanner<'_>, at: usize, _: u8) {
        read_pair(scanner, at);
    }

    #[inline(always)]
    fn at_word(scanner: &mut Scanner<'_>, word: ScannedWord) {
        if word.class & HIGH != 0 && word.class & DIGIT != 0 {
            read_degrees(scanner, word.start, word.end);
        }
    }

    fn judge(value: &WrittenValue<'_>) -> Result<Read, Invalid> {
        value.as_written()
    }
}

/// Reads a pair of coordinates from the comma between them.
fn read_pair(scanner: &mut Scanner<'_>, at: usize) {
    if at.checked_sub(1).and_then(|before| scanner.bytes.get(before)).is_some_and(u8::is_ascii_digit)
        && let Some((start, end)) = geo::around(scanner.text, at)
    {
        scanner.judged(catalogue::GEO, start, end);
    }
}

/// Reads coordinates in degrees from the word with their first sign.
#[inline(never)]
fn read_degrees(scanner: &mut Scanner<'_>, start: usize, end: usize) {
    let sign = scanner.text.get(start..end).and_then(|word| word.find('°')).map(|sign| start + sign);
    if let Some(sign) = sign.filter(|sign| *sign >= scanner.states.geo)
        && let Some((start, end)) = geo::degrees(scanner.text, sign)
    {
        scanner.states.geo = end;
        scanner.judged(catalogue::GEO, start, end);
    }
}
