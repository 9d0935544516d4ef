//! The catalogue as its files state it, read here once more: the engine has only tables made of them.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result};
use serde::Deserialize;

/// The fields of a catalogue file that the evaluation uses.
#[derive(Clone, Deserialize)]
pub struct File {
    /// The type, if several files share it.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    #[serde(default)]
    role: String,
    /// The shapes that are found anywhere.
    #[serde(default)]
    pub shapes: Vec<String>,
    /// The shapes that are found next to a label.
    #[serde(default)]
    pub labelled: Vec<String>,
    #[serde(default)]
    keep: String,
    #[serde(default)]
    upper: bool,
    #[serde(default)]
    exact: bool,
    /// A function of the engine finds it.
    #[serde(default)]
    pub recogniser: Option<String>,
    #[serde(default)]
    pub parts: Vec<Part>,
    #[serde(default)]
    pub regions: Option<Regions>,
    #[serde(default)]
    check: Option<toml::Value>,
    #[serde(default)]
    label: String,
    #[serde(default)]
    pub words: BTreeMap<String, Vec<String>>,
    #[serde(default, rename = "case")]
    cases: Vec<Case>,
}

/// A fixed-position part of a value.
#[derive(Clone, Deserialize)]
pub struct Part {
    pub at: i8,
    #[serde(default = "one")]
    pub len: u8,
    /// The length of the values that have it; 0 for all.
    #[serde(default)]
    pub length: usize,
    #[serde(default)]
    pub min: Option<u64>,
    #[serde(default)]
    pub max: Option<u64>,
    #[serde(default)]
    pub chars: String,
    #[serde(default)]
    pub one_of: Vec<String>,
    /// Numbers, and ranges such as `1-40`.
    #[serde(default)]
    pub within: Vec<String>,
}

fn one() -> u8 {
    1
}

/// The part of a value that encodes the region.
#[derive(Clone, Deserialize)]
pub struct Regions {
    pub at: u8,
    pub codes: BTreeMap<String, String>,
}

#[derive(Clone, Deserialize)]
struct Case {
    value: String,
    #[serde(default)]
    refused: Option<String>,
}

/// A detector that reports.
pub struct Detector {
    /// `pl/pesel`
    pub key: String,
    /// `pesel`
    pub name: String,
    /// The type that it reports.
    pub kind: String,
    /// `PL`; `None` for detectors without a country.
    pub country: Option<String>,
    /// It has check digits.
    pub checked: bool,
    /// The content of the file.
    pub file: File,
}

impl Detector {
    /// Whether it is found without a label: coordinates alone are not about a person.
    pub fn stands_alone(&self) -> bool {
        let by_label = |recogniser: &String| ["labelled", "phrase", "geo"].contains(&recogniser.as_str());
        self.file.label != "required"
            && !self.file.recogniser.as_ref().is_some_and(by_label)
            && (self.file.labelled.is_empty() || !self.file.shapes.is_empty())
    }

    /// Whether it is found by lexicons: a name, an address.
    pub fn is_name(&self) -> bool {
        let by_lexicon = ["name", "address", "organization", "city", "birthplace"];
        self.file.recogniser.as_ref().is_some_and(|recogniser| by_lexicon.contains(&recogniser.as_str()))
    }

    /// Values that the file calls good.
    pub fn examples(&self) -> Vec<&str> {
        let good = self.file.cases.iter().filter(|case| case.refused.is_none());
        good.map(|case| case.value.as_str()).collect()
    }

    /// Whether small letters are another value.
    pub fn keeps_case(&self) -> bool {
        self.file.upper || self.file.exact
    }

    /// Whether a separator belongs to the compact value.
    pub fn keeps(&self, separator: char) -> bool {
        self.file.keep.contains(separator)
    }
}

/// Every detector that reports.
pub struct Catalogue {
    /// By their keys.
    pub detectors: Vec<Detector>,
}

impl Catalogue {
    /// Reads `folder/*/*.toml`.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut detectors = Vec::new();
        for place in fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())) {
            let place = place?;
            if !place.is_dir() {
                continue;
            }
            for path in fs::read_dir(&place)?.map(|entry| entry.map(|entry| entry.path())) {
                let path = path?;
                let file: File = toml::from_str(&fs::read_to_string(&path)?)
                    .with_context(|| path.display().to_string())?;
                if file.role == "suppressor" {
                    continue;
                }
                let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let (region, name) = (stem(&place), stem(&path));
                detectors.push(Detector {
                    key: format!("{region}/{name}"),
                    kind: file.kind.clone().unwrap_or_else(|| name.clone()),
                    country: (region != "global").then(|| region.to_uppercase()),
                    checked: file.check.is_some()
                        || file.cases.iter().any(|case| case.refused.as_deref() == Some("checksum")),
                    name,
                    file,
                });
            }
        }
        detectors.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(Self { detectors })
    }
}
