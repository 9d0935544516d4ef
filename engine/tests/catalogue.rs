//! Walks every file of the catalogue: its cases hold, and it says what it must.
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

#[derive(Deserialize)]
struct File {
    description: String,
    source: String,
    #[serde(default)]
    role: String,
    #[serde(default)]
    words: BTreeMap<String, Vec<String>>,
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
        assert!(file.label != "required" || !file.words.is_empty(), "{at} needs a label and has none");
        let good = file.cases.iter().filter(|case| case.refused.is_none()).count();
        assert!(
            good >= 3 && file.cases.len() - good >= 3,
            "{at} has {good} good and {} refused cases",
            file.cases.len() - good
        );
        let info = listed.iter().find(|info| info.name == name);
        assert_eq!(info.is_none(), file.role == "suppressor", "{at} is listed");
        if let Some(info) = info.filter(|_| folder != "global") {
            assert_eq!(info.region.to_lowercase(), folder);
        }
    }
}

/// Where the table stands in the README.
const MARKS: [&str; 2] = [
    "<!-- detectors: written by `BLESS=1 cargo test -p textveil-engine --test catalogue` -->\n",
    "<!-- /detectors -->\n",
];

#[test]
fn readme_lists_the_detectors() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(MARKS[0]).expect("the README has the mark of the table");
    let (table, after) = rest.split_once(MARKS[1]).expect("the README has the end mark of the table");
    let mut wanted = String::from("| region | detector | type | what it is |\n| --- | --- | --- | --- |\n");
    for info in detectors(None) {
        wanted += &format!(
            "| {} | `{}` | `{}` | {} |\n",
            info.region, info.name, info.entity_type, info.description
        );
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, format!("{before}{}{wanted}{}{after}", MARKS[0], MARKS[1])).unwrap();
    } else {
        assert_eq!(table, wanted, "run BLESS=1 cargo test -p textveil-engine --test catalogue");
    }
}
