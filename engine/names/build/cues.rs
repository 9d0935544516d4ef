//! Compiles the phrases around names: the hash of each phrase, with its meanings.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::Path,
};

use serde::Deserialize;
use textveil_phrase::{
    is_alone,
    languages::{LabelList, Language, Titles},
    words,
};

use crate::tables::{filter, key, keys, parse, sets};

/// The meanings of phrases, in the order of `src/cues.rs`.
const CUES: [&str; 32] = [
    "title_male",
    "title_female",
    "title",
    "title_after",
    "role",
    "salutation",
    "closing",
    "introduction",
    "perhaps",
    "relation",
    "label_given",
    "label_family",
    "label_name",
    "label_address",
    "label_city",
    "label_birth_place",
    "label_organization",
    "label_other",
    "month",
    "never",
    "thing",
    "thing_before",
    "honorific",
    "common",
    "legal_form",
    "legal_form_before",
    "street_before",
    "street_weak",
    "street_after",
    "unit",
    "po_box",
    "country",
];

/// The length of the filters of characters, in 64-bit words.
const CHARACTERS: usize = 1 << 6;
/// The length of the word filter, in 64-bit words.
const FILTER: usize = 1 << 12;
/// The number of classes of phrases by length: one, two, three or more words.
const CLASSES: usize = 4;

/// Legal forms by country and by their place.
type Lists = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// The part of the engine's table of countries with their names.
#[derive(Deserialize)]
struct Countries {
    names: BTreeMap<String, Vec<String>>,
}

#[derive(Default)]
struct Cues {
    phrases: BTreeMap<u32, u32>,
    longest: usize,
    /// All phrases as written.
    written: BTreeSet<String>,
    /// The first and the last words of phrases of one, two, three and more words.
    firsts: [BTreeSet<u32>; CLASSES],
    lasts: [BTreeSet<u32>; CLASSES],
    /// The characters that are words of their own and end a phrase before a name, and those that begin a title after one.
    told_lasts: BTreeSet<u32>,
    title_firsts: BTreeSet<u32>,
    /// The first words of legal forms.
    form_firsts: BTreeSet<u32>,
    /// The last words of phrases directly before a name in any letter case: `my name is`, `name`.
    naming: BTreeSet<u32>,
    /// The last but one words of phrases that introduce a name within a sentence, and the phrases of one word
    /// that do.
    telling: BTreeSet<u32>,
}

/// Returns the constants, as Rust, and the signs of [`Cues`]: the first words of legal forms, and the words
/// of phrases before names.
pub fn compile(
    languages: &BTreeMap<String, Language>,
    folder: &Path,
    countries: &Path,
) -> (String, [BTreeSet<u32>; 3]) {
    let mut cues = Cues::default();
    let (mut no_street, mut no_title) = (Vec::new(), Vec::new());
    for (what, phrases) in parse::<BTreeMap<String, Vec<String>>>(&folder.join("cues.toml")) {
        match what.as_str() {
            "no_street" => no_street = phrases,
            "no_title" => no_title = phrases,
            "goods" => cues.add_all("thing", &phrases),
            _ => cues.add_all(&what, &phrases),
        }
    }
    for language in languages.values() {
        let own = &language.cues;
        for (what, phrases) in [
            ("perhaps", &own.perhaps),
            ("role", &own.roles),
            ("month", &own.months),
            ("thing", &own.things),
            ("thing_before", &own.things_before),
            ("country", &own.countries),
            ("never", &own.never),
        ] {
            cues.add_all(what, phrases);
        }
    }
    let perhaps = cues.phrases.clone();
    let only_perhaps =
        |phrase: &str| perhaps.get(&key(phrase)).is_some_and(|says| says & bit("perhaps") != 0);
    for language in languages.values() {
        let Titles { m, f, any, after, inflected } = &language.titles;
        for (what, titles) in [
            ("title_male", m),
            ("title_female", f),
            ("role", any),
            ("title_after", after),
            ("title", inflected),
        ] {
            titles.iter().filter(|title| !no_title.contains(title)).for_each(|title| cues.add(what, title));
        }
        let salutations = &language.salutations;
        for (what, phrases) in [
            ("salutation", &salutations.openings),
            ("closing", &salutations.closings),
            ("introduction", &salutations.introductions),
            ("relation", &salutations.relations),
        ] {
            phrases.iter().for_each(|phrase| cues.add_salutation(what, phrase, only_perhaps));
        }
        for (list, labels) in &language.labels {
            label_of(*list).iter().for_each(|what| cues.add_all(what, labels));
        }
        language.evidence.iter().for_each(|evidence| cues.add_all("common", &evidence.words));
    }
    let countries: Countries = parse(countries);
    for names in countries.names.values() {
        cues.add_all("country", names);
    }
    for lists in parse::<Lists>(&folder.join("legal-forms.toml")).values() {
        // those that end a word are not compiled
        for (list, what) in [("before", "legal_form_before"), ("after", "legal_form")] {
            lists.get(list).into_iter().for_each(|forms| cues.add_all(what, forms));
        }
    }
    let (mut glued, mut patterns) = (Vec::new(), Vec::new());
    for streets in languages.values().map(|language| &language.streets) {
        for word in streets.before.iter().filter(|word| !no_street.contains(word)) {
            // `Am`, `Na`: common words at any place; `rue`, `ul.`: words of streets only
            let common = word.starts_with(char::is_uppercase) && !word.ends_with('.');
            cues.add(if common { "street_weak" } else { "street_before" }, word);
        }
        for word in streets.after.iter().filter(|word| !no_street.contains(word)) {
            cues.add("street_after", word);
        }
        cues.add_all("unit", &streets.unit);
        cues.add_all("po_box", &streets.po_box);
        glued.extend(streets.glued.iter().map(|word| word.trim_end_matches('.').to_owned()));
        patterns.extend(streets.postal_codes.clone());
    }
    // too many words end with the same two letters
    glued.retain(|word: &String| word.chars().count() > 2);
    // the longest first
    for list in [&mut glued, &mut patterns] {
        list.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        list.dedup();
    }
    let mut out = cues.write();
    // by last byte
    let mut by_last = BTreeMap::<u8, Vec<&str>>::new();
    for word in &glued {
        by_last.entry(*word.as_bytes().last().unwrap()).or_default().push(word);
    }
    let by_last: Vec<String> = by_last.iter().map(|(last, words)| format!("({last}, &{words:?})")).collect();
    writeln!(out, "pub(crate) static GLUED: [(u8, &[&str]); {}] = [{}];", by_last.len(), by_last.join(","))
        .unwrap();
    // by the number of leading digits
    let digits = |pattern: &str| pattern.bytes().take_while(|byte| *byte == b'9').count();
    let most = patterns.iter().map(|pattern| digits(pattern)).max().unwrap_or_default();
    let mut by_digits = vec![Vec::new(); most + 1];
    for pattern in &patterns {
        by_digits[digits(pattern)].push(pattern);
    }
    let by_digits: Vec<String> = by_digits.iter().map(|patterns| format!("&{patterns:?}")).collect();
    writeln!(out, "pub(crate) static POSTAL: [&[&str]; {}] = [{}];", by_digits.len(), by_digits.join(","))
        .unwrap();
    (out, [cues.form_firsts, cues.naming, cues.telling])
}

impl Cues {
    fn add_all(&mut self, what: &str, phrases: &[String]) {
        phrases.iter().for_each(|phrase| self.add(what, phrase));
    }

    fn add(&mut self, what: &str, phrase: &str) {
        let ends: Vec<(usize, usize)> = words(phrase).collect();
        self.longest = self.longest.max(ends.len());
        let word = |end: Option<&(usize, usize)>| end.map(|(start, end)| key(&phrase[*start..*end]));
        let class = (ends.len().max(1) - 1).min(CLASSES - 1);
        self.firsts[class].extend(word(ends.first()));
        let introduces = what == "introduction" || what == "perhaps" && ends.len() > 1;
        if ["label_given", "label_family", "label_name"].contains(&what) || introduces && ends.len() > 1 {
            self.naming.extend(word(ends.last()));
        }
        if introduces {
            self.telling.extend(word(ends.iter().rev().nth(1).or(ends.last())));
        }
        let alone = |end: Option<&(usize, usize)>| {
            word(end.filter(|(start, _)| phrase[*start..].starts_with(is_alone)))
        };
        // the meanings up to the labels of names, except a title after one
        if what != "title_after" && bit(what) < bit("label_address") {
            self.told_lasts.extend(alone(ends.last()));
        }
        if ["title_after", "honorific"].contains(&what) {
            self.title_firsts.extend(alone(ends.first()));
        }
        if what.starts_with("legal_form") {
            self.form_firsts.extend(word(ends.first()));
        }
        self.lasts[class].extend(word(ends.last()));
        // `e-mail`, also written as one word, and phrases of Thai, which has no spaces
        if !phrase.contains(' ') || phrase.starts_with(|letter| ('\u{e01}'..='\u{e4e}').contains(&letter)) {
            self.firsts[0].insert(key(phrase));
            self.lasts[0].insert(key(phrase));
        }
        *self.phrases.entry(key(phrase)).or_default() |= bit(what);
        self.written.insert(phrase.to_owned());
    }

    /// Adds the part of a phrase before its slot; a phrase that begins with the slot adds the part behind it.
    fn add_salutation(&mut self, what: &str, phrase: &str, is_only_perhaps: impl Fn(&str) -> bool) {
        let slot = phrase.find('{').unwrap_or(phrase.len());
        let before = phrase[..slot].trim_end_matches([' ', ',', ':']);
        let after = phrase.rfind('}').map_or("", |slot| phrase[slot + 1..].trim());
        // `I, {name}`: a single letter is too weak as evidence
        if before.chars().count() == 1 {
            return;
        }
        if !before.is_empty() {
            self.add(if is_only_perhaps(before) { "perhaps" } else { what }, before);
        } else if what == "salutation" && !after.is_empty() {
            self.add("honorific", after);
        }
    }

    /// Returns the highest number of phrases that end at one place.
    fn most_ending(&self) -> usize {
        let ending = |phrase: &String| {
            let starts = words(phrase).map(|(start, _)| key(&phrase[start..]));
            starts.filter(|end| self.phrases.contains_key(end)).count()
        };
        self.written.iter().map(ending).max().unwrap_or_default()
    }

    fn write(&self) -> String {
        let mut out = String::new();
        let mut number = |about: &str, name: &str, value: usize| {
            writeln!(out, "/// {about}\nconst {name}: usize = {value};").unwrap();
        };
        number(
            "The classes of phrases by how many words they have: one, two, three, more.",
            "CLASSES",
            CLASSES,
        );
        number("How many words a phrase has at most.", "LONGEST", self.longest);
        number("How many phrases end at one place at most.", "MOST_ENDING", self.most_ending());
        let says: Vec<String> = self.phrases.values().map(u32::to_string).collect();
        // one table for both, as many words are in both
        let classes: Vec<&BTreeSet<u32>> = self.firsts.iter().chain(&self.lasts).collect();
        out += &sets("ENDS", &classes, FILTER);
        for (name, characters) in [("TOLD_LASTS", &self.told_lasts), ("TITLE_FIRSTS", &self.title_firsts)] {
            let bits = filter(characters, CHARACTERS);
            writeln!(out, "static {name}: [u64; {CHARACTERS}] = {bits:?};").unwrap();
        }
        out += &keys("PHRASES", &self.phrases.keys().copied().collect());
        writeln!(out, "static SAYS: [u32; {}] = [{}];", says.len(), says.join(",")).unwrap();
        out
    }
}

fn bit(what: &str) -> u32 {
    let at = CUES.iter().position(|cue| *cue == what);
    1 << at.unwrap_or_else(|| panic!("cues.toml: {what} is not known"))
}

/// The meanings of a list of labels.
fn label_of(list: LabelList) -> &'static [&'static str] {
    match list {
        LabelList::Given | LabelList::Middle => &["label_given"],
        LabelList::Family | LabelList::BirthName => &["label_family"],
        LabelList::Full => &["label_name"],
        LabelList::Address | LabelList::Street => &["label_address"],
        LabelList::City => &["label_city"],
        LabelList::BirthPlace => &["label_birth_place"],
        LabelList::Company | LabelList::Employer => &["label_organization"],
        // a user or a role may be given by name
        LabelList::Username | LabelList::Occupation => &[],
        LabelList::Thing => &["label_other", "thing_before"],
        LabelList::Region
        | LabelList::PostalCode
        | LabelList::PostalCodeShort
        | LabelList::Country
        | LabelList::BirthDate
        | LabelList::Nationality
        | LabelList::Age
        | LabelList::Sex
        | LabelList::Background
        | LabelList::Other => &["label_other"],
    }
}
