//! The file that the build reads beside the catalogue and the languages: `countries.toml`.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;
use textveil_phrase::{self as phrase, languages::Language};
use textveil_schema::file::Entry;

/// Evidence for countries other than identifiers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Evidence {
    /// Words of no one language between a label and its value.
    pub connectors: Vec<String>,
    /// Names of no one language for numbers that are not personal data: articles, versions.
    pub other_names: Vec<String>,
    /// Symbols of units and codes of currencies behind an amount.
    pub units: Vec<String>,
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

/// Adds the labels of the languages to the files that refer to one of their lists.
///
/// The crate of names reads the same lists, so each label is written once.
pub(crate) fn add_labels(entries: &mut [Entry], languages: &BTreeMap<String, Language>) {
    for Entry { name, file, .. } in entries {
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
