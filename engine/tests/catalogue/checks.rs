//! Describes the checks of a detector in words.

use std::{fs, path::PathBuf};

use textveil_engine::validate;
use textveil_schema::{
    Check, Integer,
    file::{Character, Entry, File},
};

use super::shapes::and;

/// Confidence of `validate` for a value that only its form supports.
const FORM_ONLY: f64 = 0.7;

/// A check of check digits: its methods, and the functions of the engine that it calls.
#[derive(Default)]
struct Digits {
    methods: Vec<String>,
    functions: Vec<String>,
    /// Whether the check has letters as its result.
    letters: bool,
    /// Whether several check digits must fit.
    several: bool,
}

impl Digits {
    fn of(check: &Check) -> Self {
        let mut digits = Self::default();
        digits.add(check);
        digits.methods.dedup();
        digits
    }

    fn add(&mut self, check: &Check) {
        let method = match check {
            Check::None => return,
            Check::Part { check, .. } => return self.add_all(check.iter()),
            Check::Any { checks } => return self.add_all(checks.iter()),
            Check::All { checks } => {
                self.several = true;
                return self.add_all(checks.iter());
            }
            Check::ByLength { lengths } => return self.add_all(lengths.iter().map(|(_, check)| check)),
            Check::Function { name, .. } => return self.functions.push(name.to_string()),
            // residues of a power of ten restrict the last digits; they are not check digits
            Check::Integer(Integer { modulus: 10 | 100, check_len: 0, check, .. }) if check.is_empty() => {
                return;
            }
            Check::Integer(rule) => {
                self.add_results(&rule.check);
                format!("remainder modulo {}", rule.modulus)
            }
            Check::Weighted(rule) => {
                self.add_results(&rule.check);
                format!("weighted sum modulo {}", rule.modulus)
            }
            Check::Mod97 { .. } => {
                self.several = true;
                "ISO 7064, MOD 97-10".to_owned()
            }
            Check::Luhn { .. } => "Luhn".to_owned(),
            Check::Verhoeff => "Verhoeff".to_owned(),
            Check::Mod11_10 => "ISO 7064, MOD 11,10".to_owned(),
            Check::Mod11_2 => "ISO 7064, MOD 11-2".to_owned(),
            Check::Mod37_36 => "ISO 7064, MOD 37,36".to_owned(),
        };
        self.methods.push(method);
    }

    fn add_all<'c>(&mut self, checks: impl Iterator<Item = &'c Check>) {
        checks.for_each(|check| self.add(check));
    }

    /// Notes the check characters of a rule.
    fn add_results(&mut self, list: &str) {
        self.letters |= list.contains(|letter: char| letter.is_ascii_uppercase());
    }

    fn in_words(&self) -> String {
        let noun = match (self.several, self.letters) {
            (false, false) => "a check digit",
            (false, true) => "a check character",
            (true, false) => "check digits",
            (true, true) => "check characters",
        };
        let methods = if self.methods.is_empty() { "its own method".to_owned() } else { and(&self.methods) };
        format!("{noun} ({methods})")
    }
}

/// Returns the checks of a value in words, with the descriptions of the engine's functions that check it.
pub(super) fn in_words(entry: &Entry) -> String {
    let file = &entry.file;
    let digits = file
        .check
        .as_ref()
        .map(Digits::of)
        .filter(|digits| !digits.methods.is_empty() || !digits.functions.is_empty());
    let mut checks: Vec<String> = digits.iter().map(Digits::in_words).collect();
    checks.extend(structure(file).into_iter().map(str::to_owned));
    let mut described: Vec<String> =
        digits.iter().flat_map(|digits| &digits.functions).map(|function| function_doc(function)).collect();
    if let Some(rule) = &file.rule {
        checks.push(format!("the rule `{rule}`"));
        described.push(rule_doc(rule));
    }
    if checks.is_empty() && !file.parts.is_empty() {
        checks.push("the positions below".to_owned());
    }
    let text = match checks.is_empty() {
        true if is_form_only(entry) => "the form alone; `validated` stays `false`".to_owned(),
        true => "its syntax".to_owned(),
        false => and(&checks),
    };
    described.into_iter().fold(text, |text, sentence| format!("{text}. {sentence}"))
}

/// The structure that the keys of the file demand.
fn structure(file: &File) -> Vec<&'static str> {
    let dates = file.born.as_slice();
    let is_birth = dates.iter().any(|born| !born.other);
    let keys = [
        (is_birth, "a date of birth that exists"),
        (!is_birth && !dates.is_empty(), "a date that exists"),
        (file.country.is_some(), "the code of a country"),
        (file.regions.is_some(), "the code of a region"),
        (!file.terms.is_empty(), "a word of its list"),
        (file.has == Some(Character::Digit), "at least one digit"),
        (file.has == Some(Character::Letter), "at least one letter"),
        (file.hex, "hexadecimal digits"),
        (file.random, "at least 6 different characters among the last 16"),
        (!file.uniform, "not one character repeated"),
    ];
    keys.into_iter().filter(|(is_there, _)| *is_there).map(|(_, words)| words).collect()
}

/// Whether the engine checks only the form of the good cases.
fn is_form_only(entry: &Entry) -> bool {
    entry.file.good().all(|case| match validate(&case.value, &entry.name, entry.country()) {
        Ok(found) => found.confidence == FORM_ONLY,
        // the engine does not validate suppressors
        Err(_) => true,
    })
}

/// The first sentence about the module of a rule.
fn rule_doc(rule: &str) -> String {
    let text = source(&format!("{rule}.rs"));
    first_sentence(text.lines().map_while(|line| line.strip_prefix("//!")))
}

/// The first sentence about a function for check digits.
fn function_doc(name: &str) -> String {
    let text = source("digits/special.rs");
    let before: Vec<&str> =
        text.lines().take_while(|line| !line.starts_with(&format!("pub fn {name}("))).collect();
    let start = before.iter().rposition(|line| !line.starts_with("///")).map_or(0, |line| line + 1);
    first_sentence(before[start..].iter().filter_map(|line| line.strip_prefix("///")))
}

fn source(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/checks").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Joins lines of documentation up to the end of the first sentence, without its full stop.
fn first_sentence<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let text: Vec<&str> = lines.map(str::trim).take_while(|line| !line.is_empty()).collect();
    let text = text.join(" ").replace("[`", "`").replace("`]", "`");
    let text = text.split_once(". ").map_or(text.as_str(), |(first, _)| first).trim_end_matches('.');
    assert!(!text.is_empty(), "a check has a description");
    text.to_owned()
}

#[test]
fn checks_are_described_in_words() {
    for (check, want) in [
        ("rule = 'luhn'", "a check digit (Luhn)"),
        ("rule = 'weighted'\nweights = [1]\nmodulus = 11", "a check digit (weighted sum modulo 11)"),
        (
            "rule = 'weighted'\nweights = [1]\nmodulus = 11\ncheck = '0X987'",
            "a check character (weighted sum modulo 11)",
        ),
        ("rule = 'mod97'", "check digits (ISO 7064, MOD 97-10)"),
        ("rule = 'part'\nto = 9\ncheck = { rule = 'verhoeff' }", "a check digit (Verhoeff)"),
        (
            "rule = 'by_length'\nlengths = { 8 = { rule = 'none' }, 9 = { rule = 'luhn' } }",
            "a check digit (Luhn)",
        ),
        (
            "rule = 'all'\nchecks = [{ rule = 'luhn' }, { rule = 'function', name = 'siret' }]",
            "check digits (Luhn)",
        ),
        ("rule = 'function'\nname = 'siret'", "a check digit (its own method)"),
        (
            "rule = 'any'\nchecks = [{ rule = 'luhn' }, { rule = 'integer', modulus = 10, residues = [3] }]",
            "a check digit (Luhn)",
        ),
    ] {
        assert_eq!(Digits::of(&toml::from_str(check).unwrap()).in_words(), want, "{check}");
    }
}

#[test]
fn a_description_is_the_first_sentence() {
    for (lines, want) in [
        (&[" A number: 3", " digits. Source: X.", "", " More."][..], "A number: 3 digits"),
        (&[" As [`pps`].", "", " More."], "As `pps`"),
    ] {
        assert_eq!(first_sentence(lines.iter().copied()), want);
    }
}
