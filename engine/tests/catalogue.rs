//! Checks every file of the catalogue: its cases, and its required fields.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test"
)]

use std::{collections::BTreeMap, fs, path::PathBuf};

use serde::Deserialize;
use textveil_engine::{Fact, detectors, validate};

#[path = "catalogue/documentation.rs"]
mod documentation;

#[derive(Deserialize)]
struct File {
    description: String,
    category: String,
    source: String,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    region: Option<String>,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    also: Vec<String>,
    #[serde(default)]
    role: String,
    #[serde(default)]
    shapes: Vec<String>,
    #[serde(default)]
    labelled: Vec<String>,
    #[serde(default)]
    starts: Vec<String>,
    #[serde(default)]
    recogniser: Option<String>,
    #[serde(default)]
    parts: Vec<toml::Table>,
    #[serde(default)]
    regions: Option<toml::Table>,
    #[serde(default)]
    check: Option<toml::Table>,
    #[serde(default)]
    born: Option<toml::Value>,
    #[serde(default)]
    country: Option<i8>,
    #[serde(default)]
    terms: Vec<String>,
    #[serde(default)]
    has: Option<String>,
    #[serde(default)]
    hex: bool,
    #[serde(default)]
    random: bool,
    #[serde(default)]
    uniform: Option<bool>,
    #[serde(default)]
    rule: Option<String>,
    #[serde(default)]
    words: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    prior: f64,
    #[serde(default)]
    words_of: Option<String>,
    #[serde(default)]
    labels: Option<textveil_phrase::languages::LabelList>,
    #[serde(default)]
    label: String,
    #[serde(default, rename = "case")]
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    value: String,
    #[serde(default)]
    facts: BTreeMap<String, String>,
    #[serde(default)]
    refused: Option<String>,
}

impl File {
    /// The cases that the detector accepts.
    fn good(&self) -> impl Iterator<Item = &Case> {
        self.cases.iter().filter(|case| case.refused.is_none())
    }
}

/// A file of the catalogue with its name and its region.
struct Entry {
    name: String,
    region: String,
    file: File,
}

impl Entry {
    fn kind(&self) -> &str {
        self.file.kind.as_deref().unwrap_or(&self.name)
    }

    /// Whether its findings are reported; those of a suppressor are not.
    fn is_reported(&self) -> bool {
        self.file.role != "suppressor"
    }

    /// Whether the module of names finds its values; the catalogue describes only what `validate` accepts.
    fn is_name(&self) -> bool {
        matches!(
            self.file.recogniser.as_deref(),
            Some("name" | "address" | "organization" | "city" | "birthplace")
        )
    }

    /// Whether it finds values only after a label.
    fn needs_label(&self) -> bool {
        let File { shapes, starts, recogniser, prior, label, .. } = &self.file;
        match recogniser.as_deref() {
            // a generated value of a known form is found without one
            Some("labelled") => *prior <= 0.0,
            Some("phrase" | "city" | "birthplace") => true,
            Some(_) => label == "required",
            None => label == "required" || shapes.is_empty() && starts.is_empty(),
        }
    }
}

/// Every file of the catalogue, by region and name.
fn entries() -> Vec<Entry> {
    let entry =
        |(folder, name, file): (String, String, File)| Entry { region: region(&folder, &file), name, file };
    let mut entries: Vec<Entry> = files().into_iter().map(entry).collect();
    entries.sort_by(|a, b| (&a.region, &a.name).cmp(&(&b.region, &b.name)));
    entries
}

/// Folder, name and content of every file.
fn files() -> Vec<(String, String, File)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("catalogue");
    let mut files = Vec::new();
    for folder in fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
            files.push((
                name(&folder),
                name(&path),
                toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap(),
            ));
        }
    }
    files.sort_by(|a: &(String, String, File), b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    files
}

/// Facts that every value has and no case names.
const ALWAYS: [&str; 4] = ["normalized", "checksum_valid", "century_inferred", "reason"];

#[test]
fn cases_hold() {
    let mut wrong = Vec::new();
    for (folder, name, file) in files().iter().filter(|(.., file)| file.role != "suppressor") {
        let country = (folder != "global").then_some(folder.as_str());
        for case in &file.cases {
            let validation = validate(&case.value, name, country).unwrap();
            let reason = match validation.metadata.get("reason") {
                Some(Fact::Text(reason)) => Some(reason.to_string()),
                _ => None,
            };
            if reason != case.refused {
                wrong.push(format!(
                    "{folder}/{name} {}: refused {reason:?}, the file says {:?}",
                    case.value, case.refused
                ));
                continue;
            }
            let facts: BTreeMap<String, String> = validation
                .metadata
                .iter()
                .filter(|(name, _)| !ALWAYS.contains(name) && case.refused.is_none())
                .map(|(name, fact)| {
                    (
                        name.to_owned(),
                        if let Fact::Text(text) = fact { text.to_string() } else { format!("{fact:?}") },
                    )
                })
                .collect();
            if facts != case.facts {
                wrong.push(format!(
                    "{folder}/{name} {}: {facts:?}, the file says {:?}",
                    case.value, case.facts
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn files_are_complete() {
    let listed = detectors(None);
    for (folder, name, file) in files() {
        let at = format!("{folder}/{name}");
        assert!(
            !file.description.is_empty() && !file.source.is_empty(),
            "{at} says what it is and where it comes from"
        );
        assert!(file.label != "required" || !file.words.is_empty(), "{at} needs a label and lists no words");
        let good = file.cases.iter().filter(|case| case.refused.is_none()).count();
        assert!(
            good >= 3 && file.cases.len() - good >= 3,
            "{at} has {good} good and {} refused cases",
            file.cases.len() - good
        );
        let info = listed.iter().find(|info| info.name == name);
        assert_eq!(info.is_none(), file.role == "suppressor", "{at} is listed");
        if let Some(info) = info {
            assert_eq!(info.region, region(&folder, &file), "{at}");
            assert_eq!(info.category, file.category, "{at}");
            assert_eq!(listed.iter().filter(|other| other.name == name).count(), 1, "{at} is listed once");
        }
    }
}

/// The country of a file, or `EU` or `GLOBAL`.
fn region(folder: &str, file: &File) -> String {
    match folder {
        "global" => file.region.clone().unwrap_or_else(|| "GLOBAL".to_owned()),
        country => country.to_uppercase(),
    }
}

/// The country of a region; none for `EU` and `GLOBAL`.
fn country(region: &str) -> Option<&str> {
    (!matches!(region, "EU" | "GLOBAL")).then_some(region)
}

/// The markers around the summary in the README.
const MARKS: [&str; 2] = [
    "<!-- detectors: written by `BLESS=1 cargo test -p textveil-engine --test catalogue` -->\n",
    "<!-- /detectors -->\n",
];

/// Compares a generated text with the one that is there, or writes it with `BLESS=1`.
fn bless(path: &str, generated: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, generated).unwrap();
    } else {
        let known = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            known == generated,
            "{} is stale; run BLESS=1 cargo test -p textveil-engine --test catalogue",
            path.display()
        );
    }
}

#[test]
fn readme_counts_the_detectors() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(MARKS[0]).expect("the README has the mark of the summary");
    let (_, after) = rest.split_once(MARKS[1]).expect("the README has the end mark of the summary");
    let summary = documentation::summary(&entries());
    bless("README.md", &format!("{before}{}{summary}{}{after}", MARKS[0], MARKS[1]));
}

#[test]
fn documentation_describes_every_identifier() {
    let entries = entries();
    let text = documentation::document(&entries);
    let anchors = text.split("<a id=\"").skip(1);
    let mut ids: Vec<&str> = anchors.filter_map(|rest| rest.split_once('"')).map(|(id, _)| id).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "an anchor is unique");
    assert!(
        detectors(None).iter().all(|info| ids.binary_search(&info.name).is_ok()),
        "each detector has an anchor"
    );
    bless("docs/detectors.md", &text);
}
