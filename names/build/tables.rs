//! What the tables of the lexicon are made with.

use std::{fs, path::Path};

use serde::Deserialize;
use textveil_phrase::Phrase;

/// What a table knows a word or a phrase by.
pub fn key(phrase: &str) -> u32 {
    Phrase::EMPTY.with(phrase).value()
}

/// A bit for each key, at its end; `src/filter.rs` looks it up.
pub fn filter<'k>(keys: impl IntoIterator<Item = &'k u32>, words: usize) -> Vec<u64> {
    let mut bits = vec![0_u64; words];
    for key in keys {
        let bit = *key as usize % (words * 64);
        bits[bit / 64] |= 1 << (bit % 64);
    }
    bits
}

/// A file of the lexicon.
pub fn parse<T: for<'de> Deserialize<'de>>(file: &Path) -> T {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}
