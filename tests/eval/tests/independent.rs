//! The measured documents are independent of the engine: few of their names, places, labels and sentences are in its lists.
//!
//! The share that is there is printed. It may not grow beyond a bound, for a document made of what the engine knows
//! measures nothing.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use textveil_eval::{
    catalogue::Catalogue,
    random::Random,
    root,
    world::{Country, Language, Purpose, World},
};

/// Shorter lines are formulas of letters and forms, which all letters and forms share.
const SENTENCE: usize = 25;
/// The templates of each kind in a language.
const TEMPLATES: usize = 10;
const KINDS: [&str; 4] = ["email", "form", "letter", "ticket"];

fn worlds() -> [World; 2] {
    [Purpose::Measuring, Purpose::Training].map(|purpose| World::read(purpose).unwrap())
}

/// Fails where more than a share of values are known.
#[track_caller]
fn at_most(bound: f64, what: &str, values: impl IntoIterator<Item = (String, bool)>) {
    let values: Vec<(String, bool)> = values.into_iter().collect();
    let known: Vec<&str> =
        values.iter().filter(|(_, known)| *known).map(|(value, _)| value.as_str()).collect();
    let share = known.len() as f64 / values.len() as f64;
    println!("{what}: {share:.3} of {} are known", values.len());
    assert!(!values.is_empty() && share <= bound, "{what}: {share:.3} above {bound}: {known:?}");
}

/// A column of a list of the lexicon, without the rows behind the rank that is compiled in.
fn lexicon(list: &str, most: &str, case: fn(&str) -> String) -> BTreeSet<String> {
    let folder = root().join("engine/names/lexicon");
    let ranks: BTreeMap<String, usize> =
        toml::from_str(&fs::read_to_string(folder.join("ranks.toml")).unwrap()).unwrap();
    let text = fs::read_to_string(folder.join(list)).unwrap();
    let rows = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let mut rows: Vec<(usize, String)> = rows
        .map(|row| (row.last().unwrap().parse::<usize>().unwrap(), case(row[0])))
        .filter(|(rank, _)| list == "city.tsv" || *rank <= ranks[most])
        .collect();
    if list == "city.tsv" {
        // its last column is the number of inhabitants
        rows.sort_by(|one, other| other.cmp(one));
        rows.truncate(ranks[most]);
    }
    rows.into_iter().map(|(_, name)| name).collect()
}

fn same(text: &str) -> String {
    text.to_owned()
}

#[test]
fn most_names_are_in_no_lexicon() {
    let [world, _] = worlds();
    let known: BTreeSet<String> = lexicon("given.tsv", "given", same)
        .into_iter()
        .chain(lexicon("family.tsv", "family", same))
        .chain(lexicon("transcribed.tsv", "transcribed", same))
        .collect();
    let mut random = Random::new(1);
    let people = world.countries.keys().flat_map(|country| {
        (0..40)
            .filter_map(|_| world.people.someone(country, Purpose::Measuring.unknown_names(), &mut random))
            .collect::<Vec<_>>()
    });
    let people = people.map(|name| {
        let is_known = name.split(' ').all(|word| known.contains(word));
        (name, is_known)
    });
    at_most(0.25, "names with both words", people.collect::<Vec<_>>());
}

#[test]
fn most_places_are_in_no_list() {
    let [world, training] = worlds();
    let known = lexicon("city.tsv", "city", str::to_lowercase);
    // "DE-10115 Berlin", "Dublin 4", "Kowloon, Hong Kong": the words around the code
    let is_known = |city: &String| {
        let parts = city.split(|letter: char| letter.is_ascii_digit() || letter == ',');
        let words = |part: &str| part.trim_matches(|letter: char| !letter.is_alphabetic()).to_lowercase();
        parts.map(words).filter(|part| part.chars().count() > 2).any(|part| known.contains(&part))
    };
    let cities: Vec<&String> = world.countries.values().flat_map(|country| &country.cities).collect();
    at_most(0.4, "cities", cities.into_iter().map(|city| (city.clone(), is_known(city))));
    for (code, country) in &world.countries {
        let same = |of: fn(&Country) -> &Vec<String>| {
            let taught: BTreeSet<&String> = of(&training.countries[code]).iter().collect();
            of(country).iter().filter(|text| taught.contains(text)).cloned().collect::<Vec<_>>()
        };
        let nothing: Vec<String> = Vec::new();
        assert_eq!(same(|country| &country.streets), nothing, "{code}");
        assert_eq!(same(|country| &country.cities), nothing, "{code}");
        assert!(country.streets.len() >= TEMPLATES && country.cities.len() >= TEMPLATES, "{code}");
    }
}

/// Adds all strings of a TOML value, in lower case.
fn add_strings(value: &toml::Value, out: &mut BTreeSet<String>) {
    match value {
        toml::Value::String(text) => _ = out.insert(text.to_lowercase()),
        toml::Value::Array(values) => values.iter().for_each(|value| add_strings(value, out)),
        toml::Value::Table(table) => table.values().for_each(|value| add_strings(value, out)),
        _ => {}
    }
}

/// Returns all strings in the salutations of the engine's languages, in lower case.
fn salutations() -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for file in fs::read_dir(root().join("engine/lexicon")).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|ending| ending == "toml") {
            let language: toml::Table = fs::read_to_string(file).unwrap().parse().unwrap();
            language.get("salutations").into_iter().for_each(|table| add_strings(table, &mut out));
        }
    }
    out
}

#[test]
fn labels_as_people_write_them_are_not_those_of_the_catalogue() {
    let [world, training] = worlds();
    let catalogue = Catalogue::read(&root().join("engine/catalogue")).unwrap();
    let mut labels = Vec::new();
    for (code, language) in &world.languages {
        let codes: Vec<&String> = std::iter::once(code).chain(&language.also).collect();
        for (name, written) in &language.instead {
            let detectors: Vec<_> =
                catalogue.detectors.iter().filter(|detector| detector.name == *name).collect();
            assert!(!detectors.is_empty(), "{code}: no detector {name}");
            let of_catalogue: BTreeSet<String> = detectors
                .iter()
                .flat_map(|detector| codes.iter().filter_map(|code| detector.file.words.get(*code)))
                .flatten()
                .map(|label| label.to_lowercase())
                .collect();
            let taught = training.languages[code].instead.get(name);
            labels.extend(written.iter().map(|label| {
                let is_taught = taught.is_some_and(|taught| taught.contains(label));
                (format!("{code} {name}: {label}"), is_taught || of_catalogue.contains(&label.to_lowercase()))
            }));
        }
    }
    at_most(0.0, "labels", labels);
}

/// Lines of templates, without their slots.
fn lines<'l>(templates: impl IntoIterator<Item = &'l String>) -> Vec<String> {
    let without_slots = |line: &str| {
        let mut parts = line.split('{');
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| text + part.split_once('}').map_or(part, |(_, after)| after))
    };
    let lines = templates.into_iter().flat_map(|template| template.lines());
    lines.map(|line| without_slots(line).trim().to_owned()).collect()
}

fn sentences(language: &Language) -> Vec<String> {
    let Language { says, bare, negatives, contacts, documents, .. } = language;
    let all = [says, bare, negatives, contacts].into_iter().chain(documents.values()).flatten();
    lines(all).into_iter().filter(|line| line.chars().count() >= SENTENCE).collect()
}

#[test]
fn sentences_are_not_those_of_the_training() {
    let [world, training] = worlds();
    assert!(world.languages.keys().eq(training.languages.keys()));
    let mut measured = Vec::new();
    for (code, language) in &world.languages {
        let taught: BTreeSet<String> = sentences(&training.languages[code]).into_iter().collect();
        let sentences = sentences(language).into_iter();
        measured.extend(sentences.map(|sentence| {
            let is_taught = taught.contains(&sentence);
            (format!("{code}: {sentence}"), is_taught)
        }));
    }
    at_most(0.01, "sentences", measured);
}

#[test]
fn openings_and_closings_are_many() {
    let [world, _] = worlds();
    let known = salutations();
    let mut closings = Vec::new();
    for (code, language) in &world.languages {
        for template in [&language.documents["letter"], &language.documents["email"]].into_iter().flatten() {
            let lines: Vec<&str> = template.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            let Some(signature) = lines.iter().rposition(|line| line.starts_with("{name}")) else { continue };
            let Some(line) = signature.checked_sub(1).map(|before| lines[before]) else { continue };
            let closing = line.trim_end_matches(|letter: char| letter.is_ascii_punctuation());
            if !closing.contains('{') {
                closings.push((format!("{code}: {closing}"), known.contains(&closing.to_lowercase())));
            }
        }
    }
    at_most(0.5, "closings", closings);
}

#[test]
fn every_language_has_ten_templates_of_each_kind() {
    let [world, _] = worlds();
    for (code, language) in &world.languages {
        assert!(language.documents.keys().eq(KINDS), "{code}: {:?}", language.documents.keys());
        for (kind, templates) in &language.documents {
            let different: BTreeSet<&String> = templates.iter().collect();
            assert!(different.len() >= TEMPLATES, "{code} {kind}: {}", different.len());
            let slot = if kind == "form" { "{lines}" } else { "{items}" };
            for template in templates {
                assert_eq!(template.matches(slot).count(), 1, "{code} {kind}: {template}");
            }
        }
    }
}
