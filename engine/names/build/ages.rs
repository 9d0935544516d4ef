//! Compiles the phrases around ages, as sorted hashes.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use textveil_phrase::languages::{Ages, Language};

use crate::tables::{beginnings, ends, filter, key, list};

/// The length of the filters of prefixes and of suffixes, in 64-bit words.
const FILTER: usize = 128;

/// The constants, as Rust.
pub fn compile(languages: &BTreeMap<String, Language>) -> String {
    let of = |list: fn(&Ages) -> &Vec<String>| -> Vec<&String> {
        languages.values().flat_map(|language| list(&language.ages)).collect()
    };
    let [before, person] = [of(|ages| &ages.before), of(|ages| &ages.person)];
    let [old, years] = [of(|ages| &ages.old), of(|ages| &ages.years)];
    let mut out = String::new();
    let behind: BTreeSet<u32> =
        old.iter().chain(&years).chain(&person).flat_map(|phrase| beginnings(phrase)).collect();
    let ahead: BTreeSet<u32> = before.iter().chain(&person).flat_map(|phrase| ends(phrase)).collect();
    for (name, keys) in [("BEHIND", behind), ("AHEAD", ahead)] {
        writeln!(out, "static {name}: [u64; {FILTER}] = {:?};", filter(&keys, FILTER)).unwrap();
    }
    for (name, phrases) in [("BEFORE", before), ("PERSON", person), ("OLD_PHRASES", old), ("YEARS", years)] {
        out += &list(name, &phrases.iter().map(|phrase| key(phrase)).collect());
    }
    out
}
