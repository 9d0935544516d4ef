//! Reads the files of the catalogue.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    fmt, fs, io,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use textveil_phrase::languages::LabelList;

use crate::{Check, Part};

/// A catalogue file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// The name and the purpose of the identifier, for people.
    pub description: String,
    /// The category of the type, such as `identity`.
    pub category: String,
    /// The law, standard or issuer that the rules come from.
    pub source: String,
    /// The type, if several files share one.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// Other names of the type.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Further countries that use it.
    #[serde(default)]
    pub also: Vec<String>,
    /// The region of a file of `global/` that belongs to several countries, such as `EU`.
    #[serde(default)]
    pub region: Option<String>,
    /// Whether findings are reported.
    #[serde(default)]
    pub role: Role,
    /// The shapes that are found anywhere.
    #[serde(default)]
    pub shapes: Vec<String>,
    /// Further shapes, found only next to a label.
    #[serde(default)]
    pub labelled: Vec<String>,
    /// Separators that stay in the compact value.
    #[serde(default)]
    pub keep: String,
    /// The literal prefixes of a token.
    #[serde(default)]
    pub starts: Vec<String>,
    /// A regular expression that the text from the prefix on must match.
    #[serde(default)]
    pub pattern: Option<String>,
    /// The function of `engine/src/recognise/` that finds it.
    #[serde(default)]
    pub recogniser: Option<String>,
    /// Its letters are upper case only.
    #[serde(default)]
    pub upper: bool,
    /// Upper and lower case differ.
    #[serde(default)]
    pub exact: bool,
    /// The contents of fixed positions.
    #[serde(default)]
    pub parts: Vec<Part>,
    /// The positions that encode the region.
    #[serde(default)]
    pub regions: Option<Regions>,
    /// The check digits.
    #[serde(default)]
    pub check: Option<Check>,
    /// The rules that changed, with the days from which they hold.
    #[serde(default, rename = "change")]
    pub changes: Vec<Change>,
    /// The dates of birth, each for values of another length.
    #[serde(default)]
    pub born: OneOrMany<Born>,
    /// The codes of the genders.
    #[serde(default)]
    pub gender: Option<Codes>,
    /// The position of the code of the issuer's country, negative from the end.
    #[serde(default)]
    pub country: Option<i8>,
    /// A word of the value begins with one of these.
    #[serde(default)]
    pub terms: Vec<String>,
    /// A kind of character that the value has.
    #[serde(default)]
    pub has: Option<Character>,
    /// All characters are hexadecimal digits.
    #[serde(default)]
    pub hex: bool,
    /// At least six different characters are among the last sixteen.
    #[serde(default)]
    pub random: bool,
    /// One character repeated is a value.
    #[serde(default = "yes")]
    pub uniform: bool,
    /// The function of `engine/src/checks/` that checks the structure and derives facts.
    #[serde(default)]
    pub rule: Option<String>,
    /// The module of `rule` has a function `details`.
    #[serde(default)]
    pub details: bool,
    /// The module of `rule` has a function `is_impersonal`.
    #[serde(default)]
    pub impersonal: bool,
    /// The label of a phrase begins a clause, and the phrase ends one.
    #[serde(default)]
    pub alone: bool,
    /// The share of random values of the shapes that pass parts, check and rule.
    #[serde(default)]
    pub chance: Option<f64>,
    /// The log-odds of a value of its shape; by default from the shape.
    #[serde(default)]
    pub prior: Option<f64>,
    /// Whether values are found without a label.
    #[serde(default)]
    pub label: Label,
    /// Nothing inside a finding is reported.
    #[serde(default)]
    pub container: bool,
    /// Another file whose labels are labels of this one, too.
    #[serde(default)]
    pub words_of: Option<String>,
    /// A list of labels of the languages (`engine/lexicon/`) whose entries are labels, too.
    #[serde(default)]
    pub labels: Option<LabelList>,
    /// The labels by language.
    #[serde(default)]
    pub words: BTreeMap<String, Vec<String>>,
    /// Nearby words that are evidence, by language.
    #[serde(default)]
    pub near: BTreeMap<String, Vec<String>>,
    /// The cases that tests check.
    #[serde(default, rename = "case")]
    pub cases: Vec<Case>,
}

/// A rule that holds for values issued in a part of the time only.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The first day on which values with this rule were issued, as `YYYY-MM-DD`.
    #[serde(default)]
    pub issued_since: Option<String>,
    /// The last day on which values with this rule are valid, as `YYYY-MM-DD`.
    #[serde(default)]
    pub valid_until: Option<String>,
    /// The rule, for people: a clause about the values.
    pub rule: String,
    /// The values that may be without valid check digits.
    #[serde(default)]
    pub unchecked: Option<Entries>,
}

/// The part of a value that encodes the region.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Regions {
    /// The first position, from 0.
    pub at: u8,
    /// The length of a code in characters.
    pub len: u8,
    /// ISO 3166-2 codes by their codes in the value; an empty one derives no fact.
    pub codes: BTreeMap<String, String>,
}

/// A date of birth in a compact value.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Born {
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
    /// The character that encodes the century.
    #[serde(default)]
    pub century: Option<Century>,
    /// Numbers that are added to the month or to the day.
    #[serde(default)]
    pub raised: Vec<Raised>,
    /// The values without a date.
    #[serde(default)]
    pub without: Option<Entries>,
    /// The date is not in the future.
    #[serde(default)]
    pub past: bool,
    /// The date is not that of a birth.
    #[serde(default)]
    pub other: bool,
}

/// The character that encodes the century.
#[derive(Clone, Debug, Deserialize)]
pub struct Century {
    /// The position, from 0.
    pub at: u8,
    /// The characters of a century, by its first two digits or `latest`.
    #[serde(flatten)]
    pub of: BTreeMap<String, String>,
}

/// A number that is added to the month or to the day.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Raised {
    /// The number, if it is added to the month.
    pub month: Option<u8>,
    /// The number, if it is added to the day.
    pub day: Option<u8>,
    /// The gender that it encodes.
    pub gender: Option<Gender>,
    /// The first two digits of the year.
    pub century: Option<u16>,
    /// The holder is an organisation.
    #[serde(default)]
    pub organisation: bool,
}

/// A gender that a value encodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gender {
    /// Female.
    Female,
    /// Male.
    Male,
}

/// A kind of character that a value has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Character {
    /// A digit.
    Digit,
    /// A letter.
    Letter,
}

/// The codes of the genders at a position: even and odd digits by default.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Codes {
    /// The first position, from 0; negative from the end.
    pub at: i8,
    /// The length of a code in characters.
    #[serde(default = "one")]
    pub len: u8,
    /// The codes of women, one after the other.
    #[serde(default = "even")]
    pub female: String,
    /// The codes of men, one after the other.
    #[serde(default = "odd")]
    pub male: String,
}

/// The characters of values without a date at a position.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entries {
    /// The first position, from 0.
    pub at: u8,
    /// The length of an entry in characters.
    #[serde(default = "one")]
    pub len: u8,
    /// The entries.
    pub of: Vec<String>,
}

/// One value, or a list of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany<T> {
    /// A value without a list around it.
    One(T),
    /// A list.
    Many(Vec<T>),
}

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl<T> OneOrMany<T> {
    /// Returns the values as a list.
    ///
    /// # Examples
    /// ```
    /// use textveil_schema::file::OneOrMany;
    ///
    /// assert_eq!(OneOrMany::One(1).as_slice(), [1]);
    /// ```
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

/// A case of a file: a value with the engine's verdict.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The value as people write it.
    pub value: String,
    /// The facts that are derived from it.
    #[serde(default)]
    pub facts: BTreeMap<String, String>,
    /// Why it is rejected: `format`, `length`, `checksum` or `component`.
    #[serde(default)]
    pub refused: Option<String>,
}

/// Whether findings are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// They are.
    #[default]
    Detector,
    /// They only keep their place from other findings.
    Suppressor,
}

/// Whether values need a label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// They are found without one, too.
    #[default]
    Optional,
    /// They are found only next to one.
    Required,
}

fn one() -> u8 {
    1
}

fn yes() -> bool {
    true
}

fn even() -> String {
    "02468".to_owned()
}

fn odd() -> String {
    "13579".to_owned()
}

impl File {
    /// Returns the cases that the detector accepts.
    ///
    /// # Examples
    /// ```
    /// # let text = "description = 'A badge.'\ncategory = 'identity'\nsource = 'its issuer'\n";
    /// # let text = text.to_owned() + "[[case]]\nvalue = '12'\n[[case]]\nvalue = '1'\nrefused = 'length'";
    /// use textveil_schema::file::File;
    ///
    /// let file: File = toml::from_str(&text)?;
    /// let good: Vec<_> = file.good().map(|case| case.value.as_str()).collect();
    /// assert_eq!(good, ["12"]);
    /// # Ok::<(), toml::de::Error>(())
    /// ```
    pub fn good(&self) -> impl Iterator<Item = &Case> {
        self.cases.iter().filter(|case| case.refused.is_none())
    }

    /// Whether the crate of names finds its values.
    ///
    /// The file then describes only what `validate` accepts.
    pub fn is_name(&self) -> bool {
        let by_names = ["name", "address", "organization", "city", "birthplace"];
        self.recogniser.as_deref().is_some_and(|recogniser| by_names.contains(&recogniser))
    }

    /// Whether values have check digits.
    ///
    /// A rule may check them, too; then a case is rejected for them.
    pub fn has_check_digits(&self) -> bool {
        self.check.is_some() || self.cases.iter().any(|case| case.refused.as_deref() == Some("checksum"))
    }
}

/// A catalogue file with its folder and its name.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The country in lower case, or `global`.
    pub folder: String,
    /// The country in upper case, or `EU` or `GLOBAL`.
    pub region: String,
    /// The name of the detector: that of the file without its extension.
    pub name: String,
    /// The content.
    pub file: File,
}

impl Entry {
    /// Returns the type that the detector reports.
    pub fn kind(&self) -> &str {
        self.file.kind.as_deref().unwrap_or(&self.name)
    }

    /// Returns the country; `None` for a file of `global/`.
    pub fn country(&self) -> Option<&str> {
        (self.folder != "global").then_some(&*self.region)
    }

    /// Whether findings are reported; those of a suppressor are not.
    pub fn is_reported(&self) -> bool {
        self.file.role != Role::Suppressor
    }
}

/// Reads every file of the catalogue, in the order of the detectors.
///
/// # Errors
/// If a file cannot be read or is not a catalogue file, or if two files have one name.
///
/// # Examples
/// ```
/// use std::path::Path;
///
/// let catalogue = Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalogue");
/// let entries = textveil_schema::file::read(&catalogue)?;
/// let pesel = entries.iter().find(|entry| entry.name == "pesel").expect("the catalogue has it");
/// assert_eq!((pesel.country(), pesel.kind(), pesel.is_reported()), (Some("PL"), "pesel", true));
/// # Ok::<(), textveil_schema::file::ReadError>(())
/// ```
pub fn read(catalogue: &Path) -> Result<Vec<Entry>, ReadError> {
    let mut entries = Vec::new();
    for folder in paths(catalogue)?.into_iter().filter(|path| path.is_dir()) {
        for path in paths(&folder)? {
            if path.extension().is_none_or(|extension| extension != "toml") {
                return Err(fault(&path, "is not a catalogue file"));
            }
            let text = fs::read_to_string(&path).map_err(|error| fault(&path, error))?;
            let file: File = toml::from_str(&text).map_err(|error| fault(&path, error))?;
            let place = stem(&folder);
            let region = match place.as_str() {
                "global" => file.region.clone().unwrap_or_else(|| "GLOBAL".to_owned()),
                country => country.to_uppercase(),
            };
            entries.push(Entry { folder: place, region, name: stem(&path), file });
        }
    }
    entries.sort_by(|a, b| (&a.folder, &a.name).cmp(&(&b.folder, &b.name)));
    let mut names = BTreeSet::new();
    match entries.iter().find(|entry| !names.insert(&entry.name)) {
        Some(Entry { folder, name, .. }) => {
            Err(fault(&catalogue.join(folder).join(name), "has the name of another file"))
        }
        None => Ok(entries),
    }
}

fn paths(folder: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let entries = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>());
    entries.map_err(|error| fault(folder, error))
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Why the catalogue cannot be read.
#[derive(Debug)]
pub struct ReadError {
    path: PathBuf,
    fault: String,
}

fn fault(path: &Path, fault: impl fmt::Display) -> ReadError {
    ReadError { path: path.to_owned(), fault: fault.to_string() }
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.path.display(), self.fault)
    }
}

impl Error for ReadError {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]

    use super::*;

    const HEAD: &str = "description = 'A badge.'\ncategory = 'identity'\nsource = 'its issuer'\n";

    /// Reads a catalogue with these files, and returns its error.
    fn error(files: &[(&str, &str)]) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let error = read(folder.path()).err()?.to_string();
        Some(error.replace(&folder.path().display().to_string(), "C"))
    }

    #[test]
    fn a_catalogue_has_only_its_files() {
        assert_eq!(error(&[("README.md", ""), ("cz/badge.toml", HEAD)]), None);
        let other = error(&[("cz/badge.txt", HEAD)]);
        assert_eq!(other.as_deref(), Some("C/cz/badge.txt: is not a catalogue file"));
        let twice = error(&[("cz/badge.toml", HEAD), ("pl/badge.toml", HEAD)]);
        assert_eq!(twice.as_deref(), Some("C/pl/badge: has the name of another file"));
        for wrong in [
            "other = 1",
            "role = 'rule'",
            "parts = [{ at = 0, minimum = 1 }]",
            "[[case]]\nvalue = '1'\nreason = 'length'",
            "check = { rule = 'luhn', weights = [1] }",
        ] {
            let text = format!("{HEAD}{wrong}");
            let error = error(&[("cz/badge.toml", &text)]);
            assert!(error.is_some_and(|error| error.starts_with("C/cz/badge.toml: ")), "{wrong}");
        }
    }

    #[test]
    fn a_file_has_defaults() {
        let file: File =
            toml::from_str(&format!("{HEAD}parts = [{{ at = -2 }}]\ngender = {{ at = 9 }}")).unwrap();
        let gender = file.gender.unwrap();
        assert_eq!((gender.len, gender.female.as_str(), gender.male.as_str()), (1, "02468", "13579"));
        assert_eq!(file.parts.first().map(|part| (part.at, part.len, part.length)), Some((-2, 1, 0)));
        assert!(file.uniform && file.born.as_slice().is_empty() && file.label == Label::Optional);
    }
}
