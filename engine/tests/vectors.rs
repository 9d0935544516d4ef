//! The vectors of the conformance corpus, asked of the engine alone: every identifier with the whole catalogue
//! loaded, so that a detector of one country that takes another's numbers away is seen here first.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test"
)]

use std::{fs, path::PathBuf};

use serde_json::Value;
use textveil_engine::{
    detect,
    wire::{DetectResponse, OneText, decode},
};

/// Name, request and expectation of every detection in `tests/vectors/`.
fn cases() -> Vec<(String, Value, Value)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for path in files {
        let read: Vec<Value> = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        for mut case in read.into_iter().filter(|case| case["verb"] == "detect") {
            let file = path.file_stem().unwrap().to_string_lossy();
            let name = format!("{file}: {}", case["name"].as_str().unwrap());
            cases.push((name, case["request"].take(), case["expect"].take()));
        }
    }
    cases
}

/// Whether an answer has what is expected of it, as `tests/README.md` says.
fn matches(expected: &Value, answer: &Value) -> bool {
    match (expected, answer) {
        (Value::Object(expected), Value::Object(answer)) => {
            expected.iter().all(|(name, value)| answer.get(name).is_some_and(|answer| matches(value, answer)))
        }
        (Value::Array(expected), Value::Array(answer)) => {
            expected.len() == answer.len()
                && expected.iter().zip(answer).all(|(expected, answer)| matches(expected, answer))
        }
        (Value::Number(expected), Value::Number(answer)) => expected.as_f64() == answer.as_f64(),
        (expected, answer) => expected == answer,
    }
}

/// The answer as it goes over the wire; none where the request is refused.
fn answer(request: &Value) -> Option<Value> {
    let (options, OneText { text }) = (decode(request).ok()?, decode(request).ok()?);
    let detection = detect(&text, &options).ok()?;
    serde_json::to_value(DetectResponse::new(&text, detection, 0.0)).ok()
}

#[test]
fn detections_are_as_expected() {
    let cases = cases();
    let mut wrong = Vec::new();
    for (name, request, expected) in cases.iter().filter(|(.., expected)| expected.get("error").is_none()) {
        let answer = answer(request).unwrap_or_default();
        if !matches(expected, &answer) {
            let found = answer["entities"].as_array().into_iter().flatten();
            let found: Vec<String> = found
                .map(|entity| {
                    format!(
                        "{} {} {} {}",
                        entity["type"], entity["country"], entity["original"], entity["confidence"]
                    )
                })
                .collect();
            wrong.push(format!("{name}\n    {}\n    {}\n    found {found:?}", request, expected));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
