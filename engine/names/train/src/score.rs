//! Measures how well names are found.

use std::{collections::BTreeMap, fmt::Write as _};

use textveil_names::{
    Known,
    judge::{self, Domain, Models, training},
};

use crate::{
    case::{Casing, copied},
    data::Document,
};

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    names: u32,
    found: u32,
    exact: u32,
    reported: u32,
    right: u32,
    right_exact: u32,
    alarms: u32,
    characters: u64,
}

/// A range, in bytes.
pub type Span = (usize, usize);

/// Whether half of a span is covered.
pub fn covers(spans: &[Span], of: &Span) -> bool {
    let inside: usize = spans.iter().map(|span| span.1.min(of.1).saturating_sub(span.0.max(of.0))).sum();
    2 * inside >= of.1 - of.0
}

const ORDER: [(&str, &[&str]); 4] = [
    ("en", &["en"]),
    ("cyrl", &["ru", "kk"]),
    ("other", &["ar", "bn", "fa", "he", "hi", "ja", "ko", "ne", "th", "zh"]),
    (
        "latin",
        &[
            "cs", "da", "de", "es", "fi", "fr", "gl", "hr", "hu", "id", "lv", "nl", "pl", "pt", "ro", "sk",
            "sr", "sv", "tr",
        ],
    ),
];

/// The bonus of names, in steps, so that less likely ones are reported.
pub const BONUS: i32 = 32;

/// Prints the figures of each language with the texts as written, in lower case and in capitals, and the means of the groups with
/// other thresholds.
pub fn report(documents: &[Document], models: &Models<'_>, misses: Option<&str>) {
    let copies =
        |copy| -> Vec<Document> { documents.iter().map(|document| copied(document, copy)).collect() };
    for (name, documents) in [
        ("as written", documents.to_vec()),
        ("in lower case", copies(Casing::Lower)),
        ("with capitals of sentences", copies(Casing::Sentences)),
        ("in capitals", copies(Casing::Upper)),
    ] {
        println!("\n# {name}");
        let found: Vec<Vec<(Span, f32)>> = documents.iter().map(|document| names(document, models)).collect();
        for threshold in THRESHOLDS {
            let least = (threshold / (1.0 - threshold)).ln();
            let likely = |names: &Vec<(Span, f32)>| {
                let likely = names.iter().filter(|(_, odds)| *odds >= least);
                likely.map(|(span, _)| *span).collect()
            };
            let names: Vec<Vec<Span>> = found.iter().map(likely).collect();
            let is_main = threshold == THRESHOLDS[0];
            one(&documents, &names, misses.filter(|_| is_main), is_main, threshold);
        }
    }
}

/// The thresholds of the confidence: that of the preset `balanced`, and others.
const THRESHOLDS: [f32; 6] = [0.5, 0.35, 0.4, 0.55, 0.62, 0.7];

/// The names of a document, with their log-odds.
fn names(document: &Document, models: &Models<'_>) -> Vec<(Span, f32)> {
    training::names(models, Domain::Caseless, &document.text, &Known::default(), BONUS)
        .iter()
        .filter(|name| name.tag.is_person())
        .map(|name| {
            (
                (name.start as usize, name.end as usize),
                judge::of(models, name.script).odds(name.script.line(), name.margin),
            )
        })
        .collect()
}

fn one(documents: &[Document], found: &[Vec<Span>], misses: Option<&str>, all: bool, threshold: f32) {
    let mut languages = BTreeMap::<&str, Counts>::new();
    for (document, names) in documents.iter().zip(found) {
        let language = if document.negative { "-" } else { document.lang.as_str() };
        let counts = languages.entry(language).or_default();
        if document.negative {
            counts.alarms += names.len() as u32;
            counts.characters += document.text.chars().count() as u64;
            if misses == Some("-") {
                for name in names {
                    println!("alarm [{}] {}", &document.text[name.0..name.1], document.set);
                }
            }
            continue;
        }
        let (people, ignored) = (document.spans("person"), document.spans("ignore"));
        for name in &people {
            let found = covers(names, name);
            counts.names += 1;
            counts.found += u32::from(found);
            counts.exact += u32::from(names.contains(name));
            if misses == Some(language) && !found {
                show("missed", document, *name);
            }
        }
        for name in names.iter().filter(|name| !covers(&ignored, name)) {
            let right = covers(&people, name);
            counts.reported += 1;
            counts.right += u32::from(right);
            counts.right_exact += u32::from(people.contains(name));
            if misses == Some(language) && !right {
                show("wrong", document, *name);
            }
        }
    }
    let share = |part: u32, of: u32| f64::from(part) / f64::from(of.max(1));
    let mean = |one: f64, two: f64| if one + two > 0.0 { 2.0 * one * two / (one + two) } else { 0.0 };
    let f1 = |counts: &Counts| {
        let (precision, recall) = (share(counts.right, counts.reported), share(counts.found, counts.names));
        let exact = mean(share(counts.right_exact, counts.reported), share(counts.exact, counts.names));
        (precision, recall, mean(precision, recall), exact)
    };
    let mut groups = String::new();
    for (group, members) in ORDER {
        let (mut sum, mut sum_exact, mut count) = (0.0, 0.0, 0.0);
        for language in members {
            let Some(counts) = languages.get(language) else { continue };
            let (precision, recall, both, exact) = f1(counts);
            if all {
                print!("{language} {}: {precision:.3} {recall:.3} {both:.3} {exact:.3} | ", counts.names);
            }
            sum += both;
            sum_exact += exact;
            count += 1.0;
        }
        if all {
            println!();
        }
        let _ = write!(groups, " {group} {:.3} exact {:.3};", sum / count, sum_exact / count);
    }
    let alarms =
        languages.get("-").map_or(0.0, |counts| f64::from(counts.alarms) * 1e4 / counts.characters as f64);
    println!("at {threshold:.2}:{groups} alarms {alarms:.2}");
}

fn show(what: &str, document: &Document, span: Span) {
    let start = document.text.floor_char_boundary(span.0.saturating_sub(40));
    let end = document.text.ceil_char_boundary((span.1 + 40).min(document.text.len()));
    let around = format!(
        "{}[[{}]]{}",
        &document.text[start..span.0],
        &document.text[span.0..span.1],
        &document.text[span.1..end]
    );
    println!("{what} {}: {}", document.set, around.replace('\n', "⏎"));
}
