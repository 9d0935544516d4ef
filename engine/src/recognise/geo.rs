//! Coordinates, from the comma between them or from a degree sign.

use super::scan::Scanner;
use crate::{catalogue, checks::geo};

impl Scanner<'_> {
    /// Reads a pair of coordinates from the comma between them.
    pub(super) fn comma(&mut self, at: usize) {
        if at.checked_sub(1).and_then(|before| self.bytes.get(before)).is_some_and(u8::is_ascii_digit)
            && let Some((start, end)) = geo::around(self.text, at)
        {
            self.judged(catalogue::GEO, start, end);
        }
    }

    /// Reads coordinates in degrees from their first sign.
    pub(super) fn degrees(&mut self, sign: usize) {
        if sign >= self.done.degrees
            && let Some((start, end)) = geo::degrees(self.text, sign)
        {
            self.done.degrees = end;
            self.judged(catalogue::GEO, start, end);
        }
    }
}
