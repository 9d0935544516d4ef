//! How an age is told: the phrases around it, as sorted hashes.

use std::path::Path;

use serde::Deserialize;

use crate::tables::{key, list, parse};

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
    for (name, phrases) in
        [("BEFORE", ages.before), ("PERSON", ages.person), ("OLD_PHRASES", ages.old), ("YEARS", ages.years)]
    {
        out += &list(name, &phrases.iter().map(|phrase| key(phrase)).collect());
    }
    out
}
