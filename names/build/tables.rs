//! What the tables of the lexicon are made with.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde::Deserialize;
use textveil_phrase::{Phrase, words};

/// What a table knows a word or a phrase by.
pub fn key(phrase: &str) -> u32 {
    Phrase::EMPTY.with(phrase).value()
}

/// What a table knows the first word of a phrase by.
pub fn first(phrase: &str) -> u32 {
    words(phrase).next().map_or_else(|| key(phrase), |(start, end)| key(&phrase[start..end]))
}

/// The value of each phrase by its key; 0 where a phrase has several.
pub fn settled<'p, P: AsRef<str> + 'p + ?Sized>(
    phrases: impl IntoIterator<Item = (&'p P, u8)>,
) -> BTreeMap<u32, u8> {
    let mut values = BTreeMap::new();
    for (phrase, value) in phrases {
        let known = values.entry(key(phrase.as_ref())).or_insert(value);
        *known = if *known == value { value } else { 0 };
    }
    values
}

/// A list of keys, as Rust.
pub fn list(name: &str, keys: &BTreeSet<u32>) -> String {
    let keys: Vec<&u32> = keys.iter().collect();
    format!("static {name}: [u32; {}] = {keys:?};\n", keys.len())
}

/// A table of values by keys, as Rust.
pub fn table(name: &str, values: &BTreeMap<u32, u8>) -> String {
    let (keys, values): (Vec<u32>, Vec<u8>) = values.iter().unzip();
    format!("static {name}: Table<{}> = Table {{ keys: {keys:?}, values: {values:?} }};\n", keys.len())
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
