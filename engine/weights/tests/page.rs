//! The page of weights is complete, and the code has no weight of its own.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use toml::{Table, Value};
use walkdir::WalkDir;

/// The files of the engine and of the names module that may have floats of other kinds, each with its reason.
const OTHER_FLOATS: [(&str, &str); 12] = [
    ("engine/src/api/options.rs", "the thresholds of the presets are public"),
    ("engine/src/api/wire.rs", "milliseconds"),
    ("engine/src/catalogue/layouts.rs", "priors of the catalogue, stored in hundredths"),
    ("engine/src/catalogue/mod.rs", "priors of the catalogue, stored in hundredths"),
    ("engine/src/country/infer.rs", "steps of a confidence"),
    ("engine/src/detect/broken.rs", "rounds to four decimals"),
    ("engine/src/detect/mod.rs", "rounds to two and to four decimals"),
    ("engine/src/recognise/custom.rs", "keeps a caller's confidence between 0 and 1"),
    ("engine/src/resolve/compete.rs", "keeps probabilities within finite bounds, and rounds"),
    ("engine/names/src/judge/mod.rs", "scales integers of the judge"),
    ("engine/names/src/judge/reasons.rs", "scales integers of the judge"),
    ("engine/names/src/spelling.rs", "scales integers of the model of spelling"),
];
/// Floats that are limits of a probability, or a scale of nothing.
const NEUTRAL: [&str; 2] = ["0.0", "1.0"];

/// Returns the weights of the page by their path in the crate.
fn weights() -> BTreeMap<String, Table> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("weights.toml")).unwrap();
    let stages: Table = page.parse().unwrap();
    let of_stage = |(stage, weights): (String, Value)| {
        let Value::Table(weights) = weights else { panic!("{stage} is not a table") };
        weights.into_iter().filter_map(move |(name, weight)| match weight {
            Value::Table(weight) => Some((format!("weights::{stage}::{name}"), weight)),
            _ => None,
        })
    };
    stages.into_iter().flat_map(of_stage).collect()
}

/// Returns the sources of the engine and of the names module, without their tests and comments.
fn sources() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = ["engine/src", "engine/names/src"].into_iter().flat_map(|folder| {
        let entries = WalkDir::new(root.join(folder)).into_iter().map(|entry| entry.unwrap().into_path());
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
    });
    files.map(|path: PathBuf| (relative(&path, &root), code(&fs::read_to_string(&path).unwrap()))).collect()
}

fn relative(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/")
}

/// Returns the lines of a source up to its tests, without comments. Items for tests are at the left margin, and so is their end.
fn code(source: &str) -> String {
    let mut of_test = false;
    let mut code = String::new();
    for line in source.lines() {
        of_test |= line == "#[cfg(test)]" || line == "#[test]";
        if !of_test && !line.trim_start().starts_with("//") {
            code.push_str(line);
            code.push('\n');
        }
        of_test &= line != "}";
    }
    code
}

/// Returns the float literals of a line, without those in strings.
fn floats(line: &str) -> Vec<&str> {
    let line = line.split(" // ").next().unwrap_or_default();
    let outside = line.split('"').step_by(2);
    let words = outside
        .flat_map(|part| part.split(|sign: char| !sign.is_ascii_alphanumeric() && !"._".contains(sign)));
    let is_float = |word: &&str| {
        let (whole, fraction) = word.split_once('.').unwrap_or_default();
        let is_digit = |byte: u8| byte.is_ascii_digit() || byte == b'_';
        let (mut whole, mut fraction) = (whole.bytes(), fraction.bytes());
        whole.next().is_some_and(|first| first.is_ascii_digit())
            && whole.all(is_digit)
            && fraction.next().is_some_and(|first| first.is_ascii_digit())
            && fraction.all(is_digit)
    };
    words.filter(is_float).collect()
}

#[test]
fn each_weight_has_a_provenance_and_is_used() {
    let sources = sources();
    let mut used = BTreeSet::new();
    for code in sources.values() {
        // a file with the weights of one stage names that stage once, in its imports
        let stage = code.split("use textveil_weights::").nth(1).and_then(|rest| rest.split(" as ").next());
        let ends = |sign: char| !sign.is_ascii_alphanumeric() && !"_:".contains(sign);
        for name in code.split("weights::").skip(1).filter_map(|rest| rest.split(ends).next()) {
            used.insert(stage.map_or_else(|| name.to_owned(), |stage| format!("{stage}::{name}")));
        }
    }
    let weights = weights();
    assert!(weights.len() > 200, "{}", weights.len());
    for (path, weight) in &weights {
        let text = |key: &str| weight.get(key).and_then(Value::as_str).unwrap_or_default();
        assert!(used.contains(path.trim_start_matches("weights::")), "{path}: nothing uses it; remove it");
        let is_known = text("provenance") == "argued"
            || ["argued; ", "fitted on ", "measured "]
                .iter()
                .any(|start| text("provenance").starts_with(start));
        assert!(is_known, "{path}: `provenance` must be `argued`, `fitted on …` or `measured …`");
        // a fit begins at the value that a person chose; a calibration begins at offset 0 and scale 1
        let is_fitted = text("provenance").starts_with("fitted on ") && !path.contains("::calibration::");
        let has_argued = weight.contains_key("argued");
        assert_eq!(is_fitted, has_argued, "{path}: a fitted weight needs `argued`, others must not have it");
        assert!(text("meaning").ends_with('.'), "{path}: `meaning` must be a sentence");
        assert!(!text("shows").is_empty(), "{path}: `shows` must have a text");
    }
}

#[test]
fn the_code_has_no_weight_of_its_own() {
    let is_other = |path: &str| OTHER_FLOATS.iter().any(|(file, _)| *file == path);
    let mut wrong = Vec::new();
    for (path, code) in sources() {
        if is_other(&path) {
            continue;
        }
        for line in code.lines() {
            let own = floats(line).into_iter().find(|float| !NEUTRAL.contains(float));
            wrong.extend(own.map(|float| format!("{path}: {float} in `{}`", line.trim())));
        }
    }
    assert!(wrong.is_empty(), "move these weights to weights.toml:\n{}", wrong.join("\n"));
}

#[test]
fn floats_are_seen_in_code_only() {
    for (line, expected) in [
        ("    odds += 1.5;", vec!["1.5"]),
        ("if a { -2.25 } else { 0.0 }", vec!["2.25", "0.0"]),
        ("\"version 1.5\", place.0.1, 0..=3, 10_000.0", vec!["10_000.0"]),
        ("let a = 1; // 1.5 is a half more", vec![]),
    ] {
        assert_eq!(floats(line), expected, "{line}");
    }
}
