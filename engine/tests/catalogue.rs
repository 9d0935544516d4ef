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
    gender: Option<toml::Table>,
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
    let listed = detectors(None);
    let mut categories: BTreeMap<&str, usize> = BTreeMap::new();
    let mut regions: BTreeMap<&str, usize> = BTreeMap::new();
    for info in &listed {
        *categories.entry(info.category).or_default() += 1;
        *regions.entry(info.region).or_default() += 1;
    }
    let mut summary =
        format!("{} detectors; [docs/detectors.md](docs/detectors.md) describes each.\n\n", listed.len());
    summary += "| category | detectors |\n| --- | --- |\n";
    for (category, count) in categories {
        summary += &format!("| {category} | {count} |\n");
    }
    let regions: Vec<String> = regions.iter().map(|(region, count)| format!("{region} {count}")).collect();
    summary += &format!("\nBy region: {}.\n", regions.join(" · "));
    bless("README.md", &format!("{before}{}{summary}{}{after}", MARKS[0], MARKS[1]));
}

/// The names of the checks that a check of the catalogue consists of.
fn checks_of(check: &toml::Table, into: &mut Vec<String>) {
    let nested = |value: &toml::Value, into: &mut Vec<String>| match value {
        toml::Value::Table(table) => checks_of(table, into),
        toml::Value::Array(list) => {
            list.iter().filter_map(toml::Value::as_table).for_each(|check| checks_of(check, into));
        }
        _ => {}
    };
    match (check.get("rule").and_then(toml::Value::as_str), check.get("name").and_then(toml::Value::as_str)) {
        (Some("part" | "all" | "any"), _) => check.values().for_each(|value| nested(value, into)),
        (Some("by_length"), _) => {
            if let Some(toml::Value::Table(lengths)) = check.get("lengths") {
                lengths.values().for_each(|value| nested(value, into));
            }
        }
        (Some("none"), _) => {}
        (Some("function"), Some(name)) => into.push(format!("`{name}`")),
        (Some(rule), _) => into.push(match check.get("modulus") {
            Some(modulus) => format!("{rule} modulo {modulus}"),
            None => rule.to_owned(),
        }),
        (None, _) => {}
    }
}

/// One entry of the documentation.
fn entry(name: &str, region: &str, file: &File) -> String {
    let code = |list: &[String]| list.iter().map(|item| format!("`{item}`")).collect::<Vec<_>>().join(", ");
    let mut text = format!("### {name}\n{}.\n\n", file.description);
    let kind = file.kind.as_deref().unwrap_or(name);
    let role = if file.role == "suppressor" { ", claims its place and is not reported" } else { "" };
    text += &format!("- type `{kind}`, {}, {region}{role}\n", file.category);
    if !file.aliases.is_empty() || !file.also.is_empty() {
        let also =
            if file.also.is_empty() { String::new() } else { format!("; also {}", file.also.join(", ")) };
        text += &format!("- also known as {}{also}\n", code(&file.aliases)).replace("as ; also", "in");
    }
    text += &format!("- source: {}\n", file.source);
    let labelled = if file.label == "required" { ", with a label only" } else { "" };
    let mut written = Vec::new();
    if !file.shapes.is_empty() {
        written.push(format!("{}{labelled}", code(&file.shapes)));
    }
    if !file.labelled.is_empty() {
        written.push(format!("after a label {}", code(&file.labelled)));
    }
    if !file.starts.is_empty() {
        written.push(format!("begins with {}", code(&file.starts)));
    }
    if let Some(recogniser) = &file.recogniser {
        written.push(match recogniser.as_str() {
            "labelled" | "phrase" => "after its label and `:` or `=`".to_owned(),
            other => format!("found by the recogniser `{other}`"),
        });
    }
    text += &format!("- written: {}\n", written.join("; "));
    let mut checked = Vec::new();
    if let Some(check) = &file.check {
        let mut names = Vec::new();
        checks_of(check, &mut names);
        names.dedup();
        checked.push(format!("check digits ({})", names.join(", ")));
    }
    let has = file.has.as_ref().map(|character| format!("has a {character}"));
    let keys = [
        (file.born.is_some(), "a date that the calendar has"),
        (file.gender.is_some(), "the code of the gender"),
        (file.country.is_some(), "the code of a country"),
        (!file.terms.is_empty(), "a word of its list"),
        (file.hex, "hexadecimal digits"),
        (file.random, "many different characters"),
        (file.uniform == Some(false), "not one character repeated"),
    ];
    checked.extend(has);
    checked.extend(keys.into_iter().filter(|(is_there, _)| *is_there).map(|(_, says)| says.to_owned()));
    if let Some(rule) = &file.rule {
        checked.push(format!("rule `{rule}`"));
    }
    if !file.parts.is_empty() || file.regions.is_some() {
        checked.push("characters at fixed places".to_owned());
    }
    let checked = if checked.is_empty() { "the form alone".to_owned() } else { checked.join("; ") };
    text += &format!("- checked: {checked}\n");
    let good = || file.cases.iter().filter(|case| case.refused.is_none());
    let mut facts: Vec<&str> = good().flat_map(|case| case.facts.keys().map(String::as_str)).collect();
    facts.sort_unstable();
    facts.dedup();
    if !facts.is_empty() {
        text += &format!("- facts: {}\n", facts.join(", "));
    }
    if let Some(case) = good().next() {
        let value: String =
            case.value.chars().take(80).collect::<String>().replace('\n', "⏎").replace('`', "'");
        let cut = if case.value.chars().count() > 80 { " …" } else { "" };
        text += &format!("- example: `{value}`{cut}\n");
    }
    text + "\n"
}

#[test]
fn documentation_describes_every_identifier() {
    let mut text = String::from(
        "<!-- written by `BLESS=1 cargo test -p textveil-engine --test catalogue` from engine/catalogue -->\n\
         # Detectors\n\
         Every identifier of the catalogue, by country. A type of one country may also be named with its country in front, `cz_vat` for `vat_cz`; `engine/catalogue/README.md` says how shapes are written. \
         Examples are specimens of the issuers or generated.\n\n",
    );
    let mut last = String::new();
    let mut files: Vec<(String, String, File)> =
        files().into_iter().map(|(folder, name, file)| (region(&folder, &file), name, file)).collect();
    files.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    for (region, name, file) in &files {
        if *region != last {
            text += &format!("## {region}\n\n");
            last.clone_from(region);
        }
        text += &entry(name, region, file);
    }
    text.truncate(text.trim_end().len() + 1);
    bless("docs/detectors.md", &text);
    assert!(detectors(None).iter().all(|info| files.iter().any(|(_, name, _)| *name == info.name)));
}
