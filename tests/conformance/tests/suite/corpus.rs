//! Checks of the corpus itself.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;
use textveil_tests::{
    Verb,
    corpus::{Case, catalogue, vectors},
};

/// The number of cases from which a third of the detections must find nothing.
const FULL: usize = 400;

#[test]
fn names_are_unique() {
    let mut seen = HashSet::new();
    let twice: Vec<_> = vectors()
        .unwrap()
        .into_iter()
        .map(|case| case.name)
        .filter(|name| !seen.insert(name.clone()))
        .collect();
    assert_eq!(twice, [""; 0], "these names stand for two cases");
}

#[test]
fn every_case_expects_something() {
    let empty: Vec<_> = vectors().unwrap().into_iter().filter(|case| case.expect.is_empty()).collect();
    assert!(empty.is_empty(), "these cases expect nothing: {empty:?}");
}

/// An expectation of a misspelt field tests nothing: `"enities": []`.
#[test]
fn expectations_name_fields_of_the_answer() {
    for case in vectors().unwrap() {
        let known: &[&str] = match case.verb {
            Verb::Detect => &["text", "entities", "countries_detected", "privacy_preset", "api_version"],
            Verb::Protect => &[
                "original_text",
                "protected_text",
                "entities",
                "countries_detected",
                "protection_mode",
                "api_version",
            ],
            Verb::DetectBatch | Verb::ProtectBatch => &["results", "total_entities"],
            Verb::Validate => &["value", "entity_type", "country", "valid", "confidence", "metadata"],
            Verb::Restore => &["text", "restored", "unknown", "api_version"],
            Verb::Detectors => &["detectors", "count"],
            Verb::ProtectDocument => &["protected_document"],
        };
        let unknown: Vec<_> =
            case.expect.keys().filter(|name| *name != "error" && !known.contains(&name.as_str())).collect();
        assert!(unknown.is_empty(), "{}: expects {unknown:?}, which no answer has", case.name);
    }
}

/// Texts without personal data are as important as those with it.
#[test]
fn a_third_of_the_detections_are_quiet() {
    let cases = vectors().unwrap();
    if cases.len() < FULL {
        return;
    }
    let detections: Vec<_> = cases.iter().filter(|case| case.verb == Verb::Detect).collect();
    let quiet =
        detections.iter().filter(|case| case.expected_entities().is_some_and(|found| found.is_empty()));
    let (quiet, all) = (quiet.count(), detections.len());
    assert!(quiet * 3 >= all, "{quiet} of {all} detections expect no finding; a third must");
}

#[test]
fn every_detector_has_a_case() {
    let cases = vectors().unwrap();
    let expected: BTreeSet<(String, String)> = cases.iter().flat_map(findings).collect();
    let lacking: Vec<_> = textveil_engine::detectors(None)
        .into_iter()
        .filter(|detector| {
            let is_its = |(kind, country): &(String, String)| {
                kind == detector.entity_type
                    && (country == detector.region
                        || matches!(detector.region, "GLOBAL" | "EU")
                        || country.is_empty())
            };
            !expected.iter().any(is_its)
        })
        .map(|detector| format!("{} ({}, type {})", detector.name, detector.region, detector.entity_type))
        .collect();
    assert!(lacking.is_empty(), "no case in vectors/ expects a finding of:\n{}", lacking.join("\n"));
}

/// Type and country, upper case, of each finding that a case expects.
fn findings(case: &Case) -> Vec<(String, String)> {
    let word =
        |entity: &Value, name: &str| entity.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let entities = case.expected_entities().unwrap_or_default().into_iter();
    entities.map(|entity| (word(entity, "type"), word(entity, "country").to_uppercase())).collect()
}

#[test]
fn the_catalogue_brings_cases() {
    assert!(catalogue().unwrap().len() >= textveil_engine::detectors(None).len());
}
