//! The table of labels.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use textveil_phrase::{self as phrase, Phrase, languages::Language};
use textveil_schema::file::{Entry, File};

use crate::{
    file::Evidence,
    phrases::Phrases,
    plurals::{LabelForm, Number, Plurals},
    write::{Output, country_literal},
};

/// A number without a detector: a word between a label and its value.
const CONNECTOR: usize = 0x7fff;
/// A number without a detector: a name of something that is not personal data.
const OTHER_NAME: usize = 0x7ffe;
/// A number without a detector: a label in the plural.
const PLURAL: usize = 0x7ffd;
/// A number without a detector: the plural of a thing, which may be counted.
const COUNTED: usize = 0x7ffc;
/// The first of the numbers without a detector that encode the names of countries.
const NAMES: usize = 0x7000;

impl Output {
    /// Writes the table of labels: for each phrase, its detectors.
    pub(crate) fn labels(
        &mut self,
        entries: &[Entry],
        evidence: &Evidence,
        languages: &BTreeMap<String, Language>,
    ) {
        let mut phrases = Phrases::default();
        let plurals = Plurals::new(languages);
        let packed = |detector: usize, near: bool| (detector << 1 | usize::from(near)) as u16;
        for (index, Entry { name, file, .. }) in entries.iter().enumerate() {
            let other = file.words_of.as_ref().map(|other| {
                let known = entries.iter().find(|entry| entry.name == *other);
                let known = known.unwrap_or_else(|| panic!("{name}: no file {other} to take words of"));
                &known.file.words
            });
            let labels = [Some(&file.words), other].into_iter().flatten().map(|words| (words, false));
            for (words, near) in labels.chain([(&file.near, true)]) {
                let plurals = &plurals;
                let forms = words.iter().flat_map(|(code, labels)| {
                    let forms = move |label: &String| match near {
                        true => vec![LabelForm { written: label.clone(), number: Number::Singular }],
                        false => plurals.forms(code, name, label),
                    };
                    labels.iter().flat_map(forms)
                });
                for LabelForm { written: phrase, number } in &forms.collect::<Vec<LabelForm>>() {
                    // a character of a script without spaces is a word
                    let most = if phrase.chars().any(phrase::is_alone) { 16 } else { 5 };
                    assert!(
                        phrase::words(phrase).count() <= most,
                        "{name}: the label {phrase} has too many words"
                    );
                    let uses = phrases.entry(phrase);
                    if !uses.iter().any(|known| usize::from(known >> 1) == index) {
                        uses.push(packed(index, near));
                    }
                    let says = match number {
                        Number::Singular => &[][..],
                        Number::Plural => &[PLURAL],
                        Number::Counted => &[PLURAL, COUNTED],
                    };
                    for said in says.iter().map(|said| packed(*said, false)) {
                        if !uses.contains(&said) {
                            uses.push(said);
                        }
                    }
                }
            }
        }
        let connectors = languages.values().flat_map(|language| &language.values.connectors);
        let connectors = connectors.chain(&evidence.connectors);
        let other_names = languages.iter().flat_map(|(code, language)| {
            language.values.other_names.iter().flat_map(|name| plurals.forms(code, "", name))
        });
        let other_names = other_names.map(|form| form.written);
        let other_names: Vec<String> = other_names.chain(evidence.other_names.iter().cloned()).collect();
        let names = evidence.names.values().zip(NAMES..);
        let names = names.flat_map(|(words, name)| words.iter().map(move |word| (word, name)));
        let others = connectors.map(|word| (word, CONNECTOR));
        let others = others.chain(other_names.iter().map(|word| (word, OTHER_NAME)));
        for (phrase, stands_for) in others.chain(names) {
            let (uses, own) = (phrases.entry(phrase), packed(stands_for, false));
            if !uses.contains(&own) {
                uses.push(own);
            }
        }
        let dates = entries.iter().filter(|entry| entry.file.recogniser.as_deref() == Some("date"));
        let english: Vec<u32> = dates
            .flat_map(|entry| entry.file.words.get("en").into_iter().flatten())
            .map(|phrase| Phrase::EMPTY.with(phrase).value())
            .collect();
        writeln!(self.text, "static ENGLISH_DATE_LABELS: &[u32] = &{english:?};").unwrap();
        writeln!(self.text, "/// Stands for the words between a label and its value.\npub(crate) const CONNECTOR: u16 = {CONNECTOR};\n/// Stands for a plural.\npub(crate) const PLURAL: u16 = {PLURAL};\n/// Stands for the plural of a thing, which may be counted.\npub(crate) const COUNTED: u16 = {COUNTED};").unwrap();
        let countries: Vec<String> = evidence.names.keys().map(|code| country_literal(code)).collect();
        writeln!(
            self.text,
            "const NAMES: u16 = {NAMES};\nstatic NAMED: &[Country] = &[{}];",
            countries.join(", ")
        )
        .unwrap();
        let marks = [PLURAL, COUNTED].map(|mark| packed(mark, false));
        phrases.write("LABELS", "u16", &marks, self.small, &mut self.text);
    }

    /// Writes the lists of single words around values, each sorted.
    pub(crate) fn word_lists(&mut self, evidence: &Evidence, languages: &BTreeMap<String, Language>) {
        type List = fn(&Language) -> &Vec<String>;
        let lists: [(&str, &str, &[String], List); 6] = [
            ("CONJUNCTIONS", "between two values of a list", &[], |language| &language.values.conjunctions),
            ("TIES", "between a value and a label behind it", &[], |language| &language.values.ties),
            ("POSSESSIVES", "before a label behind a value and a connector", &[], |language| {
                &language.values.possessives
            }),
            ("PREPOSITIONS", "between the label of a secret and what it opens", &[], |language| {
                &language.values.prepositions
            }),
            ("EXTENSIONS", "between a telephone number and its extension", &[], |language| {
                &language.values.extensions
            }),
            ("UNITS", "behind an amount", &evidence.units, |language| &language.values.units),
        ];
        for (name, place, of_no_language, list) in lists {
            let words = languages.values().flat_map(list).chain(of_no_language);
            let words: BTreeSet<String> = words.map(|word| phrase::case::lower_text(word)).collect();
            let alone = |word: &&String| {
                word.contains(|letter: char| !phrase::is_letter(letter) && !phrase::is_mark(letter))
            };
            assert_eq!(words.iter().find(alone), None, "an entry of {name} must be one word");
            let filter = filter(words.iter().map(String::as_str));
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            writeln!(
                self.text,
                "/// The words {place}.\npub(crate) static {name}: WordList = WordList {{ filter: {filter:?}, words: {:?} }};",
                words.join(" ")
            )
            .unwrap();
        }
    }

    /// Writes which words are copulas: the compiler compares words of one length as numbers.
    pub(crate) fn copulas(&mut self, languages: &BTreeMap<String, Language>) {
        let words: BTreeSet<String> =
            languages.values().flat_map(|language| &language.values.copulas).cloned().collect();
        let longest = words.iter().map(String::len).max().unwrap_or_default();
        let words = words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" | ");
        writeln!(
            self.text,
            "/// The longest copula, in bytes.\npub(crate) const LONGEST_COPULA: usize = {longest};\n\
             /// Whether a word is `is` in one of the languages.\n\
             pub(crate) fn is_copula(word: &str) -> bool {{ matches!(word, {words}) }}"
        )
        .unwrap();
    }

    /// Writes the number signs, the longest first, and whether one may begin with a byte.
    pub(crate) fn number_signs(&mut self, languages: &BTreeMap<String, Language>) {
        let signs = languages.values().flat_map(|language| &language.values.number_signs);
        let signs: BTreeSet<(Reverse<usize>, &str)> =
            signs.map(|sign| (Reverse(sign.len()), sign.as_str())).collect();
        let signs: Vec<&str> = signs.into_iter().map(|(_, sign)| sign).collect();
        let first: BTreeSet<String> = signs.iter().map(|sign| sign.as_bytes()[0].to_string()).collect();
        let first = first.into_iter().collect::<Vec<_>>().join(" | ");
        writeln!(
            self.text,
            "/// Signs between the series of a document and its number, as they are written.\n\
             pub(crate) static NUMBER_SIGNS: [&str; {}] = {signs:?};\n\
             /// Whether a number sign may begin with a byte.\n\
             pub(crate) fn may_be_number_sign(first: u8) -> bool {{ matches!(first, {first}) }}",
            signs.len()
        )
        .unwrap();
    }

    /// Writes one bit for each last word of a label before an ordinary value; its last words may be written
    /// as one.
    pub(crate) fn last_words(&mut self, entries: &[Entry]) {
        let named =
            |file: &&File| matches!(file.recogniser.as_deref(), Some("labelled" | "phrase" | "secret"));
        let files = entries.iter().map(|entry| &entry.file).filter(named);
        let labels = files.flat_map(|file| file.words.values().flatten());
        let last = labels.flat_map(|label| phrase::words(label).map(|(start, _)| &label[start..]));
        writeln!(self.text, "static LAST_WORDS: Filter = {:?};", filter(last)).unwrap();
    }
}

/// Returns one bit for the hash of each word.
fn filter<'w>(words: impl Iterator<Item = &'w str>) -> [u64; 32] {
    let mut filter = [0_u64; 32];
    for word in words {
        let bit = Phrase::EMPTY.with(word).value() as usize % (64 * filter.len());
        filter[bit / 64] |= 1 << (bit % 64);
    }
    filter
}
