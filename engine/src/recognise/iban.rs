//! IBANs, from their country and check digits (ISO 13616): groups of four, or in one piece, on one line or
//! broken over two.

use super::Compact;
use crate::rules::iban;

/// The longest beginning of an IBAN in front of a line's end, in bytes: groups of four, with their separators.
const MAX_WRITTEN: usize = 48;
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
    let Walk { end, missing: 0, spaced, broken } = walk(text.as_bytes(), start)? else { return None };
    let goes_on = text.as_bytes().get(end).is_some_and(|byte| {
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

/// Whether a line, with the end of it, breaks off within an IBAN, which the next one may go on with.
pub(crate) fn breaks_off(line: &str) -> bool {
    let bytes = line.as_bytes();
    // what breaks off has a group of at least four letters and digits at its end
    let group = bytes.iter().rev().skip_while(|byte| matches!(byte, b' ' | b'\r' | b'\n'));
    if group.take_while(|byte| byte.is_ascii_alphanumeric()).take(4).count() < 4 {
        return false;
    }
    let begins = |at: &usize| at.checked_sub(1).is_none_or(|before| !is_word(bytes.get(before)));
    (bytes.len().saturating_sub(MAX_WRITTEN)..bytes.len())
        .filter(begins)
        .any(|start| walk(bytes, start).is_some_and(|walk| walk.missing > 0 && walk.broken))
}

fn is_word(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
}

/// How far an IBAN goes.
struct Walk {
    end: usize,
    /// How many characters it lacks where the text ends.
    missing: usize,
    spaced: bool,
    broken: bool,
}

/// Goes along the IBAN that starts at `start`; none where something is no part of one.
fn walk(bytes: &[u8], start: usize) -> Option<Walk> {
    let [a, b, c, d] = *bytes.get(start..start + 4)? else { return None };
    if !(a.is_ascii_alphabetic() && b.is_ascii_alphabetic() && c.is_ascii_digit() && d.is_ascii_digit()) {
        return None;
    }
    let mut walk = Walk {
        end: start,
        missing: iban::length_of([a.to_ascii_uppercase(), b.to_ascii_uppercase()])?,
        spaced: false,
        broken: false,
    };
    let mut group = 0;
    while walk.missing > 0 {
        let Some(byte) = bytes.get(walk.end) else { break };
        if byte.is_ascii_alphanumeric() {
            walk.missing -= 1;
            group += 1;
            walk.end += 1;
            continue;
        }
        // groups have one separator between them, and no group but the last is short
        if group < 4 {
            return None;
        }
        (group, walk.spaced) = (0, true);
        let space = usize::from(matches!(byte, b' ' | b'-' | b'.'));
        match line_end(bytes, walk.end + space) {
            // the space in front of a line's end is a part of it
            Some(line) if !walk.broken => {
                walk.end += space + line;
                walk.broken = true;
            }
            _ if space == 1 => walk.end += 1,
            _ => return None,
        }
    }
    Some(walk)
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
    fn lines_that_break_off() {
        for (line, off) in [
            ("IBAN DE89 3704 0044\n", true),
            ("IBAN DE89 3704 0044 \r\n", true),
            ("DE89370400440532\n", true),
            ("IBAN DE89 3704 0044 0532 0130 00\n", false),
            ("IBAN DE89 3704 00\n", false),
            ("see part AB12 3456\n", false),
            ("DE89 and more\n", false),
            ("\n", false),
        ] {
            assert_eq!(breaks_off(line), off, "{line:?}");
        }
    }

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
