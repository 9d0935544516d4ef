//! Labels are exact: a word that is not a label is evidence neither for a value nor against it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test"
)]

use std::{collections::BTreeSet, fs, path::Path};

use textveil_engine::{DetectOptions, detect};
use textveil_phrase::languages::{self, LabelList};

/// Made-up words to put in front of a value. One word in 500 hid it while labels were compared by 23 bits of a hash.
const WORDS: u64 = 100_000;

/// Adds the letters of every string of a TOML value.
fn strings(value: &toml::Value, into: &mut BTreeSet<String>) {
    match value {
        toml::Value::String(text) => {
            into.insert(textveil_phrase::letters(text).collect());
        }
        toml::Value::Array(list) => list.iter().for_each(|value| strings(value, into)),
        toml::Value::Table(table) => table.values().for_each(|value| strings(value, into)),
        _ => {}
    }
}

/// The letters of all strings in the files of the catalogue and of the countries, labels among them.
fn known_words() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("countries.toml")];
    let lexicon = fs::read_dir(root.join("lexicon")).unwrap().map(|entry| entry.unwrap().path());
    files.extend(lexicon.filter(|path| path.extension().is_some_and(|ending| ending == "toml")));
    for folder in fs::read_dir(root.join("catalogue")).unwrap().map(|entry| entry.unwrap().path()) {
        if folder.is_dir() {
            files.extend(fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    let mut words = BTreeSet::new();
    for file in files {
        strings(&toml::from_str(&fs::read_to_string(file).unwrap()).unwrap(), &mut words);
    }
    words
}

/// The made-up word of a number: three or four syllables, as pronounceable as a word of any language.
fn made_up(number: u64) -> String {
    let consonants = b"bcdfghjklmnprstvwz";
    let mut state = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = |below: u64| {
        state = (state ^ (state >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (state >> 33) % below
    };
    let mut word = String::new();
    for _ in 0..3 + next(2) {
        word.push(char::from(consonants[next(18) as usize]));
        word.push(char::from(b"aeiou"[next(5) as usize]));
    }
    word.push(char::from(consonants[next(18) as usize]));
    word
}

#[test]
fn no_made_up_word_hides_an_identifier() {
    let known = known_words();
    let mut hidden = Vec::new();
    let mut tried = 0;
    for word in (0..WORDS).map(made_up).filter(|word| !known.contains(word)) {
        tried += 1;
        let found = detect(&format!("the {word} 44051401359"), &DetectOptions::default()).unwrap();
        if !found.entities.iter().any(|entity| entity.kind == "pesel") {
            hidden.push(word);
        }
    }
    assert!(tried > WORDS / 2);
    assert!(hidden.is_empty(), "{} of {tried} words hide it: {hidden:?}", hidden.len());
}

/// Labels of the crate of names find their values: the engine reads the same list.
#[test]
fn labels_of_the_lexicon_find_their_values() {
    let languages = languages::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("lexicon")).unwrap();
    let mut missed = Vec::new();
    let mut tried = 0;
    for (list, value, kind) in [
        (LabelList::BirthDate, "12/03/1980", "date_of_birth"),
        (LabelList::Nationality, "Czech", "nationality"),
        (LabelList::PostalCode, "1010", "postal_code"),
        (LabelList::Sex, "F", "gender"),
    ] {
        for (code, language) in &languages {
            for label in language.labels.get(&list).into_iter().flatten() {
                let text = format!("{label}: {value}");
                let found = detect(&text, &DetectOptions::default()).unwrap().entities;
                tried += 1;
                // a postal code may be of one country, or a part of an address
                let postal = list == LabelList::PostalCode;
                let is_found = |original: &str, found: &str| match postal {
                    true => original.contains(value),
                    false => original == value && found == kind,
                };
                if !found.iter().any(|entity| is_found(&entity.original, &entity.kind)) {
                    missed.push(format!("{code} {text}"));
                }
            }
        }
    }
    assert!(tried > 300);
    assert!(missed.is_empty(), "{} of {tried}: {missed:#?}", missed.len());
}
