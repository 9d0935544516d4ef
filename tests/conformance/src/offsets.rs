//! Cutting a text by offsets in each unit, without the engine's help.

use textveil_engine::OffsetUnit;

/// The units, with their names on the wire.
pub const UNITS: [(&str, OffsetUnit); 3] =
    [("code_point", OffsetUnit::CodePoint), ("utf16", OffsetUnit::Utf16), ("byte", OffsetUnit::Byte)];

/// Returns `text[start..end]`, with offsets counted in `unit`; `None` if they are not character boundaries of
/// the text.
pub fn slice(text: &str, unit: OffsetUnit, start: usize, end: usize) -> Option<String> {
    match unit {
        OffsetUnit::Byte => text.get(start..end).map(str::to_owned),
        OffsetUnit::CodePoint => {
            let points: Vec<char> = text.chars().collect();
            points.get(start..end).map(|piece| piece.iter().collect())
        }
        OffsetUnit::Utf16 => {
            let units: Vec<u16> = text.encode_utf16().collect();
            units.get(start..end).and_then(|piece| String::from_utf16(piece).ok())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_counts_its_own_way() {
        // a letter of two bytes, an emoji of two UTF-16 units and four bytes
        let text = "ó😀x";
        for (unit, start, end, want) in [
            (OffsetUnit::CodePoint, 2, 3, Some("x")),
            (OffsetUnit::Utf16, 3, 4, Some("x")),
            (OffsetUnit::Utf16, 2, 4, None),
            (OffsetUnit::Byte, 6, 7, Some("x")),
            (OffsetUnit::Byte, 1, 2, None),
            (OffsetUnit::CodePoint, 3, 4, None),
        ] {
            assert_eq!(slice(text, unit, start, end).as_deref(), want, "{unit:?} {start}..{end}");
        }
    }
}
