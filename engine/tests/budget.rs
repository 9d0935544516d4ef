//! A caller's own detectors and lists are rejected, or keep their budget.
//!
//! Steps are counted, not timed: see [`Work`]. The limit of a step's time is that of a visited state.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test"
)]

use proptest::prelude::*;
use textveil_engine::{
    Context, DetectOptions, Error, Finder, ProtectOptions, Stage, Work, detect_counted,
    limits::{MAX_BATCH, MAX_CUSTOM_STEPS, MAX_TEXT_CHARS},
    options::{AllowRule, CustomDetector, DenyRule},
    schema::Check,
};

const PROSE: &str = include_str!("../benches/texts/prose.txt");
/// Steps that a call may take beyond its budget: those of one character, of one match, and of one finding that an allow list suppresses.
const BEYOND: u64 = 200_000;

/// The longest text of a call.
fn text(piece: &str) -> String {
    piece.chars().cycle().take(MAX_TEXT_CHARS).collect()
}

fn pattern(index: usize, pattern: &str) -> CustomDetector {
    let pattern = Some(pattern.replace('#', &index.to_string()));
    CustomDetector { name: format!("own_{index}"), pattern, ..CustomDetector::default() }
}

fn detectors(count: usize, written: &str) -> DetectOptions {
    let custom_detectors = (0..count).map(|index| pattern(index, written)).collect();
    DetectOptions { custom_detectors, ..DetectOptions::default() }
}

fn allowed(count: usize, written: &str) -> DetectOptions {
    let rule = |index: usize| AllowRule::Regex(written.replace('#', &index.to_string()));
    DetectOptions { allow_list: (0..count).map(rule).collect(), ..DetectOptions::default() }
}

fn each(options: DetectOptions, change: impl Fn(&mut CustomDetector)) -> DetectOptions {
    let mut options = options;
    options.custom_detectors.iter_mut().for_each(change);
    options
}

#[test]
fn a_pattern_that_cannot_keep_the_budget_is_named_by_its_index() {
    let costly = "(?:[a-z ]{0,30}){0,30}Q#";
    let second = DetectOptions {
        custom_detectors: vec![pattern(0, "Q[0-9]+"), pattern(1, costly)],
        ..DetectOptions::default()
    };
    for (options, field) in [
        (detectors(50, costly), "custom_detectors[0].pattern"),
        (second, "custom_detectors[1].pattern"),
        (allowed(100, costly), "allow_list[0].regex"),
        // each is small enough, and all together are not
        (detectors(50, "(?:[a-z ]{0,20}){0,20}Q#"), "custom_detectors[39].pattern"),
        (allowed(1_000, "(?:[a-z ]{0,20}){0,20}Q#"), "allow_list[39].regex"),
    ] {
        let work = Work::default();
        let error = detect_counted(&text(PROSE), &options, &work).unwrap_err();
        assert_eq!((error.code(), error.field()), ("invalid_request", Some(field)));
        assert_eq!(work.total(), 0, "nothing was read");
        let message = error.to_string();
        assert!(!message.contains("30}Q1") && message.contains("; send "), "{message}");
    }
}

#[test]
fn costly_rules_keep_the_budget() {
    let word = |word: &str| vec![word.to_owned(); 1_000];
    let check = Check::All { checks: vec![Check::Luhn { prefix: "".into() }; 90].into() };
    let shaped = CustomDetector { shapes: vec!["d1..9".to_owned()], ..pattern(0, "x") };
    let nested: Vec<DenyRule> =
        (1..=16).map(|words| DenyRule { value: "one ".repeat(words), kind: None }).collect();
    for (name, options, piece, is_spent) in [
        ("nested repetitions", detectors(39, "(?:[a-z ]{0,20}){0,20}Q#"), PROSE, true),
        ("nested repetitions once", detectors(1, "(?:[a-z ]{0,20}){0,20}Q#"), PROSE, false),
        ("every character", detectors(50, "[a-z]"), PROSE, true),
        ("every word", detectors(50, "[a-z]+#?"), "word ", false),
        ("every word once", detectors(1, "[a-z]+"), "word ", false),
        ("read again from each character", detectors(50, "a.*b#|a"), "a", true),
        ("read again once", detectors(1, "a.*b#|a"), "a", true),
        ("context", each(detectors(50, "w"), |own| own.context = word("other")), "w ", true),
        ("labels", each(detectors(50, "w"), |own| own.labels = vec!["other".to_owned(); 20]), "w ", true),
        (
            "shapes with checks",
            each(detectors(50, "x"), |own| {
                *own = CustomDetector { check: Some(check.clone()), name: own.name.clone(), ..shaped.clone() }
            }),
            "4111 ",
            true,
        ),
        ("allowed patterns", allowed(300, "(?:[a-z.]{0,6}){0,6}@#"), "jan.novak@example.com ", true),
        ("allowed patterns of usual kinds", allowed(300, "test-?[0-9]+-#"), "jan.novak@example.com ", false),
        (
            "words denied in any number",
            DetectOptions { deny_list: nested, ..DetectOptions::default() },
            "one ",
            false,
        ),
        ("usual patterns", detectors(50, "[A-Z]{2}#-[0-9]{4,8}|EMP#[0-9]+"), PROSE, false),
        ("usual patterns found everywhere", detectors(50, "[A-Z]{2}-[0-9]{4}"), "AB-1234 ", false),
    ] {
        let work = Work::default();
        let found = detect_counted(&text(piece), &options, &work);
        let steps = work.of(Stage::Customs);
        println!("{name}: {steps} steps");
        assert!(steps <= MAX_CUSTOM_STEPS + BEYOND, "{name}: {steps} steps");
        let spent = found.err().map(|error| error.code());
        assert_eq!(spent, is_spent.then_some("budget_exceeded"), "{name}: {steps} steps");
    }
}

/// A call that has spent its budget reads on without the rules, however many values it puts together or decodes.
#[test]
fn rules_are_not_asked_once_the_budget_is_spent() {
    let options = detectors(7, "(?:.{0,6}){0,41}Q");
    for (name, piece) in [
        ("broken addresses", "a @ a@-0aa-a-@--a@0 @ -00 "),
        ("base64", "dGhlIFByb2plY3QgWmlyY29uIGlzIHNlY3JldA== "),
    ] {
        let work = Work::default();
        let spent = detect_counted(&text(piece), &options, &work).err();
        assert_eq!(spent, Some(Error::budget_exceeded()), "{name}");
        let steps = work.of(Stage::Customs);
        assert!(steps <= MAX_CUSTOM_STEPS + 1_000, "{name}: {steps} steps");
    }
}

#[test]
fn all_texts_of_a_call_share_the_budget() {
    let options = detectors(2, "(?:[a-z ]{0,20}){0,20}Q#");
    let (text, finder) = (text(PROSE), Finder::new(&options).unwrap());
    assert!(finder.detect(&text).is_ok());
    let batch = vec![text.as_str(); MAX_BATCH];
    assert_eq!(finder.detect_batch(&batch).err(), Some(Error::budget_exceeded()));
    let protection = ProtectOptions::default();
    let first = |result: Result<_, Error>| result.err();
    let mut protected =
        finder.protect_each(&batch, &protection, None).unwrap().map(|one| first(one.map(drop)));
    assert_eq!(protected.next(), Some(None));
    assert_eq!(protected.last(), Some(Some(Error::budget_exceeded())));
    let (mut context, work) = (Context::default(), Work::default());
    let turns = (0..MAX_BATCH).map(|_| finder.find(&text, 0, &mut context, &work).err());
    assert_eq!(turns.last(), Some(Some(Error::budget_exceeded())));
}

#[test]
fn a_library_in_the_caller_s_process_has_no_budget_of_steps() {
    let options = detectors(1, "a.*b|a");
    let found = Finder::unlimited(&options).unwrap().detect(&text("a")).unwrap();
    assert_eq!(found.entities.len(), MAX_TEXT_CHARS);
    let costly = Finder::unlimited(&detectors(1, "(?:[a-z ]{0,30}){0,30}Q")).err().unwrap();
    assert_eq!(costly.field(), Some("custom_detectors[0].pattern"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_rules_keep_the_budget(
        patterns in prop::collection::vec("[ab().*+?|{}0-9,\\[\\]^$ ]{1,40}|(\\(\\?:[a-z.]{0,3}\\{0,[0-9]{1,2}\\}\\)\\{0,[0-9]{1,2}\\}){1,3}Q", 1..8),
        words in prop::collection::vec("[ab1]{1,3}", 0..8),
        piece in "[ab01 .@-]{1,40}",
    ) {
        let detector = |(index, written): (usize, &String)| CustomDetector {
            context: words.clone(),
            labels: words.clone(),
            pattern: Some(written.clone()),
            ..pattern(index, "x")
        };
        let options = DetectOptions {
            custom_detectors: patterns.iter().enumerate().map(detector).collect(),
            allow_list: patterns.iter().cloned().map(AllowRule::Regex).collect(),
            deny_list: words.iter().map(|word| DenyRule { value: word.clone(), kind: None }).collect(),
            ..DetectOptions::default()
        };
        let work = Work::default();
        match detect_counted(&text(&piece), &options, &work) {
            Ok(_) => prop_assert!(!work.is_spent()),
            Err(error) if error.field().is_none() => prop_assert_eq!(error, Error::budget_exceeded()),
            Err(error) => {
                let own = ["custom_detectors[", "allow_list[", "deny_list["];
                prop_assert!(own.iter().any(|list| error.field().is_some_and(|field| field.starts_with(list))));
                prop_assert_eq!(work.total(), 0);
            }
        }
        prop_assert!(work.of(Stage::Customs) <= MAX_CUSTOM_STEPS + BEYOND, "{} steps", work.of(Stage::Customs));
    }
}
