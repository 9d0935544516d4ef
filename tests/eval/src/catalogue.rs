//! The catalogue as its files state it: the engine has only tables made of them.

use std::path::Path;

use textveil_schema::file::{self, Entry, File, Label, ReadError};

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
        let by_label =
            |recogniser: &String| ["labelled", "phrase", "geo", "secret"].contains(&recogniser.as_str());
        self.file.label != Label::Required
            && !self.file.recogniser.as_ref().is_some_and(by_label)
            && (self.file.labelled.is_empty() || !self.file.shapes.is_empty())
    }

    /// Values that the file calls good.
    pub fn examples(&self) -> Vec<&str> {
        self.file.good().map(|case| case.value.as_str()).collect()
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
    /// Reads the folder of the catalogue.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read(folder: &Path) -> Result<Self, ReadError> {
        let entries = file::read(folder)?.into_iter().filter(Entry::is_reported);
        let detectors = entries.map(|entry| Detector {
            key: format!("{}/{}", entry.folder, entry.name),
            kind: entry.kind().to_owned(),
            country: entry.country().map(str::to_owned),
            checked: entry.file.has_check_digits(),
            name: entry.name,
            file: entry.file,
        });
        Ok(Self { detectors: detectors.collect() })
    }
}
