//! The evidence for countries: words and letters of languages, places, postal codes, currencies.

use std::{collections::BTreeMap, fmt::Write as _};

use textveil_phrase::{self as phrase, Phrase, languages::Language};

use crate::{
    file::Evidence,
    phrases::Phrases,
    write::{Output, country_literal},
};

impl Output {
    /// Writes the evidence of words, letters and currencies for countries.
    pub(crate) fn countries(&mut self, evidence: &Evidence, languages: &BTreeMap<String, Language>) {
        let languages: Vec<_> = languages
            .iter()
            .filter_map(|(code, language)| Some((code, language.evidence.as_ref()?)))
            .collect();
        let mut table = String::new();
        for (code, language) in &languages {
            let countries: Vec<String> = language
                .countries
                .iter()
                .map(|(country, share)| format!("({}, {:?}_f32)", country_literal(country), *share as f32))
                .collect();
            write!(table, "Language {{ code: {code:?}, countries: &[{}] }}, ", countries.join(", ")).unwrap();
        }
        writeln!(self.text, "pub(crate) static LANGUAGES: [Language; {}] = [{table}];", languages.len())
            .unwrap();
        let mut letters: BTreeMap<char, Vec<usize>> = BTreeMap::new();
        for (index, (_, language)) in languages.iter().enumerate() {
            for letter in language.letters.chars() {
                letters.entry(letter).or_default().push(index);
            }
        }
        let letters: Vec<String> =
            letters.iter().map(|(letter, list)| format!("({letter:?}, &{list:?})")).collect();
        writeln!(self.text, "static LETTERS: &[(char, &[u8])] = &[{}];", letters.join(", ")).unwrap();
        let mut words: Phrases<u8> = Phrases::default();
        for (index, (_, language)) in languages.iter().enumerate() {
            for word in &language.words {
                let uses = words.entry(word);
                assert!(!uses.contains(&(index as u8)), "{word} stands twice in one language");
                uses.push(index as u8);
            }
        }
        // places and usages are in the same table, after the languages
        let mut spoken_for = Vec::new();
        for (country, list) in evidence.places.iter().chain(&evidence.usage) {
            let index = languages.len() + spoken_for.len();
            spoken_for.push(country_literal(country));
            for word in list {
                assert_eq!(phrase::words(word).count(), 1, "{word}: not one word");
                let uses = words.entry(word);
                // `Montréal` and `Montreal` are one phrase
                if !uses.contains(&(index as u8)) {
                    uses.push(index as u8);
                }
            }
        }
        assert!(languages.len() + spoken_for.len() < 255, "too many languages and countries");
        writeln!(self.text, "static SPOKEN_FOR: &[Country] = &[{}];", spoken_for.join(", ")).unwrap();
        writeln!(self.text, "const PLACES: usize = {};", evidence.places.len()).unwrap();
        let postal: Vec<String> = evidence
            .postal
            .iter()
            .map(|(pattern, countries)| {
                let countries: Vec<String> = countries.iter().map(|code| country_literal(code)).collect();
                format!("({pattern:?}, &[{}])", countries.join(", "))
            })
            .collect();
        assert!(postal.len() <= 32, "too many patterns of postal codes");
        writeln!(self.text, "pub(crate) const POSTAL: &[(&str, &[Country])] = &[{}];", postal.join(", "))
            .unwrap();
        words.write("LANGUAGE_WORDS", "u8", &[], self.small, &mut self.text);
        let mut codes: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        let mut signs = Vec::new();
        for (currency, countries) in &evidence.currency {
            let countries: Vec<String> = countries.iter().map(|code| country_literal(code)).collect();
            let mut letters = currency.chars();
            match (letters.next(), letters.next()) {
                (Some(sign), None) if !sign.is_alphanumeric() => {
                    signs.push(format!("({sign:?}, &[{}])", countries.join(", ")))
                }
                _ => {
                    let known = codes.insert(Phrase::EMPTY.with(currency).value(), countries);
                    assert!(known.is_none(), "two currencies have one name");
                }
            }
        }
        signs.sort();
        let codes: Vec<String> =
            codes.iter().map(|(key, list)| format!("({key}, &[{}])", list.join(", "))).collect();
        writeln!(self.text, "static CURRENCY_SIGNS: &[(char, &[Country])] = &[{}];", signs.join(", "))
            .unwrap();
        writeln!(self.text, "static CURRENCY_NAMES: &[(u32, &[Country])] = &[{}];", codes.join(", "))
            .unwrap();
    }
}
