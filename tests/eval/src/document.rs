//! Generated documents: everyday text with identifiers, and with numbers that are not identifiers.

use anyhow::{Result, bail};

use crate::{
    catalogue::{Catalogue, Detector},
    random::Random,
    value::{self, written_date},
    world::{Country, Language, World},
};

/// The context of the values of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// A label of the catalogue.
    Labelled,
    /// A label of the catalogue, and a typing error that the check digits tell.
    Mistyped,
    /// A label as people write it, not as the catalogue has it.
    Paraphrased,
    /// No label; the country is given.
    Given,
    /// No label, and no country given.
    Blind,
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Labelled, Self::Mistyped, Self::Paraphrased, Self::Given, Self::Blind];

    /// As the scorecard names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Labelled => "labelled",
            Self::Mistyped => "labelled, mistyped",
            Self::Paraphrased => "paraphrased",
            Self::Given => "unlabelled, country given",
            Self::Blind => "unlabelled",
        }
    }
}

/// A value in a document.
#[derive(Clone)]
pub struct Truth {
    /// In bytes.
    pub start: usize,
    pub end: usize,
    /// Its number in the catalogue.
    pub detector: usize,
    /// Its context; `None` if it is part of the surroundings.
    pub mode: Option<Mode>,
}

/// A document and what is in it.
pub struct Document {
    pub text: String,
    pub truths: Vec<Truth>,
    /// Neither [`Mode::Blind`] nor [`Mode::Mistyped`].
    pub mode: Mode,
    pub language: String,
    pub country: Option<String>,
    /// The language is one of the country's.
    pub own: bool,
    /// `letter`, `ticket`, `form`, `email`, `record` or `csv`.
    pub kind: &'static str,
}

const KINDS: [&str; 8] = ["letter", "letter", "ticket", "ticket", "form", "form", "email", "record"];

/// Writes documents.
pub struct Writer<'a> {
    catalogue: &'a Catalogue,
    world: &'a World,
    /// The detectors in random order, and those found without a label in another.
    order: Vec<usize>,
    alone: Vec<usize>,
    codes: Vec<&'a str>,
}

impl<'a> Writer<'a> {
    /// A writer whose documents are about each detector in turn.
    pub fn new(catalogue: &'a Catalogue, world: &'a World, random: &mut Random) -> Self {
        // every document contains names and addresses anyway
        let of_documents = |at: &usize| !catalogue.detectors[*at].file.is_name();
        let mut order: Vec<usize> = (0..catalogue.detectors.len()).filter(of_documents).collect();
        random.shuffle(&mut order);
        let alone = order.iter().copied().filter(|at| catalogue.detectors[*at].stands_alone()).collect();
        Self { catalogue, world, order, alone, codes: world.countries.keys().map(String::as_str).collect() }
    }

    /// The document of that number.
    ///
    /// # Errors
    /// If a language's file has something that there is not.
    pub fn document(&mut self, number: usize, random: &mut Random) -> Result<Document> {
        let mode = [Mode::Labelled, Mode::Paraphrased, Mode::Given][number % 3];
        let order = if mode == Mode::Given { &self.alone } else { &self.order };
        let focus = order[number / 3 % order.len()];
        let detector = &self.catalogue.detectors[focus];
        let code = match &detector.country {
            Some(country) => country.as_str(),
            None => *random.pick(&self.codes),
        };
        let country = self.world.countries.get(code);
        let language = self.language(detector, country, mode, random);
        let Some(words) = self.world.languages.get(&language) else { bail!("no language {language}") };
        let mut items = vec![focus];
        for _ in 0..random.below(3) {
            let other = *random.pick(order);
            let of_here =
                |detector: &Detector| detector.country.as_deref().is_none_or(|country| country == code);
            let alike: Vec<usize> = order
                .iter()
                .copied()
                .filter(|at| of_here(&self.catalogue.detectors[*at]) && !items.contains(at))
                .collect();
            if random.chance(30) && of_here(&self.catalogue.detectors[other]) {
                items.push(other);
            } else if let Some(one) = (!alike.is_empty()).then(|| *random.pick(&alike)) {
                items.push(one);
            }
        }
        items.sort_unstable();
        items.dedup();
        random.shuffle(&mut items);
        let kind = if random.chance(8) { "csv" } else { *random.pick(&KINDS) };
        let mut text = Text {
            writer: self,
            random,
            words,
            language: &language,
            country: country.map(|country| (code, country)),
            mode,
            items,
            out: Document {
                text: String::new(),
                truths: Vec::new(),
                mode,
                language: language.clone(),
                country: Some(code.to_owned()),
                own: country.is_some_and(|country| country.languages.contains(&language)),
                kind,
            },
        };
        text.write(kind)?;
        Ok(text.out)
    }

    /// Returns a language of the country in which the detector has labels; otherwise English.
    fn language(
        &self,
        detector: &Detector,
        country: Option<&Country>,
        mode: Mode,
        random: &mut Random,
    ) -> String {
        let own = country.map(|country| country.languages.as_slice()).unwrap_or_default();
        let known: Vec<&String> = own
            .iter()
            .filter(|code| {
                mode == Mode::Given || detector.country.is_none() || self.labels(detector, code).is_some()
            })
            .collect();
        if known.is_empty() || random.chance(12) {
            return "en".to_owned();
        }
        // the first language is the commonest
        if random.chance(60) { known[0].clone() } else { (*random.pick(&known)).clone() }
    }

    /// The labels of a detector in a language.
    fn labels(&self, detector: &'a Detector, language: &str) -> Option<&'a Vec<String>> {
        let also = self.world.languages.get(language).map(|language| language.also.as_slice());
        let codes = std::iter::once(language).chain(also.into_iter().flatten().map(String::as_str));
        codes.filter_map(|code| detector.file.words.get(code)).find(|words| !words.is_empty())
    }
}

/// A value that a document is about.
struct Item {
    detector: usize,
    value: String,
    mode: Mode,
}

/// A document in the making.
struct Text<'w, 'a, 'r> {
    writer: &'w Writer<'a>,
    random: &'r mut Random,
    words: &'a Language,
    language: &'w str,
    country: Option<(&'w str, &'a Country)>,
    mode: Mode,
    /// Detectors whose values are still to be written.
    items: Vec<usize>,
    out: Document,
}

impl Text<'_, '_, '_> {
    fn write(&mut self, kind: &str) -> Result<()> {
        match kind {
            "record" => {
                for _ in 0..self.random.between(1, 3) {
                    self.log_line()?;
                }
                while !self.items.is_empty() {
                    self.log_line()?;
                }
                Ok(())
            }
            "csv" => self.csv(),
            _ => {
                let Some(templates) = self.words.documents.get(kind) else {
                    bail!("{}: no document of kind {kind}", self.language)
                };
                let template = self.random.pick(templates).clone();
                self.expand(template.trim_start())?;
                // a template may have no room for all of them
                while !self.items.is_empty() {
                    self.out.text.push('\n');
                    self.expand("{items}")?;
                }
                Ok(())
            }
        }
    }

    fn log_line(&mut self) -> Result<()> {
        let line = match self.random.below(3) {
            0 => "2026-0%-1#T0#:2#:3#Z INFO request id=%######## {pair} status=200 ms=%#\n",
            1 => "[1#/Mar/2026 1#:2#:0#] worker-# {pair} retry=#\n",
            _ => "{\"level\":\"warn\",\"ts\":17%########,\"order\":\"%#######\",{json}}\n",
        };
        let line = self.random.fill(line);
        self.expand(&line)
    }

    fn csv(&mut self) -> Result<()> {
        self.expand("id;{name};{date};{money}\n")?;
        let mut number = 1;
        while !self.items.is_empty() {
            self.out.text.push_str(&format!("{number};"));
            self.expand("{cell};{date};{part}\n")?;
            number += 1;
        }
        Ok(())
    }

    /// Writes a template; generated values replace the names in braces.
    fn expand(&mut self, template: &str) -> Result<()> {
        let mut rest = template;
        while let Some(open) = rest.find('{') {
            self.out.text.push_str(&rest[..open]);
            let after = &rest[open + 1..];
            let end = after.find(['}', '"', '{', ' ']).unwrap_or(after.len());
            if after.as_bytes().get(end) == Some(&b'}') {
                self.slot(&after[..end])?;
                rest = &after[end + 1..];
            } else {
                self.out.text.push('{');
                rest = after;
            }
        }
        self.out.text.push_str(rest);
        Ok(())
    }

    fn slot(&mut self, name: &str) -> Result<()> {
        let start = self.out.text.len();
        let form = self.country.map_or("d.m.y", |(_, country)| country.date.as_str());
        let text = match name {
            "name" => {
                let someone = self.country.and_then(|(code, country)| {
                    let own = country.languages.iter().any(|language| language == self.language);
                    let world = self.writer.world;
                    world.people.someone(code, world.purpose.unknown_names(), self.random).filter(|_| own)
                });
                someone.unwrap_or_else(|| self.random.pick(&self.words.names).clone())
            }
            "street" | "city" => match self.country {
                Some((_, country)) if name == "city" => self.random.pick(&country.cities).clone(),
                Some((_, country)) => {
                    let street = self.random.pick(&country.streets).clone();
                    self.random.fill(&street)
                }
                None => "–".to_owned(),
            },
            "date" => written_date(form, self.random.between(2019, 2026), self.random),
            "money" => {
                let money = match self.country {
                    Some((_, country)) => self.random.pick(&country.money).clone(),
                    None => "%#.##".to_owned(),
                };
                self.random.fill(&money)
            }
            "number" => {
                let len = self.random.between(5, 12);
                format!("{}{}", self.random.between(1, 9), self.random.fill(&"#".repeat(len - 1)))
            }
            "part" => {
                let forms = ["@@-####", "@%##-##", "%##.%##.##", "@@@####-@", "#%%-##-####", "@%#/%#"];
                let form = *self.random.pick(&forms);
                self.random.fill(form)
            }
            "tracking" => {
                let form = *self.random.pick(&[
                    "@@#########@@",
                    "1Z@@@#########",
                    "%#############",
                    "JJD############",
                ]);
                self.random.fill(form)
            }
            "version" => {
                let form = *self.random.pick(&["%.#.#", "v%.%#.#", "%.#.#.%##", "202%.#"]);
                self.random.fill(form)
            }
            "small" => self.random.between(1, 320).to_string(),
            "time" => format!("{}:{:02}", self.random.between(8, 19), self.random.below(60)),
            "negative" => return self.phrase(|words| &words.negatives),
            "contact" => return self.phrase(|words| &words.contacts),
            "email" | "phone" => return self.contact(name),
            "items" => return self.sentences(),
            "lines" => return self.lines(),
            "pair" | "json" | "cell" => return self.cell(name),
            other => bail!("{}: no slot {other}", self.language),
        };
        self.out.text.push_str(&text);
        match name {
            "name" => self.truth("global/name", start),
            "street" | "city" if text != "–" => self.truth("global/address", start),
            _ => {}
        }
        Ok(())
    }

    /// Records the labels of the text written since a position. A street and the following city are one
    /// address.
    fn truth(&mut self, key: &str, start: usize) {
        let detectors = &self.writer.catalogue.detectors;
        let Some(detector) = detectors.iter().position(|detector| detector.key == key) else { return };
        let end = self.out.text.len();
        if let Some(last) = self.out.truths.last_mut()
            && last.detector == detector
            && key == "global/address"
            && matches!(&self.out.text[last.end..start], "\n" | ", ")
        {
            last.end = end;
            return;
        }
        self.out.truths.push(Truth { start, end, detector, mode: Some(self.mode) });
    }

    fn phrase(&mut self, of: fn(&Language) -> &Vec<String>) -> Result<()> {
        let phrase = self.random.pick(of(self.words)).clone();
        self.expand(&phrase)
    }

    /// Adds the writer's contact details: not the subject of the document.
    fn contact(&mut self, name: &str) -> Result<()> {
        let name = if name == "email" { "global/email" } else { "global/phone_number" };
        let detectors = &self.writer.catalogue.detectors;
        let Some(at) = detectors.iter().position(|detector| detector.key == name) else { return Ok(()) };
        let value = value::value(&detectors[at], true, self.country, self.random);
        let value = value.unwrap_or_else(|| "info@example.com".to_owned());
        let mode = (self.mode != Mode::Given && value.contains(['@', '+']) || self.mode == Mode::Paraphrased)
            .then_some(self.mode);
        let at = if value.contains('@') { self.of("global/email").unwrap_or(at) } else { at };
        self.put(&value, at, mode);
        Ok(())
    }

    fn of(&self, key: &str) -> Option<usize> {
        self.writer.catalogue.detectors.iter().position(|detector| detector.key == key)
    }

    fn put(&mut self, value: &str, detector: usize, mode: Option<Mode>) {
        let start = self.out.text.len();
        self.out.text.push_str(value);
        self.out.truths.push(Truth { start, end: self.out.text.len(), detector, mode });
    }

    /// The next value.
    fn next(&mut self) -> Option<Item> {
        loop {
            let detector = self.items.pop()?;
            let of = &self.writer.catalogue.detectors[detector];
            let labelled = self.mode != Mode::Given;
            let Some(value) = value::value(of, labelled, self.country, self.random) else { continue };
            return Some(self.mistyped(detector, &value).unwrap_or(Item {
                detector,
                value,
                mode: self.mode,
            }));
        }
    }

    /// Some values with a label and check digits, with a typing error.
    fn mistyped(&mut self, detector: usize, value: &str) -> Option<Item> {
        let share = self.writer.world.purpose.mistyped_values();
        let of = &self.writer.catalogue.detectors[detector];
        if share == 0 || self.mode != Mode::Labelled || !of.checked || !self.random.chance(share) {
            return None;
        }
        let value = value::mistyped(value, of, self.random)?;
        Some(Item { detector, value, mode: Mode::Mistyped })
    }

    /// Sentences that have the values in them.
    fn sentences(&mut self) -> Result<()> {
        let mut first = true;
        while let Some(item) = self.next() {
            if !first {
                let glue = *self.random.pick(&[" ", "\n"]);
                self.out.text.push_str(glue);
            }
            first = false;
            let phrase = if self.mode == Mode::Given { &self.words.bare } else { &self.words.says };
            let phrase = self.random.pick(phrase).clone();
            self.say(&phrase, &item)?;
            if self.random.chance(35) {
                self.out.text.push(' ');
                self.slot("negative")?;
                self.out.text.push('.');
            }
        }
        Ok(())
    }

    /// Lines of a form.
    fn lines(&mut self) -> Result<()> {
        while let Some(item) = self.next() {
            let lines: &[&str] = if self.mode == Mode::Given {
                &["{value}", "– {value}", "# {value}"]
            } else {
                &[
                    "{label}: {value}",
                    "{label}: {value}",
                    "{label} {value}",
                    "{label}\t{value}",
                    "{label}:\n{value}",
                ]
            };
            let line = *self.random.pick(lines);
            self.say(line, &item)?;
            self.out.text.push('\n');
            if self.random.chance(50) {
                self.slot("negative")?;
                self.out.text.push('\n');
            }
        }
        Ok(())
    }

    /// A value in a line of a log or of a table.
    fn cell(&mut self, form: &str) -> Result<()> {
        let Some(item) = self.next() else {
            let text = self.random.fill(if form == "json" { "\"n\":%##" } else { "n=%##" });
            self.out.text.push_str(&text);
            return Ok(());
        };
        if self.mode == Mode::Given {
            let pattern = if form == "json" { "\"v\":\"{value}\"" } else { "{value}" };
            return self.say(pattern, &item);
        }
        let label = self.label(item.detector);
        let snake: String = label
            .chars()
            .map(|letter| if letter.is_alphanumeric() || letter as u32 > 0x300 { letter } else { '_' })
            .collect();
        let (before, after) = match form {
            "json" => (format!("\"{snake}\":\""), "\""),
            "pair" => (format!("{snake}="), ""),
            _ => (format!("{label};"), ""),
        };
        self.out.text.push_str(&before);
        self.put(&item.value, item.detector, Some(item.mode));
        self.out.text.push_str(after);
        Ok(())
    }

    /// Writes a phrase with a value, and its label.
    fn say(&mut self, phrase: &str, item: &Item) -> Result<()> {
        let (before, after) = phrase.split_once("{value}").unwrap_or((phrase, ""));
        self.part(before, item.detector)?;
        self.put(&item.value, item.detector, Some(item.mode));
        self.part(after, item.detector)
    }

    fn part(&mut self, part: &str, at: usize) -> Result<()> {
        match part.split_once("{label}") {
            Some((before, after)) => {
                let label = self.label(at);
                self.expand(before)?;
                let first =
                    self.out.text.is_empty() || self.out.text.ends_with(['\n', ' ']) && before.is_empty();
                self.out.text.push_str(&self.cased(&label, first && self.out.text.ends_with('\n')));
                self.expand(after)
            }
            None => self.expand(part),
        }
    }

    /// A label, as the catalogue has it or as people write it.
    fn label(&mut self, at: usize) -> String {
        let detector = &self.writer.catalogue.detectors[at];
        let labels = self.writer.labels(detector, self.language).or_else(|| detector.file.words.get("en"));
        let labels = labels.or_else(|| detector.file.words.values().next());
        let label =
            labels.map_or_else(|| detector.name.replace('_', " "), |all| self.random.pick(all).clone());
        if self.mode != Mode::Paraphrased {
            return label;
        }
        match self.words.instead.get(&detector.name) {
            Some(others) if self.random.chance(70) => self.random.pick(others).clone(),
            _ => self.random.pick(&self.words.around).replace("{}", &label),
        }
    }

    /// A label with the capitals that people give it.
    fn cased(&self, label: &str, first: bool) -> String {
        let short = label.chars().count() <= 5 && !label.contains(' ');
        if short && label.is_ascii() {
            return label.to_uppercase();
        }
        let mut letters = label.chars();
        match letters.next() {
            Some(letter) if first => letter.to_uppercase().chain(letters).collect(),
            _ => label.to_owned(),
        }
    }
}
