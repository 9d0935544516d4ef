//! Numbers in words from one to ninety-nine, and the words with which digits are dictated, as sorted hashes with their values.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use textveil_phrase::languages::{Language, Numbers};

use crate::tables::{beginnings, filter, first, key, settled, table};

/// Size of the filter of numbers, in words of bits.
const FILTER: usize = 256;

/// The constants, as Rust, and the first words of numbers.
pub fn compile(languages: &BTreeMap<String, Language>) -> (String, BTreeSet<u32>) {
    let numbers: Vec<(String, u8)> =
        languages.values().filter_map(|language| language.numbers.as_ref()).flat_map(all).collect();
    let mut out = table("NUMBERS", &settled(numbers.iter().map(|(number, value)| (number, *value))));
    let of = |key: fn(&str) -> u32| numbers.iter().map(|(number, _)| key(number)).collect();
    writeln!(out, "static FILTER: [u64; {FILTER}] = {:?};", filter(&of(key), FILTER)).unwrap();
    (out, of(first))
}

/// The values of words for `@` and for a dot, and of the word that repeats a digit twice. Smaller ones are digits and one.
const AT: u8 = 11;
const DOT: u8 = 12;
const REPEATS: u8 = 13;

/// Returns the words of dictation, as Rust, and the first words among them.
pub fn dictation(languages: &BTreeMap<String, Language>) -> (String, BTreeSet<u32>) {
    let words = languages.values().flat_map(|Language { dictation, .. }| {
        assert!(matches!(dictation.digits.len(), 0 | 10), "ten digits: {:?}", dictation.digits);
        let at = dictation.at.iter().map(|word| (AT, word.as_str()));
        let dot = dictation.dot.iter().map(|word| (DOT, word.as_str()));
        forms(&dictation.digits, 1, 1).chain(forms(&dictation.repeats, REPEATS, 1)).chain(at).chain(dot)
    });
    let words: Vec<(&str, u8)> = words.map(|(value, word)| (word, value)).collect();
    let mut out = table("DICTATED", &settled(words.iter().copied()));
    writeln!(out, "const AT: u8 = {AT};\nconst DOT: u8 = {DOT};\nconst REPEATS: u8 = {REPEATS};").unwrap();
    let separators: BTreeSet<u32> = words
        .iter()
        .filter(|(_, value)| matches!(*value, AT | DOT))
        .flat_map(|(word, _)| beginnings(word))
        .collect();
    writeln!(out, "static SEPARATORS: [u64; {FILTER}] = {:?};", filter(&separators, FILTER)).unwrap();
    // `at` is in every sentence
    (out, words.iter().filter(|(_, value)| *value != AT).map(|(word, _)| first(word)).collect())
}

/// From one to ninety-nine; each may have several forms, parted by `|`.
fn all(numbers: &Numbers) -> Vec<(String, u8)> {
    let units = || forms(&numbers.units, 0, 1).skip_while(|(value, _)| *value == 0);
    let tens = || forms(&numbers.tens, numbers.units.len() as u8, 10);
    let mut all: Vec<(String, u8)> =
        units().chain(tens()).map(|(value, number)| (number.to_owned(), value)).collect();
    for (ten, tens) in tens() {
        let most = if numbers.teens.iter().any(|teens| teens == tens) { 20 } else { 10 };
        for (value, unit) in units().take_while(|(value, _)| *value < most) {
            let joined = |pattern: &String| pattern.replace("{tens}", tens).replace("{unit}", unit);
            all.extend(numbers.joined.iter().map(|pattern| (joined(pattern), ten + value)));
        }
    }
    all
}

/// Returns the forms of words, separated by `|`, with their values: `first` for the first word, and `step`
/// more for each following one.
fn forms(words: &[String], first: u8, step: usize) -> impl Iterator<Item = (u8, &str)> {
    let values = (first..).step_by(step);
    values.zip(words).flat_map(|(value, forms)| forms.split('|').map(move |form| (value, form)))
}
