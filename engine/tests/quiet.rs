//! False positives: the negative corpus, and random digits.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test"
)]

mod corpus;

use std::collections::{BTreeMap, BTreeSet};

use corpus::COLUMNS;
use textveil_engine::{DetectOptions, Preset, detect};

/// The most false findings per 1,000 words, by column.
const LIMITS: [f64; COLUMNS.len()] = [0.05, 1.0, 1.0, 6.5];

#[test]
fn the_negative_corpus_is_quiet() {
    let report = corpus::report(&corpus::texts());
    let mut wrong = String::new();
    for (((column, ..), limit), (rate, findings)) in
        COLUMNS.iter().zip(LIMITS).zip(report.total.rates().into_iter().zip(&report.findings))
    {
        if rate > limit {
            let list = findings.join("\n    ");
            wrong += &format!("{column}: {rate:.2} per 1,000 words, at most {limit}\n    {list}\n");
        }
    }
    assert!(wrong.is_empty(), "false findings\n{wrong}");
}

#[test]
fn the_negative_corpus_is_large_and_varied() {
    let texts = corpus::texts();
    let languages: BTreeSet<&str> = texts.iter().map(|text| text.language.as_str()).collect();
    let kinds: BTreeSet<&str> = texts.iter().map(|text| text.kind.as_str()).collect();
    let different: BTreeSet<&str> = texts.iter().map(|text| text.text.as_str()).collect();
    assert!(texts.len() >= 300 && different.len() == texts.len(), "{} texts", texts.len());
    assert!(languages.len() >= 12 && kinds.len() >= 15, "{languages:?} {kinds:?}");
    let odd: Vec<&str> = texts
        .iter()
        .filter(|text| !(18..=330).contains(&text.words()))
        .map(|text| text.name.as_str())
        .collect();
    assert!(odd.is_empty(), "neither a line nor a book: {odd:?}");
}

/// Countries with many identifiers.
const COUNTRIES: [&str; 6] = ["BR", "CZ", "DE", "FR", "PL", "US"];

/// The same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn digits(&mut self, length: usize) -> String {
        let first = char::from(b'1' + self.below(9) as u8);
        std::iter::once(first).chain((1..length).map(|_| char::from(b'0' + self.below(10) as u8))).collect()
    }
}

/// Counts the findings by type in isolated runs of digits of this length.
fn found(runs: usize, length: usize, preset: Preset, country: Option<&str>) -> BTreeMap<String, usize> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ length as u64);
    let options = DetectOptions {
        privacy_preset: Some(preset),
        country: country.map(str::to_owned),
        ..DetectOptions::default()
    };
    let mut kinds = BTreeMap::new();
    for _ in 0..runs {
        for entity in detect(&random.digits(length), &options).unwrap().entities {
            *kinds.entry(entity.kind.to_string()).or_default() += 1;
        }
    }
    kinds
}

/// Runs of digits of each length.
const RUNS: usize = 1_000;
/// The allowed number of card numbers per thousand random ones: with a valid prefix and check digit,
/// `balanced` finds them without a label, because leaked card numbers often have no label.
const CARDS: usize = 40;

/// A bare number must not be found because a check passes by chance.
///
/// Of random runs of digits without a label, at most 0.5 % are found in `conservative`, and 2 % in
/// `balanced`, at any length.
#[test]
fn digits_without_a_word_are_nothing() {
    let mut wrong = Vec::new();
    for (preset, limit) in [(Preset::Conservative, 5), (Preset::Balanced, 20)] {
        for length in 6..=20 {
            let kinds = found(RUNS, length, preset, None);
            let cards = kinds.get("credit_card").copied().unwrap_or_default();
            let others = kinds.values().sum::<usize>() - cards;
            println!("{preset:?}, {length} digits: {cards} cards and {others} others of {RUNS}: {kinds:?}");
            let most = if preset == Preset::Balanced { CARDS } else { limit };
            if others > limit || cards > most {
                wrong.push(format!("{preset:?}, {length} digits, of {RUNS}: {kinds:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The country that the caller names is evidence, but a check that one number in ten passes is not made a
/// finding by it.
#[test]
fn digits_in_a_country_are_nothing() {
    let mut wrong = Vec::new();
    for country in COUNTRIES {
        for length in 8..=16 {
            let kinds = found(RUNS / 2, length, Preset::Balanced, Some(country));
            let cards = kinds.get("credit_card").copied().unwrap_or_default();
            let others = kinds.values().sum::<usize>() - cards;
            println!("{country}, {length} digits, of {}: {kinds:?}", RUNS / 2);
            if others > 15 || cards > CARDS / 2 {
                wrong.push(format!("{country}, {length} digits, of {}: {kinds:?}", RUNS / 2));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
