//! IBANs, from their country and check digits (ISO 13616): groups of four, or in one piece.

use super::Compact;
use crate::rules::iban;

/// The IBAN that starts at `start`, in bytes of the text: its end, and its compact value. The value has
/// the length that the country's IBANs have; nothing else of it is checked.
pub(crate) fn at(text: &str, start: usize) -> Option<(usize, Compact)> {
    let bytes = text.as_bytes();
    let [a, b, c, d] = *bytes.get(start..start + 4)? else { return None };
    if !(a.is_ascii_alphabetic() && b.is_ascii_alphabetic() && c.is_ascii_digit() && d.is_ascii_digit()) {
        return None;
    }
    let length = iban::length_of([a.to_ascii_uppercase(), b.to_ascii_uppercase()])?;
    let (mut end, mut taken, mut group, mut spaced) = (start, 0, 0, false);
    while taken < length {
        match bytes.get(end)? {
            byte if byte.is_ascii_alphanumeric() => {
                taken += 1;
                group += 1;
            }
            // groups have one separator between them, and no group but the last is short
            b' ' | b'-' | b'.' if group >= 4 => {
                (group, spaced) = (0, true);
            }
            _ => return None,
        }
        end += 1;
    }
    let goes_on = bytes.get(end).is_some_and(|byte| {
        byte.is_ascii_alphanumeric()
            || *byte >= 0x80
                && !spaced
                && text.get(end..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
    });
    if goes_on {
        return None;
    }
    Some((end, Compact::new(text.get(start..end)?, "", false)?))
}
