//! Credentials, from one of their words with letters and digits: generated ones, and passwords that a person chose.

use super::{
    labelled::{self, is_code},
    scan::{ScannedWord, Scanner},
    table::Recognise,
};
use crate::{
    catalogue,
    evidence::labels::{NearLabel, Nearness},
    phrase::bytes::{DIGIT, HIGH, LOWER, UPPER},
};

/// The longest credential without a label next to it, in bytes.
const MAX: usize = 256;
/// The minimum and the maximum number of digits of a credential's part before a colon.
const MIN_NUMBER: usize = 6;
const MAX_NUMBER: usize = 48;
/// The shortest word with letters and digits that may be a credential, in bytes.
const MIXED: usize = 4;
/// The shortest word that identifies a generated credential, and the shortest generated credential, in bytes.
const WORD: usize = 7;
const CREDENTIAL: usize = 16;
/// The longest value that a person chose, in bytes.
const MADE_UP: usize = 64;
/// The shortest label without a separator, in bytes: `pass` and `user` precede many other words.
const LABEL: usize = 5;

/// Credentials without a label in front. The state is the end of the last one.
pub(super) struct Credentials;

impl Recognise for Credentials {
    type State = usize;

    #[inline(always)]
    fn at_atom(scanner: &mut Scanner<'_>, word: ScannedWord) {
        let class = word.class;
        if class & DIGIT != 0 && class & (UPPER | LOWER) != 0 && class & HIGH == 0 {
            read(scanner, word.start, word.end);
        }
    }
}

/// Adds the credential around a word with letters and digits, if it has a label.
///
/// A generated credential needs a label nearby, one that a person chose needs a label next to it.
fn read(scanner: &mut Scanner<'_>, start: usize, end: usize) {
    let done = scanner
        .states
        .credential
        .max(scanner.states.labelled.valued)
        .max(scanner.states.prefixed.done)
        .max(scanner.states.url.done);
    if start < done || end - start < MIXED {
        return;
    }
    let made = generated(scanner.text, start, end);
    let Some((start, end)) = made.or_else(|| chosen(scanner.text, start, end)) else { return };
    let Some(value) = scanner.text.get(start..end).filter(|_| start >= done) else { return };
    scanner.states.credential = end;
    scanner.out.labels.around(start, end, &mut scanner.contexts);
    for &index in catalogue::SECRET.iter().chain(catalogue::LABELLED) {
        let Some(detector) = catalogue::detector(index) else { continue };
        let label = scanner.contexts.label(index);
        let said = label.is_some_and(|label| made.is_some() || stands_at(&label, scanner.text, start));
        if said || made.is_some() && detector.prior() > Some(0.0) {
            labelled::push_value(scanner, index, detector, start, value, false);
        }
    }
}

/// Returns the generated credential around a word with letters and digits.
///
/// It is long, and in the word a letter follows a digit. `None` if it is the name of a variable or a
/// function.
fn generated(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let word = text.as_bytes().get(start..end).filter(|word| word.len() >= WORD)?;
    let mut from_digit = word.iter().skip_while(|byte| !byte.is_ascii_digit());
    if !from_digit.any(u8::is_ascii_alphabetic) {
        return None;
    }
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.~+/".contains(byte);
    let before = text.as_bytes().get(start.saturating_sub(MAX)..start)?;
    let after = text.as_bytes().get(end..text.len().min(end + MAX))?;
    let mut start = start - before.iter().rev().take_while(|byte| inner(byte)).count();
    // `110201543:AAHd…`
    let led = text.get(..start)?.strip_suffix(':').unwrap_or_default();
    let digits = led.bytes().rev().take(MAX_NUMBER).take_while(u8::is_ascii_digit).count();
    if digits >= MIN_NUMBER {
        start -= digits + 1;
    }
    let more = after.iter().take_while(|byte| inner(byte)).count();
    let padding = after.iter().skip(more).take_while(|byte| **byte == b'=').count();
    // the name of a variable or of a function is not a credential
    let named = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'(' | b'[' | b'{');
    let ends = !after.get(more + padding).is_some_and(named);
    let end = end + more + padding;
    (ends && (CREDENTIAL..=MAX).contains(&(end - start))).then_some((start, end))
}

/// Returns the text without spaces around a word, such as a password that a person chose. `None` if it is
/// code.
fn chosen(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let inner = |byte: &u8| {
        byte.is_ascii_graphic()
            && !matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b'<' | b'>' | b'(' | b')' | b'|')
    };
    let before = text.as_bytes().get(start.saturating_sub(MADE_UP)..start).unwrap_or_default();
    let after = text.as_bytes().get(end..text.len().min(end + MADE_UP)).unwrap_or_default();
    let start = start - before.iter().rev().take_while(|byte| inner(byte)).count();
    let end = end + after.iter().take_while(|byte| inner(byte)).count();
    let code = is_code(text.get(start..end)?, text.get(end..)?);
    (!code).then_some((start, end))
}

/// Whether a label is directly before a value that starts at `start`, with or without a separator, on its line.
fn stands_at(label: &NearLabel, text: &str, start: usize) -> bool {
    let is_on_line = || text.get(label.end..start).is_some_and(|gap| !gap.contains('\n'));
    label.nearness == Nearness::Direct
        && label.end - label.start >= LABEL
        && label.end <= start
        && is_on_line()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_by_one_of_their_words() {
        for (text, want) in [
            ("is boZHhDpCzNNzf1iHZrvx4RRydXjycfMT.", Some("boZHhDpCzNNzf1iHZrvx4RRydXjycfMT.")),
            ("(b64+3f9d2c1b8a7e6f5d/4c3b==)", Some("b64+3f9d2c1b8a7e6f5d/4c3b==")),
            ("bot 110201543:3AHdqTcvCH1vGWJxfSeof", Some("110201543:3AHdqTcvCH1vGWJxfSeof")),
            ("a short 3f9d2c1b one", None),
            ("3f9d2c1b8a7e6f5d4c3b(x)", None),
            ("3f9d2c1b8a7e6f5d4c3b=x", None),
        ] {
            let start = text.find(['3', 'b']).unwrap_or_default();
            let words = crate::phrase::words(text).filter(|(from, to)| to - from >= WORD && *from >= start);
            let found = words.filter_map(|(from, to)| generated(text, from, to)).next();
            assert_eq!(found.and_then(|(start, end)| text.get(start..end)), want, "{text}");
        }
    }
}
