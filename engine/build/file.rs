//! The files that the build reads: those of the catalogue, and `countries.toml`. Those of the languages have their
//! reader in `textveil_phrase::languages`.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;
use textveil_phrase::{
    self as phrase,
    languages::{LabelList, Language},
};

use crate::api::schema::Check;

/// A catalogue file; `catalogue/README.md` documents the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub description: String,
    pub category: String,
    pub source: String,
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub also: Vec<String>,
    #[serde(default)]
    pub region: Option<String>,
    #[serde(default)]
    pub role: Role,
    #[serde(default)]
    pub shapes: Vec<String>,
    #[serde(default)]
    pub labelled: Vec<String>,
    #[serde(default)]
    pub keep: String,
    #[serde(default)]
    pub starts: Vec<String>,
    #[serde(default)]
    pub pattern: Option<String>,
    #[serde(default)]
    pub recogniser: Option<String>,
    #[serde(default)]
    pub upper: bool,
    #[serde(default)]
    pub exact: bool,
    #[serde(default)]
    pub parts: Vec<Part>,
    #[serde(default)]
    pub regions: Option<Regions>,
    #[serde(default)]
    pub check: Option<Check>,
    #[serde(default)]
    pub born: OneOrMany<Born>,
    #[serde(default)]
    pub gender: Option<Codes>,
    #[serde(default)]
    pub country: Option<i8>,
    #[serde(default)]
    pub terms: Vec<String>,
    #[serde(default)]
    pub has: Option<Character>,
    #[serde(default)]
    pub hex: bool,
    #[serde(default)]
    pub random: bool,
    #[serde(default = "yes")]
    pub uniform: bool,
    #[serde(default)]
    pub rule: Option<String>,
    #[serde(default)]
    pub details: bool,
    #[serde(default)]
    pub impersonal: bool,
    #[serde(default)]
    pub alone: bool,
    #[serde(default)]
    pub chance: Option<f64>,
    #[serde(default)]
    pub prior: Option<f64>,
    #[serde(default)]
    pub label: Label,
    #[serde(default)]
    pub container: bool,
    #[serde(default)]
    pub words_of: Option<String>,
    #[serde(default)]
    pub labels: Option<LabelList>,
    #[serde(default)]
    pub words: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub near: BTreeMap<String, Vec<String>>,
    #[serde(default, rename = "case")]
    pub cases: Vec<Case>,
}

/// A fixed-position part of a compact value.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    /// The first position, from 0; negative from the end.
    pub at: i8,
    /// The length in characters; 0 up to the end.
    #[serde(default = "one")]
    pub len: u8,
    /// The length of the values that have it; 0 for all.
    #[serde(default)]
    pub length: u8,
    /// The smallest allowed number.
    pub min: Option<u32>,
    /// The largest allowed number.
    pub max: Option<u32>,
    /// Excluded numbers.
    #[serde(default)]
    pub not: Vec<u32>,
    /// Each character is one of these.
    #[serde(default)]
    pub chars: String,
    /// The whole part is one of these.
    #[serde(default)]
    pub one_of: Vec<String>,
    /// The whole part is not one of these.
    #[serde(default)]
    pub none_of: Vec<String>,
    /// The number is one of these or in one of these ranges, such as `1-40`.
    #[serde(default)]
    pub within: Vec<String>,
}

pub(crate) fn one() -> u8 {
    1
}

fn yes() -> bool {
    true
}

/// A date of birth in a compact value.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Born {
    /// The digits of the year, of the month and of the day, and `.` for every other character before them.
    #[serde(default)]
    pub date: String,
    /// The digits of a count of days, in the same form.
    #[serde(default)]
    pub days: String,
    /// The day on which the count is 0, as `YYYY-MM-DD`.
    #[serde(default)]
    pub since: String,
    /// The length of the values that have it; 0 for all.
    #[serde(default)]
    pub length: u8,
    #[serde(default)]
    pub century: Option<Century>,
    #[serde(default)]
    pub raised: Vec<Raised>,
    #[serde(default)]
    pub without: Option<Entries>,
    /// The date is not in the future.
    #[serde(default)]
    pub past: bool,
    /// The date is not that of a birth.
    #[serde(default)]
    pub other: bool,
}

/// The character that says the century.
#[derive(Deserialize)]
pub(crate) struct Century {
    pub at: u8,
    /// The characters of a century, by its first two digits or `latest`.
    #[serde(flatten)]
    pub of: BTreeMap<String, String>,
}

/// A number that is added to the month or to the day.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Raised {
    pub month: Option<u8>,
    pub day: Option<u8>,
    pub gender: Option<Gender>,
    /// The first two digits of the year.
    pub century: Option<u16>,
    /// The holder is an organisation.
    #[serde(default)]
    pub organisation: bool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Gender {
    Female,
    Male,
}

/// A kind of character that a value has.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Character {
    Digit,
    Letter,
}

/// The codes of the genders at a position: even and odd digits by default.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Codes {
    pub at: i8,
    #[serde(default = "one")]
    pub len: u8,
    #[serde(default = "even")]
    pub female: String,
    #[serde(default = "odd")]
    pub male: String,
}

fn even() -> String {
    "02468".to_owned()
}

fn odd() -> String {
    "13579".to_owned()
}

/// The characters of values without a date at a position.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entries {
    pub at: u8,
    #[serde(default = "one")]
    pub len: u8,
    pub of: Vec<String>,
}

/// One thing, or a list of them.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl<T> OneOrMany<T> {
    pub(crate) fn as_slice(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

/// The part of a value that encodes the region.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Regions {
    pub at: u8,
    pub len: u8,
    pub codes: BTreeMap<String, String>,
}

/// A case; the tests read its other fields.
#[derive(Deserialize)]
pub(crate) struct Case {
    #[serde(default)]
    pub refused: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    #[default]
    Detector,
    Suppressor,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Label {
    #[default]
    Optional,
    Required,
}

/// Evidence for countries other than identifiers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Evidence {
    /// Words allowed between a label and its value.
    pub connectors: Vec<String>,
    /// Names of numbers that are not personal data: orders, articles, versions.
    pub other_names: Vec<String>,
    pub currency: BTreeMap<String, Vec<String>>,
    /// The names of a country as written next to a label.
    pub names: BTreeMap<String, Vec<String>>,
    /// Words in addresses, by country.
    pub places: BTreeMap<String, Vec<String>>,
    /// Words used in only one country of a language, by country.
    pub usage: BTreeMap<String, Vec<String>>,
    /// Postal codes by their format, with the countries that use it.
    pub postal: BTreeMap<String, Vec<String>>,
}

/// Returns every file of the catalogue with its folder and name, in the order of the detectors.
pub(crate) fn read(catalogue: &Path) -> Vec<(String, String, File)> {
    let mut files = Vec::new();
    for folder in
        fs::read_dir(catalogue).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            assert!(
                path.extension().is_some_and(|ending| ending == "toml"),
                "{}: not a catalogue file",
                path.display()
            );
            let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
            files.push((name(&folder), name(&path), parse(&path)));
        }
    }
    files.sort_by(|a: &(String, String, File), b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    let mut names: Vec<&str> = files.iter().map(|(_, name, _)| name.as_str()).collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        assert_ne!(pair[0], pair[1], "two catalogue files have one name");
    }
    files
}

/// Adds the labels of the languages to the files that refer to one of their lists.
///
/// The crate of names reads the same lists, so each label is written once.
pub(crate) fn add_labels(files: &mut [(String, String, File)], languages: &BTreeMap<String, Language>) {
    for (_, name, file) in files {
        let Some(list) = file.labels else { continue };
        let mut known = 0;
        for (code, language) in languages {
            let Some(labels) = language.labels.get(&list) else { continue };
            known += labels.len();
            let words = file.words.entry(code.clone()).or_default();
            for label in labels {
                let letters: Vec<char> = phrase::letters(label).collect();
                let same = |word: &String| phrase::letters(word).eq(letters.iter().copied());
                let repeated = words.iter().find(|word| same(word) && !labels.contains(word));
                assert!(repeated.is_none(), "{name}: {label} is in the lexicon already");
                words.push(label.clone());
            }
        }
        assert!(known > 0, "{name}: no language has labels {list:?}");
    }
}

pub(crate) fn parse<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
