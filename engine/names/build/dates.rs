//! Dates in words: months, days and hundreds of years as sorted hashes with their values.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use textveil_phrase::languages::{Dates, Language};

use crate::tables::{filter, first, key, list, settled, table};

/// Size of the filter of days, in words of bits.
const FILTER: usize = 256;

/// The constants, as Rust, and the first words of months.
pub fn compile(languages: &BTreeMap<String, Language>) -> (String, BTreeSet<u32>) {
    let keys = |list: fn(&Dates) -> &Vec<String>| -> BTreeSet<u32> {
        languages.values().flat_map(|language| list(&language.dates)).map(|word| key(word)).collect()
    };
    let [month_before, month_after] = [keys(|dates| &dates.month_before), keys(|dates| &dates.month_after)];
    for (code, language) in languages {
        assert!([0, 12].contains(&language.dates.months.len()), "{code}.toml: dates.months: not 12 months");
        assert!(language.dates.days.len() <= 31, "{code}.toml: dates.days: more than 31 days");
    }
    let months = numbered(languages.values().map(|language| &language.dates.months));
    let days = numbered(languages.values().map(|language| &language.dates.days));
    let hundreds = |year: &String| year.parse::<u16>().expect("a year") / 100;
    let centuries: Vec<(&str, u8)> = languages
        .values()
        .flat_map(|language| &language.dates.centuries)
        .flat_map(|(year, words)| words.iter().map(move |word| (word.as_str(), hundreds(year) as u8)))
        .collect();
    let mut out = String::new();
    for (name, words) in [("MONTHS", &months), ("DAYS", &days), ("CENTURIES", &centuries)] {
        out += &table(name, &settled(words.iter().map(|(word, value)| (word, *value))));
    }
    let of = |words: &[(&str, u8)], key: fn(&str) -> u32| -> Vec<u32> {
        words.iter().map(|(word, _)| key(word)).collect()
    };
    // a mark that makes a number a month is itself a sign of a month
    let marks = month_before.iter().chain(&month_after).copied();
    let month_firsts: BTreeSet<u32> = of(&months, first).into_iter().chain(marks).collect();
    let day_firsts: BTreeSet<u32> = of(&days, first).into_iter().collect();
    out += &list("MONTH_FIRSTS", &month_firsts);
    out += &list("DAY_FIRSTS", &day_firsts);
    writeln!(out, "static DAY_FILTER: [u64; {FILTER}] = {:?};", filter(&of(&days, key), FILTER)).unwrap();
    for (name, words) in [
        ("BETWEEN", keys(|dates| &dates.between)),
        ("MONTH_BEFORE", month_before),
        ("YEAR_AFTER", keys(|dates| &dates.year_after)),
        ("MONTH_AFTER", month_after),
        ("DAY_AFTER", keys(|dates| &dates.day_after)),
    ] {
        out += &list(name, &words);
    }
    (out, month_firsts)
}

/// Every form of every word with its number, which is its place in its list, from one on.
fn numbered<'l>(languages: impl Iterator<Item = &'l Vec<String>>) -> Vec<(&'l str, u8)> {
    languages
        .flat_map(|words| words.iter().zip(1..))
        .flat_map(|(forms, number)| forms.split('|').map(move |form| (form, number)))
        .collect()
}
