//! The negative corpus, `engine/tests/negative/*.toml`: texts without personal data, full of what looks like it.

use std::{collections::BTreeMap, fs, path::PathBuf};

use serde::Deserialize;
use textveil_engine::{DetectOptions, Preset, detect};

/// The presets, and balanced with the country of the text given, as columns of a table.
pub const COLUMNS: [(&str, Preset, bool); 4] = [
    ("conservative", Preset::Conservative, false),
    ("balanced", Preset::Balanced, false),
    ("balanced, country given", Preset::Balanced, true),
    ("aggressive", Preset::Aggressive, false),
];

/// A text with the only findings allowed in it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// Its kind: `log`, `invoice`, …
    pub kind: String,
    /// ISO 639-1.
    pub language: String,
    /// The country of its readers, if known.
    pub country: Option<String>,
    /// Types that are really in it.
    #[serde(default)]
    pub expected: Vec<String>,
    pub text: String,
    /// The file and the place in it, such as `log.toml 3`.
    #[serde(skip)]
    pub name: String,
}

#[derive(Deserialize)]
struct File {
    text: Vec<Text>,
}

impl Text {
    /// Returns its number of words; in a script without spaces, two characters count as a word.
    pub fn words(&self) -> usize {
        let alone = |letter: &char| matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
        self.text.split_whitespace().count() + self.text.chars().filter(alone).count() / 2
    }

    /// Returns its false positives: the type, the text, the confidence.
    pub fn false_findings(&self, preset: Preset, with_country: bool) -> Vec<String> {
        let options = DetectOptions {
            privacy_preset: Some(preset),
            country: self.country.clone().filter(|_| with_country),
            ..DetectOptions::default()
        };
        let found =
            detect(&self.text, &options).expect("the corpus has texts of any allowed length").entities;
        let wrong = found.iter().filter(|entity| !self.expected.iter().any(|kind| *kind == entity.kind));
        wrong
            .map(|entity| {
                let country = entity.country.map_or("--".to_owned(), |country| country.upper().to_string());
                format!("{} {country} {:?} {:.4}", entity.kind, entity.original, entity.confidence)
            })
            .collect()
    }
}

/// All texts, by file.
pub fn texts() -> Vec<Text> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/negative");
    let entries = fs::read_dir(folder).expect("engine/tests/negative is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let mut texts = Vec::new();
    for path in files {
        let stem = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let read = fs::read_to_string(&path).expect("a readable file");
        let File { text } = toml::from_str(&read).unwrap_or_else(|error| panic!("{stem}: {error}"));
        let named = text.into_iter().enumerate();
        texts.extend(named.map(|(place, text)| Text { name: format!("{stem} {}", place + 1), ..text }));
    }
    texts
}

/// Texts, words, and false findings in each column.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub texts: usize,
    pub words: usize,
    pub found: [usize; COLUMNS.len()],
}

impl Count {
    fn add(&mut self, words: usize, found: [usize; COLUMNS.len()]) {
        self.texts += 1;
        self.words += words;
        self.found.iter_mut().zip(found).for_each(|(sum, one)| *sum += one);
    }

    /// False findings per 1,000 words.
    pub fn rates(&self) -> [f64; COLUMNS.len()] {
        self.found.map(|found| 1000.0 * found as f64 / self.words.max(1) as f64)
    }
}

/// The report of the corpus: counts of all texts, of each kind and of each language, and every false
/// positive.
#[derive(Debug, Default)]
pub struct Report {
    pub total: Count,
    pub kinds: BTreeMap<String, Count>,
    pub languages: BTreeMap<String, Count>,
    /// By column, one line each: the text, and its findings.
    pub findings: [Vec<String>; COLUMNS.len()],
}

/// Looks at every text with every preset.
pub fn report(texts: &[Text]) -> Report {
    let mut report = Report::default();
    for text in texts {
        let found = COLUMNS.map(|(_, preset, country)| text.false_findings(preset, country));
        let counts = found.each_ref().map(Vec::len);
        let words = text.words();
        report.total.add(words, counts);
        report.kinds.entry(text.kind.clone()).or_default().add(words, counts);
        report.languages.entry(text.language.clone()).or_default().add(words, counts);
        for (all, found) in report.findings.iter_mut().zip(found) {
            let place = format!("{} ({}, {})", text.name, text.kind, text.language);
            all.extend(found.into_iter().map(|found| format!("{place}: {found}")));
        }
    }
    report
}
