//! The evaluation on real text: third-party annotated corpora, and texts without personal data.
//!
//! A folder contains `dev/*.jsonl.gz`, `negatives/dev/*.jsonl.gz` and `sources.json`; `tests/eval/README.md`
//! lists the sources of the texts. A line is a document: `text`, `lang`, `set` and `labels` with a type and
//! offsets in code points.
//! A name is found if findings of people cover half of it, and a finding is right if names cover half of it.
//! A label `ignore` is neither right nor wrong. A language counts once in the mean of its group.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs::File,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};
use textveil_engine::{DetectOptions, Entity, OffsetUnit, Preset, detect};

use crate::{catalogue::Catalogue, document as generated, reliability::Reliability};

/// Names that a language needs to count in the mean of its group.
const LEAST_NAMES: u32 = 50;

/// The sets of which the training leaves out its part, too (`engine/names/train/src/data.rs`).
const HELD_OUT: [&str; 2] = ["danplus", "talbanken"];

/// Findings that are by their form what they are called, and so no false alarms.
const BY_FORM: [&str; 5] = ["email", "ip_address", "mac_address", "url", "uuid"];

/// The measurements, and their sets.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RealScores {
    /// The sets of texts, by their name.
    pub sources: BTreeMap<String, Source>,
    /// Names of people by language, in `balanced`.
    pub languages: BTreeMap<String, NameCounts>,
    /// The same in the texts of `hand-checked/`, in languages from whose texts nothing was learnt.
    #[serde(default)]
    pub untrained: BTreeMap<String, NameCounts>,
    /// The same in the sets that the training leaves out, by set and language.
    #[serde(default)]
    pub held_out: BTreeMap<String, NameCounts>,
    /// The same texts in lower case and in capitals, by letter case and language.
    #[serde(default)]
    pub cases: BTreeMap<String, BTreeMap<String, NameCounts>>,
    /// Addresses by set, in `balanced`.
    pub addresses: BTreeMap<String, AddressCounts>,
    /// Organisations, by preset, in the sets that label them.
    #[serde(default)]
    pub organizations: BTreeMap<String, OrganizationCounts>,
    /// Findings in texts without personal data, by preset and kind of text.
    pub alarms: BTreeMap<String, BTreeMap<String, AlarmCounts>>,
    /// Those in the same texts in lower case, in `balanced`, by kind of text.
    #[serde(default)]
    pub lower_case_alarms: BTreeMap<String, AlarmCounts>,
    /// Findings of people, places and organisations by their confidence.
    pub reliability: Reliability,
}

/// The source of a set of texts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Source {
    pub repository: String,
    pub commit: String,
    pub licence: String,
    #[serde(default)]
    pub documents: u32,
}

/// Counts of which precision and recall of names are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameCounts {
    pub documents: u32,
    /// Names that are labelled.
    pub names: u32,
    pub found: u32,
    /// Those that a finding of a person has the span of.
    pub exact: u32,
    /// Those of two words or more.
    pub full: u32,
    pub full_found: u32,
    /// Characters of names, and those that any finding covers.
    pub characters: u32,
    pub covered: u32,
    /// Findings of people.
    pub reported: u32,
    pub right: u32,
    /// Those that have the span of a name.
    pub right_exact: u32,
    /// Characters of findings of people, and those that are of a name.
    pub reported_characters: u32,
    pub right_characters: u32,
}

/// The labelled addresses, and those that findings cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressCounts {
    pub labelled: u32,
    /// Those of which findings of addresses cover half.
    pub found: u32,
    /// Those of which findings of any type cover half.
    pub covered: u32,
}

/// Counts of which precision and recall of organisations are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrganizationCounts {
    pub labelled: u32,
    pub found: u32,
    pub reported: u32,
    pub right: u32,
}

/// Sets that do not label organisations, or not all.
const WITHOUT_ORGANIZATIONS: [&str; 3] = ["emailcoref", "frlitbank", "litbank"];

/// False alarms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlarmCounts {
    pub characters: u32,
    pub all: u32,
    pub people: u32,
}

#[derive(Clone, Deserialize)]
struct RealDocument {
    set: String,
    lang: String,
    #[serde(default)]
    genre: String,
    text: String,
    #[serde(default)]
    labels: Vec<Label>,
}

#[derive(Clone, Deserialize)]
struct Label {
    #[serde(rename = "type")]
    kind: String,
    start: usize,
    end: usize,
}

impl RealDocument {
    fn spans(&self, kind: &str) -> Vec<Range> {
        let labels = self.labels.iter().filter(|label| label.kind == kind);
        labels.map(|label| label.start..label.end).collect()
    }

    /// The document in another letter case, unless its script has no capitals. A letter stays one, so the labels hold.
    fn in_case(&self, case: LetterCase) -> Option<Self> {
        if !self.text.chars().any(char::is_uppercase) {
            return None;
        }
        let text = match case {
            LetterCase::Lower => {
                self.text.chars().filter_map(|letter| letter.to_lowercase().next()).collect()
            }
            LetterCase::Capitals => self.text.chars().map(capital).collect(),
        };
        Some(Self { text, ..self.clone() })
    }
}

/// The letter case of all of a text.
#[derive(Clone, Copy)]
enum LetterCase {
    Lower,
    Capitals,
}

impl LetterCase {
    const ALL: [(Self, &str); 2] = [(Self::Lower, "in lower case"), (Self::Capitals, "in capitals")];
}

/// The capital of a letter, except `ß` and others that have two.
fn capital(letter: char) -> char {
    let mut capitals = letter.to_uppercase();
    match (capitals.next(), capitals.next()) {
        (Some(capital), None) => capital,
        _ => letter,
    }
}

type Range = std::ops::Range<usize>;

/// Measures the engine on the texts of a folder; `None` if the folder is absent.
///
/// # Errors
/// If a file cannot be read.
pub fn measure(folder: &Path) -> Result<Option<RealScores>> {
    if !folder.join("dev").is_dir() {
        return Ok(None);
    }
    let sources: BTreeMap<String, Source> = serde_json::from_reader(open(&folder.join("sources.json"))?)
        .with_context(|| folder.join("sources.json").display().to_string())?;
    let mut scores = RealScores::default();
    for_each(&folder.join("dev"), &mut |document| {
        let source = sources.get(&document.set).cloned().unwrap_or_default();
        scores.sources.entry(document.set.clone()).or_insert(source).documents += 1;
        scores.measure(document)
    })?;
    for_each(&folder.join("negatives/dev"), &mut |document| scores.measure_negative(document))?;
    scores.untrained = untrained()?;
    Ok(Some(scores))
}

/// Measures names in the texts of `hand-checked/`, by language.
///
/// # Errors
/// If a file cannot be read.
pub fn untrained() -> Result<BTreeMap<String, NameCounts>> {
    let folder = crate::root().join("tests/eval/hand-checked");
    let mut scores = RealScores::default();
    for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "txt") {
            let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let lang = path.file_stem().unwrap_or_default().to_string_lossy();
            scores.measure_names(&marked(&text, &lang))?;
        }
    }
    Ok(scores.languages)
}

/// A text whose names are between `[[` and `]]`.
fn marked(written: &str, lang: &str) -> RealDocument {
    let (mut text, mut labels) = (String::new(), Vec::new());
    let mut parts = written.split("[[");
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (name, rest) = part.split_once("]]").unwrap_or((part, ""));
        let start = text.chars().count();
        labels.push(Label { kind: "person".to_owned(), start, end: start + name.chars().count() });
        text.push_str(name);
        text.push_str(rest);
    }
    let (lang, set) = (lang.to_owned(), "hand-checked".to_owned());
    RealDocument { set, lang, genre: String::new(), text, labels }
}

/// A generated document in the format of the real texts, with its names, addresses and organisations.
pub fn line(catalogue: &Catalogue, document: &generated::Document) -> serde_json::Value {
    let kind = |key: &str| match key {
        "global/name" => Some("person"),
        "global/organization" => Some("organization"),
        "global/address" => Some("address"),
        _ => None,
    };
    let at = |byte: usize| document.text.get(..byte).unwrap_or_default().chars().count();
    let labels = document.truths.iter().filter_map(|truth| {
        let kind = kind(&catalogue.detectors.get(truth.detector)?.key)?;
        Some(serde_json::json!({ "type": kind, "start": at(truth.start), "end": at(truth.end) }))
    });
    let labels: Vec<_> = labels.collect();
    let (lang, text) = (&document.language, &document.text);
    serde_json::json!({ "set": "generated", "lang": lang, "genre": document.kind, "text": text, "labels": labels })
}

/// Calls `add` with the family of each finding of a place or an organisation, and whether it is right.
fn rely_on_places(
    document: &RealDocument,
    all: &[Entity],
    add: &mut impl FnMut(&'static str, &Entity, bool),
) {
    if WITHOUT_ORGANIZATIONS.contains(&document.set.as_str()) {
        return;
    }
    let ignored = document.spans("ignore");
    let organizations = document.spans("organization");
    let places = [document.spans("location"), document.spans("address")].concat();
    for entity in all.iter().filter(|entity| !is_half(&ignored, &span(entity))) {
        match entity.kind.as_ref() {
            "organization" => add("organisations", entity, is_half(&organizations, &span(entity))),
            kind if is_address(kind) => {
                add("addresses and their parts", entity, is_half(&places, &span(entity)))
            }
            _ => {}
        }
    }
}

/// Calls `add` with the findings of places and organisations in the documents of a folder, in `balanced`, with their evidence.
///
/// # Errors
/// If a file cannot be read.
pub fn rely_on(folder: &Path, add: &mut impl FnMut(&'static str, &Entity, bool)) -> Result<()> {
    for_each(folder, &mut |document| {
        let options = DetectOptions {
            privacy_preset: Some(Preset::Balanced),
            offset_unit: Some(OffsetUnit::CodePoint),
            explain: true,
            ..DetectOptions::default()
        };
        rely_on_places(document, &detect(&document.text, &options)?.entities, add);
        Ok(())
    })
}

/// Calls `work` with each text of a folder.
///
/// # Errors
/// If a file cannot be read, and those of `work`.
pub fn for_each_text(folder: &Path, work: &mut impl FnMut(&str) -> Result<()>) -> Result<()> {
    for_each(folder, &mut |document| work(&document.text))
}

fn open(path: &Path) -> Result<BufReader<File>> {
    Ok(BufReader::new(File::open(path).with_context(|| path.display().to_string())?))
}

fn for_each(folder: &Path, work: &mut impl FnMut(&RealDocument) -> Result<()>) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "gz"));
    paths.sort();
    if paths.is_empty() {
        bail!("{} has no .jsonl.gz", folder.display());
    }
    for path in paths {
        for line in BufReader::new(MultiGzDecoder::new(open(&path)?)).lines() {
            let document = serde_json::from_str(&line?).with_context(|| path.display().to_string())?;
            work(&document)?;
        }
    }
    Ok(())
}

fn found(text: &str, preset: Preset) -> Result<Vec<Entity>> {
    let options = DetectOptions {
        privacy_preset: Some(preset),
        offset_unit: Some(OffsetUnit::CodePoint),
        ..DetectOptions::default()
    };
    Ok(detect(text, &options)?.entities)
}

fn span(entity: &Entity) -> Range {
    entity.span.start..entity.span.end
}

/// Returns the number of characters of `range` that are in `spans`.
fn cover(spans: &[Range], range: &Range) -> usize {
    let inside = spans.iter().flat_map(|span| span.start.max(range.start)..span.end.min(range.end));
    inside.collect::<BTreeSet<_>>().len()
}

fn is_half(spans: &[Range], range: &Range) -> bool {
    2 * cover(spans, range) >= range.len()
}

/// Findings of people; those that overlap are one.
fn people(entities: &[Entity]) -> Vec<(Range, f64)> {
    let mut people: Vec<(Range, f64)> = Vec::new();
    for entity in entities.iter().filter(|entity| entity.kind == "name") {
        let range = span(entity);
        match people.last_mut().filter(|(last, _)| range.start < last.end) {
            Some((last, confidence)) => {
                last.end = last.end.max(range.end);
                *confidence = confidence.max(entity.confidence);
            }
            None => people.push((range, entity.confidence)),
        }
    }
    people
}

fn is_address(kind: &str) -> bool {
    matches!(kind, "address" | "city" | "postal_code")
}

/// Counts the words of a name: parts between spaces and middle dots that contain a letter.
fn words(name: &str) -> usize {
    let separates = |letter: char| letter.is_whitespace() || "·・‧•＝=".contains(letter);
    name.split(separates).filter(|word| word.chars().any(char::is_alphabetic)).count()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Counts the names of people in a document, and returns all findings.
fn count_names(document: &RealDocument, counts: &mut NameCounts) -> Result<Vec<Entity>> {
    let (names, ignored) = (document.spans("person"), document.spans("ignore"));
    let entities = found(&document.text, Preset::Balanced)?;
    let all: Vec<Range> = entities.iter().map(span).collect();
    let spans: Vec<Range> = people(&entities).into_iter().map(|(range, _)| range).collect();
    let letters: Vec<char> = document.text.chars().collect();
    counts.documents += 1;
    for name in &names {
        let is_found = is_half(&spans, name);
        counts.names += 1;
        counts.found += u32::from(is_found);
        counts.exact += u32::from(spans.contains(name));
        counts.characters += count(name.len());
        counts.covered += count(cover(&all, name));
        let text: String = letters.get(name.clone()).unwrap_or_default().iter().collect();
        if words(&text) > 1 {
            counts.full += 1;
            counts.full_found += u32::from(is_found);
        }
    }
    for finding in spans.iter().filter(|finding| !is_half(&ignored, finding)) {
        counts.reported += 1;
        counts.right += u32::from(is_half(&names, finding));
        counts.right_exact += u32::from(names.contains(finding));
        counts.reported_characters += count(finding.len());
        counts.right_characters += count(cover(&names, finding));
    }
    Ok(entities)
}

impl AlarmCounts {
    /// Counts the findings in a text without personal data.
    fn add(&mut self, text: &str, preset: Preset) -> Result<()> {
        self.characters += count(text.chars().count());
        for entity in found(text, preset)? {
            if !BY_FORM.contains(&entity.kind.as_ref()) {
                self.all += 1;
                self.people += u32::from(entity.kind == "name");
            }
        }
        Ok(())
    }
}

impl RealScores {
    fn measure(&mut self, document: &RealDocument) -> Result<()> {
        let all = self.measure_names(document)?;
        self.measure_organizations("balanced", document, &all);
        self.rely(document, Preset::Balanced, &all);
        for (case, name) in LetterCase::ALL {
            if let Some(document) = document.in_case(case) {
                let languages = self.cases.entry(name.to_owned()).or_default();
                count_names(&document, languages.entry(document.lang.clone()).or_default())?;
            }
        }
        let addresses = document.spans("address");
        if !addresses.is_empty() {
            let places: Vec<Range> = all.iter().filter(|entity| is_address(&entity.kind)).map(span).collect();
            let all: Vec<Range> = all.iter().map(span).collect();
            let counts = self.addresses.entry(format!("{} ({})", document.set, document.lang)).or_default();
            for address in &addresses {
                counts.labelled += 1;
                counts.found += u32::from(is_half(&places, address));
                counts.covered += u32::from(is_half(&all, address));
            }
        }
        let all = found(&document.text, Preset::Aggressive)?;
        self.measure_organizations("aggressive", document, &all);
        self.rely(document, Preset::Aggressive, &all);
        Ok(())
    }

    fn measure_organizations(&mut self, preset: &str, document: &RealDocument, all: &[Entity]) {
        if WITHOUT_ORGANIZATIONS.contains(&document.set.as_str()) {
            return;
        }
        let labelled = document.spans("organization");
        let known = [labelled.clone(), document.spans("ignore")].concat();
        let found: Vec<Range> = all.iter().filter(|entity| entity.kind == "organization").map(span).collect();
        let counts = self.organizations.entry(preset.to_owned()).or_default();
        counts.labelled += count(labelled.len());
        counts.found += count(labelled.iter().filter(|label| is_half(&found, label)).count());
        counts.reported += count(found.len());
        counts.right += count(found.iter().filter(|finding| is_half(&known, finding)).count());
    }

    /// Counts the names of people, and returns all findings.
    fn measure_names(&mut self, document: &RealDocument) -> Result<Vec<Entity>> {
        if HELD_OUT.contains(&document.set.as_str()) {
            let set = format!("{} ({})", document.set, document.lang);
            count_names(document, self.held_out.entry(set).or_default())?;
        }
        count_names(document, self.languages.entry(document.lang.clone()).or_default())
    }

    /// Counts the findings of people, places and organisations of a preset by their confidence.
    fn rely(&mut self, document: &RealDocument, preset: Preset, all: &[Entity]) {
        let (names, ignored) = (document.spans("person"), document.spans("ignore"));
        for (finding, confidence) in people(all).iter().filter(|(finding, _)| !is_half(&ignored, finding)) {
            self.reliability.add(preset, "people", *confidence, is_half(&names, finding));
        }
        rely_on_places(document, all, &mut |family, entity, is_right| {
            self.reliability.add(preset, family, entity.confidence, is_right);
        });
    }

    fn measure_negative(&mut self, document: &RealDocument) -> Result<()> {
        let kind = document.genre.split(',').next().unwrap_or_default();
        for (name, preset) in [("balanced", Preset::Balanced), ("conservative", Preset::Conservative)] {
            let kinds = self.alarms.entry(name.to_owned()).or_default();
            kinds.entry(kind.to_owned()).or_default().add(&document.text, preset)?;
        }
        match document.in_case(LetterCase::Lower) {
            Some(lower) => {
                self.lower_case_alarms.entry(kind.to_owned()).or_default().add(&lower.text, Preset::Balanced)
            }
            None => Ok(()),
        }
    }

    /// Returns the figures that are worse than before, by more than a hundredth.
    pub fn drops(&self, before: &Self) -> Vec<String> {
        let as_written = [(("", &self.languages), Some(&before.languages))];
        let cases = self.cases.iter().map(|(case, now)| ((case.as_str(), now), before.cases.get(case)));
        let mut drops = Vec::new();
        for ((case, now), then) in as_written.into_iter().chain(cases) {
            let old = then.into_iter().flatten().filter(|(_, old)| old.names >= LEAST_NAMES);
            for (language, old) in old {
                let Some(new) = now.get(language) else { continue };
                let (now, then) = (new.f1(), old.f1());
                if now + 0.01 < then {
                    let place = [language.as_str(), case].join(" ");
                    drops.push(format!("names in {}, F1: {then:.3} → {now:.3}", place.trim_end()));
                }
            }
        }
        drops
    }
}

impl NameCounts {
    fn precision(&self) -> f64 {
        crate::measure::share(self.right, self.reported)
    }

    fn recall(&self) -> f64 {
        crate::measure::share(self.found, self.names)
    }

    fn f1(&self) -> f64 {
        crate::measure::f(1.0, self.precision(), self.recall())
    }

    fn exact_f1(&self) -> f64 {
        crate::measure::f(
            1.0,
            crate::measure::share(self.right_exact, self.reported),
            crate::measure::share(self.exact, self.names),
        )
    }

    /// Recall: the share of the characters of names that findings of any type cover. Precision: the share of the characters of
    /// findings of people that are of a name.
    fn character_f2(&self) -> f64 {
        let precision = crate::measure::share(self.right_characters, self.reported_characters);
        crate::measure::f(2.0, precision, crate::measure::share(self.covered, self.characters))
    }
}

/// The group of the scripts without letter case.
const WITHOUT_CASE: &str = "Hebrew, Arabic, Indic, Thai, Chinese, Japanese, Korean";

/// Groups of languages by script, in the order of the table.
const GROUPS: [(&str, &[&str]); 4] = [
    ("English", &["en"]),
    ("Greek and Cyrillic", &["be", "bg", "el", "kk", "ky", "mk", "mn", "ru", "tg", "uk"]),
    (
        WITHOUT_CASE,
        &[
            "am", "ar", "bn", "fa", "gu", "he", "hi", "hy", "ja", "ka", "km", "kn", "ko", "ml", "mr", "my",
            "ne", "pa", "ps", "ta", "te", "th", "ur", "zh",
        ],
    ),
    ("other Latin", &[]),
];

fn group(language: &str) -> &'static str {
    let named = GROUPS.iter().find(|(_, languages)| languages.contains(&language));
    named.map_or("other Latin", |(name, _)| name)
}

/// Returns the path of the committed figures.
pub fn path() -> PathBuf {
    crate::root().join("tests/eval/real-text.json")
}

/// The figures of languages, the weakest first.
fn table(head: &str, rows: &BTreeMap<String, NameCounts>, out: &mut String) {
    let _ = write!(
        out,
        "| {head} | documents | names | P | R | F1 | exact F1 | R, two words or more | characters covered | character F2 |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let mut rows: Vec<_> = rows.iter().collect();
    rows.sort_by(|(_, one), (_, other)| one.f1().total_cmp(&other.f1()));
    for (name, counts) in rows {
        let _ = writeln!(
            out,
            "| {name} | {} | {} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} |",
            counts.documents,
            counts.names,
            if counts.reported == 0 { "none found".to_owned() } else { format!("{:.3}", counts.precision()) },
            counts.recall(),
            counts.f1(),
            counts.exact_f1(),
            crate::measure::share(counts.full_found, counts.full),
            crate::measure::share(counts.covered, counts.characters),
            counts.character_f2()
        );
    }
}

/// The means of the languages of a group, in a letter case.
fn group_row(name: &str, case: &str, languages: &BTreeMap<String, NameCounts>, out: &mut String) {
    let languages: Vec<&NameCounts> = languages
        .iter()
        .filter(|(language, counts)| group(language) == name && counts.names >= LEAST_NAMES)
        .map(|(_, counts)| counts)
        .collect();
    // of scripts without letter case only the texts with some Latin letters are measured again
    let has_case = case.is_empty() || name != WITHOUT_CASE;
    if languages.is_empty() || !has_case {
        return;
    }
    let mean = |of: fn(&NameCounts) -> f64| {
        languages.iter().map(|counts| of(counts)).sum::<f64>() / languages.len() as f64
    };
    let place = [name, case].join(if case.is_empty() { "" } else { ", " });
    let _ = writeln!(
        out,
        "| {place} | {} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} |",
        languages.len(),
        languages.iter().map(|counts| counts.names).sum::<u32>(),
        mean(NameCounts::precision),
        mean(NameCounts::recall),
        mean(NameCounts::f1),
        mean(NameCounts::exact_f1),
        mean(NameCounts::character_f2)
    );
}

impl RealScores {
    /// The committed figures.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn committed() -> Result<Self> {
        let text = std::fs::read_to_string(path()).with_context(|| {
            format!("{}; `cargo xtask eval --real DIR --bless` writes it", path().display())
        })?;
        serde_json::from_str(&text).with_context(|| path().display().to_string())
    }

    /// Writes the figures to their place.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn commit(&self) -> Result<()> {
        Ok(std::fs::write(path(), serde_json::to_string_pretty(self)? + "\n")?)
    }

    /// The section for people: the weakest languages first.
    pub fn section(&self) -> String {
        let mut out = String::from(
            "## Real text\nNames in text that nobody of the project wrote, and false alarms in text without personal data; \
             measured by `cargo xtask eval --real DIR` on texts that the engine was not made with. `tests/eval/README.md` \
             says where they come from. A name is found where findings of people cover half of it. Preset `balanced`.\n\n\
             | group | languages | names | P | R | F1 | exact F1 | character F2 |\n\
             | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        );
        let written = [("", &self.languages)].into_iter();
        for (case, languages) in
            written.chain(self.cases.iter().map(|(case, counts)| (case.as_str(), counts)))
        {
            for (name, _) in GROUPS {
                group_row(name, case, languages, &mut out);
            }
        }
        let _ = writeln!(
            out,
            "\nEach language counts once; those with fewer than {LEAST_NAMES} names do not count. In lower case and in capitals \
             are the same texts, with the same names. The character F2 counts characters instead of names. A \
             finding of any type covers a character of a name; the characters of findings of people must be of a name. Recall \
             counts four times.\n"
        );
        table("language", &self.languages, &mut out);
        out.push_str(
            "\n### Languages from which nothing was learnt\nEveryday texts with invented people: `tests/eval/hand-checked/`. \
             Their writer does not train the judge.\n\n",
        );
        table("language", &self.untrained, &mut out);
        out.push_str(
            "\n### Corpora from which nothing was learnt\nThe languages are known from other corpora. The texts count in the rows \
             above, too.\n\n",
        );
        table("set", &self.held_out, &mut out);
        out.push_str(
            "\n### Addresses\nHalf of an address is covered by findings of addresses, cities and postal codes, or by any.\n\n\
             | set | addresses | found | covered |\n| --- | --- | --- | --- |\n",
        );
        for (set, AddressCounts { labelled, found, covered }) in &self.addresses {
            let share = |part| crate::measure::share(part, *labelled);
            let _ = writeln!(out, "| {set} | {labelled} | {:.3} | {:.3} |", share(*found), share(*covered));
        }
        out.push_str(
            "\n### Organisations\nIn the sets that label them. `balanced` reports an organisation with a legal form or a \
             label only.\n\n| preset | organisations | P | R |\n| --- | --- | --- | --- |\n",
        );
        for (preset, OrganizationCounts { labelled, found, reported, right }) in &self.organizations {
            let share = crate::measure::share;
            let (precision, recall) = (share(*right, *reported), share(*found, *labelled));
            let _ = writeln!(out, "| {preset} | {labelled} | {precision:.3} | {recall:.3} |");
        }
        self.alarms(&mut out);
        self.reliability(&mut out);
        self.sources(&mut out);
        out
    }

    fn alarms(&self, out: &mut String) {
        out.push_str(
            "\n### False alarms\nFindings in 10,000 characters of texts without personal data. Addresses of mail and machines, \
             URLs and UUIDs are what they look like and do not count.\n\n\
             | texts | characters | balanced | of people | conservative | of people |\n| --- | --- | --- | --- | --- | --- |\n",
        );
        let none = BTreeMap::new();
        let [balanced, conservative] =
            ["balanced", "conservative"].map(|preset| self.alarms.get(preset).unwrap_or(&none));
        let mut totals = [AlarmCounts::default(); 2];
        let rate = |part: u32, counts: &AlarmCounts| {
            f64::from(part) * 10_000.0 / f64::from(counts.characters.max(1))
        };
        let mut row = |kind: &str, [one, other]: [&AlarmCounts; 2]| {
            let _ = writeln!(
                out,
                "| {kind} | {} | {:.2} | {:.2} | {:.2} | {:.2} |",
                one.characters,
                rate(one.all, one),
                rate(one.people, one),
                rate(other.all, other),
                rate(other.people, other)
            );
        };
        for (kind, one) in balanced {
            let other = conservative.get(kind).copied().unwrap_or_default();
            row(kind, [one, &other]);
            for (total, counts) in totals.iter_mut().zip([one, &other]) {
                total.characters += counts.characters;
                total.all += counts.all;
                total.people += counts.people;
            }
        }
        row("all", totals.each_ref());
        let mut total = AlarmCounts::default();
        for counts in self.lower_case_alarms.values() {
            total.characters += counts.characters;
            total.all += counts.all;
            total.people += counts.people;
        }
        let _ = writeln!(
            out,
            "\nIn the same texts in lower case, where the script has it: {:.2}, of people {:.2}.",
            rate(total.all, &total),
            rate(total.people, &total)
        );
    }

    fn reliability(&self, out: &mut String) {
        out.push_str(
            "
### Confidence
Findings by preset: their mean confidence, and the share that is right. The error is the mean \
             distance of the two, weighted by findings.

",
        );
        self.reliability.write(out);
    }

    fn sources(&self, out: &mut String) {
        out.push_str(
            "\n### Sources of the annotated texts\n| set | repository | commit | licence | documents |\n\
             | --- | --- | --- | --- | --- |\n",
        );
        for (set, Source { repository, commit, licence, documents }) in &self.sources {
            let _ = writeln!(out, "| {set} | {repository} | {commit} | {licence} | {documents} |");
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str, labels: &[(&str, &str)]) -> RealDocument {
        let labels = labels
            .iter()
            .map(|(kind, value)| {
                let start = text[..text.find(value).unwrap()].chars().count();
                Label { kind: (*kind).to_owned(), start, end: start + value.chars().count() }
            })
            .collect();
        let (set, lang, genre) = ("s".to_owned(), "en".to_owned(), "log, x".to_owned());
        RealDocument { set, lang, genre, text: text.to_owned(), labels }
    }

    #[test]
    fn names_are_counted_by_their_halves() {
        let mut scores = RealScores::default();
        let text = "Ž Dear Emily Carter, this is about Zbq and Robert Miller.";
        scores
            .measure(&document(
                text,
                &[("person", "Emily Carter"), ("person", "Zbq"), ("ignore", "Robert Miller")],
            ))
            .unwrap();
        let counts = scores.languages["en"];
        assert_eq!((counts.documents, counts.names, counts.found, counts.exact), (1, 2, 1, 1));
        assert_eq!((counts.full, counts.full_found, counts.reported, counts.right), (1, 1, 1, 1));
        assert_eq!((counts.characters, counts.covered), (15, 12));
        assert_eq!((counts.reported_characters, counts.right_characters), (12, 12));
        // 5 × 1 × 0.8 of 4 × 1 + 0.8
        assert!((counts.character_f2() - 4.0 / 4.8).abs() < 1e-9);
        assert_eq!(scores.reliability.findings(Preset::Aggressive, "people"), 1);
    }

    #[test]
    fn texts_in_another_letter_case_have_the_same_labels() {
        let written = document("İz für Straße: Emily Carter", &[("person", "Emily Carter")]);
        for (case, want) in [
            (LetterCase::Lower, "iz für straße: emily carter"),
            (LetterCase::Capitals, "İZ FÜR STRAßE: EMILY CARTER"),
        ] {
            let document = written.in_case(case).unwrap();
            assert_eq!(document.text, want);
            assert_eq!(document.spans("person").first(), Some(&(15..27)));
        }
        assert!(document("محمد", &[]).in_case(LetterCase::Lower).is_none());
        let mut scores = RealScores::default();
        scores.measure(&written).unwrap();
        let languages: Vec<_> =
            scores.cases.iter().map(|(case, all)| (case.as_str(), all["en"].names)).collect();
        assert_eq!(languages, [("in capitals", 1), ("in lower case", 1)]);
    }

    #[test]
    fn what_is_found_without_personal_data_is_a_false_alarm() {
        let mut scores = RealScores::default();
        scores.measure_negative(&document("Dear Emily Carter, see jan@example.com", &[])).unwrap();
        let counts = scores.alarms["balanced"]["log"];
        assert_eq!((counts.characters, counts.all, counts.people), (38, 1, 1));
    }

    #[test]
    fn parts_of_spans_are_measured() {
        for (spans, range, want) in [
            (vec![0..3, 2..5], 1..9, 4),
            (vec![], 1..9, 0),
            (vec![0..20, 30..31], 1..9, 8),
            (vec![9..12, 0..1], 1..9, 0),
        ] {
            assert_eq!(cover(&spans, &range), want, "{spans:?}");
        }
        assert_eq!([words("Emily"), words("Emily Carter"), words("・- ジョン・スミス")], [1, 2, 2]);
    }

    #[test]
    fn the_hand_checked_texts_have_the_committed_figures() {
        let committed = RealScores::committed().unwrap().untrained;
        let message = "`cargo xtask eval --real DIR --bless` writes them";
        assert_eq!(untrained().unwrap(), committed, "{message}");
        assert!(committed.len() > 10 && committed.values().all(|counts| counts.names >= 5), "{committed:?}");
    }

    #[test]
    fn marks_become_labels() {
        let document = marked("É [[Jan Novák]] a [[Eva]].", "cs");
        assert_eq!(document.text, "É Jan Novák a Eva.");
        assert_eq!(document.spans("person"), [2..11, 14..17]);
    }

    #[test]
    fn the_committed_figures_are_read() {
        let committed = RealScores::committed().unwrap();
        assert!(committed.languages.len() > 20 && !committed.sources.is_empty());
        assert!(committed.section().contains("| English |"));
    }

    #[test]
    fn a_folder_that_is_not_there_is_skipped() {
        assert!(measure(Path::new("/no/such/folder")).unwrap().is_none());
    }
}
