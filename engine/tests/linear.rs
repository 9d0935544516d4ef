//! The work of a call is linear in its text, in every stage, for every kind of text.
//!
//! Work is counted, not timed: see [`Work`]. `cargo bench -p textveil-engine --bench hostile` measures the time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test"
)]

mod hostile;

use std::collections::BTreeMap;

use hostile::{PROSE, Pieces, filled, prose_for};
use textveil_engine::{
    DetectOptions, Mode, ProtectOptions, Stage, Work,
    options::{AllowRule, CustomDetector, DenyRule},
    protect_counted,
};

/// The length of the shorter text of a piece, in bytes; the other one is twice as long.
const LENGTH: usize = 8_000;
/// The most work of a text, as a ratio to that of as much prose in its script. Short words with capitals have it: each is judged, and once
/// more when one of them became a known name.
const MOST: f64 = 14.5;
/// Constant work, in steps: for example, for names that are found only if repeated.
const CONSTANT: u64 = 10_000;

/// The steps that protecting a text takes.
fn work(text: &str, options: &DetectOptions) -> Work {
    let work = Work::default();
    let protection = ProtectOptions { mode: Mode::Mask, ..ProtectOptions::default() };
    protect_counted(text, options, &protection, None, &work).unwrap();
    work
}

/// The first bytes of a piece over and over, up to a character.
fn text(piece: &str, length: usize) -> String {
    let mut text = filled(piece, length);
    text.truncate(text.floor_char_boundary(length));
    text
}

/// Stages whose work more than doubles when the text does, and again when it does so once more: a second reading that only
/// the longer text needs is no growth.
fn superlinear(piece: &str, options: &DetectOptions) -> Vec<String> {
    let of_length = |times: usize| work(&text(piece, times * LENGTH), options);
    let more_than_doubles = |short: &Work, long: &Work, stage: &Stage| {
        long.of(*stage) * 10 > short.of(*stage) * 21 + 10 * CONSTANT
    };
    let [once, twice] = [1, 2].map(of_length);
    let stages: Vec<&Stage> =
        Stage::ALL.iter().filter(|stage| more_than_doubles(&once, &twice, stage)).collect();
    if stages.is_empty() {
        return Vec::new();
    }
    let longest = of_length(4);
    let growing = stages.into_iter().filter(|stage| more_than_doubles(&twice, &longest, stage));
    let shown = |stage: &Stage| {
        format!("{piece:?} {stage:?}: {} to {} to {}", once.of(*stage), twice.of(*stage), longest.of(*stage))
    };
    growing.map(shown).collect()
}

/// Checks all pieces and prints those with the most work, compared with prose in their script.
fn check(pieces: &[String]) {
    let options = DetectOptions::default();
    let mut prose = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut ratios = Vec::new();
    for piece in pieces {
        wrong.extend(superlinear(piece, &options));
        let steps = work(&text(piece, LENGTH), &options);
        let (script, sample) = prose_for(piece);
        let usual = *prose.entry(script).or_insert_with(|| work(&text(sample, LENGTH), &options).total());
        ratios.push((steps.total() as f64 / usual as f64, piece, steps));
    }
    println!("steps of prose: {prose:?}");
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (ratio, piece, steps) in ratios.iter().take(20) {
        let stages: Vec<String> =
            Stage::ALL.iter().map(|stage| format!("{stage:?} {}", steps.of(*stage))).collect();
        println!("{ratio:>6.2} times the work of prose: {piece:?} ({})", stages.join(", "));
    }
    assert!(wrong.is_empty(), "{} pieces: {}", wrong.len(), wrong.join("\n"));
    let most = ratios.first().map_or(0.0, |(ratio, ..)| *ratio);
    assert!(most <= MOST, "{most:.2} times the work of prose");
}

/// A sample of the generated pieces.
#[test]
fn hostile_texts_take_linear_work() {
    let pieces = Pieces::read();
    let mut all = pieces.singles(80);
    all.extend(pieces.pairs(500));
    check(&all);
}

/// Every generated piece.
#[test]
#[ignore = "takes minutes; run it with --ignored"]
fn all_hostile_texts_take_linear_work() {
    let pieces = Pieces::read();
    let mut all = pieces.singles(1);
    all.extend(pieces.pairs(40_000));
    check(&all);
}

/// The label of a long list is far from its last value.
#[test]
fn a_list_takes_linear_work() {
    let options = DetectOptions::default();
    let prose = work(&text(PROSE, LENGTH), &options);
    for (label, value) in [
        ("PESEL ", "44051401359, "),
        ("PESELs: ", "44051401359 "),
        ("PESEL ", "44051401359/"),
        ("tel. ", "601 123 456/"),
        ("tel. ", "601 123 456 or "),
        ("+420 ", "601 123 456, "),
        ("Phones:\n", "- 415 555 0132\n"),
        ("Phones:\n", "1. 415 555 0132\n"),
        ("born ", "1980-05-12/"),
        ("orders: ", "44051401359, "),
    ] {
        let of_length = |times: usize| work(&format!("{label}{}", text(value, times * LENGTH)), &options);
        let [once, twice] = [1, 2].map(of_length);
        for stage in Stage::ALL {
            let (short, long) = (once.of(stage), twice.of(stage));
            assert!(long * 10 <= short * 21 + 10 * CONSTANT, "{label}{value} {stage:?}: {short} to {long}");
        }
        let ratio = once.total() as f64 / prose.total() as f64;
        assert!(ratio <= MOST, "{label}{value}: {ratio:.2} times the work of prose");
    }
}

/// Includes the caller's own detectors and lists.
#[test]
fn custom_detectors_take_linear_work() {
    let detector = |name: &str, pattern: Option<&str>, shapes: &[&str]| CustomDetector {
        name: name.to_owned(),
        pattern: pattern.map(str::to_owned),
        shapes: shapes.iter().map(|shape| (*shape).to_owned()).collect(),
        ..CustomDetector::default()
    };
    // each word may begin the label of sixteen
    let labelled = CustomDetector {
        labels: vec!["one ".repeat(16), "two three".to_owned()],
        labelled: vec!["d1..9[ -]?d1..9".to_owned()],
        ..detector("labelled", Some("[a-z]+"), &[])
    };
    let options = DetectOptions {
        custom_detectors: vec![
            detector("greedy", Some("a.{0,100}b|a"), &[]),
            detector("shaped", None, &["d1..9[ -]?d1..9"]),
            labelled,
        ],
        deny_list: vec![DenyRule { value: "one two three four five six".to_owned(), kind: None }],
        allow_list: vec![AllowRule::Regex("x.*y".to_owned())],
        ..DetectOptions::default()
    };
    let wrong: Vec<String> = [
        "a",
        "1 ",
        "12-",
        "one two three ",
        "one ",
        "two three 1 ",
        "ab ",
        "4111 1111 1111 1111 ",
        "x@y.de ",
    ]
    .iter()
    .flat_map(|piece| superlinear(piece, &options))
    .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
