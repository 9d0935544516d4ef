//! Keys and filters for the tables of the lexicon.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde::Deserialize;
use textveil_phrase::{Phrase, words};

/// Returns the key of a word or a phrase in a table.
pub fn key(phrase: &str) -> u32 {
    Phrase::EMPTY.with(phrase).value()
}

/// Returns the key of the first word of a phrase.
pub fn first(phrase: &str) -> u32 {
    words(phrase).next().map_or_else(|| key(phrase), |(start, end)| key(&phrase[start..end]))
}

/// Returns the keys of all prefixes of a phrase; its words may be written as one.
pub fn beginnings(phrase: &str) -> impl Iterator<Item = u32> {
    phrase.chars().scan(Phrase::EMPTY, |begun, letter| {
        *begun = begun.with_letter(letter);
        Some(begun.value())
    })
}

/// Returns the keys of all suffixes of a phrase.
pub fn ends(phrase: &str) -> impl Iterator<Item = u32> {
    phrase.char_indices().map(|(start, _)| key(&phrase[start..]))
}

/// Returns the value of each phrase by its key; 0 if a phrase has several.
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

/// Keys to each block of a list of them.
const BLOCK: usize = 32;

/// Returns a long list of keys, as Rust, with the data for `src/table.rs` to find one: the typical distance
/// of each block's keys from the positions of evenly distributed keys, and the maximum deviation from that.
pub fn keys(name: &str, keys: &BTreeSet<u32>) -> String {
    let share = |key: u32, of: usize| ((u64::from(key) * of as u64) >> 32) as usize;
    let mut blocks = vec![BTreeSet::new(); keys.len() / BLOCK];
    for (at, key) in keys.iter().enumerate() {
        blocks[share(*key, keys.len() / BLOCK)].insert(at as i64 - share(*key, keys.len()) as i64);
    }
    let ends = |block: &BTreeSet<i64>| {
        (block.first().copied().unwrap_or_default(), block.last().copied().unwrap_or_default())
    };
    let drifts: Vec<i64> = blocks.iter().map(ends).map(|(least, most)| (least + most) / 2).collect();
    let near = blocks.iter().map(ends).map(|(least, most)| (most - least + 1) / 2).max().unwrap_or_default();
    let keys: Vec<&u32> = keys.iter().collect();
    format!(
        "static {name}: Keys<{}, {}> = Keys {{ keys: {keys:?}, drifts: {drifts:?}, near: {near} }};\n",
        keys.len(),
        drifts.len(),
    )
}

/// A bit for each key, at its end; `src/table.rs` looks it up.
pub fn filter<'k>(keys: impl IntoIterator<Item = &'k u32>, words: usize) -> Vec<u64> {
    let mut bits = vec![0_u64; words];
    for key in keys {
        let bit = *key as usize % (words * 64);
        bits[bit / 64] |= 1 << (bit % 64);
    }
    bits
}

/// Returns one bit for each key in each of four or eight sets, as Rust: the bits of a key are adjacent.
/// `src/table.rs` looks them up.
pub fn sets(name: &str, sets: &[&BTreeSet<u32>], words: usize) -> String {
    let mut bits = vec![0_u64; words];
    for (set, keys) in sets.iter().enumerate() {
        for key in *keys {
            let bit = (*key as usize * sets.len() + set) % (words * 64);
            bits[bit / 64] |= 1 << (bit % 64);
        }
    }
    format!("static {name}: [u64; {words}] = {bits:?};\n")
}

/// A file of the lexicon.
pub fn parse<T: for<'de> Deserialize<'de>>(file: &Path) -> T {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}
