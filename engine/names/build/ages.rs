//! Compiles the phrases around ages, as sorted hashes.

use std::{collections::BTreeSet, fmt::Write as _, path::Path};

use serde::Deserialize;

use crate::tables::{beginnings, ends, filter, key, list, parse};

/// The length of the filters of prefixes and of suffixes, in 64-bit words.
const FILTER: usize = 128;

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
    let behind: BTreeSet<u32> =
        ages.old.iter().chain(&ages.years).flat_map(|phrase| beginnings(phrase)).collect();
    let ahead: BTreeSet<u32> =
        ages.before.iter().chain(&ages.person).flat_map(|phrase| ends(phrase)).collect();
    for (name, keys) in [("BEHIND", behind), ("AHEAD", ahead)] {
        writeln!(out, "static {name}: [u64; {FILTER}] = {:?};", filter(&keys, FILTER)).unwrap();
    }
    for (name, phrases) in
        [("BEFORE", ages.before), ("PERSON", ages.person), ("OLD_PHRASES", ages.old), ("YEARS", ages.years)]
    {
        out += &list(name, &phrases.iter().map(|phrase| key(phrase)).collect());
    }
    out
}
