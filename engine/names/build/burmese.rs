//! The parts of Burmese names: titles, particles and syllables.

use std::{collections::BTreeSet, fmt::Write as _, path::Path};

use serde::Deserialize;

use crate::tables::parse;

/// `lexicon/burmese.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    titles: Vec<String>,
    particles: Vec<String>,
    syllables: String,
}

/// The constants, as Rust: lists with the longest entries first.
pub fn compile(folder: &Path) -> String {
    let Parts { titles, particles, syllables } = parse(&folder.join("burmese.toml"));
    let mut out = String::new();
    let mut list = |name: &str, entries: BTreeSet<&str>| {
        let mut entries: Vec<&str> = entries.into_iter().collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.len()));
        writeln!(out, "static {name}: [&str; {}] = {entries:?};", entries.len()).unwrap();
    };
    list("TITLES", titles.iter().map(String::as_str).collect());
    list("PARTICLES", particles.iter().map(String::as_str).collect());
    list("SYLLABLES", syllables.split_whitespace().collect());
    out
}
