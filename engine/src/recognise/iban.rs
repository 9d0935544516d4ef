//! IBANs, from their country and check digits (ISO 13616): groups of four, or in one piece, on one line or
//! broken over two.

use super::Compact;
use crate::rules::iban;

/// The deepest indentation of a line that goes on with an IBAN, in bytes.
const MAX_INDENT: usize = 16;

/// What has the form of an IBAN.
pub(crate) struct Iban {
    /// Where it ends, in bytes of the text.
    pub end: usize,
    /// Its value, without separators.
    pub compact: Compact,
    /// It goes over the end of a line, so only its check digits tell that the two lines belong together.
    pub broken: bool,
}

/// The IBAN that starts at `start`, in bytes of the text. The value has the length that the country's
/// IBANs have; nothing else of it is checked.
pub(crate) fn at(text: &str, start: usize) -> Option<Iban> {
    let bytes = text.as_bytes();
    let [a, b, c, d] = *bytes.get(start..start + 4)? else { return None };
    if !(a.is_ascii_alphabetic() && b.is_ascii_alphabetic() && c.is_ascii_digit() && d.is_ascii_digit()) {
        return None;
    }
    let length = iban::length_of([a.to_ascii_uppercase(), b.to_ascii_uppercase()])?;
    let (mut end, mut taken, mut group, mut spaced, mut broken) = (start, 0, 0, false, false);
    while taken < length {
        match bytes.get(end)? {
            byte if byte.is_ascii_alphanumeric() => {
                taken += 1;
                group += 1;
            }
            // groups have one separator between them, and no group but the last is short
            b' ' | b'-' | b'.' if group >= 4 => {
                (group, spaced) = (0, true);
                // the space in front of a line's end is a part of it
                if let Some(line) = line_end(bytes, end + 1).filter(|_| !broken) {
                    (end, broken) = (end + line, true);
                }
            }
            b'\r' | b'\n' if group >= 4 && !broken => {
                (group, spaced, broken) = (0, true, true);
                end += line_end(bytes, end)? - 1;
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
    Some(Iban { end, compact: Compact::new(text.get(start..end)?, "", false)?, broken })
}

/// How many bytes the end of a line has that stands at `at`, with the indentation of the next line. None
/// where there is no end of a line.
fn line_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let line = match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        _ => return None,
    };
    Some(line + rest.iter().skip(line).take(MAX_INDENT).take_while(|byte| **byte == b' ').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_the_end_of_a_line() {
        for (text, end, broken) in [
            ("DE89 3704 0044 0532 0130 00 x", Some(27), false),
            ("DE89 3704 0044\n0532 0130 00", Some(27), true),
            ("DE89 3704 0044 \r\n  0532 0130 00", Some(31), true),
            ("DE89370400440532\n013000", Some(23), true),
            ("DE89 3704 0044\n\n0532 0130 00", None, false),
            ("DE89 3704\n0044 0532\n0130 00", None, false),
            ("DE89 37\n04 0044 0532 0130 00", None, false),
        ] {
            let found = at(text, 0);
            assert_eq!(found.as_ref().map(|found| found.end), end, "{text:?}");
            assert!(found.is_none_or(|found| found.broken == broken), "{text:?}");
        }
    }
}
