//! Finds secrets whose name is the value of another key: `{"name": "DB_PASSWORD", "value": "…"}`, also in the lines of YAML
//! and the attributes of XML.

use super::{
    labelled::named,
    scan::Scanner,
    secret::{self, SecretPlace, names_secret, of_secrets, place},
};

/// The longest text between a name and its value, in bytes.
const MAX_GAP: usize = 160;
/// The longest name and the longest value, in bytes.
const MAX_NAME: usize = 64;
const MAX_VALUE: usize = 2_048;
/// The longest key, in bytes.
const MAX_KEY: usize = 24;
/// The ends of keys whose value is a name, and of those whose value has one.
const NAMES: [&str; 6] = ["name", "key", "field", "variable", "param", "property"];
const VALUES: [&str; 2] = ["value", "content"];

/// The last name and the last value without their counterpart.
#[derive(Default)]
pub(super) struct Pair {
    name: Option<PairName>,
    /// The place of the value, and the start of its key.
    value: Option<(SecretPlace, usize)>,
    /// The text before the scanned part was searched for a name.
    looked_back: bool,
}

/// A name of a secret.
struct PairName {
    detectors: Vec<u16>,
    start: usize,
    end: usize,
}

/// The part of a key in a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Name,
    Value,
}

/// Returns the part of the key before a sign, and the key's start.
fn part(before: &str) -> Option<(Part, usize)> {
    let key = before.trim_end_matches([' ', '"', '\'', '\\']);
    // most keys end in another way
    if !matches!(key.as_bytes().last()?, b'e' | b'E' | b'y' | b'Y' | b'd' | b'D' | b'm' | b'M' | b't' | b'T')
    {
        return None;
    }
    let len = key
        .bytes()
        .rev()
        .take(MAX_KEY)
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    let word = key.get(key.len() - len..)?;
    let ends = |end: &str| {
        word.len()
            .checked_sub(end.len())
            .and_then(|at| word.get(at..))
            .is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    let part = if NAMES.iter().any(|end| ends(end)) {
        Part::Name
    } else if VALUES.iter().any(|end| ends(end)) {
        Part::Value
    } else {
        return None;
    };
    Some((part, key.len() - len))
}

/// Whether a line may be the first of a pair in two lines whose value comes first.
pub(crate) fn breaks_off(text: &str) -> bool {
    let Some(line) = text.strip_suffix('\n') else { return false };
    let line = line.rsplit('\n').next().unwrap_or(line);
    let key = line.trim_start_matches([' ', '\t', '-', '"', '\'']);
    let sign = key.get(..key.len().min(MAX_KEY)).and_then(|key| key.find(':'));
    sign.and_then(|sign| part(key.get(..sign)?)).is_some_and(|(part, _)| part == Part::Value)
}

/// Reads a name or a value behind a sign at `at`.
pub(super) fn read(scanner: &mut Scanner<'_>, at: usize) {
    let Some((part, key)) = scanner.text.get(..at).and_then(part) else { return };
    match part {
        Part::Name => read_name(scanner, at),
        Part::Value => read_value(scanner, at, key),
    }
}

fn read_name(scanner: &mut Scanner<'_>, at: usize) {
    scanner.states.labelled.pair.name = None;
    scanner.count(MAX_NAME / 4);
    let Some(found) = place(scanner.text, at + 1, false, true, MAX_NAME) else { return };
    let Some(name) = scanner.text.get(found.start..found.end) else { return };
    let detectors = of_secrets(&named(name, name.len(), false));
    if detectors.is_empty() {
        return;
    }
    let name = PairName { detectors, start: found.start, end: found.end };
    match scanner.states.labelled.pair.value.take().filter(|(value, _)| is_of_one(scanner, value.end, at)) {
        Some((value, _)) => push(scanner, &name, value),
        None => scanner.states.labelled.pair.name = Some(name),
    }
}

fn read_value(scanner: &mut Scanner<'_>, at: usize, key: usize) {
    scanner.states.labelled.pair.value = None;
    if !scanner.states.labelled.pair.looked_back {
        scanner.states.labelled.pair.looked_back = true;
        look_back(scanner, key);
    }
    let most = if at < scanner.states.labelled.long { MAX_NAME } else { MAX_VALUE };
    let Some(value) = place(scanner.text, at + 1, false, true, most) else { return };
    scanner.count(4 + (value.end - value.start) / 8);
    if value.end - value.start > MAX_NAME {
        scanner.states.labelled.long = value.end;
    }
    match scanner.states.labelled.pair.name.take().filter(|name| is_of_one(scanner, name.end, key)) {
        Some(name) => push(scanner, &name, value),
        None => scanner.states.labelled.pair.value = Some((value, key)),
    }
}

/// Searches the text before the scanned part for the name of a value.
fn look_back(scanner: &mut Scanner<'_>, key: usize) {
    let end = scanner.from.min(key);
    let from = scanner.text.floor_char_boundary(end.saturating_sub(MAX_GAP));
    let Some(before) = scanner.text.get(from..end).filter(|_| key.saturating_sub(end) < MAX_GAP) else {
        return;
    };
    let sign = before.rmatch_indices([':', '=']).map(|(sign, _)| from + sign);
    let mut names = sign
        .filter(|sign| scanner.text.get(..*sign).and_then(part).is_some_and(|(part, _)| part == Part::Name));
    if let Some(sign) = names.next() {
        read_name(scanner, sign);
    }
}

/// Whether two keys are of one object: between the end of a value and the sign or the key of another one is neither
/// a bracket, nor an empty line, nor a new item.
fn is_of_one(scanner: &Scanner<'_>, end: usize, next: usize) -> bool {
    let Some(gap) = scanner.text.get(end..next).filter(|gap| gap.len() <= MAX_GAP) else { return false };
    let lines = gap.split('\n').count();
    let is_line = |(number, line): (usize, &str)| {
        let line = line.trim();
        // the first line ends the value, and the last one begins the key
        number == 0 || (number + 1 == lines || !line.is_empty()) && !line.starts_with('-')
    };
    !gap.contains(['{', '}', '[', ']', '<', '>']) && gap.split('\n').enumerate().all(is_line)
}

/// Adds the value of a secret's name.
fn push(scanner: &mut Scanner<'_>, name: &PairName, place: SecretPlace) {
    let Some(value) = scanner.text.get(place.start..place.end) else { return };
    if !names_secret(value) {
        secret::push(scanner, &name.detectors, place, (name.start, name.end));
    }
}

/// Reads the text of an element that an attribute names: `<property name="db.password">…`.
pub(super) fn read_element(scanner: &mut Scanner<'_>, at: usize) {
    let ends = |name: &PairName| at.checked_sub(1) == Some(name.end) || at == name.end;
    let Some(name) = scanner.states.labelled.pair.name.take_if(|name| ends(name)) else { return };
    let Some(found) = place(scanner.text, at + 1, false, false, MAX_VALUE) else { return };
    push(scanner, &name, found);
}
