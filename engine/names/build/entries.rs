//! Compiles the table of names and places: the hash of each word, with its kind.

use std::{cmp::Reverse, collections::BTreeMap, fmt::Write as _, fs, path::Path};

use serde::Deserialize;

use crate::tables::{key, parse};

/// The number of entries used of each list, the most frequent first: `lexicon/ranks.toml`.
#[derive(Deserialize)]
struct Ranks {
    given: u32,
    family: u32,
    city: u32,
    /// Of each script.
    transcribed: u32,
}

/// Usual names of languages for which the open lists have few: `lexicon/usual.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UsualNames {
    list: Vec<NamesOfLanguage>,
}

/// The names of one language, separated by white space.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamesOfLanguage {
    #[expect(dead_code, reason = "for readers of the file")]
    language: String,
    country: String,
    /// The second name of a person is that of the father.
    #[serde(default)]
    fathers: bool,
    #[serde(default)]
    m: String,
    #[serde(default)]
    f: String,
    /// Of any gender.
    #[serde(default)]
    given: String,
    #[serde(default)]
    family: String,
    /// Endings of family names and of their forms.
    #[serde(default)]
    endings: String,
}

/// The number of buckets that share a start.
const GROUP: usize = 16;

/// The kind of a word.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    /// 0 to 3: none, male, female, both.
    gender: u8,
    /// Its frequency as a given name, a family name and a city: from 0 (not one) to 3.
    given: u8,
    family: u8,
    city: u8,
    /// Always written with diacritics.
    accented: bool,
    /// It is also an ordinary word.
    word: bool,
}

#[derive(Default)]
struct Entry {
    kind: Kind,
    country: String,
    /// Its frequency in the list that determines the country, and its rank there.
    usual: (u8, Reverse<u32>),
    /// Some people write it without diacritics.
    bare: bool,
}

/// Returns the constants, as Rust.
pub fn compile(folder: &Path) -> String {
    let ranks: Ranks = parse(&folder.join("ranks.toml"));
    let mut entries = BTreeMap::<u32, Entry>::new();
    each_row(&folder.join("given.tsv"), ranks.given, |name, [gender, countries, weight, word, rank]| {
        let entry = entries.entry(key(name)).or_default();
        entry.kind.gender |= match gender {
            "m" => 1,
            "f" => 2,
            _ => 3,
        };
        let weight = entry.settle(name, countries, weight, word, rank);
        entry.kind.given = entry.kind.given.max(weight);
    });
    each_row(&folder.join("family.tsv"), ranks.family, |name, [countries, weight, word, rank]| {
        let entry = entries.entry(key(name)).or_default();
        let weight = entry.settle(name, countries, weight, word, rank);
        entry.kind.family = entry.kind.family.max(weight);
    });
    each_row(&folder.join("transcribed.tsv"), ranks.transcribed, |name, [kind, rank]| {
        let entry = entries.entry(key(name)).or_default();
        let weight = entry.settle(name, "", "1", "0", rank);
        if kind != "f" {
            entry.kind.gender = 3;
            entry.kind.given = entry.kind.given.max(weight);
        }
        if kind != "g" {
            entry.kind.family = entry.kind.family.max(weight);
        }
    });
    each_row(&folder.join("city.tsv"), ranks.city, |name, [_, weight, word, rank]| {
        let entry = entries.entry(key(name)).or_default();
        let weight = entry.settle(name, "", weight, word, rank);
        entry.kind.city = entry.kind.city.max(weight.min(2));
    });
    let usual: UsualNames = parse(&folder.join("usual.toml"));
    for names in &usual.list {
        names.add(&mut entries);
    }
    let endings: Vec<&str> = usual.list.iter().flat_map(|names| names.endings.split_whitespace()).collect();
    for entry in entries.values_mut() {
        // the name of a small town that is also a frequent personal name is not evidence
        if entry.kind.city == 1 && entry.kind.given.max(entry.kind.family) > 1 {
            entry.kind.city = 0;
        }
    }
    let endings = format!("static FAMILY_ENDINGS: [&str; {}] = {endings:?};\n", endings.len());
    write(&entries) + &endings
}

/// The weight of a usual name.
const USUAL: &str = "2";

impl NamesOfLanguage {
    fn add(&self, entries: &mut BTreeMap<u32, Entry>) {
        let Self { country, fathers, m, f, given, family, .. } = self;
        for (names, gender, is_family) in
            [(m, 1, *fathers), (f, 2, false), (given, 3, false), (family, 0, true)]
        {
            for name in names.split_whitespace() {
                let entry = entries.entry(key(name)).or_default();
                let weight = entry.settle(name, country, USUAL, "0", "1");
                if gender != 0 {
                    entry.kind.gender |= gender;
                    entry.kind.given = entry.kind.given.max(weight);
                }
                if is_family {
                    entry.kind.family = entry.kind.family.max(weight);
                }
            }
        }
    }
}

impl Entry {
    /// Merges the entries of all lists for a name, and returns its weight.
    ///
    /// The country is that of the list in which the name is most frequent: `Smith` is a British family name,
    /// not a rare given name of another country.
    fn settle(&mut self, name: &str, countries: &str, weight: &str, word: &str, rank: &str) -> u8 {
        self.bare |= name.is_ascii();
        self.kind.accented = !self.bare;
        self.kind.word |= word == "1";
        let weight = weight.parse().expect("a weight");
        let usual = (weight, Reverse(rank.parse().expect("a rank")));
        if self.country.is_empty() || usual > self.usual && !countries.is_empty() {
            self.usual = usual;
            countries.split(',').next().unwrap_or_default().clone_into(&mut self.country);
        }
        weight
    }
}

/// Reads the rows up to a rank; the last column is the rank.
fn each_row<const N: usize>(file: &Path, most: u32, mut take: impl FnMut(&str, [&str; N])) {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    for (number, line) in text.lines().enumerate() {
        let mut cells = line.split('\t');
        let name = cells.next().unwrap_or_default();
        let cells: Vec<&str> = cells.collect();
        let cells: [&str; N] = cells
            .try_into()
            .unwrap_or_else(|_| panic!("{}:{}: {N} columns behind the name", file.display(), number + 1));
        if cells[N - 1].parse::<u32>().expect("a rank") <= most {
            take(name, cells);
        }
    }
}

fn write(entries: &BTreeMap<u32, Entry>) -> String {
    let mut kinds: Vec<Kind> = entries.values().map(|entry| entry.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert!(kinds.len() <= 256, "{} kinds", kinds.len());
    let mut countries: Vec<&str> = entries.values().map(|entry| entry.country.as_str()).collect();
    countries.sort_unstable();
    countries.dedup();
    assert!(countries.len() <= 256, "{} countries", countries.len());

    let buckets = (entries.len() / 6).next_power_of_two().max(GROUP);
    let shift = 32 - buckets.trailing_zeros() - 16;
    // keys with equal stored bits are one key
    let mut placed = BTreeMap::<(usize, u16), &Entry>::new();
    for (key, entry) in entries {
        placed
            .entry(((*key >> (32 - buckets.trailing_zeros())) as usize, (*key >> shift) as u16))
            .or_insert(entry);
    }
    let mut counts = vec![0_u8; buckets];
    for (bucket, _) in placed.keys() {
        counts[*bucket] += 1;
    }
    let starts: Vec<u32> = counts
        .chunks(GROUP)
        .scan(0_u32, |sum, group| {
            let start = *sum;
            *sum += group.iter().map(|count| u32::from(*count)).sum::<u32>();
            Some(start)
        })
        .collect();
    let mut out = String::new();
    let mut list = |name: &str, kind: &str, values: Vec<String>| {
        writeln!(out, "pub(crate) static {name}: [{kind}; {}] = [{}];", values.len(), values.join(","))
            .unwrap();
    };
    list("STARTS", "u32", starts.iter().map(u32::to_string).collect());
    list("COUNTS", "u8", counts.iter().map(u8::to_string).collect());
    list("LOWS", "u8", placed.keys().map(|(_, key)| (key & 0xff).to_string()).collect());
    list("HIGHS", "u8", placed.keys().map(|(_, key)| (key >> 8).to_string()).collect());
    list(
        "KINDS",
        "u8",
        placed.values().map(|entry| kinds.binary_search(&entry.kind).unwrap().to_string()).collect(),
    );
    list(
        "COUNTRIES",
        "u8",
        placed
            .values()
            .map(|entry| countries.binary_search(&entry.country.as_str()).unwrap().to_string())
            .collect(),
    );
    list(
        "KIND",
        "NameEntry",
        kinds
            .iter()
            .map(|kind| {
                format!(
                    "NameEntry{{gender:{},given:{},family:{},city:{},accented:{},word:{}}}",
                    kind.gender, kind.given, kind.family, kind.city, kind.accented, kind.word
                )
            })
            .collect(),
    );
    list("COUNTRY", "&str", countries.iter().map(|code| format!("{code:?}")).collect());
    out
}
