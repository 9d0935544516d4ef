//! Fits the weights that many detectors share, by logistic regression around their argued values.
//!
//! The candidates are those of generated documents for the training and of texts without personal data, so nothing of the measured
//! texts. `explain` gives the signals of a candidate. A signal has a weight or a sum of weights, and the text around the candidate
//! says which. Each weight has a Gaussian prior around its argued value, so one with few candidates stays.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use anyhow::{Context as _, Result};
use textveil_engine::{Category, DetectOptions, Entity, Preset, detect};

use crate::{real, reliability::family, root, world::Purpose};

/// Standard deviation of the prior of each weight, in log-odds.
const DEVIATION: f64 = 0.5;
/// The same of a weight that keeps its argued value.
const HELD: f64 = 0.000_1;
/// The share of candidates whose label is wrong: without it, the few of them would decide about sure candidates.
const WRONG_LABELS: f64 = 0.02;
/// The weight of a candidate, since those of one kind of sentence are not independent.
const SHARE: f64 = 0.1;
/// The least candidates of a fitted weight.
const LEAST: u32 = 40;
/// The signal of the calibration of a family.
const CALIBRATION: &str = "calibration";
/// Weights that keep their argued value, with the reason.
const KEPT: [(&str, &str); 7] = [
    ("check.ALONE", "random digits whose check holds would be found, as `tests/quiet.rs` shows"),
    ("check.BORN_CHECKED", "random digits with a date would be found, as `tests/quiet.rs` shows"),
    (
        "country.OWN",
        "these texts have few numbers that are not identifiers, and `tests/quiet.rs` finds false alarms",
    ),
    ("neighbour.ROW_IN_GROUPS", "these texts have few rows of numbers that are not identifiers"),
    ("neighbour.ROW", "these texts have few rows of numbers that are not identifiers"),
    ("words.OTHER_LABEL", "telephone numbers behind the French `le` would be lost, as a vector shows"),
    ("words.CONTEXT", "telephone numbers with a context word would be lost, as a vector shows"),
];
/// Steps of Newton's method, which converges in fewer.
const STEPS: usize = 30;
/// The largest difference of a sum of weights and a signal, which has two decimals.
const NEAR: f64 = 0.011;

/// A candidate: the log-odds of its confidence, how much each weight counts in it, and whether it is personal data.
struct Example {
    odds: f64,
    features: Vec<(usize, f64)>,
    is_right: bool,
}

/// The weights to fit, by their place on the page, with their values.
#[derive(Default)]
struct Page {
    names: Vec<String>,
    values: Vec<Value>,
    examples: Vec<Example>,
}

/// The value of a weight on the page, and the one that a person chose, around which it is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    pub current: f64,
    pub argued: f64,
}

/// A weight after the fit.
pub struct Fitted {
    /// Its place on the page: `words.DIRECT`.
    pub name: String,
    pub argued: f64,
    pub fitted: f64,
    /// The candidates in which it counts, and those of them that are personal data.
    pub candidates: u32,
    pub right: u32,
}

/// The weights on the page, by their place.
///
/// # Errors
/// If the page cannot be read.
pub fn page() -> Result<BTreeMap<String, Value>> {
    let path = root().join("engine/weights/weights.toml");
    let page: toml::Table = fs::read_to_string(&path).with_context(|| path.display().to_string())?.parse()?;
    let mut values = BTreeMap::new();
    for (stage, weights) in &page {
        for (name, weight) in weights.as_table().into_iter().flatten() {
            let float = |key| weight.get(key).and_then(toml::Value::as_float);
            let value =
                float("value").map(|current| Value { current, argued: float("argued").unwrap_or(current) });
            values.extend(value.map(|value| (format!("{stage}.{name}"), value)));
        }
    }
    Ok(values)
}

/// Fits the shared weights on the documents of a seed and on the texts without personal data of a folder.
///
/// # Errors
/// If a file cannot be read.
pub fn weights(seed: u64, documents: usize, folder: &Path) -> Result<Vec<Fitted>> {
    let known = page()?;
    let mut page = Page::default();
    crate::generate(Purpose::Training, seed, documents, |_, document| {
        page.read(&known, &document.text, |entity| {
            let bytes = entity.bytes;
            document.truths.iter().any(|truth| bytes.start < truth.end && truth.start < bytes.end)
        })
    })?;
    real::for_each_text(&folder.join("negatives/train"), &mut |text| page.read(&known, text, |_| false))?;
    // weights that keep their argued value are fitted only to say what the texts say
    let free = page.fit(&[]);
    let kept = KEPT.map(|(name, _)| name);
    let held = page.fit(&kept);
    Ok(held
        .into_iter()
        .zip(free)
        .map(|(held, free)| if kept.contains(&held.name.as_str()) { free } else { held })
        .collect())
}

impl Page {
    /// Adds the candidates of a text.
    fn read(
        &mut self,
        known: &BTreeMap<String, Value>,
        text: &str,
        is_right: impl Fn(&Entity) -> bool,
    ) -> Result<()> {
        let options = DetectOptions {
            privacy_preset: Some(Preset::Aggressive),
            min_confidence: Some(0.0),
            explain: true,
            ..DetectOptions::default()
        };
        for entity in detect(text, &options)?.entities {
            // names have a calibration of their own
            if matches!(
                entity.kind.as_ref(),
                "name" | "organization" | "address" | "city" | "place_of_birth" | "age"
            ) {
                continue;
            }
            let mut features = Vec::new();
            for (name, count) in shared(&entity, text, known) {
                let Some(value) = known.get(name) else { continue };
                let at = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
                    self.names.push(name.to_owned());
                    self.values.push(*value);
                    self.names.len() - 1
                });
                features.push((at, count));
            }
            let odds = uncalibrated(&entity).clamp(-30.0, 30.0);
            self.examples.push(Example { odds, features, is_right: is_right(&entity) });
        }
        Ok(())
    }

    /// Returns the most likely weights: Newton's method on the logarithm of the likelihood and of the prior.
    ///
    /// The weights of `held` keep their argued value.
    fn fit(&self, held: &[&str]) -> Vec<Fitted> {
        let size = self.names.len();
        let precision = |name: &String| match held.contains(&name.as_str()) {
            true => 1.0 / (HELD * HELD),
            false => 1.0 / (DEVIATION * DEVIATION),
        };
        let precisions: Vec<f64> = self.names.iter().map(precision).collect();
        let mut deltas = vec![0.0; size];
        for _ in 0..STEPS {
            let distance = |(delta, value): (&f64, &Value)| value.current + delta - value.argued;
            let distances = deltas.iter().zip(&self.values).map(distance);
            let mut slope: Vec<f64> =
                distances.zip(&precisions).map(|(distance, precision)| -distance * precision).collect();
            let mut curve = vec![vec![0.0; size]; size];
            for (at, row) in curve.iter_mut().enumerate() {
                row[at] = precisions[at];
            }
            for example in &self.examples {
                let moved: f64 = example.features.iter().map(|(at, count)| deltas[*at] * count).sum();
                let probability = 1.0 / (1.0 + (-(example.odds + moved)).exp());
                let labelled = WRONG_LABELS + (1.0 - 2.0 * WRONG_LABELS) * probability;
                let change = (1.0 - 2.0 * WRONG_LABELS) * probability * (1.0 - probability);
                let error = (f64::from(u8::from(example.is_right)) - labelled) * change
                    / (labelled * (1.0 - labelled))
                    * SHARE;
                let certainty = change * change / (labelled * (1.0 - labelled)) * SHARE;
                for (at, count) in &example.features {
                    slope[*at] += error * count;
                    for (other, others) in &example.features {
                        curve[*at][*other] += certainty * count * others;
                    }
                }
            }
            for (delta, step) in deltas.iter_mut().zip(solve(curve, slope)) {
                *delta += step.clamp(-1.0, 1.0);
            }
        }
        let fitted = (0..size).map(|at| {
            let counts =
                self.examples.iter().filter(|example| example.features.iter().any(|(of, _)| *of == at));
            Fitted {
                name: self.names[at].clone(),
                argued: self.values[at].argued,
                fitted: ((self.values[at].current + deltas[at]) * 20.0).round() / 20.0,
                candidates: counts.clone().count() as u32,
                right: counts.filter(|example| example.is_right).count() as u32,
            }
        });
        let mut fitted: Vec<Fitted> = fitted.collect();
        fitted.sort_by(|a, b| a.name.cmp(&b.name));
        fitted
    }
}

/// Solves a system of linear equations with a positive definite matrix.
fn solve(mut rows: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    for at in 0..rows.len() {
        let (upper, lower) = rows.split_at_mut(at + 1);
        let (pivot, rest) = right.split_at_mut(at + 1);
        for (row, value) in lower.iter_mut().zip(rest) {
            let factor = row[at] / upper[at][at];
            for (cell, above) in row.iter_mut().zip(&upper[at]).skip(at) {
                *cell -= factor * above;
            }
            *value -= factor * pivot[at];
        }
    }
    for (at, row) in rows.iter().enumerate().rev() {
        let known: f64 = row.iter().zip(&right).skip(at + 1).map(|(cell, value)| cell * value).sum();
        right[at] = (right[at] - known) / row[at];
    }
    right
}

/// Returns the shared weights that count in a finding, each with its factor.
fn shared(entity: &Entity, text: &str, known: &BTreeMap<String, Value>) -> Vec<(&'static str, f64)> {
    let value = |name: &str| known.get(name).map_or(0.0, |value| value.current);
    let is_secret = entity.category == Category::Credential;
    let is_phone = entity.kind == "phone_number";
    let mut shared = Vec::new();
    let of = |signal: &'static str| {
        entity.evidence.iter().filter(move |one| one.signal == signal).map(|one| one.weight)
    };
    // the length of a label adds up to half a unit
    let is_label =
        |weight: f64, base: f64| weight > base - NEAR && weight < base + value("words.MAX_LENGTH") + NEAR;
    let labels = ["words.DIRECT", "words.CLOSE", "words.NEARBY"];
    let mut is_labelled = false;
    for weight in of("label").filter(|_| !is_secret) {
        let other = "words.OTHER_LABEL";
        if let Some(label) = labels.iter().find(|label| is_label(weight, value(label))) {
            is_labelled = *label != "words.NEARBY";
            shared.push((*label, 1.0));
        } else if let Some(label) = labels.iter().find(|label| is_label(weight, value(label) + value(other)))
        {
            shared.extend([(*label, 1.0), (other, 1.0)]);
        } else if (weight - value(other)).abs() < NEAR {
            shared.push((other, 1.0));
        }
    }
    for weight in of("sibling") {
        let sibling = "words.SIBLING";
        let others = ["words.SIBLING_PHONE", "words.SIBLING_CHECKED", "words.OTHER_LABEL"];
        if let Some(other) = others.iter().find(|other| (weight - value(other)).abs() < NEAR) {
            shared.push((*other, 1.0));
        } else if let Some(label) =
            labels.iter().find(|label| is_label(weight, value(label) + value(sibling)))
        {
            is_labelled = true;
            shared.extend([(*label, 1.0), (sibling, 1.0)]);
        }
    }
    for weight in of("context") {
        let words = ["words.CONTEXT", "words.CONTEXT_LABELLED"];
        // a negative one is the cap: the odds are those of the cap
        let cap = (weight < 0.0).then_some("check.ALONE");
        let word = words.into_iter().find(|word| (weight - value(word)).abs() < NEAR);
        shared.extend(cap.or(word).map(|name| (name, 1.0)));
    }
    for weight in of("country") {
        let name = match weight {
            _ if is_phone && (weight - value("phone_country.USUAL")).abs() < NEAR => "phone_country.USUAL",
            0.0.. => "country.OWN",
            _ if is_labelled => "country.OTHER_LABELLED",
            _ => "country.OTHER",
        };
        shared.push((name, weight / value(name)));
    }
    for weight in of("check") {
        let is_born = entity.metadata.get("birth_date").is_some();
        if (weight - value("check.FAILED")).abs() < NEAR {
            shared.push(("check.FAILED", 1.0));
        } else if entity.validated && is_born {
            shared.push(("check.BORN_CHECKED", 1.0));
        }
    }
    for weight in of("neighbour") {
        let around = neighbours(entity, text, is_phone);
        let alone = around.iter().find(|name| (weight - value(name)).abs() < NEAR);
        let pair = || {
            let pairs =
                around.iter().enumerate().flat_map(|(at, a)| around[at + 1..].iter().map(move |b| (a, b)));
            pairs.into_iter().find(|(a, b)| (weight - value(a) - value(b)).abs() < NEAR)
        };
        match alone {
            Some(name) => shared.push((*name, 1.0)),
            None => shared.extend(pair().into_iter().flat_map(|(a, b)| [(*a, 1.0), (*b, 1.0)])),
        }
    }
    if is_phone {
        let shapes = [
            "phone.INTERNATIONAL",
            "phone.INTERNATIONAL_ZEROS",
            "phone.UNPLANNED_INTERNATIONAL",
            "phone_country.TRUNK_IN_GROUPS",
            "phone_country.IN_GROUPS",
            "phone_country.UNGROUPED",
            "phone_country.UNPLANNED",
            "phone_country.UNPLANNED_IN_GROUPS",
            "phone_country.AREA_IN_BRACKETS",
            "phone_country.NORTH_AMERICAN",
        ];
        for weight in of("shape") {
            shared.extend(
                shapes.iter().find(|name| (weight - value(name)).abs() < NEAR).map(|name| (*name, 1.0)),
            );
        }
    }
    shared
}

/// Returns the weights of adjacent text that may count in a finding: by the bytes that touch it, then those that no byte tells.
fn neighbours(entity: &Entity, text: &str, is_phone: bool) -> Vec<&'static str> {
    let bytes = text.as_bytes();
    let at = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
    let (start, end) = (entity.bytes.start, entity.bytes.end);
    let (before, beyond_before) = (at(start.checked_sub(1)), at(start.checked_sub(2)));
    let (after, beyond_after) = (at(Some(end)), at(Some(end + 1)));
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80;
    let mut names = Vec::new();
    names.extend(match before {
        b'-' | b'_' if is_word(beyond_before) => Some("neighbour.BEHIND_JOINED_WORD"),
        b'-' | b'_' => Some("neighbour.BEHIND_HYPHEN"),
        b',' => Some("neighbour.BEHIND_COMMA"),
        b'.' => Some("neighbour.BEHIND_POINT"),
        b'/' | b'\\' if is_word(beyond_before) => Some("neighbour.BEHIND_PATH"),
        b'/' | b'\\' => Some("neighbour.BEHIND_SLASH"),
        b'@' | b'%' | b'&' | b'~' => Some("neighbour.BEHIND_SIGN"),
        b'$' => Some("neighbour.BEHIND_DOLLAR"),
        b'+' => Some("neighbour.BEHIND_PLUS"),
        _ => None,
    });
    names.extend(match after {
        b'-' | b'_' if is_word(beyond_after) => Some("neighbour.BEFORE_JOINED_WORD"),
        b',' => Some("neighbour.BEFORE_COMMA"),
        b'.' if beyond_after.is_ascii_digit() => Some("neighbour.BEFORE_DECIMAL"),
        b'.' => Some("neighbour.BEFORE_EXTENSION"),
        b'/' | b'\\' => Some("neighbour.BEFORE_PATH"),
        b'@' | b'%' => Some("neighbour.BEFORE_SIGN"),
        b';' => Some("neighbour.BEFORE_SEMICOLON"),
        b'(' => Some("neighbour.BEFORE_BRACKET"),
        _ => None,
    });
    if is_phone {
        names.extend([
            "phone.FILED",
            "phone.GROUPED",
            "phone.DECIMAL",
            "phone.LETTERED",
            "phone_country.BEHIND_NAME",
            "phone_country.UNGROUPED_BEHIND_NAME",
            "phone_country.UNPLANNED_BEHIND_NAME",
        ]);
    } else {
        names.push("neighbour.AMOUNT");
    }
    names.extend(["neighbour.SEQUENCE", "neighbour.FRACTION", "neighbour.ROW_IN_GROUPS", "neighbour.ROW"]);
    names
}

/// Writes the fitted weights to the page, and returns a table of them.
///
/// # Errors
/// If the page cannot be written.
pub fn write(fitted: &[Fitted], examples: &str) -> Result<String> {
    let path = root().join("engine/weights/weights.toml");
    let mut page = fs::read_to_string(&path)?;
    let mut table =
        String::from("| weight | argued | fitted | candidates | right |\n| --- | --- | --- | --- | --- |\n");
    for Fitted { name, argued, fitted, candidates, right } in fitted {
        let _ = writeln!(table, "| {name} | {argued} | {fitted} | {candidates} | {right} |");
        if *candidates < LEAST {
            continue;
        }
        let head = format!("[{name}]\n");
        let Some(at) = page.find(&head) else { continue };
        let end = page[at + head.len()..].find("\n[").map_or(page.len(), |end| at + head.len() + end);
        let kept = KEPT.iter().find(|(kept, _)| kept == name);
        let (value, provenance) = match kept {
            Some((_, reason)) => {
                (argued, format!("argued; a fit on {candidates} candidates says {fitted}: {reason}"))
            }
            None => (fitted, format!("fitted on {candidates} candidates of {examples}")),
        };
        // the value that a person chose stays on the page, as the next fit begins there
        let lines = page[at..end].lines().filter(|line| !line.starts_with("argued = "));
        let entry = lines.map(|line| match line.split(" = ").next() {
            Some("value") if kept.is_some() => format!("value = {value:?}"),
            Some("value") => format!("value = {value:?}\nargued = {argued:?}"),
            Some("provenance") => format!("provenance = \"{provenance}\""),
            _ => line.to_owned(),
        });
        let entry: Vec<String> = entry.collect();
        page.replace_range(at..end, &(entry.join("\n") + "\n"));
    }
    fs::write(path, page)?;
    Ok(table)
}

/// The calibration of a family: the log-odds of its confidences become `offset + scale * log-odds`.
#[derive(Clone, Copy, Debug)]
pub struct Calibration {
    pub offset: f64,
    pub scale: f64,
    pub findings: u32,
}

/// The families with a calibration on the page, with the constant of each.
const FAMILIES: [(&str, &str); 3] = [
    ("organisations", "calibration.ORGANIZATION"),
    ("telephone numbers", "calibration.PHONE"),
    ("values without a check", "calibration.UNCHECKED"),
];
/// Standard deviation of the priors of an offset around 0 and of a scale around 1.
const WIDE: f64 = 1.0;

/// Fits the calibration of each family: of identifiers on generated documents, of organisations on the annotated texts for the training, in
/// which the judge of names finds no organisations in `balanced`.
///
/// # Errors
/// If a file cannot be read.
pub fn calibrations(
    seed: u64,
    documents: usize,
    folder: &Path,
) -> Result<BTreeMap<&'static str, Calibration>> {
    let mut findings: BTreeMap<&'static str, Vec<(f64, bool)>> = BTreeMap::new();
    let mut add = |family: &str, odds: f64, is_right: bool| {
        if let Some((_, name)) = FAMILIES.iter().find(|(known, _)| *known == family) {
            findings.entry(name).or_default().push((odds, is_right));
        }
    };
    let found = |text: &str| -> Result<Vec<Entity>> {
        let options = DetectOptions {
            privacy_preset: Some(Preset::Aggressive),
            explain: true,
            ..DetectOptions::default()
        };
        Ok(detect(text, &options)?.entities)
    };
    crate::generate(Purpose::Training, seed, documents, |_, document| {
        for entity in found(&document.text)? {
            let bytes = entity.bytes;
            let is_right =
                document.truths.iter().any(|truth| bytes.start < truth.end && truth.start < bytes.end);
            if let Some(family) = family(&entity) {
                add(family, uncalibrated(&entity), is_right);
            }
        }
        Ok(())
    })?;
    real::rely_on(&folder.join("train"), &mut |family, entity, is_right| {
        add(family, uncalibrated(entity), is_right);
    })?;
    Ok(findings.into_iter().map(|(name, findings)| (name, calibration(&findings))).collect())
}

/// Returns the log-odds of a finding before its calibration: the sum of its signals.
///
/// The confidence does not tell it, since a confidence of almost 1 is rounded.
fn uncalibrated(entity: &Entity) -> f64 {
    entity.evidence.iter().filter(|one| one.signal != CALIBRATION).map(|one| one.weight).sum()
}

/// Returns the most likely offset and scale, by Newton's method.
fn calibration(findings: &[(f64, bool)]) -> Calibration {
    let (mut offset, mut scale) = (0.0, 1.0);
    let prior = 1.0 / (WIDE * WIDE);
    for _ in 0..STEPS {
        let mut slope = vec![-offset * prior, (1.0 - scale) * prior];
        let mut curve = vec![vec![prior, 0.0], vec![0.0, prior]];
        for (odds, is_right) in findings {
            let probability = 1.0 / (1.0 + (-(offset + scale * odds)).exp());
            let error = f64::from(u8::from(*is_right)) - probability;
            let certainty = probability * (1.0 - probability);
            slope[0] += error;
            slope[1] += error * odds;
            curve[0][0] += certainty;
            curve[0][1] += certainty * odds;
            curve[1][0] += certainty * odds;
            curve[1][1] += certainty * odds * odds;
        }
        let step = solve(curve, slope);
        offset += step[0].clamp(-1.0, 1.0);
        scale += step[1].clamp(-0.5, 0.5);
    }
    let rounded = |value: f64| (value * 100.0).round() / 100.0;
    // a falling map would order the findings the other way
    Calibration { offset: rounded(offset), scale: rounded(scale.max(0.05)), findings: findings.len() as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved() {
        let solved = solve(vec![vec![4.0, 1.0], vec![1.0, 3.0]], vec![1.0, 2.0]);
        let expected = [1.0 / 11.0, 7.0 / 11.0];
        assert!(solved.iter().zip(expected).all(|(value, expected)| (value - expected).abs() < 1e-12));
    }

    #[test]
    fn a_calibration_gives_the_shares_that_are_right() {
        // 60 % and 90 % are right where the evidence says 73 % and 95 %
        let share = |odds: f64, right: usize| (0..1000).map(move |at| (odds, at < right));
        let findings: Vec<(f64, bool)> = share(1.0, 600).chain(share(3.0, 900)).collect();
        let Calibration { offset, scale, .. } = calibration(&findings);
        let shown = |odds: f64| 1.0 / (1.0 + (-(offset + scale * odds)).exp());
        assert!((shown(1.0) - 0.6).abs() < 0.01 && (shown(3.0) - 0.9).abs() < 0.01, "{offset} {scale}");
    }

    #[test]
    fn a_fit_moves_a_weight_towards_its_candidates_and_holds_others() {
        let value = Value { current: 2.0, argued: 2.0 };
        let examples =
            (0..2000).map(|at| Example { odds: 2.0, features: vec![(at % 2, 1.0)], is_right: true });
        let page = Page {
            names: vec!["words.A".to_owned(), "words.B".to_owned()],
            values: vec![value; 2],
            examples: examples.collect(),
        };
        let fitted = page.fit(&["words.B"]);
        assert!(fitted[0].fitted > 2.2, "{}", fitted[0].fitted);
        assert_eq!((fitted[1].fitted, fitted[1].candidates, fitted[1].right), (2.0, 1000, 1000));
    }
}
