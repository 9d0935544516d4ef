//! Values that only their name gives away: `password: …`, `"api_key" = "…"`.

use crate::{
    catalogue::{self, DETECTORS, Detector, Recogniser},
    phrase::{Phrase, case::is_upper},
};

/// The longest value, in bytes.
const MAX: usize = 256;
/// The longest name, in bytes.
const MAX_NAME: usize = 48;

/// The value behind the `:` or `=` at `sign`, if the name before it asks for one: the detectors that may
/// want it, and where it stands, in bytes of the text.
pub(crate) fn after(text: &str, sign: usize) -> Option<(Vec<u16>, usize, usize)> {
    let mut detectors = named(text, sign);
    if detectors.is_empty() {
        return None;
    }
    let rest = text.get(sign + 1..)?;
    // `:=`, `=>`, `==`
    let rest = rest.strip_prefix(['=', '>']).unwrap_or(rest);
    let value = rest.trim_start_matches([' ', '\t']);
    let (value, quote) = match value.chars().next()? {
        quote @ ('"' | '\'' | '`') => (value.strip_prefix(quote)?, Some(quote)),
        _ => (value, None),
    };
    let start = text.len() - value.len();
    let ends = |letter: char| match quote {
        Some(quote) => letter == quote || letter == '\n',
        None => letter.is_whitespace() || matches!(letter, '"' | '\'' | ',' | ';' | '<' | '>' | '&'),
    };
    let mut reach = value.len().min(MAX + 1);
    while !value.is_char_boundary(reach) {
        reach -= 1;
    }
    let value = value.get(..reach)?;
    let value = value.find(ends).and_then(|end| value.get(..end)).unwrap_or(value);
    let next = text.get(start + value.len()..).unwrap_or_default();
    let code = quote.is_none() && is_code(value.trim_end_matches([')', ']', '}']), next);
    // a comparison says nothing of a person
    if text.get(sign + 1..).is_some_and(|rest| rest.starts_with(['=', '>'])) {
        detectors.retain(|index| !is_phrase(*index));
    }
    // a phrase is known by its own words, whatever follows them
    if code || value.len() > MAX {
        detectors.retain(|index| is_phrase(*index));
    }
    (!value.is_empty() && !detectors.is_empty()).then_some((detectors, start, start + value.len()))
}

/// Whether a text ends with a name and its `:` or `=` behind which even ordinary words are a finding. Who reads a
/// text in pieces asks, so that it does not take them for final.
pub fn awaits_phrase(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t', '"', '\'', '`']);
    before.ends_with([':', '=']) && named(before, before.len() - 1).into_iter().any(is_phrase)
}

fn is_phrase(index: u16) -> bool {
    catalogue::detector(index).is_some_and(|detector| detector.recogniser == Some(Recogniser::Phrase))
}

/// Whether a name that goes on from here begins a clause: at the start of a line, after a mark or a gap.
fn begins_clause(before: &str) -> bool {
    let marks = [',', ';', '.', '|', ':', '=', '{', '(', '/', '\n', '\t', '>'];
    let trimmed = before.trim_end_matches([' ', '"', '\'', '`', '*', '-', '•', '#', '·', '–']);
    !before.ends_with(['-', '_', '.', '/', ':'])
        && (trimmed.is_empty() || trimmed.ends_with(marks) || before.ends_with("  "))
}

/// Whether a clause ends where this text goes on: at the end of a line, at a mark, a gap or the next name.
pub(crate) fn ends_clause(after: &str) -> bool {
    let marks = [',', ';', ')', '"', '\'', '|', '/', '}', ']', '<', '&', '\t', '\r'];
    if after.is_empty() || after.starts_with(marks) || after.starts_with("  ") {
        return true;
    }
    if let Some(rest) = after.strip_prefix('.') {
        return !rest.starts_with(char::is_alphanumeric);
    }
    let next = after.strip_prefix(' ').filter(|next| next.starts_with(is_upper));
    let name = next.and_then(|next| next.split_once(':'));
    name.is_some_and(|(name, _)| name.len() <= MAX_NAME && name.split(' ').count() <= 3)
}

/// Whether a value without quotes is an expression, a type or the word of a sentence rather than a secret.
fn is_code(value: &str, next: &str) -> bool {
    let expression = value.contains(['(', '[', '{']) || value.contains("::") || value.contains("->");
    let path = value.split_once('.').is_some_and(|(object, field)| {
        let name = |part: &str| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        };
        name(object) && field.split('.').all(name)
    });
    let pointer = value.starts_with(['*', '&', '$', '%', '<', '@']) || value.starts_with("__");
    // `pwd=pwd`: a name for a secret is none
    let name = catalogue::label(Phrase::EMPTY.with(value)).is_some_and(|uses| !uses.is_empty());
    let letters = value.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        || value.chars().all(char::is_alphabetic);
    // a word that a sentence or an expression goes on behind, or a name in camel case
    let goes_on = next.starts_with(';')
        || next.trim_start_matches(' ').starts_with(|letter: char| letter.is_alphanumeric() || letter == '=');
    let camel = value
        .bytes()
        .zip(value.bytes().skip(1))
        .any(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase());
    expression || path || pointer || name || letters && (goes_on || camel || value.contains('_'))
}

/// The detectors that the name before a sign asks for: its last one, two or three words.
fn named(text: &str, sign: usize) -> Vec<u16> {
    let Some(before) = text.get(..sign) else { return Vec::new() };
    // a name ends with three letters at least, as `UPI ID` does; most colons and equals signs are out here
    let last =
        before.bytes().rev().skip_while(|byte| matches!(byte, b' ' | b'"' | b'\'' | b'`' | b')')).take(4);
    if last.filter(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80).count() < 3 {
        return Vec::new();
    }
    let before = before.trim_end_matches([' ', '"', '\'', '`', ')']);
    let mut from = before.len().saturating_sub(MAX_NAME);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    let Some(name) = before.get(from..) else { return Vec::new() };
    if !name.ends_with(|letter: char| letter.is_alphanumeric()) {
        return Vec::new();
    }
    let name = name.rsplit(['\n', ',', ';', '{', '(', '&', '?']).next().unwrap_or(name);
    let mut found = Vec::new();
    let mut starts: Vec<usize> = crate::phrase::words(name).map(|(start, _)| start).collect();
    // in scripts without spaces each character is a word
    let most = if name.is_ascii() { 3 } else { 12 };
    for start in starts.drain(..).rev().take(most) {
        let phrase = Phrase::EMPTY.with(name.get(start..).unwrap_or_default());
        for packed in catalogue::label(phrase).unwrap_or_default() {
            let (detector, weak) = catalogue::label_use(*packed);
            let wants = |detector: &Detector| match detector.recogniser {
                Some(Recogniser::Labelled) => true,
                Some(Recogniser::Phrase) => {
                    !detector.alone
                        || (from == 0 || name.len() < before.len() - from)
                            && begins_clause(name.get(..start).unwrap_or_default())
                }
                _ => false,
            };
            if !weak && !found.contains(&detector) && DETECTORS.get(usize::from(detector)).is_some_and(wants)
            {
                found.push(detector);
            }
        }
    }
    found
}
