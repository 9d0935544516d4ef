//! Finds values that only their label identifies: `password: …`, `"api_key" = "…"`, `the API token is …`.

use textveil_weights::prior as weights;

use super::{
    cookie,
    pair::{self, Pair},
    pattern::{end, pattern, whole},
    quoting::{parts_fields, parts_values},
    scan::{MAX_ATOM, ScannedWord, Scanner},
    secret::{self, names_secret, of_secrets},
    table::Recognise,
    url::begins_authority,
};
use crate::{
    api::facts::Facts,
    catalogue::{self, DETECTORS, Detector, Recogniser},
    evidence::candidate::{Candidate, Source, Verdict},
    lexicon,
    phrase::{
        Phrase,
        bytes::{DIGIT, HIGH},
        case::is_upper,
        tables::humps,
    },
};

/// The longest value, in bytes: keys of cloud services and their tokens have thousands.
const MAX_VALUE: usize = 4_096;
/// The longest value within a long one, in bytes.
const MAX: usize = 256;
/// The longest label, in bytes.
const MAX_NAME: usize = 48;
/// The maximum number of words of what a secret opens, with the preposition: `for the router`.
const MAX_COMPLEMENT: usize = 4;
/// The most text that a phrase and the end of its clause are read from, in bytes: a seed phrase has 24 words.
const MAX_PHRASE: usize = 384;

/// The number of bytes of a value in brackets.
const IN_BRACKETS: std::ops::RangeInclusive<usize> = 8..=48;
/// The longest text between such a value and its label, in bytes, and its most words.
const MAX_ASIDE: usize = 48;
const MAX_WORDS: usize = 4;

/// The separator between a label and its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// `:`, `=`, or the end of a tag: `<password>`. The value may be alone on the next line.
    Sign,
    /// The separator of two cells of a table: a tab, `|`, `;`, `,` or `</td><td>`.
    Cell,
    /// A word: `my gender is female`.
    Word,
}

/// A value and the detectors that may accept it.
struct LabelledValue {
    /// The detectors of its label.
    pub detectors: Vec<u16>,
    /// Its range, up to the next space, in bytes of the text.
    pub start: usize,
    pub end: usize,
    /// It is alone on its line.
    pub alone: bool,
    /// It is in quotes.
    pub quoted: bool,
}

/// Whether a text ends with a label that a number may follow without a separator: `Latitude 50.0755`.
fn measures(text: &[u8]) -> bool {
    let letters = text.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).take(MAX_NAME).count();
    let word = text.get(text.len() - letters..).unwrap_or_default();
    let begins =
        |with: &[u8; 3]| word.first_chunk::<3>().is_some_and(|start| start.eq_ignore_ascii_case(with));
    matches!(letters, 3 | 7..=9) && (begins(b"lat") || begins(b"lon") || begins(b"lng"))
}

/// Returns the value after a separator, which is the bytes `at..end` of the text, for the detectors of its label.
///
/// A long value is read once: `long` is the end of the last one.
fn after(
    text: &str,
    mut detectors: Vec<u16>,
    joint: Joint,
    at: usize,
    end: usize,
    long: &mut usize,
) -> Option<LabelledValue> {
    let behind = text.get(end..)?;
    // `:=`, `=>`, `==`
    let doubled = joint == Joint::Sign && behind.starts_with(['=', '>']);
    let value = behind.get(usize::from(doubled)..)?.trim_start_matches([' ', '\t']);
    let below = value.strip_prefix('\n').or_else(|| value.strip_prefix("\r\n"));
    // a line break after `=` means an empty value
    let asks = joint == Joint::Sign && text.get(at..end).is_some_and(|sign| !sign.starts_with('='));
    let below = below.filter(|_| asks).map(|line| line.trim_start_matches([' ', '\t']));
    let alone = below.is_some();
    let value = below.unwrap_or(value);
    let (value, quote) = match value.chars().next()? {
        quote @ ('"' | '\'' | '`') => (value.strip_prefix(quote)?, Some(quote)),
        _ => (value, None),
    };
    let start = text.len() - value.len();
    let ends = |(at, letter): (usize, char)| match quote {
        Some(quote) => letter == quote || letter == '\n',
        None if letter == '&' => value.get(at + 1..).is_some_and(parts_values),
        None if matches!(letter, ',' | ';') && joint == Joint::Sign => {
            value.get(at + 1..).is_none_or(parts_fields)
        }
        None => letter.is_whitespace() || matches!(letter, '"' | '\'' | ',' | ';' | '<' | '>'),
    };
    let most = if start < *long { MAX } else { MAX_VALUE };
    let mut reach = value.len().min(most + 1);
    while !value.is_char_boundary(reach) {
        reach -= 1;
    }
    let value = value.get(..reach)?;
    let end = value.char_indices().find(|letter| ends(*letter)).map_or(reach, |(at, _)| at);
    let value = value.get(..end)?;
    if value.len() > MAX {
        *long = start + value.len();
    }
    let next = text.get(start + value.len()..).unwrap_or_default();
    let is_name = quote.is_some() && lexicon::is_label(value);
    let code = is_name || quote.is_none() && is_code(value.trim_end_matches([')', ']', '}']), next);
    // without a sign or on its own line, an ordinary word is not a value
    let word = (joint != Joint::Sign || alone) && !is_mixed(value)
        || alone && !ends_line(next.trim_start_matches(['"', '\'', '`']));
    // a comparison contains no statement about a person
    if doubled {
        detectors.retain(|index| !is_phrase(*index));
    }
    // a phrase is recognised by its words, whatever follows them
    if code || word || value.len() > most {
        detectors.retain(|index| is_phrase(*index));
    }
    let found = !value.is_empty() && !detectors.is_empty();
    found.then_some(LabelledValue {
        detectors,
        start,
        end: start + value.len(),
        alone,
        quoted: quote.is_some(),
    })
}

/// Returns the separator and its start if a text ends with a tag: `<password>`, which contains the value, or
/// `Password</td><td>`.
fn tag(text: &str) -> Option<(Joint, usize)> {
    let opened = text.strip_suffix('>')?;
    let of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let len = opened.bytes().rev().take(MAX_NAME).position(|byte| !of_name(byte))?;
    let (before, name) = opened.split_at_checked(opened.len() - len)?;
    let before = before.strip_suffix('<')?;
    if !matches!(name, "td" | "dd") {
        return Some((Joint::Sign, opened.len()));
    }
    // `</td>`, `</th>`, `</dt>`
    let cell = before.trim_ascii_end().len().checked_sub(5)?;
    before.get(cell..)?.starts_with("</").then_some((Joint::Cell, cell))
}

/// Whether a word has letters and digits.
pub(super) fn is_mixed(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit()) && word.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Whether the rest of the line is empty.
pub(super) fn ends_line(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '\t', '\r']);
    rest.is_empty() || rest.starts_with('\n')
}

/// Whether a text ends with a label whose value is ordinary words.
///
/// The separator of the label is part of the text.
/// A caller that reads a text in pieces must not treat those words as final.
///
/// # Examples
/// ```
/// use textveil_engine::awaits_phrase;
///
/// assert!(awaits_phrase("my gender is "));
/// assert!(!awaits_phrase("the price is "));
/// ```
pub fn awaits_phrase(before: &str) -> bool {
    let before = before.trim_end_matches(['"', '\'', '`']);
    let joint = joint_at_end(before).or_else(|| tag(before));
    joint.is_some_and(|(joint, at)| named(before, at, joint != Joint::Word).into_iter().any(is_phrase))
}

/// Whether a text, with its line break, ends with a label whose value may be on the next line.
pub(crate) fn breaks_off(text: &str) -> bool {
    let line = text.trim_end_matches(['\n', '\r', ' ', '\t']);
    line.ends_with(':') && text.ends_with('\n') && !named(line, line.len() - 1, true).is_empty()
}

/// Returns the separator that a text ends with, and its start.
fn joint_at_end(text: &str) -> Option<(Joint, usize)> {
    if text.ends_with(['\t', '|', ';', ',']) {
        return Some((Joint::Cell, text.len() - 1));
    }
    // the value may be on the next line
    let line = text.trim_end_matches([' ', '\t']);
    let signed = line.strip_suffix('\n').unwrap_or(line).trim_end_matches(['\r', ' ', '\t']);
    if signed.ends_with([':', '=']) {
        return Some((Joint::Sign, signed.len() - 1));
    }
    if line.ends_with('|') {
        return Some((Joint::Cell, line.len() - 1));
    }
    let word = line.rfind(' ').map(|space| space + 1).filter(|_| line.len() < text.len())?;
    line.get(word..).is_some_and(lexicon::is_copula).then_some((Joint::Word, word))
}

fn is_phrase(index: u16) -> bool {
    catalogue::detector(index).is_some_and(|detector| detector.recogniser == Some(Recogniser::Phrase))
}

/// Whether a label after this text begins a clause: at the start of a line, after a mark or a gap.
fn begins_clause(before: &str) -> bool {
    let marks = [',', ';', '.', '|', ':', '=', '{', '(', '/', '\n', '\t', '<', '>'];
    let trimmed = before.trim_end_matches([' ', '"', '\'', '`', '*', '-', '•', '#', '·', '–']);
    // `user=jane gender=f`
    let fields = before.strip_suffix(' ').and_then(|before| before.split(' ').next_back());
    !before.ends_with(['-', '_', '.', '/', ':'])
        && (trimmed.is_empty()
            || trimmed.ends_with(marks)
            || before.ends_with("  ")
            || fields.is_some_and(|last| last.contains('=')))
}

/// Whether a clause ends before this text: at the end of a line, at a mark, a gap or the next label.
fn ends_clause(after: &str) -> bool {
    let marks = [',', ';', ')', '"', '\'', '|', '/', '}', ']', '<', '&', '\t', '\r'];
    if after.is_empty() || after.starts_with(marks) || after.starts_with("  ") || after.starts_with(" |") {
        return true;
    }
    if let Some(rest) = after.strip_prefix('.') {
        return !rest.starts_with(char::is_alphanumeric);
    }
    // `Next name: …`, `next_name=…`
    let name = after.strip_prefix(' ').and_then(|next| next.split_once([':', '=']));
    name.is_some_and(|(name, _)| {
        let words = if name.starts_with(is_upper) { 3 } else { 1 };
        name.len() <= MAX_NAME && name.split(' ').count() <= words
    })
}

/// Whether an unquoted value is an expression, a type or the word of a sentence rather than a secret.
pub(super) fn is_code(value: &str, next: &str) -> bool {
    let brackets = ['(', '[', '{'];
    let expression = value.contains(brackets)
        || next.starts_with(brackets)
        || value.contains("::")
        || value.contains("->");
    let path = value.split_once('.').is_some_and(|(object, field)| {
        let name = |part: &str| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        };
        name(object) && field.split('.').all(name)
    });
    let pointer = value.starts_with(['*', '&', '$', '%', '<', '@']) || value.starts_with("__");
    // `pwd=pwd`: the name of a secret is not a secret
    let name = lexicon::is_label(value);
    let letters = value.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        || value.chars().all(char::is_alphabetic);
    // a word that a sentence or an expression continues, or a name in camel case
    let goes_on = next.starts_with(';')
        || next.trim_start_matches(' ').starts_with(|letter: char| letter.is_alphanumeric() || letter == '=');
    let camel = value
        .bytes()
        .zip(value.bytes().skip(1))
        .any(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase());
    expression || path || pointer || name || letters && (goes_on || camel || value.contains('_'))
}

/// Whether a text may end with a label of a detector, by its last word.
fn may_end_label(text: &str) -> bool {
    let letters = text.bytes().rev().take(MAX_NAME).take_while(u8::is_ascii_alphanumeric).count();
    let (before, word) = text.split_at_checked(text.len() - letters).unwrap_or_default();
    if before.ends_with(|letter: char| !letter.is_ascii()) || word.is_empty() {
        let from = before.floor_char_boundary(before.len().saturating_sub(MAX_NAME));
        let last = text.get(from..).and_then(|name| crate::phrase::phrases(name).last());
        return last.is_some_and(|(_, _, phrase)| lexicon::may_end_label(phrase));
    }
    // `smtpPassword`
    let last = || humps(word).last().and_then(|hump| word.get(hump..));
    lexicon::may_end_label(Phrase::EMPTY.with(word))
        || last().is_some_and(|last| lexicon::may_end_label(Phrase::EMPTY.with(last)))
}

/// The signs between a label and a separator: quotes, also escaped ones, and marks of emphasis.
const BEHIND_LABEL: [char; 7] = [' ', '"', '\'', '`', ')', '*', '\\'];
/// The longest remark in brackets behind a label, in bytes.
const MAX_REMARK: usize = 24;

/// Returns a text without a remark in brackets at its end, if a label may precede it: `Password (temporary)`.
fn without_remark(text: &str) -> &str {
    let Some(remark) = text.trim_end_matches([' ', '*']).strip_suffix(')') else { return text };
    let len = remark.bytes().rev().take(MAX_REMARK).position(|byte| byte == b'(');
    let label =
        len.and_then(|len| remark.get(..remark.len() - len - 1)).map(|label| label.trim_end_matches(' '));
    label.filter(|label| may_end_label(label)).unwrap_or(text)
}

/// Returns a text without a separator word at its end: `the password is`, before a colon.
fn without_joint(text: &str) -> &str {
    let len =
        text.bytes().rev().take(lexicon::LONGEST_COPULA + 1).take_while(u8::is_ascii_alphabetic).count();
    match text.split_at_checked(text.len() - len) {
        Some((before, word)) if lexicon::is_copula(word) => before.strip_suffix(' ').unwrap_or(text),
        _ => text,
    }
}

/// Returns the detectors of the label before a separator: its last one, two or three words.
///
/// With `clause`, ordinary words are a label only if they begin a clause.
pub(super) fn named(text: &str, joint: usize, clause: bool) -> Vec<u16> {
    let Some(before) = text.get(..joint) else { return Vec::new() };
    // a label ends with at least two letters, as `pw` does; this excludes most colons and equals signs
    let last = before
        .bytes()
        .rev()
        .skip_while(|byte| matches!(byte, b' ' | b'"' | b'\'' | b'`' | b')' | b'*' | b'\\'))
        .take(2);
    if last.filter(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80).count() < 2 {
        return Vec::new();
    }
    let before = without_joint(without_remark(before).trim_end_matches(BEHIND_LABEL));
    let mut found = labels_at_end(before, clause);
    if found.is_empty()
        && let Some(label) = before_complement(before)
    {
        found = labels_at_end(label, clause);
        found.retain(|index| of_secrets(&[*index]) == [*index]);
    }
    found
}

/// Returns the text before the preposition of a complement at the end of a text: `the password` of `the password for the
/// router`.
fn before_complement(text: &str) -> Option<&str> {
    let from = text.floor_char_boundary(text.len().saturating_sub(MAX_NAME));
    let line = text.get(from..)?.rsplit('\n').next()?;
    let is_preposition = |word: &str| lexicon::PREPOSITIONS.leading_word(word) == Some(word.len());
    let (mut rest, _) = line.rsplit_once(' ')?;
    for _ in 0..MAX_COMPLEMENT {
        let (before, word) = rest.rsplit_once(' ')?;
        if is_preposition(word) {
            return text.get(..text.len() - line.len() + before.len());
        }
        rest = before;
    }
    None
}

/// Returns the detectors of the labels that a text ends with.
fn labels_at_end(before: &str, clause: bool) -> Vec<u16> {
    if !may_end_label(before) {
        return Vec::new();
    }
    let mut from = before.len().saturating_sub(MAX_NAME);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    let Some(name) = before.get(from..) else { return Vec::new() };
    if !name.ends_with(|letter: char| letter.is_alphanumeric()) {
        return Vec::new();
    }
    let name = name.rsplit(['\n', '\t', '|', ',', ';', '{', '(', '&', '?']).next().unwrap_or(name);
    let mut found = Vec::new();
    let mut starts: Vec<usize> = crate::phrase::words(name).map(|(start, _)| start).collect();
    // `userPassword`
    let last = starts.last().copied().unwrap_or_default();
    starts.extend(humps(name.get(last..).unwrap_or_default()).map(|hump| last + hump));
    // in scripts without spaces each character is a word
    let most = if name.is_ascii() { 3 } else { 12 };
    for start in starts.drain(..).rev().take(most) {
        let label = name.get(start..).unwrap_or_default();
        for packed in lexicon::label(Phrase::EMPTY.with(label), label).unwrap_or_default() {
            let (detector, weak) = lexicon::label_use(*packed);
            let wants = |detector: &Detector| match detector.recogniser {
                Some(Recogniser::Labelled | Recogniser::Secret) => true,
                Some(Recogniser::Phrase) => {
                    !detector.alone
                        || !clause
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

/// Whether a value has the form of a detector, and its rule accepts it.
fn has_form(index: u16, detector: &Detector, value: &str) -> bool {
    pattern(index, detector).is_none_or(|pattern| whole(pattern, value))
        && detector.facts(value).is_none_or(|facts| facts.is_ok())
}

/// Values that only their label identifies.
pub(super) struct LabelledValues;

/// The ends of the last labelled value, of the last long one, and of the last one that was found.
#[derive(Default)]
pub(super) struct LabelledState {
    pub done: usize,
    pub long: usize,
    pub valued: usize,
    /// The name or the value of a secret that has no counterpart yet.
    pub pair: Pair,
}

impl Recognise for LabelledValues {
    type State = LabelledState;

    const MARKS: &'static [u8] = b":=\t|;,>(";

    fn at_mark(scanner: &mut Scanner<'_>, at: usize, byte: u8) {
        match byte {
            b'>' => read_tag(scanner, at),
            b'(' => read_in_brackets(scanner, at),
            b'\t' | b'|' => read_cell(scanner, at),
            b';' | b',' => read_tight_cell(scanner, at),
            // a sign of a URL, or of its scheme
            _ if at < scanner.states.url.done || byte == b':' && begins_authority(scanner.bytes, at) => {}
            _ => read(scanner, Joint::Sign, at, at + 1),
        }
    }

    #[inline(always)]
    fn at_word(scanner: &mut Scanner<'_>, word: ScannedWord) {
        // `è`
        if word.plain || word.class == HIGH {
            read_behind_word(scanner, word.start, word.end);
        }
    }

    #[inline(always)]
    fn at_atom(scanner: &mut Scanner<'_>, word: ScannedWord) {
        let ScannedWord { start, end, class, .. } = word;
        if class & DIGIT != 0 && class & HIGH == 0 && end - start <= MAX_ATOM && is_measured(scanner, start) {
            read_measured(scanner, start);
        }
    }

    fn at_end(scanner: &mut Scanner<'_>, from: usize) {
        read_cells(scanner, from);
    }
}

/// Reads the table cells in columns for a labelled value or a phrase: gender, password.
fn read_cells(scanner: &mut Scanner<'_>, from: usize) {
    for (cell, uses) in scanner.out.labels.cells() {
        if cell.start < from {
            continue;
        }
        for packed in uses {
            let (index, weak) = lexicon::label_use(*packed);
            let Some(detector) = catalogue::detector(index).filter(|_| !weak) else { continue };
            if !matches!(
                detector.recogniser,
                Some(Recogniser::Labelled | Recogniser::Secret | Recogniser::Phrase)
            ) {
                continue;
            }
            scanner.out.labels.rewind(cell.start);
            let Some(value) = scanner.text.get(cell.start..cell.end) else { continue };
            let is_secret = detector.recogniser == Some(Recogniser::Secret);
            if detector.recogniser == Some(Recogniser::Phrase) {
                push_phrase(scanner, index, detector, cell.start, false);
            } else if !is_secret || !names_secret(value) {
                push_value(scanner, index, detector, cell.start, value, true);
            }
        }
    }
}

/// Reads the value after the end of a tag: `<password>`.
fn read_tag(scanner: &mut Scanner<'_>, at: usize) {
    if let Some((joint, label)) = scanner.text.get(..=at).and_then(tag) {
        read(scanner, joint, label, at + 1);
    } else {
        pair::read_element(scanner, at);
    }
}

/// Reads the cell after a separator of cells.
fn read_cell(scanner: &mut Scanner<'_>, at: usize) {
    read(scanner, Joint::Cell, at, at + 1);
}

/// Reads the cell that begins directly after a separator.
fn read_tight_cell(scanner: &mut Scanner<'_>, at: usize) {
    if scanner.bytes.get(at + 1).is_some_and(|next| !next.is_ascii_whitespace()) {
        read_cell(scanner, at);
    }
}

/// Reads the value after a word, if that is a separator: `is`.
#[inline]
fn read_behind_word(scanner: &mut Scanner<'_>, start: usize, end: usize) {
    if scanner.text.get(start..end).is_some_and(lexicon::is_copula) {
        read(scanner, Joint::Word, start, end);
    }
}

/// Reads the value after a separator, which is the bytes `at..end`.
fn read(scanner: &mut Scanner<'_>, joint: Joint, at: usize, end: usize) {
    if at < scanner.states.labelled.done {
        return;
    }
    let mut detectors = named(scanner.text, at, joint != Joint::Word);
    let secrets = of_secrets(&detectors);
    if secrets.is_empty() && joint == Joint::Sign {
        cookie::read_header(scanner, at);
        pair::read(scanner, at);
    } else if !secrets.is_empty() {
        secret::read(scanner, &secrets, joint, at, end);
        detectors.retain(|index| !secrets.contains(index));
    }
    if detectors.is_empty() {
        return;
    }
    let Some(found) = after(scanner.text, detectors, joint, at, end, &mut scanner.states.labelled.long)
    else {
        return;
    };
    let LabelledValue { detectors, start, end, alone, quoted } = found;
    scanner.states.labelled.done = end;
    let Some(value) = scanner.text.get(start..end) else { return };
    let before = scanner.out.candidates.len();
    for index in detectors {
        let Some(detector) = catalogue::detector(index) else { continue };
        if detector.recogniser == Some(Recogniser::Phrase) {
            push_phrase(scanner, index, detector, start, alone);
        } else {
            push_value(scanner, index, detector, start, value, quoted);
        }
    }
    // a value that no detector accepts may be another kind of credential
    if scanner.out.candidates.len() > before {
        scanner.states.labelled.valued = end;
    }
}

/// Adds a labelled value, if it has the detector's form; `quoted` means that it ends with its quotation
/// mark.
pub(super) fn push_value(
    scanner: &mut Scanner<'_>,
    index: u16,
    detector: &'static Detector,
    start: usize,
    value: &str,
    quoted: bool,
) {
    // a final full stop or bracket belongs to the value only if the form requires it
    let bare = if quoted { value } else { value.trim_end_matches(['.', ')', ']', '}']) };
    if let Some(value) =
        [bare, value].iter().find(|value| !value.is_empty() && has_form(index, detector, value))
    {
        let shape = detector.prior().unwrap_or(weights::LABELLED);
        scanner.push(index, start, start + value.len(), Verdict::Unchecked, shape);
    }
}

/// Adds a phrase after its label: the longest one that the detector's pattern and rule accept.
///
/// With `alone` it must fill its line.
fn push_phrase(
    scanner: &mut Scanner<'_>,
    index: u16,
    detector: &'static Detector,
    start: usize,
    alone: bool,
) {
    let Some(rest) = scanner.text.get(start..) else { return };
    let line = rest.get(..rest.floor_char_boundary(MAX_PHRASE)).unwrap_or(rest);
    let line = ['\n', '"'].iter().fold(line, |line, end| line.split(*end).next().unwrap_or(line));
    scanner.count(4 + line.len() / 8);
    let end = pattern(index, detector).and_then(|pattern| end(pattern, line));
    let Some(whole) = end.and_then(|end| line.get(..end)) else { return };
    let ends = |rest: &str| {
        if alone {
            ends_line(rest)
        } else if detector.alone {
            ends_clause(rest)
        } else {
            !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
        }
    };
    // the last word may be the label of the next field: `… yellow total: 12`
    let shorter = whole.rsplit_once(' ').map(|(shorter, _)| shorter);
    for value in std::iter::once(whole).chain(shorter) {
        let facts = detector.facts(value).unwrap_or(Ok(Facts::default()));
        if let Ok(facts) = facts
            && line.get(value.len()..).is_some_and(ends)
        {
            let shape = detector.prior().unwrap_or(weights::LABELLED);
            let place = Candidate::new(Source::Catalogue(index), start, start + value.len());
            return scanner.keep(Candidate { facts, shape, ..place });
        }
    }
}

/// Reads a value in brackets, of which a word before tells the type: `the temporary password you sent (Kettle-blue77)`.
fn read_in_brackets(scanner: &mut Scanner<'_>, at: usize) {
    let behind = scanner.bytes.get(at + 1..).unwrap_or_default();
    let len = behind
        .iter()
        .take(*IN_BRACKETS.end())
        .take_while(|byte| byte.is_ascii_graphic() && **byte != b')')
        .count();
    let Some(value) = scanner.text.get(at + 1..at + 1 + len).filter(|_| behind.get(len) == Some(&b')'))
    else {
        return;
    };
    let has = |of: fn(&u8) -> bool| value.bytes().any(|byte| of(&byte));
    if !(IN_BRACKETS.contains(&len)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && (has(u8::is_ascii_uppercase) || has(u8::is_ascii_punctuation)))
    {
        return;
    }
    let before = scanner.text.get(..at).unwrap_or_default().trim_end_matches(' ');
    let from = before.floor_char_boundary(before.len().saturating_sub(MAX_ASIDE));
    let clause = before.get(from..).unwrap_or_default();
    let clause = clause.rsplit(['.', ',', ';', ':', '!', '?', '(', ')', '\n']).next().unwrap_or_default();
    // directly behind its label, a bracket has a remark: `password hash (bcrypt-12)`
    let ends = clause
        .rmatch_indices(' ')
        .map(|(space, _)| before.len() - clause.len() + space)
        .skip(1)
        .take(MAX_WORDS);
    for end in ends {
        scanner.count(4);
        let secrets = of_secrets(&named(scanner.text, end, false));
        if let Some((index, detector)) =
            secrets.first().and_then(|index| Some((*index, catalogue::detector(*index)?)))
        {
            if has_form(index, detector, value) {
                scanner.push(index, at + 1, at + 1 + len, Verdict::Unchecked, weights::ASIDE);
            }
            return;
        }
    }
}

/// Whether the word before a number may be one that needs no separator, by its last letter.
#[inline]
fn is_measured(scanner: &Scanner<'_>, start: usize) -> bool {
    let signed = usize::from(matches!(scanner.bytes.get(start.wrapping_sub(1)), Some(b'-' | b'+')));
    matches!(
        scanner.bytes.get(start.wrapping_sub(2 + signed)..start - signed),
        Some([b't' | b'T' | b'd' | b'D' | b'e' | b'E' | b'n' | b'N' | b'g' | b'G', b' '])
    )
}

/// Reads a number after such a word.
fn read_measured(scanner: &mut Scanner<'_>, start: usize) {
    let before = scanner.bytes.get(..start).unwrap_or_default();
    let name =
        before.strip_suffix(b"-").or_else(|| before.strip_suffix(b"+")).unwrap_or(before).trim_ascii_end();
    if measures(name) {
        read(scanner, Joint::Word, name.len(), name.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_behind_which_ordinary_words_are_a_finding() {
        for (before, awaits) in [
            ("Gender: ", true),
            ("Gender:\n", true),
            ("Gender:\n\n", false),
            ("Gender=\"", true),
            ("Gender\t", true),
            ("1;gender;", true),
            ("| Gender | ", true),
            ("my gender is ", true),
            ("my gender is", false),
            ("my gender was ", false),
            ("Gender ", false),
            ("text: ", false),
        ] {
            assert_eq!(awaits_phrase(before), awaits, "{before:?}");
        }
    }

    #[test]
    fn lines_whose_value_may_stand_below() {
        for (text, breaks) in
            [("Password:\n", true), ("Password: \r\n", true), ("Password:", false), ("Note:\n", false)]
        {
            assert_eq!(breaks_off(text), breaks, "{text:?}");
        }
    }
}
