//! The vectors of the conformance corpus, asked of the engine alone: every identifier with the whole catalogue
//! loaded, so that a detector of one country that takes another's numbers away is seen here first, in seconds.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::panic_in_result_fn,
    clippy::indexing_slicing,
    reason = "a test"
)]

use std::{fs, path::PathBuf};

use hkdf::Hkdf;
use serde_json::Value;
use sha2::Sha256;
use textveil_engine::{
    DetectOptions, Error, Keyring, ProtectOptions, Stream, detect, detect_batch, protect, restore, validate,
    wire::{
        DetectBatchResponse, DetectResponse, ManyTexts, OneText, ProtectResponse, RestoreResponse,
        ValidateRequest, ValidateResponse, decode,
    },
};

/// A case of `tests/conformance/vectors/`.
struct Case {
    name: String,
    verb: String,
    request: Value,
    expected: Value,
}

/// Every case but those that ask for a refusal or for what the engine has not.
fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/conformance/vectors");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for path in files {
        let read: Vec<Value> = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        for mut case in read {
            let file = path.file_stem().unwrap().to_string_lossy();
            let name = format!("{file}: {}", case["name"].as_str().unwrap());
            let verb = case["verb"].as_str().unwrap().to_owned();
            let (request, expected) = (case["request"].take(), case["expect"].take());
            cases.push(Case { name, verb, request, expected });
        }
    }
    cases.retain(|case| {
        case.expected.get("error").is_none() && !matches!(&*case.verb, "protect_batch" | "detectors")
    });
    cases
}

/// Whether an answer has the expected content, as `tests/conformance/README.md` describes.
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

/// The key that the service derives for the workspace of the corpus.
fn keys() -> Keyring {
    let mut key = [0; 32];
    Hkdf::<Sha256>::new(None, b"textveil-corpus!").expand(b"conformance", &mut key).unwrap();
    Keyring::new(1, &key).unwrap()
}

/// The answer as it goes over the wire.
fn answer(verb: &str, request: &Value, keys: &Keyring) -> Result<Value, Error> {
    Ok(match verb {
        "detect" => {
            let OneText { text } = decode(request)?;
            serde_json::to_value(DetectResponse::new(&text, detect(&text, &decode(request)?)?, 0.0))
        }
        "detect_batch" => {
            let ManyTexts { texts } = decode(request)?;
            let found = detect_batch(&texts, &decode(request)?)?;
            let results = texts.iter().zip(found).map(|(text, one)| DetectResponse::new(text, one, 0.0));
            serde_json::to_value(DetectBatchResponse::new(results.collect(), 0.0))
        }
        "protect" => {
            let OneText { text } = decode(request)?;
            let protected = protect(&text, &decode(request)?, &decode(request)?, Some(keys))?;
            serde_json::to_value(ProtectResponse::new(&text, protected, 0.0))
        }
        "restore" => {
            let OneText { text } = decode(request)?;
            serde_json::to_value(RestoreResponse::new(restore(&text, keys)?))
        }
        "validate" => {
            let ValidateRequest { value, entity_type, country } = decode(request)?;
            let validation = validate(&value, &entity_type, country.as_deref())?;
            serde_json::to_value(ValidateResponse::new(&value, validation))
        }
        other => panic!("the corpus has a verb {other}"),
    }
    .unwrap())
}

#[test]
fn answers_are_as_expected() {
    let (cases, keys) = (cases(), keys());
    let mut wrong = Vec::new();
    for Case { name, verb, request, expected } in &cases {
        let answer = answer(verb, request, &keys).unwrap_or_else(|error| panic!("{name}: {error}"));
        if !matches(expected, &answer) {
            wrong.push(format!(
                "{name}\n    asked    {request}\n    expected {expected}\n    found    {answer}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Returns the output of a stream that gets the text in pieces of so many characters.
fn streamed(text: &str, options: &DetectOptions, size: usize) -> String {
    let mut stream = Stream::new(options.clone(), ProtectOptions::default(), None).unwrap();
    let letters: Vec<char> = text.chars().collect();
    let pieces = letters.chunks(size).map(|piece| stream.push(&piece.iter().collect::<String>()).unwrap());
    let mut out: String = pieces.collect();
    out.push_str(&stream.finish().unwrap());
    out
}

/// The output is the same wherever the text is cut, and has no value that is protected in the whole text.
#[test]
fn a_stream_protects_what_the_whole_text_has() {
    let mut wrong = Vec::new();
    for Case { name, request, .. } in cases().iter().filter(|case| case.verb == "detect") {
        let OneText { text } = decode(request).unwrap();
        let options: DetectOptions = decode(request).unwrap();
        // both are of one text
        if text.trim().is_empty() || request.get("hints").is_some() || request.get("cells").is_some() {
            continue;
        }
        let whole = protect(&text, &options, &ProtectOptions::default(), None).unwrap();
        let out = streamed(&text, &options, text.len());
        if [1, 2, 7].iter().any(|size| streamed(&text, &options, *size) != out) {
            wrong.push(format!("{name}: the pieces matter: {text}"));
        }
        let is_left = |value: &str| out.matches(value).count() > whole.text.matches(value).count();
        let left =
            whole.entities.iter().map(|item| item.entity.original.as_str()).find(|value| is_left(value));
        if let Some(value) = left {
            wrong.push(format!("{name}: the stream has `{value}`: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}
