//! How an age is told: the phrases around it, and numbers in words, as sorted hashes.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::Path,
};

use serde::Deserialize;
use textveil_phrase::words;

use crate::tables::{filter, key, parse};

/// `lexicon/ages.toml`.
#[derive(Deserialize)]
struct Ages {
    before: Vec<String>,
    person: Vec<String>,
    old: Vec<String>,
    years: Vec<String>,
    numbers: BTreeMap<String, Numbers>,
}

/// The numbers of a language.
#[derive(Deserialize)]
struct Numbers {
    units: Vec<String>,
    tens: Vec<String>,
    joined: Vec<String>,
    /// The tens that go on to nineteen.
    #[serde(default)]
    teens: Vec<String>,
}

/// The constants, as Rust.
pub fn compile(folder: &Path) -> String {
    let ages: Ages = parse(&folder.join("ages.toml"));
    let numbers: BTreeSet<String> = ages.numbers.values().flat_map(Numbers::all).collect();
    let mut out = String::new();
    for (name, phrases) in [
        ("BEFORE", ages.before.iter().collect::<BTreeSet<_>>()),
        ("PERSON", ages.person.iter().collect()),
        ("OLD_PHRASES", ages.old.iter().collect()),
        ("YEARS", ages.years.iter().collect()),
        ("NUMBERS", numbers.iter().collect()),
    ] {
        let keys: BTreeSet<u32> = phrases.into_iter().map(|phrase| key(phrase)).collect();
        writeln!(out, "static {name}: [u32; {}] = {keys:?};", keys.len()).unwrap();
    }
    let first = |number: &String| words(number).next().map(|(start, end)| key(&number[start..end]));
    let firsts: BTreeSet<u32> = numbers.iter().filter_map(first).collect();
    let all: BTreeSet<u32> = numbers.iter().map(|number| key(number)).collect();
    for (name, keys) in [("NUMBER_FIRSTS", firsts), ("NUMBER_FILTER", all)] {
        writeln!(out, "static {name}: [u64; {FILTER}] = {:?};", filter(&keys, FILTER)).unwrap();
    }
    out.replace('{', "[").replace('}', "]")
}

/// How many words of bits the filters of numbers and of their first words have.
const FILTER: usize = 256;

impl Numbers {
    /// From one to ninety-nine.
    fn all(&self) -> Vec<String> {
        let mut all: Vec<String> = self.units.iter().skip(1).chain(&self.tens).cloned().collect();
        for tens in &self.tens {
            let most = if self.teens.contains(tens) { 20 } else { 10 };
            for unit in self.units.iter().take(most).skip(1) {
                let joined = |pattern: &String| pattern.replace("{tens}", tens).replace("{unit}", unit);
                all.extend(self.joined.iter().map(joined));
            }
        }
        all
    }
}
