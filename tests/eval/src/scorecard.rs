//! The scorecard: what was measured, as JSON that is compared and as a summary for people.

use std::{collections::BTreeMap, fmt::Write as _, path::PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::{
    catalogue::Catalogue,
    document::Mode,
    measure::{Counts, Places, Scores, share},
    public_sets::PublicSets,
    real::RealScores,
};

/// A drop may be as large as this …
const ALLOWED: f64 = 0.01;
/// … plus this number of standard deviations of the difference of two shares: another seed draws other
/// documents.
const DEVIATIONS: f64 = 5.0;
/// … of values in one document, whose results are correlated.
const ALIKE: f64 = 2.0;
/// The aim for check-bearing identifiers next to a label.
pub const LABELLED_AIM: f64 = 0.98;
/// The aims for names and for addresses, as F1 of overlapping spans.
pub const NAME_AIM: f64 = 0.85;
pub const ADDRESS_AIM: f64 = 0.80;
/// The aim for values without a label, if the country is given.
pub const GIVEN_AIM: f64 = 0.90;

/// The measurements, and their parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scorecard {
    pub seed: u64,
    pub documents: usize,
    #[serde(flatten)]
    pub scores: Scores,
}

/// Returns the path of the committed scorecard.
pub fn path() -> PathBuf {
    crate::root().join("tests/eval/scorecard.json")
}

/// Returns the path of its summary.
pub fn summary_path() -> PathBuf {
    crate::root().join("tests/eval/SCORECARD.md")
}

impl Scorecard {
    /// The committed one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn committed() -> Result<Self> {
        let path = path();
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("{}; `cargo xtask eval --bless` writes it", path.display()))?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }

    /// As JSON, a row a line.
    ///
    /// # Errors
    /// Never in practice.
    pub fn json(&self) -> Result<String> {
        let mut out = format!("{{\n  \"seed\": {},\n  \"documents\": {}", self.seed, self.documents);
        let serde_json::Value::Object(tables) = sorted(serde_json::to_value(&self.scores)?) else {
            return Ok(out);
        };
        for (name, table) in &tables {
            write!(out, ",\n  \"{name}\": {{")?;
            for (number, (row, value)) in table.as_object().into_iter().flatten().enumerate() {
                let comma = if number == 0 { "" } else { "," };
                write!(
                    out,
                    "{comma}\n    {}: {}",
                    serde_json::to_string(row)?,
                    serde_json::to_string(value)?
                )?;
            }
            out.push_str("\n  }");
        }
        out.push_str("\n}\n");
        Ok(out)
    }

    /// Returns the figures that are worse than before, beyond the variation between seeds.
    pub fn drops(&self, before: &Self) -> Vec<String> {
        let mut drops = Vec::new();
        let mut compare = |what: String, new: (u32, u32), old: (u32, u32)| {
            if new.1 == 0 || old.1 == 0 {
                return;
            }
            let (now, then) = (share(new.0, new.1), share(old.0, old.1));
            let pooled = f64::from(new.0 + old.0 + 2) / f64::from(new.1 + old.1 + 4);
            let spread = ALIKE * pooled * (1.0 - pooled) * (1.0 / f64::from(new.1) + 1.0 / f64::from(old.1));
            if then - now > ALLOWED + DEVIATIONS * spread.sqrt() {
                drops.push(format!("{what}: {then:.3} → {now:.3}"));
            }
        };
        let mut rows =
            |table: &str, row: &str, new: &BTreeMap<String, Counts>, old: &BTreeMap<String, Counts>| {
                for (mode, old) in old {
                    let Some(new) = new.get(mode) else { continue };
                    compare(
                        format!("{table} {row}, {mode}, recall"),
                        (new.found, new.there),
                        (old.found, old.there),
                    );
                    compare(
                        format!("{table} {row}, {mode}, covered"),
                        (new.covered, new.there),
                        (old.covered, old.there),
                    );
                    compare(
                        format!("{table} {row}, {mode}, precision"),
                        (new.right, new.reported),
                        (old.right, old.reported),
                    );
                }
            };
        rows("all", "", &self.scores.all, &before.scores.all);
        for (name, new, old) in [
            ("language", &self.scores.languages, &before.scores.languages),
            ("type", &self.scores.types, &before.scores.types),
            ("names", &self.scores.names, &before.scores.names),
        ] {
            for (row, old) in old {
                new.get(row).into_iter().for_each(|new| rows(name, row, new, old));
            }
        }
        for (name, new, old) in [
            ("country", &self.scores.countries, &before.scores.countries),
            ("inference in", &self.scores.inference, &before.scores.inference),
            ("inference of a", &self.scores.kinds, &before.scores.kinds),
        ] {
            for (row, old) in old {
                let Some(new) = new.get(row) else { continue };
                compare(
                    format!("{name} {row}, first"),
                    (new.first, new.documents),
                    (old.first, old.documents),
                );
                compare(
                    format!("{name} {row}, among three"),
                    (new.among_three, new.documents),
                    (old.among_three, old.documents),
                );
            }
        }
        drops
    }

    /// The totals, and country inference by kind of document.
    pub fn head(&self) -> String {
        let mut out = String::from("## Generated documents\n");
        let scores = &self.scores;
        let _ = writeln!(
            out,
            "A regression net, no measure of other texts: they have few sentences. Most names and places are in no list of the \
             engine, and nothing was learnt from the sentences. {} documents, seed {}; written by `cargo xtask eval --bless`. R is recall, P precision; spans overlap unless they \
             are said to be exact. *Covered* is found as any type.\n",
            self.documents, self.seed
        );
        out.push_str("### Everything\n");
        header(&mut out, &["values"]);
        for mode in Mode::ALL {
            if let Some(counts) = scores.all.get(mode.name()) {
                let _ = writeln!(out, "| {} | {} |", mode.name(), figures(counts));
            }
        }
        let _ = writeln!(
            out,
            "\n### Country inference\nThe country is in the first place, or among the first three, of texts in a language of the country; it is never given.\n"
        );
        places(&mut out, "kind", &scores.kinds);
        out
    }

    /// The summary for people: real text, totals, inference, languages, public sets, and what is below its aim; with `full`,
    /// every type.
    pub fn summary(
        &self,
        catalogue: &Catalogue,
        real: &RealScores,
        public: &PublicSets,
        full: bool,
    ) -> String {
        let mut out = [real.section(), public.section(), self.head()].join("\n");
        out.insert_str(0, "# Scorecard\n");
        let scores = &self.scores;
        out.push('\n');
        places(&mut out, "country", &scores.countries);
        out.push_str("\n### Languages\n");
        table(&mut out, "language", &scores.languages);
        self.names(&mut out);
        out.push_str(
            "\n### Confidence of other types\nFindings without a country given, as in the table of real text. Right is a finding that has a part of a value of any type.\n\n",
        );
        scores.reliability.write(&mut out);
        let below = self.below(catalogue);
        let _ = writeln!(
            out,
            "\n### Below the aim\nCheck-bearing identifiers: recall of {LABELLED_AIM} with a label of the catalogue, of {GIVEN_AIM} without one where \
             the country is given.\n\n| type | mode | there | R | covered |\n| --- | --- | --- | --- | --- |"
        );
        for (key, mode, counts) in &below {
            let _ = writeln!(
                out,
                "| {key} | {mode} | {} | {:.3} | {:.3} |",
                counts.there,
                counts.recall(false),
                share(counts.covered, counts.there)
            );
        }
        if full {
            out.push_str("\n### Types\n");
            table(&mut out, "type", &scores.types);
        }
        out
    }

    /// Names, addresses and organisations by language.
    fn names(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "\n### Names, addresses and organisations\nMost names are in no lexicon. The aim is an F1 of {NAME_AIM} for names \
             and of {ADDRESS_AIM} for addresses, over all languages.\n"
        );
        header(out, &["type", "language"]);
        for (key, languages) in &self.scores.names {
            for (language, counts) in languages {
                let _ = writeln!(out, "| {key} | {language} | {} |", figures(counts));
            }
        }
    }

    /// Check-bearing types below their aim.
    pub fn below(&self, catalogue: &Catalogue) -> Vec<(String, &'static str, Counts)> {
        let mut below = Vec::new();
        for detector in catalogue.detectors.iter().filter(|detector| detector.checked) {
            for (mode, aim) in [(Mode::Labelled, LABELLED_AIM), (Mode::Given, GIVEN_AIM)] {
                let counts = self.scores.types.get(&detector.key).and_then(|modes| modes.get(mode.name()));
                if let Some(counts) = counts.filter(|counts| counts.there > 0 && counts.recall(false) < aim) {
                    below.push((detector.key.clone(), mode.name(), *counts));
                }
            }
        }
        below
    }
}

/// The head of a table whose rows end with [`figures`].
fn header(out: &mut String, rows: &[&str]) {
    const FIGURES: [&str; 10] =
        ["there", "P", "R", "F1", "F2", "exact P", "exact R", "exact F1", "exact F2", "covered"];
    let columns: Vec<&str> = rows.iter().chain(&FIGURES).copied().collect();
    let _ = writeln!(out, "| {} |\n|{}", columns.join(" | "), " --- |".repeat(columns.len()));
}

fn figures(counts: &Counts) -> String {
    let mut out = counts.there.to_string();
    for exact in [false, true] {
        let _ = write!(
            out,
            " | {:.3} | {:.3} | {:.3} | {:.3}",
            counts.precision(exact),
            counts.recall(exact),
            counts.f(1.0, exact),
            counts.f(2.0, exact)
        );
    }
    let _ = write!(out, " | {:.3}", share(counts.covered, counts.there));
    out
}

/// Returns a value with sorted keys. Whether `serde_json` sorts them depends on what it is compiled together with.
fn sorted(value: serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Object(members) => {
            let members: BTreeMap<String, serde_json::Value> = members.into_iter().collect();
            members.into_iter().map(|(key, value)| (key, sorted(value))).collect()
        }
        serde_json::Value::Array(list) => list.into_iter().map(sorted).collect(),
        other => other,
    }
}

fn table(out: &mut String, name: &str, rows: &BTreeMap<String, BTreeMap<String, Counts>>) {
    header(out, &[name, "values"]);
    for (row, modes) in rows {
        for mode in Mode::ALL {
            if let Some(counts) = modes.get(mode.name()) {
                let _ = writeln!(out, "| {row} | {} | {} |", mode.name(), figures(counts));
            }
        }
    }
}

fn places(out: &mut String, name: &str, rows: &BTreeMap<String, Places>) {
    let _ = writeln!(out, "| {name} | documents | first | among three |\n| --- | --- | --- | --- |");
    let mut all = Places::default();
    for (row, places) in rows {
        all.documents += places.documents;
        all.first += places.first;
        all.among_three += places.among_three;
        let _ = writeln!(out, "{}", place(row, places));
    }
    let _ = writeln!(out, "{}", place("all", &all));
}

fn place(row: &str, places: &Places) -> String {
    format!(
        "| {row} | {} | {:.3} | {:.3} |",
        places.documents,
        share(places.first, places.documents),
        share(places.among_three, places.documents)
    )
}
