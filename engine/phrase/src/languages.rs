//! Reads `engine/lexicon/`: one file for each language, with everything that the builds compile of it.
//!
//! The build of the engine and that of the names read the files with these types, and so do the tests.
//! `engine/lexicon/README.md` describes every table and key.

use std::{collections::BTreeMap, error::Error, fmt, fs, path::Path};

use serde::Deserialize;

/// Holds everything that one file says about its language.
///
/// An absent table or list is empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Language {
    /// Words and letters that tell the language, and with it the country of a text.
    pub evidence: Option<LanguageEvidence>,
    /// The labels of form fields, by their list.
    pub labels: BTreeMap<LabelList, Vec<String>>,
    /// Words before a value.
    pub values: Values,
    /// Titles and forms of address.
    pub titles: Titles,
    /// Phrases of letters and of speech before a name.
    pub salutations: Salutations,
    /// Words that tell whether others are a name.
    pub cues: Cues,
    /// Words of addresses.
    pub streets: Streets,
    /// Numbers in words.
    pub numbers: Option<Numbers>,
    /// Words with which numbers are dictated.
    pub dictation: Dictation,
    /// Dates in words.
    pub dates: Dates,
    /// Phrases around ages.
    pub ages: Ages,
    /// Words that connect the parts of a name.
    pub particles: Particles,
    /// Rules from an inflected name back to its base.
    pub inflection: Inflection,
}

/// Holds the words and letters that tell a language.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageEvidence {
    /// Countries that speak it, each with its share of a text's weight, above 0 and up to 1.
    pub countries: BTreeMap<String, f64>,
    /// Words that are common in it and in few other languages.
    #[serde(default)]
    pub words: Vec<String>,
    /// Letters of few languages.
    #[serde(default)]
    pub letters: String,
}

/// Names a list of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelList {
    /// Of a given name.
    Given,
    /// Of a middle name.
    Middle,
    /// Of a family name.
    Family,
    /// Of the family name at birth.
    BirthName,
    /// Of a full name, and of people by their part: applicant, patient.
    Full,
    /// Of an address.
    Address,
    /// Of a street or a house number.
    Street,
    /// Of a city.
    City,
    /// Of a region.
    Region,
    /// Of a postal code.
    PostalCode,
    /// Of a postal code, too short to be evidence for a name next to it.
    PostalCodeShort,
    /// Of a country.
    Country,
    /// Of a place of birth.
    BirthPlace,
    /// Of a date of birth.
    BirthDate,
    /// Of a nationality.
    Nationality,
    /// Of an age.
    Age,
    /// Of a sex.
    Sex,
    /// Of a user name.
    Username,
    /// Of a company.
    Company,
    /// Of an employer.
    Employer,
    /// Of an occupation.
    Occupation,
    /// Of a religion or a mother tongue.
    Background,
    /// Of values that are no part of a person or an address: an e-mail address.
    Other,
    /// Of the names of things: the name of a product, of a project.
    Thing,
}

/// Holds the words before a value.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Values {
    /// Words allowed between a label and its value.
    pub connectors: Vec<String>,
    /// Names of numbers that are not personal data.
    pub other_names: Vec<String>,
    /// Words between two values of a list: and, or.
    pub conjunctions: Vec<String>,
    /// Words between a value and a label behind it: as.
    pub ties: Vec<String>,
    /// Words before a label behind a value and a connector: my, your, his.
    pub possessives: Vec<String>,
    /// Words between the label of a secret and what it opens: for, of.
    pub prepositions: Vec<String>,
    /// Words between a telephone number and its extension.
    pub extensions: Vec<String>,
    /// Words behind an amount: bytes, pages.
    pub units: Vec<String>,
    /// Words between a label and any value, as they are written: is.
    pub copulas: Vec<String>,
    /// Signs between the series of a document and its number, as they are written: nr, №.
    pub number_signs: Vec<String>,
}

/// Holds titles and forms of address.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Titles {
    /// Before the name of a man.
    pub m: Vec<String>,
    /// Before the name of a woman.
    pub f: Vec<String>,
    /// Before a name of any gender.
    pub any: Vec<String>,
    /// Behind a name.
    pub after: Vec<String>,
    /// Inflected forms of these, before a name.
    pub inflected: Vec<String>,
}

/// Holds the phrases of letters and of speech around a name.
///
/// `{name}` is the name, `{title}` an optional title.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Salutations {
    /// The beginnings of letters.
    pub openings: Vec<String>,
    /// The lines above the name of a letter's writer.
    pub closings: Vec<String>,
    /// Phrases before a name in the same sentence.
    pub introductions: Vec<String>,
    /// Phrases before the name of a third person.
    pub relations: Vec<String>,
}

/// Holds words that tell whether the words around them are a name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cues {
    /// Words that may precede a name, and much else.
    pub perhaps: Vec<String>,
    /// Roles of a person, before the name.
    pub roles: Vec<String>,
    /// Months and days of the week, in full or short, that may be names elsewhere.
    pub months: Vec<String>,
    /// Words behind a name that make it the name of a thing.
    pub things: Vec<String>,
    /// Words before a name that make it the name of a thing.
    pub things_before: Vec<String>,
    /// Names of countries.
    pub countries: Vec<String>,
    /// Words in capitals that are no part of a name.
    pub never: Vec<String>,
}

/// Holds the words of streets and of other parts of an address.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Streets {
    /// Words before the name of a street.
    pub before: Vec<String>,
    /// Words behind the name of a street.
    pub after: Vec<String>,
    /// Endings of a street's name of one word.
    pub glued: Vec<String>,
    /// Patterns of postal codes: `9` is a digit, `A` a letter.
    pub postal_codes: Vec<String>,
    /// Words for a flat, a floor, a staircase, a block.
    pub unit: Vec<String>,
    /// Words for a post office box.
    #[serde(rename = "box")]
    pub po_box: Vec<String>,
}

/// Holds the words that numbers from 1 to 99 are made of.
///
/// Forms of one number are separated by `|`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numbers {
    /// The numbers of one word, from zero on.
    pub units: Vec<String>,
    /// The tens, from the first that is not among the units.
    pub tens: Vec<String>,
    /// Patterns of `{tens}` with `{unit}`.
    pub joined: Vec<String>,
    /// The tens that go on to nineteen.
    #[serde(default)]
    pub teens: Vec<String>,
}

/// Holds the words with which numbers are dictated, digit by digit.
///
/// Forms of one word are separated by `|`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Dictation {
    /// The ten digits, from zero on.
    pub digits: Vec<String>,
    /// Words for the next digit twice, three times, and so on.
    pub repeats: Vec<String>,
    /// Words for the sign `@`.
    pub at: Vec<String>,
    /// Words for the dot in an e-mail address.
    pub dot: Vec<String>,
}

/// Holds the words of dates.
///
/// Forms of one word are separated by `|`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Dates {
    /// The twelve months, from January on.
    pub months: Vec<String>,
    /// The days of a month as ordinals, from the first on.
    pub days: Vec<String>,
    /// Words between the day, the month and the year, or behind a year.
    pub between: Vec<String>,
    /// Words that make a following number a month or a year.
    pub month_before: Vec<String>,
    /// Signs that make a preceding number a month.
    pub month_after: Vec<String>,
    /// Signs that make a preceding number a day.
    pub day_after: Vec<String>,
    /// Signs that make a preceding number a year.
    pub year_after: Vec<String>,
    /// The hundreds of a year in words, by their year; the number within the hundred follows.
    pub centuries: BTreeMap<String, Vec<String>>,
}

/// Holds the phrases with which people tell their age.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ages {
    /// Before a number, whatever follows it.
    pub before: Vec<String>,
    /// Words that say whose age the number is, if a word for years follows it.
    pub person: Vec<String>,
    /// Behind a number: how old someone, or something, is.
    pub old: Vec<String>,
    /// Behind a number: years, of a person or of anything.
    pub years: Vec<String>,
}

/// Holds small words in and before names.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Particles {
    /// Words that connect the parts of a name, in lower case.
    pub words: Vec<String>,
    /// Articles, in lower case.
    pub articles: Vec<String>,
}

/// Holds the rules of inflection, as `ending>base`.
///
/// Alternative bases are separated by `|`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Inflection {
    /// Of the given names of men.
    pub given_m: Vec<String>,
    /// Of the given names of women.
    pub given_f: Vec<String>,
    /// Of the family names of men.
    pub family_m: Vec<String>,
    /// Of the family names of women, back to the woman's form.
    pub family_f: Vec<String>,
    /// From the family name of a woman to that of a man.
    pub woman_to_man: Vec<String>,
    /// Of the plurals of family names.
    pub plural: Vec<String>,
    /// Of the adjectives made of names.
    pub possessive: Vec<String>,
    /// Of names of any kind.
    pub any: Vec<String>,
    /// From the plural of a word of a label to its singular.
    pub label_plural: Vec<String>,
    /// The same for words of things: before a number, their plural may tell how many there are.
    pub counted_plural: Vec<String>,
    /// The word of a label that takes the plural.
    pub plural_head: PluralHead,
    /// From the plural of the name of a type to the name, whatever the language of the label.
    pub type_plural: Vec<String>,
    /// Forms with their bases, which the rules have to give: `Petrem>Petr`.
    pub examples: Vec<String>,
    /// Words that are written together with the name behind them: and, to, by.
    pub proclitics: Vec<String>,
}

/// Names the word of a label that takes the plural.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PluralHead {
    /// Any of its words, and all of them: numbers of cards.
    #[default]
    Any,
    /// The last one that has a plural: card numbers.
    Last,
}

/// Says what is wrong in a file of a language, and how to correct it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidLanguage(String);

impl fmt::Display for InvalidLanguage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Error for InvalidLanguage {}

/// Reads the files of all languages, by the code in their names.
///
/// The code is that of ISO 639, in two or three letters, with `_` and a script where a language has two.
/// `README.md` is skipped.
///
/// # Errors
///
/// As [`parse`]; also a file that cannot be read, or whose name is not such a code with `.toml`.
pub fn read(folder: &Path) -> Result<BTreeMap<String, Language>, InvalidLanguage> {
    let fails = |path: &Path, error: &dyn Error| InvalidLanguage(format!("{}: {error}", path.display()));
    let mut languages = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(|error| fails(folder, &error))? {
        let path = entry.map_err(|error| fails(folder, &error))?.path();
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if file == "README.md" {
            continue;
        }
        let Some(code) = file.strip_suffix(".toml").filter(|code| is_code(code)) else {
            return Err(InvalidLanguage(format!(
                "{}: not the file of a language; name it by its ISO 639 code, such as `cs.toml`",
                path.display()
            )));
        };
        let text = fs::read_to_string(&path).map_err(|error| fails(&path, &error))?;
        languages.insert(code.to_owned(), parse(&file, &text)?);
    }
    Ok(languages)
}

/// Whether a name is a code of ISO 639, with `_` and a script if it has one.
fn is_code(name: &str) -> bool {
    let (language, script) = name.split_once('_').map_or((name, None), |(code, script)| (code, Some(script)));
    name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        && (2..=3).contains(&language.len())
        && script.is_none_or(|script| script.len() == 4)
}

/// Parses the text of a language's file, whose name is for the messages.
///
/// # Errors
///
/// Invalid TOML, a table or key that [`Language`] has not, an empty table or list, or an entry that is twice in
/// one list. The message names the file and the key.
///
/// # Examples
///
/// ```
/// use textveil_phrase::languages::{LabelList, parse};
///
/// let czech = parse("cs.toml", "[labels]\ngiven = [\"Jméno\"]")?;
/// assert_eq!(czech.labels[&LabelList::Given], ["Jméno"]);
/// assert!(czech.titles.m.is_empty());
///
/// let twice = parse("cs.toml", "[titles]\nm = [\"pan\", \"pan\"]").unwrap_err();
/// assert_eq!(twice.to_string(), "cs.toml: titles.m: \"pan\" is twice in the list; remove one");
/// # Ok::<(), textveil_phrase::languages::InvalidLanguage>(())
/// ```
pub fn parse(file: &str, text: &str) -> Result<Language, InvalidLanguage> {
    let unknown = |error: toml::de::Error| {
        InvalidLanguage(format!("{file}: {error}\nengine/lexicon/README.md describes every table and key"))
    };
    let language: Language = toml::from_str(text).map_err(unknown)?;
    let tables: toml::Table = toml::from_str(text).map_err(unknown)?;
    for (name, table) in &tables {
        check(table, name).map_err(|problem| InvalidLanguage(format!("{file}: {problem}")))?;
    }
    Ok(language)
}

/// Checks that no table or list is empty, and that no list has an entry twice.
fn check(value: &toml::Value, key: &str) -> Result<(), String> {
    match value {
        toml::Value::Table(table) if table.is_empty() => Err(format!("{key}: the table is empty; remove it")),
        toml::Value::Table(table) => {
            table.iter().try_for_each(|(name, value)| check(value, &format!("{key}.{name}")))
        }
        toml::Value::Array(list) if list.is_empty() => {
            Err(format!("{key}: the list is empty; remove the key"))
        }
        toml::Value::Array(list) => {
            let is_repeated =
                |(at, entry): &(usize, &toml::Value)| list.iter().take(*at).any(|one| one == *entry);
            match list.iter().enumerate().find(is_repeated) {
                Some((_, entry)) => Err(format!("{key}: {entry} is twice in the list; remove one")),
                None => Ok(()),
            }
        }
        toml::Value::String(text) if text.is_empty() => {
            Err(format!("{key}: the text is empty; remove the key"))
        }
        _ => Ok(()),
    }
}
