//! Checks every file of the catalogue: its cases, and its required fields.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test"
)]

use std::{collections::BTreeMap, fs, path::PathBuf};

use textveil_engine::{Fact, detectors, validate};
use textveil_schema::file::{self, Entry, Label};

#[path = "catalogue/documentation.rs"]
mod documentation;

/// Every file of the catalogue, in the order of the detectors.
fn files() -> Vec<Entry> {
    file::read(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("catalogue")).unwrap()
}

/// Every file of the catalogue, by region and name.
fn entries() -> Vec<Entry> {
    let mut entries = files();
    entries.sort_by(|a, b| (&a.region, &a.name).cmp(&(&b.region, &b.name)));
    entries
}

/// Facts that every value has and no case names.
const ALWAYS: [&str; 4] = ["normalized", "checksum_valid", "century_inferred", "reason"];

#[test]
fn cases_hold() {
    let mut wrong = Vec::new();
    for entry in files().iter().filter(|entry| entry.is_reported()) {
        let Entry { folder, name, file, .. } = entry;
        for case in &file.cases {
            let validation = validate(&case.value, name, entry.country()).unwrap();
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
    for entry in files() {
        let Entry { folder, region, name, file } = &entry;
        let at = format!("{folder}/{name}");
        assert!(
            !file.description.is_empty() && !file.source.is_empty(),
            "{at} says what it is and where it comes from"
        );
        assert!(
            file.label != Label::Required || !file.words.is_empty(),
            "{at} needs a label and lists no words"
        );
        let good = file.good().count();
        assert!(
            good >= 3 && file.cases.len() - good >= 3,
            "{at} has {good} good and {} refused cases",
            file.cases.len() - good
        );
        let info = listed.iter().find(|info| info.name == *name);
        assert_eq!(info.is_some(), entry.is_reported(), "{at} is listed");
        if let Some(info) = info {
            assert_eq!(info.region, *region, "{at}");
            assert_eq!(info.category, file.category, "{at}");
            assert_eq!(listed.iter().filter(|other| other.name == *name).count(), 1, "{at} is listed once");
        }
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
