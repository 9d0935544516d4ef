//! Names of people who do not exist: a given name and a family name of one country, put together by chance.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::random::Random;

/// The number of entries of each list in the engine's lexicon, of `ranks.toml`; higher ranks are not in the
/// lexicon.
#[derive(Deserialize)]
struct Ranks {
    given: u32,
    family: u32,
}

/// A list of names, those that the lexicon has and those that it has not.
#[derive(Default)]
struct Names {
    known: Vec<String>,
    unknown: Vec<String>,
}

impl Names {
    fn add(&mut self, name: &str, known: bool) {
        if known { &mut self.known } else { &mut self.unknown }.push(name.to_owned());
    }

    fn pick(&self, unknown: bool, random: &mut Random) -> Option<String> {
        let list = if unknown && !self.unknown.is_empty() { &self.unknown } else { &self.known };
        (!list.is_empty()).then(|| random.pick(list).clone())
    }
}

/// The names of a country.
#[derive(Default)]
struct Of {
    male: Names,
    female: Names,
    family: Names,
}

/// All of them, by ISO 3166 code.
pub struct People(BTreeMap<String, Of>);

impl People {
    /// Reads the lists that the lexicon is made of.
    ///
    /// # Errors
    /// If a list cannot be read.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut countries = BTreeMap::<String, Of>::new();
        let list = |name: &str| {
            let path = folder.join(name);
            fs::read_to_string(&path).with_context(|| path.display().to_string())
        };
        let ranks: Ranks = toml::from_str(&list("ranks.toml")?).context("ranks.toml")?;
        for line in list("given.tsv")?.lines() {
            let [name, gender, codes, _, _, rank] = cells(line)?;
            // a name belongs to the country in which it is most frequent
            let of = countries.entry(first(codes)).or_default();
            let names = if gender == "f" { &mut of.female } else { &mut of.male };
            names.add(name, rank.parse::<u32>()? <= ranks.given);
        }
        for line in list("family.tsv")?.lines() {
            let [name, codes, _, _, rank] = cells(line)?;
            countries.entry(first(codes)).or_default().family.add(name, rank.parse::<u32>()? <= ranks.family);
        }
        Ok(Self(countries))
    }

    /// Returns a random person of a country; `None` if its names are unknown. Of a hundred names, `unknown` are not in the
    /// lexicon, where the country has such names.
    pub fn someone(&self, country: &str, unknown: usize, random: &mut Random) -> Option<String> {
        let of = self.0.get(country)?;
        let unknown = random.chance(unknown);
        let female = random.chance(50);
        let given = if female { &of.female } else { &of.male }.pick(unknown, random)?;
        // of some, a woman's name is another form than a man's
        let fits = |family: &String| !is_gendered(country) || is_of_woman(family) == female;
        let family = (0..40).find_map(|_| of.family.pick(unknown, random).filter(fits))?;
        Some(match country {
            "HU" | "CN" | "JP" | "KR" | "VN" => format!("{family} {given}"),
            _ => format!("{given} {family}"),
        })
    }
}

fn cells<const N: usize>(line: &str) -> Result<[&str; N]> {
    let cells: Vec<&str> = line.split('\t').collect();
    cells.try_into().map_err(|_| anyhow::anyhow!("{line}: {N} columns"))
}

fn first(codes: &str) -> String {
    codes.split(',').next().unwrap_or_default().to_owned()
}

fn is_gendered(country: &str) -> bool {
    ["BG", "BY", "CZ", "KZ", "LT", "LV", "MK", "PL", "RU", "SK", "UA"].contains(&country)
}

fn is_of_woman(family: &str) -> bool {
    ["á", "a", "ė", "а", "я"].iter().any(|end| family.ends_with(end))
}
