//! Compares the findings of the engine with the labels.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use textveil_engine::{DetectOptions, Detection, Entity, Preset, detect};

use crate::{
    catalogue::Catalogue,
    document::{Document, Mode, Truth},
    reliability::{Reliability, family},
};

/// Detectors without check digits, measured by language.
const NAMES: [&str; 3] = ["global/name", "global/address", "global/organization"];

/// Counts of which precision and recall are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Values in the documents.
    pub there: u32,
    /// Those of which a finding of their type has a part.
    pub found: u32,
    /// Those that a finding of their type is.
    pub exact: u32,
    /// Those of which a finding of any type has a part: what is protected.
    pub covered: u32,
    /// Findings.
    pub reported: u32,
    /// Those that have a part of a value of their type.
    pub right: u32,
    /// Those that are such a value.
    pub right_exact: u32,
}

/// Returns the harmonic mean of a precision and a recall, in which recall counts `beta` times as much; 0 if both are.
pub fn f(beta: f64, precision: f64, recall: f64) -> f64 {
    let square = beta * beta;
    let below = square * precision + recall;
    if below == 0.0 { 0.0 } else { (1.0 + square) * precision * recall / below }
}

impl Counts {
    /// Returns the share of the findings that is right; 1 without findings.
    pub fn precision(&self, exact: bool) -> f64 {
        share(if exact { self.right_exact } else { self.right }, self.reported)
    }

    /// Of what is there, the share that was found.
    pub fn recall(&self, exact: bool) -> f64 {
        share(if exact { self.exact } else { self.found }, self.there)
    }

    /// The harmonic mean of both, in which recall counts `beta` times as much.
    pub fn f(&self, beta: f64, exact: bool) -> f64 {
        f(beta, self.precision(exact), self.recall(exact))
    }

    fn add(&mut self, other: &Self) {
        self.there += other.there;
        self.found += other.found;
        self.exact += other.exact;
        self.covered += other.covered;
        self.reported += other.reported;
        self.right += other.right;
        self.right_exact += other.right_exact;
    }
}

/// Returns a share; 1 if `whole` is 0.
pub fn share(part: u32, whole: u32) -> f64 {
    if whole == 0 { 1.0 } else { f64::from(part) / f64::from(whole) }
}

/// The documents whose country is the likeliest, and those whose country is among the three likeliest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Places {
    pub documents: u32,
    pub first: u32,
    pub among_three: u32,
}

impl Places {
    fn add(&mut self, place: Option<usize>) {
        self.documents += 1;
        self.first += u32::from(place == Some(0));
        self.among_three += u32::from(place.is_some_and(|place| place < 3));
    }
}

/// All scores, by the name of the mode and then by type, language or in total.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Scores {
    /// Everything.
    pub all: BTreeMap<String, Counts>,
    /// By language.
    pub languages: BTreeMap<String, BTreeMap<String, Counts>>,
    /// By the detector's key, `pl/pesel`.
    pub types: BTreeMap<String, BTreeMap<String, Counts>>,
    /// Names, addresses and organisations, by what they are and then by language; in `all` all of them.
    #[serde(default)]
    pub names: BTreeMap<String, BTreeMap<String, Counts>>,
    /// Country inference by country, in languages of the country.
    pub countries: BTreeMap<String, Places>,
    /// Country inference by kind of document, in languages of the country.
    pub kinds: BTreeMap<String, Places>,
    /// Country inference by language.
    pub inference: BTreeMap<String, Places>,
    /// Findings by their confidence, in documents whose country is not told.
    #[serde(default)]
    pub reliability: Reliability,
}

/// Measures documents one after another.
pub struct Measures<'a> {
    pub scores: Scores,
    catalogue: Keys,
    misses: Option<&'a str>,
}

/// The keys of detectors and what they report.
struct Keys(Vec<(String, String, Option<String>)>);

impl Keys {
    fn key(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |(key, ..)| key)
    }

    fn kind(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |(_, kind, _)| kind)
    }

    /// The detector that reports such an entity.
    fn of(&self, entity: &Entity) -> &str {
        let code = entity.country.map(|country| country.upper());
        let kinds = self.0.iter().filter(|(_, kind, _)| *kind == entity.kind);
        let best = kinds.clone().find(|(.., country)| *country == code).or_else(|| kinds.clone().next());
        best.map_or("", |(key, ..)| key)
    }
}

impl<'a> Measures<'a> {
    /// Nothing measured yet. With `misses`, what is not found is printed for detectors whose key contains it.
    pub fn new(catalogue: &Catalogue, misses: Option<&'a str>) -> Self {
        let keys = catalogue
            .detectors
            .iter()
            .map(|detector| (detector.key.clone(), detector.kind.clone(), detector.country.clone()));
        Self { scores: Scores::default(), catalogue: Keys(keys.collect()), misses }
    }

    /// Measures a document.
    ///
    /// # Errors
    /// If the engine rejects it.
    pub fn measure(&mut self, document: &Document) -> Result<()> {
        let blind = detect(&document.text, &DetectOptions::default())?;
        self.place(document, &blind);
        let options = DetectOptions { privacy_preset: Some(Preset::Aggressive), ..DetectOptions::default() };
        self.rely(document, Preset::Aggressive, &detect(&document.text, &options)?);
        self.rely(document, Preset::Balanced, &blind);
        if document.mode == Mode::Given {
            self.count(document, &blind, Mode::Blind);
            let options = DetectOptions { country: document.country.clone(), ..DetectOptions::default() };
            let given = detect(&document.text, &options)?;
            self.count(document, &given, Mode::Given);
        } else {
            self.count(document, &blind, document.mode);
        }
        Ok(())
    }

    /// Counts the findings of a preset by their confidence.
    fn rely(&mut self, document: &Document, preset: Preset, detection: &Detection) {
        for entity in &detection.entities {
            let Some(family) = family(entity) else { continue };
            // of any type: `driving licence` may name that of the country or the type without one
            let is_right = document
                .truths
                .iter()
                .any(|truth| entity.bytes.start < truth.end && truth.start < entity.bytes.end);
            self.scores.reliability.add(preset, family, entity.confidence, is_right);
        }
    }

    fn place(&mut self, document: &Document, detection: &Detection) {
        let Some(code) = document.country.as_deref() else { return };
        let place = detection.countries.iter().position(|country| country.code.upper() == code);
        self.scores.inference.entry(document.language.clone()).or_default().add(place);
        if document.own {
            self.scores.countries.entry(code.to_owned()).or_default().add(place);
            self.scores.kinds.entry(document.kind.to_owned()).or_default().add(place);
            if self.misses == Some("inference") && place != Some(0) {
                let found: Vec<String> = detection
                    .countries
                    .iter()
                    .take(4)
                    .map(|country| format!("{} {:.2}", country.code.upper(), country.confidence))
                    .collect();
                println!(
                    "--- {code} {} {}: {}\n{}",
                    document.language,
                    document.kind,
                    found.join(" "),
                    document.text
                );
            }
        }
    }

    fn count(&mut self, document: &Document, detection: &Detection, mode: Mode) {
        let overlaps =
            |entity: &Entity, start: usize, end: usize| entity.bytes.start < end && start < entity.bytes.end;
        let is = |entity: &Entity, truth: &Truth| {
            (entity.bytes.start, entity.bytes.end) == (truth.start, truth.end)
        };
        for truth in &document.truths {
            if truth.mode.is_none() {
                continue;
            }
            let mode = if truth.mode == Some(Mode::Mistyped) { Mode::Mistyped } else { mode };
            let kind = self.catalogue.kind(truth.detector);
            let touching =
                || detection.entities.iter().filter(|entity| overlaps(entity, truth.start, truth.end));
            let own: Vec<&Entity> = touching().filter(|entity| entity.kind == kind).collect();
            let exact = own.iter().filter(|entity| is(entity, truth)).count() as u32;
            let counts = Counts {
                there: 1,
                found: u32::from(!own.is_empty()),
                exact: exact.min(1),
                covered: u32::from(touching().next().is_some()),
                reported: own.len() as u32,
                right: own.len() as u32,
                right_exact: exact,
            };
            let key = self.catalogue.key(truth.detector).to_owned();
            if own.is_empty() && self.misses.is_some_and(|wanted| key.contains(wanted)) {
                let instead: Vec<String> =
                    touching().map(|entity| format!("{} {:.2}", entity.kind, entity.confidence)).collect();
                let from = document.text[..truth.start].char_indices().rev().nth(50).map_or(0, |(at, _)| at);
                let to = document.text[truth.end..]
                    .char_indices()
                    .nth(25)
                    .map_or(document.text.len(), |(at, _)| truth.end + at);
                println!(
                    "{key} {} {}/{}: …{}«{}»{}… {}",
                    mode.name(),
                    document.language,
                    document.country.as_deref().unwrap_or("-"),
                    document.text[from..truth.start].replace('\n', "⏎"),
                    &document.text[truth.start..truth.end],
                    document.text[truth.end..to].replace('\n', "⏎"),
                    instead.join(", "),
                );
            }
            self.add(mode, &document.language, &key, &counts);
        }
        for entity in &detection.entities {
            let of_kind = |truth: &&Truth| {
                overlaps(entity, truth.start, truth.end) && self.catalogue.kind(truth.detector) == entity.kind
            };
            if document.truths.iter().any(|truth| of_kind(&truth)) {
                continue;
            }
            let key = self.catalogue.of(entity).to_owned();
            if self.misses.is_some_and(|wanted| {
                wanted.strip_prefix("false:").is_some_and(|wanted| key.contains(wanted))
            }) {
                let from =
                    document.text[..entity.bytes.start].char_indices().rev().nth(50).map_or(0, |(at, _)| at);
                println!(
                    "false {key} {} {}/{}: …{}«{}» {:.2}",
                    mode.name(),
                    document.language,
                    document.country.as_deref().unwrap_or("-"),
                    document.text[from..entity.bytes.start].replace('\n', "⏎"),
                    entity.original,
                    entity.confidence,
                );
            }
            self.add(mode, &document.language, &key, &Counts { reported: 1, ..Counts::default() });
        }
    }

    fn add(&mut self, mode: Mode, language: &str, key: &str, counts: &Counts) {
        let mode = mode.name();
        self.scores.all.entry(mode.to_owned()).or_default().add(counts);
        for (table, row) in [(&mut self.scores.languages, language), (&mut self.scores.types, key)] {
            let modes = table.entry(row.to_owned()).or_default();
            modes.entry(mode.to_owned()).or_default().add(counts);
        }
        if NAMES.contains(&key) {
            let languages = self.scores.names.entry(key.to_owned()).or_default();
            for language in ["all", language] {
                languages.entry(language.to_owned()).or_default().add(counts);
            }
        }
    }
}
