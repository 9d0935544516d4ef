//! Offsets: bytes inside, the caller's unit outside.

use std::fmt;

use crate::api::entity::{CountryDetection, Entity, Evidence, OffsetUnit, Span};

/// The number of bytes between two places whose offset is known.
const STEP: usize = 64;

/// Converts byte offsets of a text into those of a unit.
///
/// Building it takes one pass over the text; a look-up takes the same time anywhere in it.
///
/// # Examples
/// ```
/// use textveil_engine::{OffsetUnit, Offsets, Span};
///
/// let offsets = Offsets::new("é🙂!", OffsetUnit::Utf16);
/// assert_eq!(offsets.at(6), 3);
/// assert_eq!(offsets.span(2, 6), Span { start: 1, end: 3 });
/// ```
pub struct Offsets<'t> {
    text: &'t str,
    unit: OffsetUnit,
    /// The units before each multiple of [`STEP`] bytes, to the next character; `None` if a unit is a byte.
    known: Vec<(usize, usize)>,
}

/// Omits the text.
impl fmt::Debug for Offsets<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Offsets").field("unit", &self.unit).finish_non_exhaustive()
    }
}

impl<'t> Offsets<'t> {
    /// Reads a text, for offsets in a unit.
    pub fn new(text: &'t str, unit: OffsetUnit) -> Self {
        let mut offsets = Self { text, unit, known: Vec::new() };
        if unit == OffsetUnit::Byte || text.is_ascii() {
            offsets.unit = OffsetUnit::Byte;
            return offsets;
        }
        let (mut byte, mut units) = (0, 0);
        while byte < text.len() {
            offsets.known.push((byte, units));
            let mut next = (STEP * offsets.known.len()).min(text.len());
            while !text.is_char_boundary(next) {
                next += 1;
            }
            units += offsets.count(byte, next);
            byte = next;
        }
        offsets
    }

    /// Converts a byte offset, which must be a character boundary.
    pub fn at(&self, byte: usize) -> usize {
        if self.unit == OffsetUnit::Byte {
            return byte;
        }
        let known = self.known.get(byte / STEP).or(self.known.last());
        let (from, units) = known.copied().unwrap_or_default();
        units + self.count(from, byte)
    }

    fn count(&self, start: usize, end: usize) -> usize {
        let between = self.text.get(start..end).unwrap_or_default();
        match self.unit {
            OffsetUnit::Utf16 => between.chars().map(char::len_utf16).sum(),
            OffsetUnit::CodePoint | OffsetUnit::Byte => between.chars().count(),
        }
    }

    /// Returns the span of a range of bytes.
    pub fn span(&self, start: usize, end: usize) -> Span {
        Span { start: self.at(start), end: self.at(end) }
    }

    /// Converts a finding whose spans are in bytes.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, OffsetUnit, Offsets, Span, detect};
    ///
    /// let text = "🙂 jan.novak@example.com";
    /// let mut found = detect(text, &DetectOptions::default())?.entities.remove(0);
    /// assert_eq!(found.span.start, 2);
    /// Offsets::new(text, OffsetUnit::Utf16).convert(&mut found);
    /// assert_eq!(found.span, Span { start: 3, end: 24 });
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn convert(&self, entity: &mut Entity) {
        entity.span = self.span(entity.bytes.start, entity.bytes.end);
        self.convert_evidence(&mut entity.evidence);
    }

    /// Converts the evidence for a country whose spans are in bytes.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, OffsetUnit, Offsets, detect};
    ///
    /// let text = "🙂 +48 512 345 678";
    /// let bytes = Some(OffsetUnit::Byte);
    /// let options = DetectOptions { explain: true, offset_unit: bytes, ..DetectOptions::default() };
    /// let mut poland = detect(text, &options)?.countries.remove(0);
    /// assert_eq!(poland.evidence[0].span.map(|span| span.start), Some(5));
    /// Offsets::new(text, OffsetUnit::Utf16).convert_country(&mut poland);
    /// assert_eq!(poland.evidence[0].span.map(|span| span.start), Some(3));
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn convert_country(&self, country: &mut CountryDetection) {
        self.convert_evidence(&mut country.evidence);
    }

    fn convert_evidence(&self, evidence: &mut [Evidence]) {
        for evidence in evidence {
            evidence.span = evidence.span.map(|Span { start, end }| self.span(start, end));
        }
    }
}

/// Returns the byte at an offset that counts in a unit.
///
/// Returns `None` outside the text and within a character.
///
/// # Examples
/// ```
/// use textveil_engine::{OffsetUnit, byte_at};
///
/// assert_eq!(byte_at("é🙂!", OffsetUnit::Utf16, 3), Some(6));
/// assert_eq!(byte_at("é🙂!", OffsetUnit::Utf16, 2), None);
/// ```
pub fn byte_at(text: &str, unit: OffsetUnit, offset: usize) -> Option<usize> {
    Cursor::new(text, unit).go_to(offset)
}

/// Converts offsets of a unit into bytes, in one pass over the text.
pub(crate) struct Cursor<'t> {
    text: &'t str,
    unit: OffsetUnit,
    byte: usize,
    units: usize,
}

impl<'t> Cursor<'t> {
    /// Begins at the start of a text.
    pub fn new(text: &'t str, unit: OffsetUnit) -> Self {
        Self { text, unit, byte: 0, units: 0 }
    }

    /// Returns the last offset.
    pub fn units(&self) -> usize {
        self.units
    }

    /// Returns the byte at an offset that is not before the last one; `None` outside the text and within a
    /// character.
    pub fn go_to(&mut self, units: usize) -> Option<usize> {
        let mut rest = self.text.get(self.byte..)?.chars();
        while self.units < units {
            let letter = rest.next()?;
            self.byte += letter.len_utf8();
            self.units += match self.unit {
                OffsetUnit::Utf16 => letter.len_utf16(),
                OffsetUnit::CodePoint => 1,
                OffsetUnit::Byte => letter.len_utf8(),
            };
        }
        (self.units == units).then_some(self.byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DetectOptions, detect};

    #[test]
    fn bytes_at_offsets() {
        let text = "a🙂é";
        for (unit, offset, want) in [
            (OffsetUnit::CodePoint, 0, Some(0)),
            (OffsetUnit::CodePoint, 2, Some(5)),
            (OffsetUnit::CodePoint, 3, Some(7)),
            (OffsetUnit::CodePoint, 4, None),
            (OffsetUnit::Utf16, 2, None),
            (OffsetUnit::Utf16, 3, Some(5)),
            (OffsetUnit::Byte, 5, Some(5)),
            (OffsetUnit::Byte, 6, None),
        ] {
            assert_eq!(byte_at(text, unit, offset), want, "{unit:?} {offset}");
        }
    }

    #[test]
    fn every_place_of_a_long_text() {
        let text = "a🦀é\r\n".repeat(70);
        for unit in [OffsetUnit::CodePoint, OffsetUnit::Utf16, OffsetUnit::Byte] {
            let (offsets, mut cursor) = (Offsets::new(&text, unit), Cursor::new(&text, unit));
            for (byte, _) in text.char_indices().chain([(text.len(), ' ')]) {
                assert_eq!(cursor.go_to(offsets.at(byte)), Some(byte), "{unit:?} {byte}");
            }
        }
        assert_eq!(Offsets::new("", OffsetUnit::Utf16).at(0), 0);
    }

    #[test]
    fn findings_are_converted() {
        let options =
            DetectOptions { explain: true, offset_unit: Some(OffsetUnit::Byte), ..DetectOptions::default() };
        let text = "é, e-mail: jan@example.com";
        let mut found = detect(text, &options).unwrap();
        let offsets = Offsets::new(text, OffsetUnit::Utf16);
        found.entities.iter_mut().for_each(|entity| offsets.convert(entity));
        found.countries.iter_mut().for_each(|country| offsets.convert_country(country));
        let wanted = DetectOptions { offset_unit: Some(OffsetUnit::Utf16), ..options };
        let want = detect(text, &wanted).unwrap();
        assert_eq!((found.entities, found.countries), (want.entities, want.countries));
    }

    #[test]
    fn units() {
        let text = "a👩é\u{301}z";
        let long = "é".repeat(1_000);
        assert_eq!(Offsets::new(&long, OffsetUnit::Utf16).at(1_998), 999);
        let whole = format!("{}é", "a".repeat(2 * STEP - 2));
        assert_eq!(Offsets::new(&whole, OffsetUnit::CodePoint).at(2 * STEP), 2 * STEP - 1);
        for (unit, ends) in [
            (OffsetUnit::Byte, [1, 5, 7, 9, 10]),
            (OffsetUnit::CodePoint, [1, 2, 3, 4, 5]),
            (OffsetUnit::Utf16, [1, 3, 4, 5, 6]),
        ] {
            let offsets = Offsets::new(text, unit);
            assert_eq!([1, 5, 7, 9, 10].map(|byte| offsets.at(byte)), ends, "{unit:?}");
            assert_eq!(offsets.span(1, 5), Span { start: ends[0], end: ends[1] });
        }
    }
}
