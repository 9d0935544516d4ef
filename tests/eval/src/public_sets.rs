//! The committed run on public sets, as a section of the summary; `cargo xtask bench --only people` measures it.

use std::{fmt::Write as _, path::PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

/// The measurements, their sets, and the sets that could not be measured.
#[derive(Deserialize)]
pub struct PublicSets {
    sets: Vec<Set>,
    rows: Vec<Row>,
    skipped: Vec<Skipped>,
}

#[derive(Deserialize)]
struct Set {
    name: String,
    language: String,
    repository: String,
    commit: String,
    licence: String,
    documents: u32,
    names: u32,
}

#[derive(Deserialize)]
struct Row {
    set: String,
    tool: String,
    version: String,
    exact_p: f64,
    exact_r: f64,
    exact_f1: f64,
    exact_f2: f64,
    overlapping_p: f64,
    overlapping_r: f64,
    overlapping_f1: f64,
    seconds_per_megabyte: f64,
}

#[derive(Deserialize)]
struct Skipped {
    what: String,
    reason: String,
}

fn path() -> PathBuf {
    crate::root().join("tests/eval/public-sets.json")
}

impl PublicSets {
    /// The committed run.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn committed() -> Result<Self> {
        let path = path();
        let text = std::fs::read_to_string(&path).with_context(|| {
            format!("{}; `cargo xtask bench --only people -- --bless` writes it", path.display())
        })?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }

    /// For people.
    pub fn section(&self) -> String {
        let mut out = String::from(
            "\n## Public sets\nNames of people in sets of others, found by the engine and by Presidio in one run of `cargo \
             xtask bench --only people`; `-- --bless` writes these figures. Spans are compared without the titles that they \
             begin with.\n\n| set | language | from | licence | documents | names |\n| --- | --- | --- | --- | --- | --- |\n",
        );
        for Set { name, language, repository, commit, licence, documents, names } in &self.sets {
            let short = commit.get(..12).unwrap_or(commit);
            let _ = writeln!(
                out,
                "| {name} | {language} | [{repository}](https://github.com/{repository}/tree/{commit}) at {short} | {licence} | \
                 {documents} | {names} |"
            );
        }
        out.push_str(
            "\n| set | tool | exact P | exact R | exact F1 | exact F2 | P | R | F1 | seconds a MB |\n\
             | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        );
        for row in &self.rows {
            let _ = write!(out, "| {} | {} |", row.set, row.tool);
            for share in [
                row.exact_p,
                row.exact_r,
                row.exact_f1,
                row.exact_f2,
                row.overlapping_p,
                row.overlapping_r,
                row.overlapping_f1,
            ] {
                let _ = write!(out, " {share:.3} |");
            }
            let _ = writeln!(out, " {} |", row.seconds_per_megabyte);
        }
        out.push('\n');
        let mut versions: Vec<_> = self.rows.iter().map(|row| (&row.tool, &row.version)).collect();
        versions.sort();
        versions.dedup();
        for (tool, version) in versions {
            let _ = writeln!(out, "- {tool}: {version}");
        }
        for Skipped { what, reason } in &self.skipped {
            let _ = writeln!(out, "- not measured: {what}: {reason}");
        }
        out
    }
}
