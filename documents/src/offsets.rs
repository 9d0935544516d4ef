//! Converts byte offsets to those of the requested unit.

use textveil_engine::{CountryDetection, Entity, Evidence, OffsetUnit, Span};

/// Bytes between two places whose offset is remembered.
const STRIDE: usize = 1024;

/// The offsets of a text in a unit. Looking one up takes the same time at the end of a long text as
/// at its start.
pub struct Offsets<'a> {
    text: &'a str,
    unit: OffsetUnit,
    /// Byte and offset of the first character at or after each stride.
    known: Vec<(usize, usize)>,
}

impl<'a> Offsets<'a> {
    /// Of this text.
    pub fn new(text: &'a str, unit: OffsetUnit) -> Self {
        let mut known = Vec::new();
        if unit != OffsetUnit::Byte {
            let mut offset = 0;
            for (at, character) in text.char_indices() {
                if at >= known.len() * STRIDE {
                    known.push((at, offset));
                }
                offset += units(character, unit);
            }
        }
        Self { text, unit, known }
    }

    /// Turns the spans of a finding, in bytes of the text, into the unit.
    pub fn convert(&self, entity: &mut Entity) {
        entity.span = self.span(entity.bytes);
        self.evidence(&mut entity.evidence);
    }

    /// Turns the spans of a country's evidence likewise.
    pub fn convert_country(&self, country: &mut CountryDetection) {
        self.evidence(&mut country.evidence);
    }

    fn evidence(&self, evidence: &mut [Evidence]) {
        for evidence in evidence {
            evidence.span = evidence.span.map(|span| self.span(span));
        }
    }

    fn span(&self, bytes: Span) -> Span {
        Span { start: self.offset(bytes.start), end: self.offset(bytes.end) }
    }

    fn offset(&self, byte: usize) -> usize {
        let strides = (byte / STRIDE).min(self.known.len().saturating_sub(1));
        let near = self.known.get(..=strides).unwrap_or_default().iter().rfind(|(at, _)| *at <= byte);
        let Some(&(at, offset)) = near else { return byte };
        let between = self.text.get(at..byte).unwrap_or_default();
        offset + between.chars().map(|character| units(character, self.unit)).sum::<usize>()
    }
}

fn units(character: char, unit: OffsetUnit) -> usize {
    match unit {
        OffsetUnit::CodePoint => 1,
        OffsetUnit::Utf16 => character.len_utf16(),
        OffsetUnit::Byte => character.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_a_long_text() {
        let text = "a🦀é\r\n".repeat(700);
        for unit in [OffsetUnit::CodePoint, OffsetUnit::Utf16, OffsetUnit::Byte] {
            let offsets = Offsets::new(&text, unit);
            let mut expected = 0;
            for (at, character) in text.char_indices() {
                assert_eq!(offsets.offset(at), expected, "{unit:?} {at}");
                expected += units(character, unit);
            }
            assert_eq!(offsets.offset(text.len()), expected);
        }
    }

    #[test]
    fn an_empty_text() {
        assert_eq!(Offsets::new("", OffsetUnit::Utf16).offset(0), 0);
    }
}
