//! Finds IBANs from their country and check digits (ISO 13616): in groups of four or without separators, on
//! one line or broken over two.

use textveil_weights::prior as weights;

use super::{
    Compact, judge,
    scan::{Atom, Scanner},
    table::{Read, Recognise, WrittenValue, compact_form},
};
use crate::{
    api::{entity::Country, facts::Invalid},
    catalogue::{self, Detector},
    checks::iban,
    evidence::candidate::{Candidate, Extra, Source, Verdict, weight_of},
};

/// The longest part of an IBAN before a line break, in bytes: groups of four, with their separators.
const MAX_WRITTEN: usize = 48;
/// The deepest indentation of a line that continues an IBAN, in bytes.
const MAX_INDENT: usize = 16;

/// A value in the form of an IBAN.
pub(crate) struct Iban {
    /// Its end, in bytes of the text.
    pub end: usize,
    /// Its value, without separators.
    pub compact: Compact,
    /// It contains a line break, or a word follows without a space, so it is an IBAN only if the check digits are valid.
    pub must_be_valid: bool,
}

/// Returns the IBAN that starts at `start`, in bytes of the text.
///
/// The value has the length of the country's IBANs; nothing else is checked.
pub(crate) fn at(text: &str, start: usize) -> Option<Iban> {
    let Extent { end, missing: 0, spaced, broken } = walk(text.as_bytes(), start)? else { return None };
    let bytes = text.as_bytes();
    // `…3000BIC`
    let glued = bytes.get(end - 1).is_some_and(u8::is_ascii_digit)
        && matches!(bytes.get(end..end + 2), Some([first, second]) if first.is_ascii_uppercase() && second.is_ascii_alphabetic());
    let goes_on = !glued
        && bytes.get(end).is_some_and(|byte| {
            byte.is_ascii_alphanumeric()
                || *byte >= 0x80
                    && !spaced
                    && text.get(end..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
        });
    if goes_on {
        return None;
    }
    let compact = Compact::new(text.get(start..end)?, "", false)?;
    Some(Iban { end, compact, must_be_valid: broken || glued })
}

/// Whether a line, with its line break, breaks off within an IBAN that the next line may continue.
pub(crate) fn breaks_off(line: &str) -> bool {
    let bytes = line.as_bytes();
    // an unfinished IBAN ends with a group of at least four letters and digits
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

/// The extent of an IBAN.
struct Extent {
    end: usize,
    /// The number of characters missing at the end of the text.
    missing: usize,
    spaced: bool,
    broken: bool,
}

/// Reads the IBAN that starts at `start`; `None` at a character that cannot be part of one.
fn walk(bytes: &[u8], start: usize) -> Option<Extent> {
    let [a, b, c, d] = *bytes.get(start..start + 4)? else { return None };
    if !(a.is_ascii_alphabetic() && b.is_ascii_alphabetic() && c.is_ascii_digit() && d.is_ascii_digit()) {
        return None;
    }
    let mut walk = Extent {
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
        // groups are separated by one separator, and only the last group may be short
        if group < 4 {
            return None;
        }
        (group, walk.spaced) = (0, true);
        let space = usize::from(matches!(byte, b' ' | b'-' | b'.'));
        match line_end(bytes, walk.end + space) {
            // the space before a line break is part of it
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

/// Returns the length in bytes of the line break at `at`, with the indentation of the next line. `None` if
/// there is no line break.
fn line_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let line = match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        _ => return None,
    };
    Some(line + rest.iter().skip(line).take(MAX_INDENT).take_while(|byte| **byte == b' ').count())
}

/// IBANs.
pub(super) struct AccountNumbers;

impl Recognise for AccountNumbers {
    type State = ();

    #[inline]
    fn before_shapes(scanner: &mut Scanner<'_>, chain: &[Atom], first: usize) {
        if let Some(begin) = chain.get(first).filter(|begin| begin.digits && begin.letters) {
            read(scanner, begin.start);
        }
    }

    fn judge(value: &WrittenValue<'_>) -> Result<Read, Invalid> {
        let compact = Compact::new(value.text, "", false).ok_or(Invalid::Length)?;
        if at(value.text, 0).is_none_or(|found| found.end != value.text.len()) {
            iban::facts(compact.as_str())?;
        }
        let (verdict, facts) = judge(value.detector, compact.as_str())?;
        let country = compact.as_str().get(..2).and_then(Country::parse);
        Ok(Read { country, ..Read::new(verdict, facts, value.detector.has_check_digits(0)) })
    }

    fn normalized(detector: &Detector, written: &str) -> Option<String> {
        compact_form(detector, written)
    }
}

/// Reads an IBAN from its first word.
fn read(scanner: &mut Scanner<'_>, start: usize) {
    let Some(&index) = catalogue::IBAN.first() else { return };
    let (Some(iban), Some(detector)) = (at(scanner.text, start), catalogue::detector(index)) else {
        return;
    };
    let Iban { end, compact, must_be_valid } = iban;
    let Ok((verdict, facts)) = judge(detector, compact.as_str()) else { return };
    if must_be_valid && verdict != Verdict::Valid {
        return;
    }
    let extra = compact.as_str().get(..2).and_then(Country::parse).map_or(Extra::None, Extra::Country);
    scanner.keep(Candidate {
        verdict,
        facts,
        extra,
        check_digits: detector.has_check_digits(0),
        shape: detector.prior().unwrap_or(weights::IBAN),
        check: weight_of(verdict, detector, &facts, 0),
        neighbour: scanner.edge_before(start, end) + scanner.edge_after(start, end),
        ..Candidate::new(Source::Catalogue(index), start, end)
    });
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
            assert!(found.is_none_or(|found| found.must_be_valid == broken), "{text:?}");
        }
    }
}
