//! The inflection of names: from the ending of a form back to that of the name.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use textveil_phrase::{
    fold,
    languages::{Inflection, Language},
};

use crate::tables::{filter, key, keys};

/// The length of the filter of endings, in 64-bit words.
const FILTER: usize = 1 << 7;

/// Kinds of names that a rule is of; `src/lexicon.rs` has the same bits.
const GIVEN_MALE: u8 = 1;
const GIVEN_FEMALE: u8 = 1 << 1;
const FAMILY: u8 = 1 << 2;

/// The constants, as Rust.
pub fn compile(languages: &BTreeMap<String, Language>) -> String {
    let mut rules = BTreeMap::<String, BTreeMap<String, u8>>::new();
    for (code, language) in languages {
        let mut own = Vec::new();
        for (list, of) in lists(&language.inflection) {
            for rule in list {
                let (ending, bases) = rule
                    .split_once('>')
                    .unwrap_or_else(|| panic!("{code}.toml: inflection: {rule}: no base"));
                for base in bases.split('|') {
                    let base = folded(base);
                    own.push((folded(ending), base.clone()));
                    if folded(ending) != base {
                        *rules.entry(folded(ending)).or_default().entry(base).or_default() |= of;
                    }
                }
            }
        }
        for example in &language.inflection.examples {
            let problem = "no rule of the language gives it; add the rule, or remove the example";
            assert!(is_given(example, &own), "{code}.toml: inflection.examples: {example}: {problem}");
        }
    }
    rules.remove("");
    let longest = rules.keys().map(|ending| ending.chars().count()).max().unwrap_or(0);
    let bases: BTreeSet<&str> = rules.values().flat_map(|bases| bases.keys().map(String::as_str)).collect();
    let mut out = String::new();
    writeln!(out, "/// How many letters an ending has at most.\nconst LONGEST_ENDING: usize = {longest};")
        .unwrap();
    // an ending is read from its last letter on
    let rules: BTreeMap<u32, &BTreeMap<String, u8>> =
        rules.iter().map(|(ending, bases)| (key(&ending.chars().rev().collect::<String>()), bases)).collect();
    writeln!(out, "static FILTER: [u64; {FILTER}] = {:?};", filter(rules.keys(), FILTER)).unwrap();
    out += &keys("ENDINGS", &rules.keys().copied().collect());
    let bases: Vec<&str> = bases.into_iter().collect();
    writeln!(out, "static BASES: [&str; {}] = {bases:?};", bases.len()).unwrap();
    let (mut starts, mut list) = (vec![0], Vec::new());
    for of_ending in rules.values() {
        list.extend(
            of_ending.iter().map(|(base, of)| (bases.binary_search(&base.as_str()).unwrap() as u16, *of)),
        );
        starts.push(list.len() as u16);
    }
    writeln!(out, "static STARTS_OF: [u16; {}] = {starts:?};", starts.len()).unwrap();
    writeln!(out, "static RULES: [(u16, u8); {}] = {list:?};", list.len()).unwrap();
    out
}

/// The lists of rules, with the kinds of names that each is of.
fn lists(rules: &Inflection) -> [(&[String], u8); 8] {
    let any = GIVEN_MALE | GIVEN_FEMALE | FAMILY;
    [
        (&rules.given_m, GIVEN_MALE),
        (&rules.given_f, GIVEN_FEMALE),
        (&rules.family_m, FAMILY),
        (&rules.family_f, FAMILY),
        (&rules.woman_to_man, FAMILY),
        (&rules.plural, FAMILY),
        (&rules.possessive, any),
        (&rules.any, any),
    ]
}

/// Whether one of the rules leads from the form of an example, such as `Petrem>Petr`, to its base.
fn is_given(example: &str, rules: &[(String, String)]) -> bool {
    let (form, name) = example.split_once('>').unwrap_or_else(|| panic!("{example}: no base"));
    let (form, name) = (folded(form), folded(name));
    rules
        .iter()
        .any(|(ending, base)| form.strip_suffix(ending).is_some_and(|stem| format!("{stem}{base}") == name))
}

/// As words are compared.
fn folded(ending: &str) -> String {
    ending.chars().flat_map(fold).collect()
}
