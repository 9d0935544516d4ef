//! Character references of pages: `&eacute;`, `&#233;`.

use crate::places::Places;

/// Longest name of a reference, in bytes: `&CounterClockwiseContourIntegral;` (HTML Living Standard, 13.5).
const LONGEST: usize = 33;

/// Resolves the character references of a text; those that it does not know stay.
pub(crate) fn decode(raw: &str) -> (String, Places) {
    decode_where(raw, |_, _| true)
}

/// Resolves those of an attribute, where `&copy=` stays: it is a parameter of an address.
pub(crate) fn decode_attribute(raw: &str) -> (String, Places) {
    decode_where(raw, |reference, after| reference.ends_with(';') || !after.starts_with('='))
}

fn decode_where(raw: &str, is_reference: impl Fn(&str, &str) -> bool) -> (String, Places) {
    let mut text = String::with_capacity(raw.len());
    let mut places = Places::default();
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        let length = length(from);
        let (reference, after) = from.split_at(length);
        let decoded = match is_reference(reference, after) {
            true => htmlize::unescape(reference),
            false => reference.into(),
        };
        text.push_str(&decoded);
        if decoded != reference {
            // letters behind a reference without a semicolon belong to the text: `&uumlller`
            let is_same = |(one, other): &(u8, u8)| !reference.ends_with(';') && one == other;
            let letters = decoded.bytes().rev().zip(reference.bytes().rev()).take_while(is_same).count();
            places.add(text.len() - letters, raw.len() - after.len() - letters);
        }
        rest = after;
    }
    text.push_str(rest);
    (text, places)
}

/// Returns the length of a reference at the start of a text: to its semicolon, or to a character that no reference has.
/// At least one.
fn length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let inside = bytes.iter().skip(1).take(LONGEST);
    let letters = inside.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#').count();
    let semicolon = usize::from(bytes.get(1 + letters) == Some(&b';'));
    1 + letters + semicolon
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved() {
        for (raw, text) in [
            ("a&amp;b", "a&b"),
            ("jan&#46;novak&#x40;example&commat;", "jan.novak@example@"),
            ("Nov&aacute;k", "Novák"),
            ("&unknown; & &", "&unknown; & &"),
            ("&amp;amp;", "&amp;"),
            ("&&amp;", "&&"),
            ("a=1&b=2", "a=1&b=2"),
            ("&#0;&#xd800;", "\u{fffd}\u{fffd}"),
            ("", ""),
        ] {
            assert_eq!(decode(raw).0, text, "{raw}");
        }
    }

    #[test]
    fn names_in_addresses_are_no_references() {
        assert_eq!(decode_attribute("?a=1&copy=2&amp;b&eacute;").0, "?a=1&copy=2&bé");
    }

    #[test]
    fn places_are_found_again() {
        let raw = "é&eacute;x&amp;&unknown;&uumly";
        let (text, places) = decode(raw);
        for letter in ["x", "&", "y"] {
            let place = places.of(text.find(letter).unwrap());
            assert!(raw.get(place..).unwrap().starts_with(letter), "{letter} {place}");
        }
        assert_eq!(places.of(text.len()), raw.len());
    }
}
