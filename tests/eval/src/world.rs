//! The languages that documents are written in, and the countries that they are about.

use std::{collections::BTreeMap, fs, path::PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::{people::People, root};

/// The purpose of generated documents. Those of one purpose have no sentence, street or invented name of those of the
/// other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The scorecard: most names and places are in no list of the engine, and some values have a typing error.
    Measuring,
    /// The training of the judge of names.
    Training,
}

impl Purpose {
    /// The folder with the texts of the languages and the data of the countries.
    pub fn folder(self) -> PathBuf {
        root().join(match self {
            Self::Measuring => "tests/eval",
            Self::Training => "engine/names/train/documents",
        })
    }

    /// Returns the percentage of names that are in no lexicon, if lists have such names.
    pub fn unknown_names(self) -> usize {
        match self {
            Self::Measuring => 100,
            Self::Training => 33,
        }
    }

    /// Returns the percentage of labelled values with check digits that have a typing error.
    pub fn mistyped_values(self) -> usize {
        match self {
            Self::Measuring => 8,
            Self::Training => 0,
        }
    }
}

/// A file of `languages/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Language {
    /// Under which other codes the catalogue has labels in it.
    #[serde(default)]
    pub also: Vec<String>,
    /// Names of people, none of them a certain one.
    pub names: Vec<String>,
    /// Sentences with a labelled value.
    pub says: Vec<String>,
    /// Sentences around a value that do not say what it is.
    pub bare: Vec<String>,
    /// Texts that look like an identifier but are not one.
    pub negatives: Vec<String>,
    /// Contact data of the writer.
    pub contacts: Vec<String>,
    /// Words that people write instead of a label of the catalogue, by the name of the detector.
    #[serde(default)]
    pub instead: BTreeMap<String, Vec<String>>,
    /// Texts around a label.
    pub around: Vec<String>,
    /// Documents by their kind: `letter`, `ticket`, `form`, `email`.
    pub documents: BTreeMap<String, Vec<String>>,
}

/// A country of `countries.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Country {
    /// Languages that it writes in, the commonest first.
    pub languages: Vec<String>,
    /// The last line of an address.
    pub cities: Vec<String>,
    /// The line before it; `#` is a digit.
    pub streets: Vec<String>,
    /// Telephone numbers, some in international and some in national notation.
    pub phones: Vec<String>,
    /// Formats of an amount of money.
    pub money: Vec<String>,
    /// Formats of a date: `d.m.y`.
    pub date: String,
    /// Top-level domain.
    pub domain: String,
    /// The part of an IBAN after its check digits; empty if the country has no IBANs.
    #[serde(default)]
    pub iban: String,
}

/// All of them.
pub struct World {
    /// The purpose of documents with them.
    pub purpose: Purpose,
    /// By language code.
    pub languages: BTreeMap<String, Language>,
    /// By ISO 3166 code.
    pub countries: BTreeMap<String, Country>,
    /// Names of people.
    pub people: People,
}

impl World {
    /// Reads the data of a purpose.
    ///
    /// # Errors
    /// If a file cannot be read, or names a language that there is not.
    pub fn read(purpose: Purpose) -> Result<Self> {
        let folder = purpose.folder();
        let mut languages = BTreeMap::new();
        for entry in fs::read_dir(folder.join("languages"))? {
            let path = entry?.path();
            let code = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = fs::read_to_string(&path)?;
            languages.insert(code, toml::from_str(&text).with_context(|| path.display().to_string())?);
        }
        let text = fs::read_to_string(folder.join("countries.toml"))?;
        let countries: BTreeMap<String, Country> = toml::from_str(&text).context("countries.toml")?;
        for (code, country) in &countries {
            for language in &country.languages {
                anyhow::ensure!(languages.contains_key(language), "{code}: no language {language}");
            }
        }
        let people = People::read(&root().join("engine/names/lexicon"))?;
        Ok(Self { purpose, languages, countries, people })
    }
}
