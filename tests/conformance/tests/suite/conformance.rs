//! The corpus on every surface, and the surfaces against one another.

use anyhow::Result;
use serde_json::Map;
use textveil_tests::{
    Surface, Verb,
    corpus::{self, Case},
    run,
    surfaces::{Component, Http, JavaScript, Native},
};

/// Cases on one surface.
fn conforms(mut surface: impl Surface, cases: Vec<Case>) {
    let mut failures = Vec::new();
    for case in cases {
        failures.extend(run::case(&mut surface, &case).unwrap());
    }
    report(&failures);
}

fn report(failures: &[String]) {
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn native() {
    conforms(Native::new().unwrap(), corpus::all().unwrap());
}

#[test]
fn component() {
    conforms(Component::new().unwrap(), corpus::all().unwrap());
}

#[test]
fn http() {
    conforms(Http::new().unwrap(), corpus::all().unwrap());
}

#[test]
fn javascript() {
    conforms(JavaScript::new().unwrap(), corpus::of_library().unwrap());
}

type Begin = fn() -> Result<Box<dyn Surface>>;

/// The same findings, confidence, offsets, facts and evidence, hashes and tokens everywhere.
#[test]
fn surfaces_agree() {
    let mut native = Native::new().unwrap();
    // each begins when it is its turn: the service closes a connection that waits for the others
    let others: [(Begin, Vec<Case>); 3] = [
        (|| Ok(Box::new(Component::new()?)), corpus::all().unwrap()),
        (|| Ok(Box::new(Http::new()?)), corpus::all().unwrap()),
        (|| Ok(Box::new(JavaScript::new()?)), corpus::of_library().unwrap()),
    ];
    // the list of detectors grows, so it is compared between surfaces but not with a stored one
    let detectors =
        Case { name: "all detectors".into(), verb: Verb::Detectors, request: Map::new(), expect: Map::new() };
    let mut failures = Vec::new();
    for (begin, mut cases) in others {
        let mut other = begin().unwrap();
        cases.push(detectors.clone());
        for case in &cases {
            failures.extend(run::agreement(&mut native, other.as_mut(), case).unwrap());
        }
    }
    report(&failures);
}

/// Tokens of one surface must be readable by every other.
#[test]
fn tokens_of_one_surface_open_on_another() {
    let text = "Jan Novák, jan.novak@example.cz, PESEL 44051401359, IBAN DE89 3704 0044 0532 0130 00 👍";
    let request = serde_json::json!({ "text": text, "mode": "tokenize" });
    let mut surfaces: [Box<dyn Surface>; 4] = [
        Box::new(Native::new().unwrap()),
        Box::new(Component::new().unwrap()),
        Box::new(Http::new().unwrap()),
        Box::new(JavaScript::new().unwrap()),
    ];
    let sealed: Vec<_> =
        surfaces.iter_mut().map(|surface| surface.call(Verb::Protect, &request).unwrap()).collect();
    for sealed in sealed {
        let protected = sealed["protected_text"].as_str().unwrap();
        let tokens = sealed["entities"].as_array().unwrap().len();
        assert!(tokens >= 3 && !protected.contains("jan.novak@example.cz"), "{protected}");
        for surface in &mut surfaces {
            let opened = surface.call(Verb::Restore, &serde_json::json!({ "text": protected })).unwrap();
            assert_eq!(
                (&opened["text"], &opened["restored"]),
                (&text.into(), &tokens.into()),
                "{}",
                surface.name()
            );
        }
    }
}
