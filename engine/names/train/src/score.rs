//! Measures how well names are found.

use std::collections::BTreeMap;

use textveil_names::{
    Known,
    judge::{Weights, training},
};

use crate::data::Document;

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

/// Prints the figures of each language, and the means of the groups with other thresholds.
pub fn report(documents: &[Document], weights: &Weights<'_>, misses: Option<&str>) {
    for threshold in [0, -4, -8, -12, -16, -20] {
        println!("threshold {threshold}");
        one(documents, weights, if threshold == -8 { misses } else { None }, threshold, threshold == -8);
    }
}

fn one(documents: &[Document], weights: &Weights<'_>, misses: Option<&str>, threshold: i32, all: bool) {
    let mut languages = BTreeMap::<&str, Counts>::new();
    for document in documents {
        let names: Vec<Span> = training::names(weights, &document.text, &Known::default(), BONUS)
            .iter()
            .filter(|name| name.tag.is_person() && name.margin > threshold)
            .map(|name| (name.start as usize, name.end as usize))
            .collect();
        let language = if document.negative { "-" } else { document.lang.as_str() };
        let counts = languages.entry(language).or_default();
        if document.negative {
            counts.alarms += names.len() as u32;
            counts.characters += document.text.chars().count() as u64;
            if misses == Some("-") {
                for name in &names {
                    println!("alarm [{}] {}", &document.text[name.0..name.1], document.set);
                }
            }
            continue;
        }
        let (people, ignored) = (document.spans("person"), document.spans("ignore"));
        for name in &people {
            let found = covers(&names, name);
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
        println!("\n== {group}: {:.3} exact {:.3}", sum / count, sum_exact / count);
    }
    if let Some(counts) = languages.get("-") {
        println!(
            "alarms: {:.2} in 10,000 characters",
            f64::from(counts.alarms) * 1e4 / counts.characters as f64
        );
    }
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
