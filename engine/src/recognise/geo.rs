//! Coordinates, from the comma between them or from a degree sign.

use super::scan::Scanner;
use crate::{catalogue, checks::geo};

/// Reads a pair of coordinates from the comma between them.
pub(super) fn read_pair(scanner: &mut Scanner<'_>, at: usize) {
    if at.checked_sub(1).and_then(|before| scanner.bytes.get(before)).is_some_and(u8::is_ascii_digit)
        && let Some((start, end)) = geo::around(scanner.text, at)
    {
        scanner.judged(catalogue::GEO, start, end);
    }
}

/// Reads coordinates in degrees from their first sign.
pub(super) fn read_degrees(scanner: &mut Scanner<'_>, sign: usize) {
    if sign >= scanner.done.degrees
        && let Some((start, end)) = geo::degrees(scanner.text, sign)
    {
        scanner.done.degrees = end;
        scanner.judged(catalogue::GEO, start, end);
    }
}
