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

/// Each conjunction goes on with a list: the second value hears the label of the first one.
#[test]
fn conjunctions_are_between_the_values_of_a_list() {
    let languages = languages::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("lexicon")).unwrap();
    let options = DetectOptions { explain: true, ..DetectOptions::default() };
    let mut missed = Vec::new();
    for (code, language) in &languages {
        assert!(!language.values.conjunctions.is_empty(), "{code}.toml has no conjunctions");
        for word in &language.values.conjunctions {
            let text = format!("PESEL 44051401359 {word} 02270803624");
            let found = detect(&text, &options).unwrap().entities;
            let heard =
                |signal: &textveil_engine::Evidence| signal.signal == "sibling" && signal.weight > 7.0;
            if !found.get(1).is_some_and(|second| second.evidence.iter().any(heard)) {
                missed.push(format!("{code} {word}"));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}

/// Each rule of a plural is that of a word in a label, or in the name of a number.
#[test]
fn rules_of_plurals_have_labels() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let languages = languages::read(&root.join("lexicon")).unwrap();
    let files = textveil_schema::file::read(&root.join("catalogue")).unwrap();
    let mut unused = Vec::new();
    for (code, language) in &languages {
        let labels = files.iter().filter_map(|entry| entry.file.words.get(code)).flatten();
        let labels = labels.chain(language.labels.values().flatten()).chain(&language.values.other_names);
        let words: BTreeSet<String> =
            labels.flat_map(|label| label.split(' ').map(str::to_lowercase)).collect();
        let rules = language.inflection.label_plural.iter().chain(&language.inflection.counted_plural);
        for rule in rules {
            let (_, singulars) = rule.split_once('>').unwrap();
            let is_used = |singular: &str| words.iter().any(|word| word.ends_with(singular));
            if !singulars.split('|').all(is_used) {
                unused.push(format!("{code} {rule}"));
            }
        }
    }
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn plurals_of_labels_are_labels() {
    for (text, kind) in [
        ("PESELs: 44051401359", "pesel"),
        ("numery PESEL: 44051401359", "pesel"),
        ("Reisepassnummern: C01X00T47", "reisepass"),
        ("rodná čísla: 736028/5163", "rodne_cislo"),
        ("numéros de téléphone : 06 39 98 10 10", "phone_number"),
        ("números de teléfono: 612 345 678", "phone_number"),
        ("numeri di telefono: 333 1234567", "phone_number"),
        ("telefonszámok: 06 30 123 4567", "phone_number"),
        ("telefon numaraları: 0532 123 45 67", "phone_number"),
        ("номера телефонов: 8 (495) 123-45-67", "phone_number"),
        ("puhelinnumerot: 040 123 4567", "phone_number"),
    ] {
        let options = DetectOptions { explain: true, ..DetectOptions::default() };
        let found = detect(text, &options).unwrap().entities;
        let label = |signal: &textveil_engine::Evidence| signal.signal == "label" && signal.weight > 9.0;
        let is_found = found.iter().any(|one| one.kind == kind && one.evidence.iter().any(label));
        assert!(is_found, "{text}: {found:?}");
    }
    // quantities are not numbers
    for text in ["Passports: 1204556 issued", "Phones: 1 204 556", "Telefony: 1204556"] {
        assert_eq!(detect(text, &DetectOptions::default()).unwrap().entities.len(), 0, "{text}");
    }
}
