//! How an age is told: the phrases around it, as sorted hashes.

use std::{collections::BTreeSet, fmt::Write as _, path::Path};

use serde::Deserialize;

use crate::tables::{key, parse};

/// `lexicon/ages.toml`.
#[derive(Deserialize)]
struct Ages {
    before: Vec<String>,
    person: Vec<String>,
    old: Vec<String>,
    years: Vec<String>,
}

/// The constants, as Rust.
pub fn compile(folder: &Path) -> String {
    let ages: Ages = parse(&folder.join("ages.toml"));
    let mut out = String::new();
    for (name, phrases) in [
        ("BEFORE", ages.before.iter().collect::<BTreeSet<_>>()),
        ("PERSON", ages.person.iter().collect()),
        ("OLD_PHRASES", ages.old.iter().collect()),
        ("YEARS", ages.years.iter().collect()),
    ] {
        let keys: BTreeSet<u32> = phrases.into_iter().map(|phrase| key(phrase)).collect();
        writeln!(out, "static {name}: [u32; {}] = {keys:?};", keys.len()).unwrap();
    }
    out.replace('{', "[").replace('}', "]")
}
