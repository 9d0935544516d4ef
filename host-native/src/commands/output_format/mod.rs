//! Reports of findings for programs: types and places, never values.
//!
//! A finding on a line with a comment `textveil:allow` is left out, and so is one that the baseline has.

mod allow;
mod baseline;
mod github;
mod gitlab;
mod sarif;

use std::{
    collections::{HashMap, HashSet},
    io::Write,
    path::{Component, Path, PathBuf},
};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use serde::Serialize;
use textveil::Engine;
use textveil_documents::Record;
use textveil_engine::{Entity, wire::DetectorInfo};

use super::counted;
use crate::documents::Source;
use allow::Allowed;
use baseline::{Baseline, Fingerprints};

/// The form of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    /// One line per finding: path:line:column, type, country and confidence
    Text,
    /// One JSON object with a list of findings
    Json,
    /// Annotations of GitHub Actions
    Github,
    /// A Code Quality report of GitLab
    Gitlab,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

/// The report, and the findings that it leaves out.
#[derive(Args)]
#[command(next_help_heading = "Reports")]
pub struct ReportFlags {
    /// Report types and places without values, in this form. Findings that a comment `textveil:allow TYPE REASON` allows
    /// are left out
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "json")]
    output_format: Option<OutputFormat>,
    /// Leave out the findings of this file
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    baseline: Option<PathBuf>,
    /// Write the findings into the file of --baseline, which is made if it is absent
    #[arg(long, requires = "baseline")]
    update_baseline: bool,
}

/// A finding in a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Reported {
    /// The detector: its region and its type, such as `pl/pesel`.
    rule: String,
    #[serde(rename = "type")]
    kind: String,
    country: Option<String>,
    confidence: f64,
    path: String,
    /// From 1, as all of these.
    line: usize,
    column: usize,
    end_line: usize,
    /// Exclusive.
    end_column: usize,
    /// Of the rule and the value, with the key of the baseline; without a baseline, of the rule and the path.
    fingerprint: String,
}

impl Reported {
    /// Says what is there, without the value.
    fn message(&self) -> String {
        let country = self.country.as_ref().map(|country| format!(" of {country}")).unwrap_or_default();
        format!("personal data: {}{country}, confidence {:.2}", self.kind, self.confidence)
    }
}

/// Collects the findings of a report.
pub struct Report<'a> {
    flags: &'a ReportFlags,
    format: OutputFormat,
    rules: Rules,
    baseline: Option<Baseline>,
    fingerprints: Fingerprints,
    findings: Vec<Reported>,
    /// The documents that were read; empty unless the baseline is updated.
    paths: HashSet<String>,
}

impl ReportFlags {
    /// Begins the report; `None` for findings with their values.
    ///
    /// # Errors
    /// If the baseline cannot be read.
    pub fn report(&self, engine: &Engine) -> Result<Option<Report<'_>>> {
        let Self { output_format, baseline, update_baseline } = self;
        if output_format.is_none() && baseline.is_none() {
            return Ok(None);
        }
        let baseline = match baseline {
            Some(file) if file.exists() => Some(Baseline::read(file)?),
            Some(_) if *update_baseline => Some(Baseline::new()?),
            Some(file) => bail!("{} does not exist; make it with --update-baseline", file.display()),
            None => None,
        };
        Ok(Some(Report {
            flags: self,
            format: output_format.unwrap_or(OutputFormat::Text),
            rules: Rules::new(engine.detectors(None)?),
            fingerprints: Fingerprints::new(baseline.as_ref()),
            baseline,
            findings: Vec::new(),
            paths: HashSet::new(),
        }))
    }
}

/// The findings in one document that no comment allows.
pub struct DocumentReport {
    path: String,
    allowed: Allowed,
    found: Vec<Placed>,
}

/// A finding with its line and column, and those of its end.
struct Placed {
    entity: Entity,
    start: (usize, usize),
    end: (usize, usize),
}

impl DocumentReport {
    /// Begins the report of a document.
    pub fn new(source: &Source) -> Self {
        Self { path: path_of(source), allowed: Allowed::default(), found: Vec::new() }
    }

    /// Adds the findings of the next record, for each of its values. Returns the problems of comments, with their lines.
    pub fn record(&mut self, record: &Record, findings: Vec<Vec<Entity>>) -> Vec<String> {
        let problems = self.allowed.read(&record.raw, record.line);
        // both go through the record once
        let (mut starts, mut ends) = (record.positions(), record.positions());
        for (value, entities) in record.values.iter().zip(findings) {
            for entity in entities {
                let start = starts.of(value, entity.bytes.start);
                let end = ends.of(value, entity.bytes.end);
                if !self.allowed.has(start.0, &entity.kind) {
                    self.found.push(Placed { entity, start, end });
                }
            }
        }
        problems.into_iter().map(|(line, problem)| format!("{line}: {problem}")).collect()
    }
}

impl Report<'_> {
    /// Adds the findings of a document.
    pub fn add(&mut self, DocumentReport { path, found, .. }: DocumentReport) {
        for Placed { entity, start: (line, column), end: (end_line, end_column) } in found {
            let country = entity.country.map(|country| country.upper());
            let rule = self.rules.of(&entity.kind, country.as_deref());
            self.findings.push(Reported {
                fingerprint: self.fingerprints.of(&rule, &path, &entity.original),
                rule,
                kind: entity.kind.to_string(),
                country,
                confidence: entity.confidence,
                path: path.clone(),
                line,
                column,
                end_line,
                end_column: end_column.max(column + usize::from(end_line == line)),
            });
        }
        if self.flags.update_baseline {
            self.paths.insert(path);
        }
    }

    /// Writes the report, or the baseline, and returns the number of findings that are left.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self, out: &mut impl Write) -> Result<usize> {
        if let (Some(file), Some(baseline)) = (&self.flags.baseline, self.baseline.take()) {
            if self.flags.update_baseline {
                let count = baseline.updated(&self.findings, &self.paths).write(file)?;
                eprintln!("{} has {}", file.display(), counted(count, "finding"));
                return Ok(0);
            }
            self.findings.retain(|finding| !baseline.has(finding));
        }
        match self.format {
            OutputFormat::Text => text(out, &self.findings)?,
            OutputFormat::Json => {
                serde_json::to_writer(&mut *out, &serde_json::json!({ "findings": self.findings }))?;
                writeln!(out)?;
            }
            OutputFormat::Github => github::write(out, &self.findings)?,
            OutputFormat::Gitlab => gitlab::write(out, &self.findings)?,
            OutputFormat::Sarif => sarif::write(out, &self.findings, &self.rules)?,
        }
        Ok(self.findings.len())
    }
}

fn text(out: &mut impl Write, findings: &[Reported]) -> Result<()> {
    for Reported { kind, country, confidence, path, line, column, .. } in findings {
        let country = country.as_deref().unwrap_or("-");
        writeln!(out, "{path}:{line}:{column}: {kind} {country} {confidence:.2}")?;
    }
    Ok(())
}

/// Returns the path of a document with `/`, without `./` at its start.
fn path_of(source: &Source) -> String {
    let Some(path) = &source.path else { return source.name() };
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(here).unwrap_or(path);
    slashed(path)
}

fn slashed(path: &Path) -> String {
    let root = path.has_root().then_some(String::new());
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        Component::ParentDir => Some("..".to_owned()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    });
    root.into_iter().chain(parts).collect::<Vec<_>>().join("/")
}

/// The detectors by region and type.
struct Rules {
    detectors: Vec<DetectorInfo>,
    /// The index of a detector by its rule.
    by_rule: HashMap<String, usize>,
}

impl Rules {
    fn new(detectors: Vec<DetectorInfo>) -> Self {
        let rule = |detector: &DetectorInfo| rule(detector.region, detector.entity_type);
        let by_rule = detectors.iter().enumerate().map(|(index, detector)| (rule(detector), index)).collect();
        Self { detectors, by_rule }
    }

    /// Returns the rule of a finding: `custom/…` for a type of the caller's own.
    fn of(&self, kind: &str, country: Option<&str>) -> String {
        let regions = [country.unwrap_or("GLOBAL"), "GLOBAL", "EU"];
        let known = regions.into_iter().map(|region| rule(region, kind));
        known.into_iter().find(|rule| self.by_rule.contains_key(rule)).unwrap_or_else(|| rule("custom", kind))
    }

    /// Returns the description of a rule.
    fn description<'r>(&'r self, rule: &'r str) -> &'r str {
        let detector = self.by_rule.get(rule).and_then(|index| self.detectors.get(*index));
        detector.map_or("A type of the caller's own.", |detector| detector.description)
    }
}

fn rule(region: &str, kind: &str) -> String {
    format!("{}/{kind}", region.to_ascii_lowercase())
}

#[cfg(test)]
fn finding(rule: &str, path: &str, line: usize) -> Reported {
    Reported {
        rule: rule.to_owned(),
        kind: rule.split('/').next_back().unwrap_or_default().to_owned(),
        country: None,
        confidence: 0.99,
        path: path.to_owned(),
        line,
        column: 3,
        end_line: line,
        end_column: 9,
        fingerprint: format!("{rule}{line}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_has_the_region_of_its_detector() {
        let detector = |region, entity_type| DetectorInfo {
            name: entity_type,
            description: "A number.",
            region,
            category: "identity",
            entity_type,
        };
        let rules = Rules::new(vec![
            detector("PL", "pesel"),
            detector("GLOBAL", "phone_number"),
            detector("EU", "vat_moss"),
        ]);
        for (kind, country, want) in [
            ("pesel", Some("PL"), "pl/pesel"),
            ("phone_number", Some("CZ"), "global/phone_number"),
            ("phone_number", None, "global/phone_number"),
            ("vat_moss", None, "eu/vat_moss"),
            ("employee", None, "custom/employee"),
        ] {
            assert_eq!(rules.of(kind, country), want);
        }
        assert_eq!(rules.description("pl/pesel"), "A number.");
    }

    #[test]
    fn paths_are_written_with_slashes() {
        for (path, want) in [("./a/b.txt", "a/b.txt"), ("a/./b", "a/b"), ("../a", "../a"), ("/a/b", "/a/b")] {
            assert_eq!(slashed(Path::new(path)), want);
        }
    }
}
