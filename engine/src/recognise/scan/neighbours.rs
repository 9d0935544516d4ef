//! The text that touches a candidate: what makes it a part of something longer, an amount, a constant.

use textveil_weights::neighbour as weights;

use super::{Atom, Scanner, chain::Stretch};
use crate::{
    evidence::{candidate::Extra, siblings},
    lexicon,
    phrase::work::Stage,
};

/// The longest number in a list of numbers with check digits, in bytes.
const LONGEST: u32 = 64;
/// The longest span, in bytes including both neighbours, that can be a numeric range such as `10-12,5`.
const LONG_FIELD: usize = 10;
/// The longest text between the start of a heading and a version in it, in bytes.
const MAX_HEADING: usize = 10;
/// The shortest number of a payment card, in bytes.
const CARD: usize = 13;

impl Scanner<'_> {
    /// Returns the penalty of a stretch for adjacent text that makes it part of something longer.
    pub(in crate::recognise) fn neighbour(&self, stretch: &Stretch<'_>) -> f32 {
        let Stretch { chain, first, last, start, end } = *stretch;
        // the neighbouring cells are not evidence
        if self.out.labels.is_cell(start, end) {
            return 0.0;
        }
        let is_number = |atom: &Atom| atom.digits && !atom.letters && atom.joint != b':';
        let expires = end - start >= CARD
            && self.bytes.get(end..).is_some_and(is_expiry)
            && chain.get(first..=last).is_some_and(|words| words.iter().all(is_number));
        // the neighbours in a list are separated, by whatever sign
        let [listed_before, listed_after] = self.is_listed(stretch);
        let next = chain.get(last + 1).filter(|_| !expires && !listed_after);
        let edge_after = if expires || listed_after { 0.0 } else { self.edge_after(start, end) };
        let edge_before = if listed_before { 0.0 } else { self.edge_before(start, end) };
        let mut weight = edge_before + edge_after;
        let spaced =
            chain.get(first + 1..=last).is_some_and(|rest| rest.iter().any(|atom| atom.joint == b' '));
        // a sequence continues with the same separator: a fingerprint, a version, a section
        let inside = |joint: u8| {
            chain.get(first + 1..=last).is_some_and(|rest| rest.iter().any(|atom| atom.joint == joint))
        };
        let joints = [chain.get(first).filter(|_| first > 0 && !listed_before), next];
        let goes_on = |atom: &Atom| matches!(atom.joint, b':' | b'-' | b'.' | b'/') && inside(atom.joint);
        if self.is_amount_or_constant(start, end) || self.is_release(start, end) {
            weight += weights::AMOUNT;
        }
        weight += if joints.into_iter().flatten().any(goes_on) { weights::SEQUENCE } else { 0.0 };
        let before =
            chain.get(first).filter(|atom| atom.joint == b' ').and_then(|_| chain.get(first.wrapping_sub(1)));
        let after = next.filter(|atom| atom.joint == b' ');
        for neighbour in before.into_iter().chain(after) {
            weight += if neighbour.digits && !neighbour.letters { row(spaced) } else { 0.0 };
        }
        weight
    }

    /// Whether a value of the same form is before a stretch, and one behind it, with a separator of lists between them.
    fn is_listed(&self, stretch: &Stretch<'_>) -> [bool; 2] {
        let Stretch { chain, first, last, start, end } = *stretch;
        let separates = |at: usize| matches!(self.bytes.get(at), Some(b'/' | b',' | b';' | b'|' | b'&'));
        let mut listed = [self.contexts.goes_on(start, end), false];
        let is_after_slash = chain.get(first).is_some_and(|atom| atom.joint == b'/');
        let before = chain.get(first.wrapping_sub(1)).filter(|_| is_after_slash);
        if is_after_slash || start > 0 && separates(start - 1) {
            let end_before = before.map_or(start.saturating_sub(1), |before| before.end);
            listed[0] |=
                end_before.checked_sub(end - start).is_some_and(|from| self.repeats(start, end, from));
        }
        let next = chain.get(last + 1).filter(|atom| atom.joint == b'/');
        if separates(end) || next.is_some() {
            listed[1] = self.repeats(start, end, next.map_or(end + 1, |atom| atom.start));
        }
        listed
    }

    /// Whether the text at `at` is written like the value `start..end`.
    pub(in crate::recognise) fn repeats(&self, start: usize, end: usize, at: usize) -> bool {
        self.work.add(Stage::Scan, 1 + (end - start).min(siblings::MAX_VALUE) / 8);
        siblings::repeats(self.bytes, start, end, at)
    }

    /// Removes the penalties for adjacent digits between numbers with valid check digits: two of one
    /// detector, as in `4111 1111 1111 1111 4000 0566 5566 5556`, or one after an IBAN.
    pub(super) fn list(&mut self, from: usize) {
        let candidates = self.out.candidates.iter().enumerate().skip(from);
        let checked = candidates.filter(|(_, candidate)| candidate.is_checked()).map(|(at, _)| at);
        let checked: Vec<usize> = checked.collect();
        for (index, at) in checked.iter().enumerate() {
            for before in checked.iter().take(index).rev() {
                self.work.add(Stage::Scan, 1);
                let candidates = &self.out.candidates;
                let (Some(one), Some(next)) = (candidates.get(*before), candidates.get(*at)) else {
                    continue;
                };
                if one.start + LONGEST < next.start {
                    break;
                }
                let alike = one.source == next.source || matches!(one.extra, Extra::Country(_));
                let joined = one.end + 1 == next.start && self.bytes.get(one.end as usize) == Some(&b' ');
                if alike && joined {
                    self.alone(*before);
                    self.alone(*at);
                }
            }
        }
    }

    /// Removes the penalty for digits on one side of a number.
    fn alone(&mut self, candidate: usize) {
        let Some(candidate) = self.out.candidates.get_mut(candidate) else { return };
        let written = self.text.get(candidate.start as usize..candidate.end as usize).unwrap_or_default();
        candidate.neighbour = (candidate.neighbour - row(written.contains(' '))).min(0.0);
    }

    fn is_amount_or_constant(&self, start: usize, end: usize) -> bool {
        let (before, after) =
            (self.text.get(..start).unwrap_or_default(), self.text.get(end..).unwrap_or_default());
        is_amount(after) || before.ends_with(['€', '£']) || is_constant(before, after)
    }

    /// Whether a heading of Markdown begins with the value, as in a list of releases: `## [1.128.1.0] - 2026-09-02`.
    fn is_release(&self, start: usize, end: usize) -> bool {
        let before = self.bytes.get(start.saturating_sub(MAX_HEADING)..start).unwrap_or_default();
        let is_mark = |byte: &&u8| matches!(byte, b'#' | b' ' | b'[' | b'v');
        let marks = before.iter().rev().take_while(is_mark).count();
        let (ahead, marks) = before.split_at(before.len() - marks);
        marks.starts_with(b"#")
            && ahead.last().is_none_or(|byte| *byte == b'\n')
            && self.bytes.get(start..end).is_some_and(|value| value.contains(&b'.'))
    }

    pub(in crate::recognise) fn edge_before(&self, start: usize, end: usize) -> f32 {
        let Some(touching) = start.checked_sub(1).and_then(|at| self.bytes.get(at)) else { return 0.0 };
        if self.out.labels.is_cell(start, end) {
            return 0.0;
        }
        let beyond = start.checked_sub(2).and_then(|at| self.bytes.get(at)).copied().unwrap_or(b' ');
        let word = beyond.is_ascii_alphanumeric() || beyond >= 0x80;
        match touching {
            b'-' | b'_' if word => weights::BEHIND_JOINED_WORD,
            b'-' | b'_' => weights::BEHIND_HYPHEN,
            b',' if beyond.is_ascii_digit() => self.behind_comma(start, end),
            b'.' => self.behind_point(start),
            b'/' | b'\\' if word => weights::BEHIND_PATH,
            b'/' | b'\\' => weights::BEHIND_SLASH,
            b'@' | b'%' | b'&' | b'~' => weights::BEHIND_SIGN,
            b'$' => weights::BEHIND_DOLLAR,
            b'+' => weights::BEHIND_PLUS,
            _ => 0.0,
        }
    }

    pub(in crate::recognise) fn edge_after(&self, start: usize, end: usize) -> f32 {
        let Some(touching) = self.bytes.get(end) else { return 0.0 };
        if self.out.labels.is_cell(start, end) {
            return 0.0;
        }
        let beyond = self.bytes.get(end + 1).copied().unwrap_or(b' ');
        let word = beyond.is_ascii_alphanumeric() || beyond >= 0x80;
        match touching {
            b'-' | b'_' if word => weights::BEFORE_JOINED_WORD,
            b',' if beyond.is_ascii_digit() => self.before_comma(start, end),
            b'.' if beyond.is_ascii_digit() => weights::BEFORE_DECIMAL,
            b'.' if beyond.is_ascii_lowercase() => weights::BEFORE_EXTENSION,
            b'/' | b'\\' if word => weights::BEFORE_PATH,
            b'@' | b'%' => weights::BEFORE_SIGN,
            b';' if beyond == b'\n'
                || beyond == b' ' && self.bytes.get(end + 2).is_none_or(|byte| *byte == b'/') =>
            {
                weights::BEFORE_SEMICOLON
            }
            b'(' => weights::BEFORE_BRACKET,
            _ => 0.0,
        }
    }

    /// Returns the penalty of a value after a point. Behind up to three digits, or none, it is the fraction of a decimal number,
    /// whatever it looks like: `0.4111111111111111`, `.4111111111111111`.
    fn behind_point(&self, start: usize) -> f32 {
        let before = self.bytes.get(..start - 1).unwrap_or_default();
        let whole = before.iter().rev().take(4).take_while(|byte| byte.is_ascii_digit()).count();
        let outer = before.len().checked_sub(whole + 1).and_then(|at| before.get(at));
        let begins = outer.is_none_or(|byte| byte.is_ascii_whitespace() || b"[(,;=:-".contains(byte));
        match whole {
            0..=3 if begins => weights::FRACTION,
            0 => 0.0,
            _ => weights::BEHIND_POINT,
        }
    }

    /// Returns the penalty of a value after a comma between digits, which may be the fraction of a decimal
    /// number.
    ///
    /// Nine or more digits are a field of a row, as in `17,44051401359`, except after a zero:
    /// `0,44051401359`.
    fn behind_comma(&self, start: usize, end: usize) -> f32 {
        let whole = self.bytes.get(start.saturating_sub(3)..start - 1).unwrap_or_default();
        let is_zero = matches!(whole, [b'0'] | [..=b'/' | b':'.., b'0']);
        let is_long = end - start >= 9 && !is_zero;
        if is_long || self.is_field(start, end) { 0.0 } else { weights::BEHIND_COMMA }
    }

    /// Returns the penalty of a value before a comma: few fractions have five digits or are followed by a
    /// comma.
    fn before_comma(&self, start: usize, end: usize) -> f32 {
        let after = self.bytes.get(end + 1..).unwrap_or_default();
        let digits = after.iter().take(5).take_while(|byte| byte.is_ascii_digit()).count();
        let next = after.get(digits..digits + 2);
        let goes_on = next.is_some_and(|next| next.starts_with(b",") && !next.ends_with(b" "));
        if digits > 4 || goes_on || self.is_field(start, end) { 0.0 } else { weights::BEFORE_COMMA }
    }

    /// Whether a value is between commas, as in `1,44051401359,12`, or has letters, or is long and has
    /// separators: `415-555-2671,12`, or has dots where no thousands end: `203.0.113.72,198.51.100.7`.
    fn is_field(&self, start: usize, end: usize) -> bool {
        let value = self.bytes.get(start.saturating_sub(1)..=end).unwrap_or_default();
        let parts = |byte: &u8| matches!(byte, b'-' | b'/' | b')');
        value.starts_with(b",") && value.ends_with(b",")
            || value.iter().any(u8::is_ascii_alphabetic)
            || value.len() > LONG_FIELD && value.iter().any(parts)
            || has_other_dots(value)
    }
}

/// Whether a value with at least three dots has one that ends no group of three digits.
fn has_other_dots(value: &[u8]) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let groups =
        value.split(|byte| *byte == b'.').map(|group| group.iter().filter(|byte| is_digit(byte)).count());
    groups.clone().count() > 3 && groups.skip(1).any(|digits| digits != 3)
}

/// Whether a unit or a currency follows, so that the number is an amount. A `%` that touches the number is a neighbour.
fn is_amount(after: &str) -> bool {
    let spaced = after.strip_prefix([' ', '\u{a0}']);
    let after = spaced.unwrap_or(after);
    match after.bytes().next() {
        Some(b'%') => return spaced.is_some(),
        Some(first) if first.is_ascii_alphabetic() => {}
        Some(0x80..) if after.starts_with('€') => return true,
        // no unit begins with this byte
        _ => return false,
    }
    let behind = lexicon::UNITS.leading_word(after).and_then(|length| after.get(length..));
    behind.is_some_and(|behind| !behind.starts_with(|next: char| next.is_ascii_digit()))
}

/// Whether source code assigns this value to a constant: `MAX_CALLS = 2147483648,` at the end of a line.
fn is_constant(before: &str, after: &str) -> bool {
    let Some(name) = before.trim_end_matches(' ').strip_suffix('=') else { return false };
    let closed = after.strip_prefix([',', ';']);
    let next = closed.unwrap_or(after).trim_start_matches(' ');
    // the last member of an enumeration has no comma
    let ends = next.trim_start().starts_with('}')
        || closed.is_some() && (next.is_empty() || next.starts_with(['\r', '\n', '/']));
    if !ends {
        return false;
    }
    let name = name.trim_end_matches(' ').bytes().rev();
    let mut name = name.take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').peekable();
    name.peek().is_some() && !name.any(|byte| byte.is_ascii_lowercase())
}

/// Whether the expiry month and year of a card follow its number: `/12/25`, ` 12/2025`, `:12:25`.
fn is_expiry(behind: &[u8]) -> bool {
    let [joint, b'0'..=b'1', b'0'..=b'9', sign, year @ ..] = behind else { return false };
    let digits = year.iter().take(5).take_while(|byte| byte.is_ascii_digit()).count();
    matches!(joint, b' ' | b'/' | b'-' | b':' | b',' | b';')
        && (*sign == b'/' || sign == joint)
        && matches!(digits, 2 | 4)
}

/// Returns the penalty for adjacent digits, which is higher for a number in groups.
fn row(spaced: bool) -> f32 {
    if spaced { weights::ROW_IN_GROUPS } else { weights::ROW }
}

#[cfg(test)]
mod tests {
    use super::{super::is_filler, *};

    #[test]
    fn constants() {
        for (before, after, constant) in [
            ("enum { MAX_CALLS = ", ",\n", true),
            ("CALL=", "; // all of them", true),
            ("CALL = ", "\n}", true),
            ("CALL = ", "\nFAX = 2", false),
            ("call = ", ",\n", false),
            ("CALL: ", ",\n", false),
            ("CALL = ", ", or later", false),
            (" = ", ",\n", false),
        ] {
            assert_eq!(is_constant(before, after), constant, "{before} {after}");
        }
    }

    #[test]
    fn amounts_and_fillers() {
        for (after, amount) in [
            (" EUR in loans", true),
            ("ns", true),
            (" Kč.", true),
            (" €", true),
            (" %", true),
            ("%", false),
            (" zł", true),
            (" in", false),
            (", born", false),
            ("", false),
        ] {
            assert_eq!(is_amount(after), amount, "{after}");
        }
        for (value, filler) in [
            ("000000000", true),
            ("00/00/0000", true),
            ("111111", true),
            ("00000", true),
            ("100000", false),
            ("8.8.8.8", false),
        ] {
            assert_eq!(is_filler(value.as_bytes()), filler, "{value}");
        }
    }
}
