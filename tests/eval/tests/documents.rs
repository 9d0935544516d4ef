//! The documents of `documents/`: how many of their labelled values are missed or cut, and what is found beside them.
//!
//! `BLESS=1 cargo test -p textveil-eval --test documents` writes the figures to `documents/FIGURES.md`.
#![allow(clippy::string_slice, clippy::unwrap_used, reason = "a test")]

use std::{collections::BTreeMap, fmt::Write as _, fs, ops::Range};

use textveil_engine::{DetectOptions, detect};
use textveil_eval::root;

/// A document without its brackets, and the places of its values in bytes.
struct Labelled {
    text: String,
    values: Vec<(String, Range<usize>)>,
}

impl Labelled {
    /// Reads the notation of `documents/README.md`: `⟦kind|value⟧`.
    fn new(written: &str) -> Self {
        let (mut text, mut values) = (String::new(), Vec::new());
        let mut parts = written.split('⟦');
        text.push_str(parts.next().unwrap());
        for part in parts {
            let (label, rest) = part.split_once('⟧').unwrap();
            let (kind, value) = label.split_once('|').unwrap();
            values.push((kind.to_owned(), text.len()..text.len() + value.len()));
            text.push_str(value);
            text.push_str(rest);
        }
        Self { text, values }
    }
}

/// Counts of the values of a document.
#[derive(Default)]
struct Figures {
    words: usize,
    values: usize,
    /// Values of which a letter or a digit stays in clear.
    missed: usize,
    /// Findings that touch no value, except organisations, whose names have no label here.
    wrong: usize,
}

impl Figures {
    fn of(document: &Labelled) -> Self {
        let Labelled { text, values } = document;
        let found = detect(text, &DetectOptions::default()).unwrap().entities;
        let is_covered = |(at, letter): (usize, char)| {
            !letter.is_alphanumeric()
                || found.iter().any(|entity| (entity.bytes.start..entity.bytes.end).contains(&at))
        };
        let is_whole = |place: &Range<usize>| {
            text[place.clone()].char_indices().all(|(at, letter)| is_covered((place.start + at, letter)))
        };
        let touches =
            |place: &Range<usize>, bytes: &Range<usize>| place.start < bytes.end && bytes.start < place.end;
        let is_wrong = |bytes: &Range<usize>| !values.iter().any(|(_, place)| touches(place, bytes));
        Self {
            words: text.split_whitespace().count(),
            values: values.len(),
            missed: values.iter().filter(|(_, place)| !is_whole(place)).count(),
            wrong: found
                .iter()
                .filter(|entity| &*entity.kind != "organization")
                .filter(|entity| is_wrong(&(entity.bytes.start..entity.bytes.end)))
                .count(),
        }
    }

    fn row(&self, name: &str, out: &mut String) {
        let share = self.missed as f64 * 100.0 / self.values as f64;
        let Self { words, values, missed, wrong } = self;
        writeln!(out, "| {name} | {words} | {values} | {missed} ({share:.0} %) | {wrong} |").unwrap();
    }
}

fn documents() -> BTreeMap<String, Labelled> {
    let files = fs::read_dir(root().join("tests/eval/documents")).unwrap().map(|file| file.unwrap().path());
    let texts = files.filter(|path| path.extension().is_some_and(|extension| extension == "txt"));
    let named = texts.map(|path| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, Labelled::new(&fs::read_to_string(&path).unwrap()))
    });
    named.collect()
}

#[test]
fn the_documents_have_the_committed_figures() {
    let mut table = "# Figures\nWritten by `BLESS=1 cargo test -p textveil-eval --test documents`; the README says how they are \
                     counted.\n\n| document | words | values | missed or cut | false findings |\n| --- | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    let mut total = Figures::default();
    for (name, document) in documents() {
        let figures = Figures::of(&document);
        figures.row(&name, &mut table);
        total.words += figures.words;
        total.values += figures.values;
        total.missed += figures.missed;
        total.wrong += figures.wrong;
    }
    total.row("all", &mut table);
    let path = root().join("tests/eval/documents/FIGURES.md");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &table).unwrap();
    }
    assert_eq!(
        table,
        fs::read_to_string(&path).unwrap_or_default(),
        "read the changes, then run it with BLESS=1"
    );
}

#[test]
fn a_value_counts_only_as_a_whole() {
    let figures = |written| {
        let Figures { values, missed, wrong, .. } = Figures::of(&Labelled::new(written));
        (values, missed, wrong)
    };
    assert_eq!(figures("Write to ⟦email|jan.novak@example.com⟧"), (1, 0, 0));
    assert_eq!(figures("Write to ⟦email|jan.novak@example.com (home)⟧"), (1, 1, 0));
    assert_eq!(figures("Write to jan.novak@example.com, ⟦other|today⟧"), (1, 1, 1));
}
