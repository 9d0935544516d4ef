//! Compiles the catalogue (`catalogue/**/*.toml`) and the country evidence (`countries.toml`) into
//! constant tables, so that nothing is parsed at run time.

// A build with an invalid catalogue must stop with a message.
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "runs at build time only"
)]
#![allow(dead_code, reason = "the shared modules have more than the build needs")]
#![allow(unexpected_cfgs, reason = "the build itself says what is `small`")]

#[path = "src/layouts.rs"]
mod layouts;
#[path = "src/order.rs"]
mod order;
#[path = "build/phone.rs"]
mod phone;
#[path = "src/schema.rs"]
mod schema;
#[path = "src/shape.rs"]
mod shape;
#[path = "src/table.rs"]
mod table;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use layouts::{Fit, Layouts, Written};
use schema::{Check, Integer, Product, Weighted};
use serde::Deserialize;
use shape::{Signature, Symbol};
use table::{PhraseTable, SMALL_GROUP, Table};
use textveil_phrase::{self as phrase, Phrase};

/// A number without a detector: a word between a label and its value.
const CONNECTOR: usize = 0x7fff;
/// A number without a detector: a name of something that is not personal data.
const OTHER_NAME: usize = 0x7ffe;
/// The first of the numbers without a detector that encode the names of countries.
const NAMES: usize = 0x7000;
/// The functions of `src/recognise/`.
const RECOGNISERS: [&str; 15] = [
    "address",
    "birthplace",
    "city",
    "date",
    "email",
    "geo",
    "iban",
    "ipv6",
    "labelled",
    "mrz",
    "name",
    "organization",
    "phone",
    "phrase",
    "url",
];

/// A catalogue file; `catalogue/README.md` documents the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    description: String,
    category: String,
    source: String,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    also: Vec<String>,
    #[serde(default)]
    region: Option<String>,
    #[serde(default)]
    role: Role,
    #[serde(default)]
    shapes: Vec<String>,
    #[serde(default)]
    labelled: Vec<String>,
    #[serde(default)]
    keep: String,
    #[serde(default)]
    starts: Vec<String>,
    #[serde(default)]
    pattern: Option<String>,
    #[serde(default)]
    recogniser: Option<String>,
    #[serde(default)]
    upper: bool,
    #[serde(default)]
    exact: bool,
    #[serde(default)]
    parts: Vec<Part>,
    #[serde(default)]
    regions: Option<Regions>,
    #[serde(default)]
    check: Option<Check>,
    #[serde(default)]
    rule: Option<String>,
    #[serde(default)]
    details: bool,
    #[serde(default)]
    impersonal: bool,
    #[serde(default)]
    alone: bool,
    #[serde(default)]
    chance: Option<f64>,
    #[serde(default)]
    prior: Option<f64>,
    #[serde(default)]
    label: Label,
    #[serde(default)]
    container: bool,
    #[serde(default)]
    words_of: Option<String>,
    #[serde(default)]
    labels: Option<String>,
    #[serde(default)]
    words: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    near: BTreeMap<String, Vec<String>>,
    #[serde(default, rename = "case")]
    cases: Vec<Case>,
}

/// A fixed-position part of a compact value.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    /// The first position, from 0; negative from the end.
    at: i8,
    /// The length in characters.
    #[serde(default = "one")]
    len: u8,
    /// The smallest allowed number.
    min: Option<u32>,
    /// The largest allowed number.
    max: Option<u32>,
    /// Excluded numbers.
    #[serde(default)]
    not: Vec<u32>,
    /// Each character is one of these.
    #[serde(default)]
    chars: String,
    /// The whole part is one of these.
    #[serde(default)]
    one_of: Vec<String>,
}

fn one() -> u8 {
    1
}

/// The part of a value that encodes the region.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Regions {
    at: u8,
    len: u8,
    codes: BTreeMap<String, String>,
}

/// A case; the tests read its other fields.
#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    refused: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    #[default]
    Detector,
    Suppressor,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Label {
    #[default]
    Optional,
    Required,
}

/// Evidence for countries other than identifiers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Evidence {
    /// Words allowed between a label and its value.
    connectors: Vec<String>,
    /// Names of numbers that are not personal data: orders, articles, versions.
    other_names: Vec<String>,
    language: BTreeMap<String, Language>,
    currency: BTreeMap<String, Vec<String>>,
    /// The names of a country as written next to a label.
    names: BTreeMap<String, Vec<String>>,
    /// Words in addresses, by country.
    places: BTreeMap<String, Vec<String>>,
    /// Words used in only one country of a language, by country.
    usage: BTreeMap<String, Vec<String>>,
    /// Postal codes by their format, with the countries that use it.
    postal: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    /// Countries that speak it, with each one's share of a text's weight.
    countries: BTreeMap<String, f64>,
    /// Words that are common in it and in few other languages.
    words: Vec<String>,
    /// Letters of few languages.
    #[serde(default)]
    letters: String,
}

/// The detectors in the benchmarks' texts. A build with these alone shows the cost of all others.
const FIRST_20: [&str; 20] = [
    "bic",
    "credit_card",
    "date_of_birth",
    "dic_cz",
    "email",
    "iban",
    "ico",
    "ip_address",
    "ipv6_address",
    "mac_address",
    "nhs_number",
    "nino",
    "nip",
    "pesel",
    "phone_number",
    "rodne_cislo",
    "siren",
    "ssn",
    "steuer_id",
    "url",
];

fn main() {
    let first_20 = std::env::var_os("CARGO_FEATURE_FIRST_20").is_some();
    let manifest = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap());
    let root = if first_20 { manifest.join("../..") } else { manifest };
    let plans = "src/phone/plans.toml";
    for path in [
        "catalogue",
        "countries.toml",
        "build.rs",
        "build",
        plans,
        "src/layouts.rs",
        "src/order.rs",
        "src/schema.rs",
        "src/shape.rs",
        "src/table.rs",
    ] {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
    let lexicon = root.join("../names/lexicon/labels.toml");
    println!("cargo::rerun-if-changed={}", lexicon.display());
    let mut files = read(&root.join("catalogue"));
    add_labels(&mut files, &parse(&lexicon));
    if first_20 {
        files.retain(|(_, name, _)| FIRST_20.contains(&name.as_str()));
        assert_eq!(files.len(), FIRST_20.len(), "a detector of the first 20 is missing");
    }
    let evidence: Evidence = parse(&root.join("countries.toml"));
    let mut out = Output::default();
    out.detectors(&files);
    println!("cargo::rustc-check-cfg=cfg(small)");
    if ["s", "z"].contains(&std::env::var("OPT_LEVEL").unwrap().as_str()) {
        println!("cargo::rustc-cfg=small");
        out.small = true;
    }
    out.layouts(&files);
    out.types(&files);
    out.starts(&files);
    out.labels(&files, &evidence);
    out.last_words(&files);
    out.countries(&evidence);
    let target = PathBuf::from(std::env::var("OUT_DIR").unwrap());
    fs::write(target.join("catalogue.rs"), out.text).unwrap();
    fs::write(target.join("phone.rs"), phone::compile(&fs::read_to_string(root.join(plans)).unwrap()))
        .unwrap();
}

/// Returns every file of the catalogue with its folder and name, in the order of the detectors.
fn read(catalogue: &Path) -> Vec<(String, String, File)> {
    let mut files = Vec::new();
    for folder in
        fs::read_dir(catalogue).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            assert!(
                path.extension().is_some_and(|ending| ending == "toml"),
                "{}: not a catalogue file",
                path.display()
            );
            let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
            files.push((name(&folder), name(&path), parse(&path)));
        }
    }
    files.sort_by(|a: &(String, String, File), b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    let mut names: Vec<&str> = files.iter().map(|(_, name, _)| name.as_str()).collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        assert_ne!(pair[0], pair[1], "two catalogue files have one name");
    }
    files
}

/// Adds the labels of the lexicon to the files that refer to one of its lists.
///
/// The crate of names reads the same lists, so each label is written once.
fn add_labels(
    files: &mut [(String, String, File)],
    lexicon: &BTreeMap<String, BTreeMap<String, Vec<String>>>,
) {
    for (_, name, file) in files {
        let Some(list) = &file.labels else { continue };
        let mut known = 0;
        for (language, lists) in lexicon {
            let Some(labels) = lists.get(list) else { continue };
            known += labels.len();
            let words = file.words.entry(language.clone()).or_default();
            for label in labels {
                let letters: Vec<char> = phrase::letters(label).collect();
                let same = |word: &String| phrase::letters(word).eq(letters.iter().copied());
                let repeated = words.iter().find(|word| same(word) && !labels.contains(word));
                assert!(repeated.is_none(), "{name}: {label} is in the lexicon already");
                words.push(label.clone());
            }
        }
        assert!(known > 0, "{name}: the lexicon has no labels {list}");
    }
}

fn parse<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[derive(Default)]
struct Output {
    text: String,
    /// Constants already written to `text`: the source of each list, with its number.
    checks: BTreeMap<String, usize>,
    /// Optimise the generated code for size: omit optional tables.
    small: bool,
}

impl Output {
    fn detectors(&mut self, files: &[(String, String, File)]) {
        let mut table = String::new();
        let mut by_recogniser: BTreeMap<&str, Vec<usize>> =
            RECOGNISERS.iter().map(|recogniser| (*recogniser, Vec::new())).collect();
        for (index, (folder, name, file)) in files.iter().enumerate() {
            let country = (folder != "global").then(|| folder.to_uppercase());
            let region =
                country.clone().or_else(|| file.region.clone()).unwrap_or_else(|| "GLOBAL".to_owned());
            let known = [
                "identity",
                "contact",
                "financial",
                "location",
                "personal",
                "business",
                "medical",
                "government",
            ];
            assert!(known.contains(&file.category.as_str()), "{name}: no such category");
            assert!(!file.source.is_empty(), "{name}: no source");
            assert!(
                !(file.shapes.is_empty()
                    && file.labelled.is_empty()
                    && file.starts.is_empty()
                    && file.recogniser.is_none()),
                "{name}: nothing finds it"
            );
            if let Some(recogniser) = &file.recogniser {
                let known = by_recogniser.get_mut(recogniser.as_str());
                known.unwrap_or_else(|| panic!("{name}: no such recogniser")).push(index);
            }
            let category = format!("{}{}", file.category[..1].to_uppercase(), &file.category[1..]);
            let check = file.check.as_ref().map(|check| self.check(check));
            let rule = file.rule.as_ref().map(|rule| format!("crate::rules::{rule}::facts"));
            assert!(!file.details || rule.is_some(), "{name}: details without a rule");
            let details =
                file.details.then(|| rule.as_ref().map(|rule| rule.replace("::facts", "::details")));
            assert!(!file.impersonal || rule.is_some(), "{name}: impersonal without a rule");
            let impersonal =
                file.impersonal.then(|| rule.as_ref().unwrap().replace("::facts", "::is_impersonal"));
            let llr = (0.98 / file.chance.unwrap_or(0.98).max(1e-6)).ln().clamp(0.0, 8.0) as f32;
            let countries: Vec<String> = file.also.iter().map(|code| country_literal(code)).collect();
            let token = !file.starts.is_empty();
            writeln!(
                table,
                "Detector {{ texts: {:?}, country: {}, also: &[{}], category: Category::{category}, suppressor: {}, upper: {}, \
                 exact: {}, container: {}, token: {token}, keep: {:?}, recogniser: {}, parts: &[{}], regions: {}, check: {}, \
                 rule: {}, details: {}, alone: {}, llr: {llr:?}_f32, prior: {}, checksummed: {}, impersonal: {} }},",
                texts(name, &region, file),
                option(country.as_deref().map(country_literal)),
                countries.join(", "),
                file.role == Role::Suppressor,
                file.upper,
                file.exact,
                file.container,
                file.keep,
                option(file.recogniser.as_deref().map(|name| format!("Recogniser::{}", pascal(name)))),
                file.parts.iter().flat_map(part).collect::<Vec<_>>().join(", "),
                option(file.regions.as_ref().map(|regions| self::regions(name, regions))),
                option(check.map(|check| format!("&{check}"))),
                option(rule),
                option(details.flatten()),
                file.alone,
                option(file.prior.map(|prior| hundredths(prior).to_string())),
                file.check.is_some() || file.cases.iter().any(|case| case.refused.as_deref() == Some("checksum")),
                option(impersonal),
            )
            .unwrap();
        }
        writeln!(self.text, "pub(crate) static DETECTORS: [Detector; {}] = [\n{table}];", files.len())
            .unwrap();
        // these are looked up by their labels
        by_recogniser.remove("phrase");
        for (recogniser, detectors) in by_recogniser {
            let name = recogniser.to_uppercase();
            writeln!(self.text, "pub(crate) static {name}: &[u16] = &{detectors:?};").unwrap();
        }
    }

    /// Writes a check as a constant expression; nested checks become statics of their own.
    fn check(&mut self, check: &Check) -> String {
        match check {
            Check::None => "Check::None".to_owned(),
            Check::Luhn { prefix } => format!("Check::Luhn {{ prefix: {} }}", cow_str(prefix)),
            Check::Weighted(rule) => weighted(rule),
            Check::Integer(rule) => integer(rule),
            Check::Mod97 { residue } => format!("Check::Mod97 {{ residue: {residue} }}"),
            Check::Mod11_10 => "Check::Mod11_10".to_owned(),
            Check::Mod11_2 => "Check::Mod11_2".to_owned(),
            Check::Mod37_36 => "Check::Mod37_36".to_owned(),
            Check::Verhoeff => "Check::Verhoeff".to_owned(),
            Check::Part { from, to, check } => {
                let check = self.list(check);
                format!("Check::Part {{ from: {from}, to: {to:?}, check: {check} }}")
            }
            Check::All { checks } => format!("Check::All {{ checks: {} }}", self.list(checks)),
            Check::Any { checks } => format!("Check::Any {{ checks: {} }}", self.list(checks)),
            Check::ByLength { lengths } => {
                let items: Vec<String> = lengths
                    .iter()
                    .map(|(length, check)| format!("({length}, {})", self.check(check)))
                    .collect();
                format!("Check::ByLength {{ lengths: {} }}", self.constant("(u8, Check)", &items))
            }
            Check::Function { name, .. } => {
                format!(
                    "Check::Function {{ name: {}, call: Some(crate::rules::checks::{name}) }}",
                    cow_str(name)
                )
            }
        }
    }

    fn list(&mut self, checks: &[Check]) -> String {
        let items: Vec<String> = checks.iter().map(|check| self.check(check)).collect();
        self.constant("Check", &items)
    }

    /// Returns a static for these items; equal items share one.
    fn constant(&mut self, of: &str, items: &[String]) -> String {
        let next = self.checks.len();
        let list = format!("[{of}; {}] = [{}]", items.len(), items.join(", "));
        let number = *self.checks.entry(list.clone()).or_insert(next);
        if number == next {
            writeln!(self.text, "static CHECK_{number}: {list};").unwrap();
        }
        format!("Cow::Borrowed(&CHECK_{number})")
    }

    /// Writes the table of layouts, unless code optimised for size builds it at run time.
    fn layouts(&mut self, files: &[(String, String, File)]) {
        // signature → its symbols, to detect collisions
        let mut known: BTreeMap<Signature, Vec<Symbol>> = BTreeMap::new();
        for (_, name, file) in files {
            for shape in file.shapes.iter().chain(&file.labelled) {
                let layouts = shape::expand(shape);
                for layout in layouts.unwrap_or_else(|error| panic!("{name}: shape {shape} {error}")) {
                    let mut signature = Signature::EMPTY;
                    for (at, symbol) in layout.symbols.iter().enumerate() {
                        signature = signature.with(*symbol);
                        let symbols = &layout.symbols[..=at];
                        let known = known.entry(signature).or_insert_with(|| symbols.to_vec());
                        assert_eq!(known, symbols, "two layouts have one signature; change its constants");
                    }
                }
            }
        }
        let layouts = Layouts::new(files.iter().map(|(_, _, file)| {
            let [shapes, labelled] = shapes(file).map(|shapes| &*shapes.leak());
            Written { shapes, labelled, prior: file.prior.map(hundredths) }
        }));
        assert!(
            layouts.literals.len() <= 256 && layouts.priors.len() <= 256,
            "too many for the indexes of `Fit`"
        );
        assert!(known.keys().all(|signature| layouts.fits(*signature).is_some()), "a layout is not found");
        check_lengths(&layouts.table);
        if self.small {
            return;
        }
        let fit = |fit: &Fit| {
            let Fit { packed, prior, literal } = fit;
            format!("crate::layouts::Fit {{ packed: {packed}, prior: {prior}, literal: {literal} }}")
        };
        let Layouts { table, literals, priors } = layouts;
        let table = constant_table(&table, self.small, fit);
        writeln!(
            self.text,
            "static LAYOUTS: Layouts = Layouts {{ table: {table}, literals: &{literals:?}, priors: &{priors:?} }};"
        )
        .unwrap();
    }

    /// Writes the detectors by the hashes of the names of their types, with and without their country as a
    /// suffix.
    ///
    /// Code optimised for size searches all detectors instead.
    fn types(&mut self, files: &[(String, String, File)]) {
        if self.small {
            return;
        }
        let mut types: BTreeMap<u32, Vec<u16>> = BTreeMap::new();
        for (index, (folder, name, file)) in files.iter().enumerate() {
            let own = [file.kind.as_deref().unwrap_or(name), name];
            let behind = format!("_{folder}");
            let stems = own.into_iter().filter_map(|name| name.strip_suffix(&behind));
            for known in own.into_iter().chain(stems).chain(file.aliases.iter().map(String::as_str)) {
                let detectors = types.entry(Phrase::EMPTY.with(known).value()).or_default();
                if detectors.last() != Some(&(index as u16)) {
                    detectors.push(index as u16);
                }
            }
        }
        self.words("TYPES", "u16", types.into_iter());
    }

    /// Writes the literal prefixes of tokens, sorted, and a filter over their first three bytes.
    fn starts(&mut self, files: &[(String, String, File)]) {
        let mut starts: Vec<(&str, usize)> = files
            .iter()
            .enumerate()
            .flat_map(|(index, (_, _, file))| file.starts.iter().map(move |start| (start.as_str(), index)))
            .collect();
        starts.sort_unstable();
        let mut filter = [0_u64; 64];
        for (start, _) in &starts {
            let bytes = start.as_bytes();
            assert!(bytes.len() >= 3, "a literal beginning has fewer than three bytes");
            let bit = start_hash(bytes[0], bytes[1], bytes[2]);
            filter[usize::from(bit >> 6)] |= 1 << (bit & 63);
        }
        // one text instead of many saves the size of the references
        assert!(
            !starts.iter().any(|(start, _)| start.contains(['\n', '\t'])),
            "a literal beginning has lines"
        );
        let starts: Vec<String> = starts.iter().map(|(start, index)| format!("{start}\t{index}")).collect();
        writeln!(self.text, "static STARTS: &str = {:?};", starts.join("\n")).unwrap();
        writeln!(self.text, "static START_FILTER: [u64; 64] = {filter:?};").unwrap();
    }

    /// Writes the table of labels: for each phrase, its detectors.
    fn labels(&mut self, files: &[(String, String, File)], evidence: &Evidence) {
        let mut phrases = Phrases::default();
        let packed = |detector: usize, near: bool| (detector << 1 | usize::from(near)) as u16;
        for (index, (_, name, file)) in files.iter().enumerate() {
            let other = file.words_of.as_ref().map(|other| {
                let known = files.iter().find(|(_, name, _)| name == other);
                known.map_or_else(
                    || panic!("{name}: no file {other} to take words of"),
                    |(_, _, file)| &file.words,
                )
            });
            let labels = [Some(&file.words), other].into_iter().flatten().map(|words| (words, false));
            for (words, near) in labels.chain([(&file.near, true)]) {
                for phrase in words.values().flatten() {
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
                }
            }
        }
        let names = evidence.names.values().zip(NAMES..);
        let others = [(&evidence.connectors, CONNECTOR), (&evidence.other_names, OTHER_NAME)];
        for (words, stands_for) in others.into_iter().chain(names) {
            for phrase in words {
                phrases.entry(phrase).push(packed(stands_for, false));
            }
        }
        let dates = files.iter().filter(|(_, _, file)| file.recogniser.as_deref() == Some("date"));
        let english: Vec<u32> = dates
            .flat_map(|(_, _, file)| file.words.get("en").into_iter().flatten())
            .map(|phrase| Phrase::EMPTY.with(phrase).value())
            .collect();
        writeln!(self.text, "static ENGLISH_DATE_LABELS: &[u32] = &{english:?};").unwrap();
        writeln!(self.text, "/// Stands for the words between a label and its value.\npub(crate) const CONNECTOR: u16 = {CONNECTOR};").unwrap();
        let countries: Vec<String> = evidence.names.keys().map(|code| country_literal(code)).collect();
        writeln!(
            self.text,
            "const NAMES: u16 = {NAMES};\nstatic NAMED: &[Country] = &[{}];",
            countries.join(", ")
        )
        .unwrap();
        phrases.write("LABELS", "u16", self.small, &mut self.text);
    }

    /// Writes one bit for each last word of a label before an ordinary value; its last words may be written
    /// as one.
    fn last_words(&mut self, files: &[(String, String, File)]) {
        let named = |file: &&File| matches!(file.recogniser.as_deref(), Some("labelled" | "phrase"));
        let files = files.iter().map(|(_, _, file)| file).filter(named);
        let mut filter = [0_u64; 32];
        for label in files.flat_map(|file| file.words.values().flatten()) {
            for (start, _) in phrase::words(label) {
                let bit = Phrase::EMPTY.with(&label[start..]).value() % 2_048;
                filter[(bit / 64) as usize] |= 1 << (bit % 64);
            }
        }
        writeln!(self.text, "static LAST_WORDS: [u64; 32] = {filter:?};").unwrap();
    }

    /// Writes the evidence of words, letters and currencies for countries.
    fn countries(&mut self, evidence: &Evidence) {
        let languages: Vec<&Language> = evidence.language.values().collect();
        let mut table = String::new();
        for (code, language) in &evidence.language {
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
        for (index, language) in languages.iter().enumerate() {
            for letter in language.letters.chars() {
                letters.entry(letter).or_default().push(index);
            }
        }
        let letters: Vec<String> =
            letters.iter().map(|(letter, list)| format!("({letter:?}, &{list:?})")).collect();
        writeln!(self.text, "static LETTERS: &[(char, &[u8])] = &[{}];", letters.join(", ")).unwrap();
        let mut words: Phrases<u8> = Phrases::default();
        for (index, language) in languages.iter().enumerate() {
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
        writeln!(self.text, "pub(crate) static POSTAL: &[(&str, &[Country])] = &[{}];", postal.join(", "))
            .unwrap();
        words.write("LANGUAGE_WORDS", "u8", self.small, &mut self.text);
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

    /// Writes a table by the hashes of words. Its users compare the words themselves.
    fn words<T: Copy + PartialEq + std::fmt::Debug + 'static>(
        &mut self,
        name: &str,
        of: &str,
        entries: impl Iterator<Item = (u32, Vec<T>)>,
    ) {
        let entries: Vec<(u32, Option<T>)> =
            entries.flat_map(|(key, list)| list.into_iter().map(move |item| (key, Some(item)))).collect();
        let table = Table::new(entries.clone(), u32::BITS);
        let is_found = |(key, item): &(u32, Option<T>)| {
            table.get(*key).is_some_and(|list| item.is_none_or(|item| list.contains(&item)))
        };
        assert!(entries.iter().all(is_found), "{name}: two keys look the same with every multiplier");
        check_lengths(&table);
        let table = constant_table(&table, self.small, |item| format!("{item:?}"));
        writeln!(self.text, "static {name}: Table<{of}> = {table};").unwrap();
    }
}

/// Phrases as written, by their folded letters, each with its list.
struct Phrases<T> {
    entries: BTreeMap<String, (String, Vec<T>)>,
}

impl<T> Default for Phrases<T> {
    fn default() -> Self {
        Self { entries: BTreeMap::new() }
    }
}

impl<T: Copy + PartialEq + std::fmt::Debug + 'static> Phrases<T> {
    /// Returns the list of a phrase.
    fn entry(&mut self, phrase: &str) -> &mut Vec<T> {
        let letters: String = phrase::letters(phrase).collect();
        assert!(!letters.is_empty() && !phrase.contains('\n'), "{phrase}: not a phrase");
        let (written, list) = self.entries.entry(letters).or_default();
        // `a. i. c.` is also found as `aic`, but not the other way round
        if phrase::words(phrase).count() > phrase::words(written).count() {
            phrase.clone_into(written);
        }
        list
    }

    /// Checks that no two phrases or prefixes have one hash.
    fn check(&self, name: &str) {
        let mut spelled: BTreeMap<u32, String> = BTreeMap::new();
        for (written, _) in self.entries.values() {
            for begun in table::prefixes(written).chain([written.as_str()]) {
                let letters: String = phrase::letters(begun).collect();
                let known =
                    spelled.entry(Phrase::EMPTY.with(begun).value()).or_insert_with(|| letters.clone());
                assert_eq!(*known, letters, "{name}: two phrases have one hash");
            }
        }
    }

    /// Writes the table as a constant, or its list for builds that build the table at run time.
    fn write(&self, name: &str, of: &str, small: bool, out: &mut String) {
        self.check(name);
        if small {
            let written: Vec<&str> = self.entries.values().map(|(written, _)| written.as_str()).collect();
            let lengths: Vec<usize> = self.entries.values().map(|(_, list)| list.len()).collect();
            let items: Vec<T> = self.entries.values().flat_map(|(_, list)| list.iter().copied()).collect();
            let name = format!("{}_LIST", name.strip_suffix('S').unwrap());
            writeln!(
                out,
                "static {name}: PhraseList<{of}> = PhraseList {{ phrases: {:?}, lengths: &{lengths:?}, items: &{items:?} }};",
                written.join("\n")
            )
            .unwrap();
            return;
        }
        let lists = self.entries.values().map(|(written, list)| (written.as_str(), list.as_slice()));
        let table = PhraseTable::new(lists.clone());
        let is_found = |(written, list): (&str, &[T])| {
            table.get(Phrase::EMPTY.with(written), written) == Some(list)
                && table::prefixes(written).all(|begun| table.get(Phrase::EMPTY.with(begun), begun).is_some())
        };
        assert!(lists.clone().all(is_found), "{name}: a phrase is not found");
        let PhraseTable { table, letters, starts } = table;
        check_lengths(&table);
        let table = constant_table(&table, small, |item| format!("{item:?}"));
        writeln!(
            out,
            "static {name}: PhraseTable<{of}> = PhraseTable {{ table: {table}, letters: {letters:?}, starts: &{starts:?} }};"
        )
        .unwrap();
    }
}

/// Checks that the counts of a table fit their types.
fn check_lengths<T>(table: &Table<T>) {
    let sum = |counts: &[u8]| counts.iter().map(|count| usize::from(*count)).sum::<usize>();
    assert!(table.items.len() < 65_536, "too many items for a table");
    assert_eq!(sum(table.counts), table.lengths.len(), "too many keys in a bucket of a table");
    assert_eq!(sum(table.lengths), table.items.len(), "too many items for one key of a table");
    let mut halves = table.counts.chunks(SMALL_GROUP / 2);
    assert!(halves.all(|half| sum(half) < 256), "too many keys in half a group of a table");
}

/// Returns a table as a constant expression, with the fields for a small or for a fast look-up.
fn constant_table<T>(table: &Table<T>, small: bool, item: impl Fn(&T) -> String) -> String {
    let Table { bits, multiplier, buckets, items, beginnings, .. } = table;
    let items: Vec<String> = items.iter().map(item).collect();
    let found_by = if small {
        let groups: Vec<_> = table.groups[..*buckets].iter().step_by(SMALL_GROUP).collect();
        let Table { counts, keys: [low, middle, high], lengths, .. } = table;
        format!(
            "groups: &{groups:?}, counts: &{counts:?}, keys: [&{low:?}, &{middle:?}, &{high:?}], \
             lengths: &{lengths:?}, slots: &[]"
        )
    } else {
        let Table { groups, slots, .. } = table;
        format!("groups: &{groups:?}, counts: &[], keys: [&[]; 3], lengths: &[], slots: &{slots:?}")
    };
    format!(
        "Table {{ bits: {bits}, multiplier: {multiplier}, buckets: {buckets}, {found_by}, items: &[{}], \
         beginnings: &{beginnings:?} }}",
        items.join(", ")
    )
}

/// Returns the shapes of a file without a label, and those that need one.
fn shapes(file: &File) -> [String; 2] {
    let (shapes, labelled) = (file.shapes.join("\n"), file.labelled.join("\n"));
    match file.label {
        Label::Optional => [shapes, labelled],
        Label::Required => [String::new(), [shapes, labelled].join("\n").trim().to_owned()],
    }
}

/// Returns the texts of a detector in the format that [`Detector`] reads.
fn texts(name: &str, region: &str, file: &File) -> String {
    let kind = file.kind.as_deref().unwrap_or(name);
    let aliases = file.aliases.join("\n");
    let [shapes, labelled] = shapes(file);
    let fields = [
        kind,
        name,
        &file.description,
        region,
        &aliases,
        &shapes,
        &labelled,
        file.pattern.as_deref().unwrap_or_default(),
    ];
    assert!(fields.iter().all(|field| !field.contains('\t')), "{name}: a tab in a text");
    fields.join("\t")
}

/// Converts log-odds to hundredths.
fn hundredths(odds: f64) -> i16 {
    (odds * 100.0).round() as i16
}

/// Twelve bits of the first three bytes; `catalogue::may_start` computes the same.
fn start_hash(a: u8, b: u8, c: u8) -> u16 {
    let bytes = u32::from(a) | u32::from(b) << 8 | u32::from(c) << 16;
    (bytes.wrapping_mul(0x9e37_79b1) >> 20) as u16
}

fn country_literal(code: &str) -> String {
    let code = code.as_bytes();
    assert!(code.len() == 2 && code.iter().all(u8::is_ascii_uppercase), "no country code");
    format!("Country::literal({:?})", [code[0], code[1]])
}

fn option(value: Option<String>) -> String {
    value.map_or_else(|| "None".to_owned(), |value| format!("Some({value})"))
}

fn pascal(name: &str) -> String {
    format!("{}{}", name[..1].to_uppercase(), &name[1..])
}

fn cow_str(text: &str) -> String {
    format!("Cow::Borrowed({text:?})")
}

fn regions(name: &str, regions: &Regions) -> String {
    for (code, region) in &regions.codes {
        assert!(code.len() == usize::from(regions.len), "{name}: the code {code} is too long or too short");
        assert!(!region.contains(' '), "{name}: the region {region} is no code");
    }
    let codes: Vec<String> = regions.codes.iter().map(|(code, region)| format!("{code}{region}")).collect();
    format!("&Regions {{ at: {}, len: {}, codes: {:?} }}", regions.at, regions.len, codes.join(" "))
}

/// Returns the tests of a part.
fn part(part: &Part) -> Vec<String> {
    let mut tests = Vec::new();
    if !part.chars.is_empty() {
        tests.push(format!("Test::Characters({:?})", part.chars));
    }
    if !part.one_of.is_empty() {
        let fits = |text: &String| !text.contains(' ') && text.len() == usize::from(part.len);
        assert!(
            part.one_of.iter().all(fits),
            "an entry of `one_of` does not fit its part: {:?}",
            part.one_of
        );
        tests.push(format!("Test::OneOf({:?})", part.one_of.join(" ")));
    }
    if part.min.is_some() || part.max.is_some() || !part.not.is_empty() {
        let (min, max) = (part.min.unwrap_or(0), part.max.unwrap_or(u32::MAX));
        tests.push(format!("Test::Number {{ min: {min}, max: {max}, not: &{:?} }}", part.not));
    }
    let of = |test| format!("Part {{ at: {}, len: {}, test: {test} }}", part.at, part.len);
    tests.into_iter().map(of).collect()
}

fn weighted(rule: &Weighted) -> String {
    let product = match rule.product {
        Product::Plain => "Plain",
        Product::DigitSum => "DigitSum",
    };
    format!(
        "Check::Weighted(crate::schema::Weighted {{ weights: Cow::Borrowed(&{:?}), modulus: {}, residues: Cow::Borrowed(&{:?}), check: {}, \
         at: {}, offset: {}, product: crate::schema::Product::{product}, then: Cow::Borrowed(&{:?}), alphabet: {}, cyclic: {} }})",
        rule.weights,
        rule.modulus,
        rule.residues,
        cow_str(&rule.check),
        rule.at,
        rule.offset,
        rule.then,
        cow_str(&rule.alphabet),
        rule.cyclic
    )
}

fn integer(rule: &Integer) -> String {
    format!(
        "Check::Integer(crate::schema::Integer {{ modulus: {}, residues: Cow::Borrowed(&{:?}), check_len: {}, complement: {}, check: {} }})",
        rule.modulus,
        rule.residues,
        rule.check_len,
        rule.complement,
        cow_str(&rule.check)
    )
}
