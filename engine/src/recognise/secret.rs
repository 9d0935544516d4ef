//! Finds secrets after their label, to the end of their own quotes: `password: …`, `"api_key" = "…"`, `DB_PASS='two words'`.

use textveil_weights::prior as weights;

use super::{
    labelled::{self, Joint, ends_line, is_code, is_mixed, named},
    quoting::{quoted, unquoted},
    scan::Scanner,
    table::Recognise,
};
use crate::{
    catalogue::{self, Recogniser},
    evidence::candidate::Signal,
    phrase::case::is_upper,
    text::order::has_word,
};

/// The longest value, in bytes: keys of cloud services and their tokens have thousands.
const MAX_VALUE: usize = 4_096;
/// The longest value within a long one, in bytes.
const MAX: usize = 256;
/// The longest name of a variable or an option, in bytes.
const MAX_NAME: usize = 64;
/// The longest text in quotes that may mention a secret, in bytes.
const MAX_PHRASE: usize = 128;
/// Words before `pass` that make it a password.
const ACCOUNTS: &str =
    "account admin and app database db email fi ftp login mail my root smtp ssh the user wifi your";
/// The tags of HTML that may be between a label and its value.
const TAGS: &str = "b strong i em code tt kbd span samp label th td dt dd p";
/// The most of these tags, and the longest one, in bytes.
const MAX_TAGS: usize = 4;
const MAX_TAG: usize = 8;

/// The place of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SecretPlace {
    pub start: usize,
    pub end: usize,
    pub quoted: bool,
    /// It is alone on the line below its label.
    pub alone: bool,
}

/// Returns the place of the value behind a separator that ends at `from`.
///
/// With `may_break` the value may be on the next line. A field ends at a comma only before another field.
pub(super) fn place(
    text: &str,
    from: usize,
    may_break: bool,
    is_field: bool,
    most: usize,
) -> Option<SecretPlace> {
    let value = undecorated(text.get(from..)?);
    let below = value.strip_prefix('\n').or_else(|| value.strip_prefix("\r\n")).filter(|_| may_break);
    let alone = below.is_some();
    let value = below.map_or(value, |line| line.trim_start_matches([' ', '\t']));
    let start = text.len() - value.len();
    let (inside, quoted) = match quoted(value, most) {
        Some(inside) => (inside, true),
        None => {
            let value = value.get(..value.floor_char_boundary(most + 1)).unwrap_or(value);
            (0..unquoted(value, is_field), false)
        }
    };
    let fits = (1..=most).contains(&inside.len());
    fits.then_some(SecretPlace { start: start + inside.start, end: start + inside.end, quoted, alone })
}

/// Returns a text without the spaces and the markup at its start: `** `, `</b> `, `<code>`.
fn undecorated(text: &str) -> &str {
    let mut rest = text.trim_start_matches([' ', '\t']);
    let emphasis = rest.trim_start_matches('*');
    if emphasis.len() < rest.len() && emphasis.starts_with([' ', '\t']) {
        rest = emphasis.trim_start_matches([' ', '\t']);
    }
    for _ in 0..MAX_TAGS {
        let Some(behind) = behind_tag(rest) else { break };
        rest = behind.trim_start_matches([' ', '\t']);
    }
    rest
}

/// Returns the text behind one of [`TAGS`] at its start.
fn behind_tag(text: &str) -> Option<&str> {
    let tag = text.strip_prefix('<')?;
    let tag = tag.strip_prefix('/').unwrap_or(tag);
    let len = tag.bytes().take(MAX_TAG).position(|byte| byte == b'>')?;
    let (name, rest) = tag.split_at_checked(len)?;
    has_word(TAGS, name).then(|| rest.strip_prefix('>'))?
}

/// The name of a variable, a key or an option before a sign.
struct Name<'t> {
    before: &'t str,
    name: &'t str,
}

impl<'t> Name<'t> {
    /// Returns the name that ends the text.
    fn at_end(text: &'t str) -> Self {
        let of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
        let len = text.bytes().rev().take(MAX_NAME).take_while(of_name).count();
        let (before, name) = text.split_at_checked(text.len() - len).unwrap_or((text, ""));
        Self { before, name }
    }

    /// Whether the word before `pass` makes it another one: `boarding pass`, `first pass`.
    fn is_of_thing(&self) -> bool {
        let word =
            self.before.strip_suffix(' ').and_then(|before| before.rsplit([' ', '\n', '"', '(']).next());
        word.is_some_and(|word| word.ends_with(char::is_alphanumeric) && !has_word(ACCOUNTS, word))
    }

    /// Whether the text after the sign is a value as it is, and not an expression: `DB_PASS=…`, `--password=…`, `?pwd=…`.
    fn is_setting(&self, sign: &str, behind: &str) -> bool {
        let is_upper = self.name.bytes().any(|byte| byte.is_ascii_uppercase())
            && !self.name.bytes().any(|byte| byte.is_ascii_lowercase());
        if sign == "=" {
            let is_tight = !behind.starts_with([' ', '\t', '=']);
            let is_option = self.name.starts_with("--") || self.before.ends_with(['?', '&', ';']);
            // `user=app password=lavender host=db`
            let words = behind.split_once(' ').map(|(_, next)| next.split(' ').next().unwrap_or_default());
            return is_tight && (is_upper || is_option || words.is_some_and(|next| next.contains('=')));
        }
        sign == ":" && is_upper && self.name.contains('_')
    }
}

/// Secrets, which [`LabelledValues`](super::labelled::LabelledValues) reads with their labels.
pub(super) struct Secrets;

impl Recognise for Secrets {
    type State = ();
}

/// Reads the secret of these detectors behind a separator, which is the bytes `at..end`.
pub(super) fn read(scanner: &mut Scanner<'_>, detectors: &[u16], joint: Joint, at: usize, end: usize) {
    let (Some(before), Some(sign)) = (scanner.text.get(..at), scanner.text.get(at..end)) else { return };
    let name = Name::at_end(before);
    // `:=`, `=>`, `==`
    let doubled = joint == Joint::Sign && matches!(scanner.bytes.get(end), Some(b'=' | b'>'));
    let from = end + usize::from(doubled);
    let behind = scanner.text.get(from..).unwrap_or_default();
    let setting = joint == Joint::Sign && name.is_setting(sign, behind);
    if name.before.ends_with("${") {
        return read_default(scanner, detectors, from);
    }
    let asks = joint == Joint::Sign && !sign.starts_with('=');
    let most = if from < scanner.states.labelled.long { MAX } else { MAX_VALUE };
    let Some(found) = place(scanner.text, from, asks, joint == Joint::Sign, most) else { return };
    let Some(value) = scanner.text.get(found.start..found.end) else { return };
    scanner.count(4 + value.len() / 8);
    if value.len() > MAX {
        scanner.states.labelled.long = found.end;
    }
    let next = scanner.text.get(found.end..).unwrap_or_default();
    let is_mixed = is_mixed(value);
    let is_other_pass =
        name.name.eq_ignore_ascii_case("pass") && behind.starts_with(' ') && name.is_of_thing();
    // `password=<password>`
    let is_placeholder = sign == ">"
        && name.before.strip_suffix('<').is_some_and(|before| before.ends_with(['=', ':', '"', '\'', ' ']));
    if is_other_pass || is_placeholder {
        return;
    }
    // without a sign or on its own line, an ordinary word is not a value
    let is_word = joint != Joint::Sign && !found.quoted || found.alone;
    if is_word && !is_mixed || found.alone && !ends_line(next.trim_start_matches(['"', '\'', '`'])) {
        return;
    }
    let rejected = if found.quoted {
        names_secret(value)
            || value.contains(' ') && (mentions_secret(value) || !setting && is_sentence(value))
    } else if setting {
        is_call(value) || !is_mixed && names_secret(value)
    } else {
        is_code_of_secret(value, next) || !is_mixed && names_secret(value)
    };
    if !rejected {
        scanner.states.labelled.done = found.end;
        push(scanner, detectors, found, (at - name.name.len(), at));
    }
}

/// Adds a secret as a candidate of these detectors; `label` is the place of its label, a key or an option.
pub(super) fn push(scanner: &mut Scanner<'_>, detectors: &[u16], place: SecretPlace, label: (usize, usize)) {
    let Some(value) = scanner.text.get(place.start..place.end) else { return };
    let value = if place.quoted { value } else { without_end(value) };
    let before = scanner.out.candidates.len();
    for index in detectors {
        if let Some(detector) = catalogue::detector(*index) {
            let added = scanner.out.candidates.len();
            labelled::push_value(scanner, *index, detector, place.start, value, true);
            // its label is next to it, wherever it is in the text
            if let Some(candidate) = scanner
                .out
                .candidates
                .get_mut(added)
                .filter(|candidate| candidate.label.weight < weights::SECRET_LABEL)
            {
                candidate.label =
                    Signal { weight: weights::SECRET_LABEL, place: (label.0 as u32, label.1 as u32) };
                candidate.named = true;
            }
        }
    }
    // a value that no detector accepts may be another kind of credential
    if scanner.out.candidates.len() > before {
        scanner.states.labelled.valued = place.end;
    }
}

/// Reads the value that a variable has by default: `${DB_PASSWORD:-hunter2}`.
fn read_default(scanner: &mut Scanner<'_>, detectors: &[u16], from: usize) {
    let Some(behind) = scanner.text.get(from..).and_then(|behind| behind.strip_prefix('-')) else { return };
    let behind = behind.get(..behind.floor_char_boundary(MAX)).unwrap_or(behind);
    let Some(len) = behind
        .find(['}', '\n', ' '])
        .filter(|len| behind.get(*len..).is_some_and(|end| end.starts_with('}')))
    else {
        return;
    };
    if behind.get(..len).is_some_and(is_mixed) {
        let (start, end) = (from + 1, from + 1 + len);
        scanner.states.labelled.done = end;
        let place = SecretPlace { start, end, quoted: true, alone: false };
        push(scanner, detectors, place, (from, from));
    }
}

/// Returns a value without the end of its sentence and without brackets that it does not open.
fn without_end(value: &str) -> &str {
    let mut rest = value;
    while let Some(last) = rest.chars().next_back() {
        let opening = match last {
            ')' => '(',
            ']' => '[',
            '}' => '{',
            '.' => '\0',
            _ => break,
        };
        if rest.contains(opening) {
            break;
        }
        rest = rest.strip_suffix(last).unwrap_or_default();
    }
    rest
}

/// Returns the detectors of secrets among these.
pub(super) fn of_secrets(detectors: &[u16]) -> Vec<u16> {
    let is_secret = |index: &&u16| {
        catalogue::detector(**index).is_some_and(|detector| detector.recogniser == Some(Recogniser::Secret))
    };
    detectors.iter().filter(is_secret).copied().collect()
}

/// Whether a value is the name of a secret: `prod-db-credentials`, `userPassword`, `Passwort`.
pub(super) fn names_secret(value: &str) -> bool {
    let is_name =
        |letter: char| letter.is_alphabetic() || matches!(letter, '_' | '-' | '.' | ' ' | '$' | '@');
    value.len() <= MAX_NAME
        && value.chars().all(is_name)
        && !of_secrets(&named(value, value.len(), false)).is_empty()
}

/// Whether words in quotes mention a secret, as the texts of a form do: `Repeat your password here`.
fn mentions_secret(value: &str) -> bool {
    let ends = value.match_indices(' ').map(|(at, _)| at).chain([value.len()]);
    value.len() <= MAX_PHRASE && ends.into_iter().any(|end| !of_secrets(&named(value, end, false)).is_empty())
}

/// Whether words in quotes are a sentence: three or more, and the first alone has a capital.
fn is_sentence(value: &str) -> bool {
    let mut words = value.split(' ').filter(|word| !word.is_empty());
    let first = words.next().is_some_and(|word| word.starts_with(is_upper));
    let mut count = 1;
    first
        && words.all(|word| {
            count += 1;
            word.chars().all(|letter| letter.is_lowercase() || letter == ',' || letter == '\'')
        })
        && count > 2
}

/// Whether a value calls a function or reads an element: `getpass(…`, `ENV["X"]`.
fn is_call(value: &str) -> bool {
    let head = value.find(['(', '[']).and_then(|at| value.get(..at));
    head.is_some_and(|head| {
        head.ends_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_')
            && head.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:".contains(&byte))
    })
}

/// Whether a value without quotes is code or the word of a sentence; two capitalised words with `_` are not.
fn is_code_of_secret(value: &str, next: &str) -> bool {
    let is_capitalised = |word: &str| {
        let mut letters = word.chars();
        letters.next().is_some_and(is_upper)
            && letters.clone().next().is_some()
            && letters.all(char::is_lowercase)
    };
    let is_made_up = value.contains('_') && value.split('_').all(is_capitalised);
    !is_made_up && is_code(value.trim_end_matches([')', ']', '}']), next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_mentions_of_secrets() {
        for (value, names) in [
            ("prod-db-credentials", true),
            ("userPassword", true),
            ("Passwort", true),
            ("db_password", true),
            ("sunflower", false),
            ("blue-lagoon", false),
            ("password-hunter", false),
        ] {
            assert_eq!(names_secret(value), names, "{value}");
        }
        for (value, mentions) in
            [("Nouveau mot de passe ici", true), ("Repeat your password here", true), ("My Dog Rex", false)]
        {
            assert_eq!(mentions_secret(value), mentions, "{value}");
        }
        assert!(
            is_sentence("Debe tener ocho letras") && !is_sentence("My Dog Rex") && !is_sentence("Oak tree")
        );
    }

    #[test]
    fn places_of_values() {
        for (text, want) in [
            (" marigold next", "marigold"),
            (" \"two words\",", "two words"),
            ("** `marigold`", "marigold"),
            ("</b> marigold<br>", "marigold"),
            ("</th><td><code>marigold</code>", "marigold"),
            ("\n  marigold\n", "marigold"),
        ] {
            let found = place(text, 0, true, true, MAX).map(|place| &text[place.start..place.end]);
            assert_eq!(found, Some(want), "{text}");
        }
        assert_eq!(place("\nmarigold", 0, false, true, MAX), None);
    }
}
