//! Runs `tests/exchanges/*.json`: each is a request with its expected answer.
//!
//! - `request`: `method`, `path`, and optionally `key` (name of a key, `pro` when absent, null for none),
//!   `headers` (`{pro}` is replaced by the key with that name), `json` or `body` (text).
//! - `expect`: `status`, `headers` (null: must be absent), `json` (keys must match, others are free; lists
//!   match in full; `$integer`, `$float`, `$string` match any such value, `$absent` a missing key), `exactly`
//!   (the whole body).
//!
//! In addition, every answer must satisfy the common rules.

use std::{collections::BTreeMap, fs, path::Path};

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    host::{Answer, Memory, key, keys},
    openapi::answer_faults,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exchange {
    name: String,
    request: Sent,
    expect: Expected,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    method: String,
    path: String,
    #[serde(default = "pro")]
    key: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    json: Option<Value>,
    body: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, Option<String>>,
    json: Option<Value>,
    exactly: Option<Value>,
}

fn pro() -> Option<String> {
    Some("pro".to_owned())
}

#[tokio::test]
async fn exchanges() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exchanges");
    let mut failures = Vec::new();
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let exchanges: Vec<Exchange> = serde_json::from_slice(&fs::read(&path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for exchange in exchanges {
            count += 1;
            let answer = Memory::default().send(request(&exchange.request)).await;
            let mut wrong = differences(&exchange.expect, &answer);
            wrong.extend(broken_rules(&exchange.request, &answer));
            if !wrong.is_empty() {
                let name = path.file_stem().unwrap().to_string_lossy();
                failures.push(format!(
                    "{name}: {}\n  {}\n  answer: {}",
                    exchange.name,
                    wrong.join("\n  "),
                    answer.text
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {count} exchanges:\n{}", failures.len(), failures.join("\n"));
    assert!(count > 100, "the exchanges were found");
}

fn request(sent: &Sent) -> Request<Full<Bytes>> {
    let mut request = Request::builder().method(sent.method.as_str()).uri(&sent.path);
    if let Some(name) = &sent.key {
        request = request.header("x-api-key", key(name));
    }
    if (sent.json.is_some() || sent.body.is_some()) && !sent.headers.contains_key("content-type") {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in &sent.headers {
        let value = keys()
            .iter()
            .fold(value.clone(), |value, (name, key, _)| value.replace(&format!("{{{name}}}"), key));
        request = request.header(name, value);
    }
    let body = sent.json.as_ref().map(Value::to_string).or_else(|| sent.body.clone());
    request.body(Full::new(Bytes::from(body.unwrap_or_default()))).unwrap()
}

fn differences(expected: &Expected, answer: &Answer) -> Vec<String> {
    let mut wrong = Vec::new();
    if answer.status != expected.status {
        wrong.push(format!("status {} instead of {}", answer.status, expected.status));
    }
    for (name, value) in &expected.headers {
        let got = answer.headers.get(name).map(|got| got.to_str().unwrap().to_owned());
        if got != *value {
            wrong.push(format!("header {name} is {got:?} instead of {value:?}"));
        }
    }
    if let Some(json) = &expected.json {
        compare("", json, &answer.json, &mut wrong);
    }
    if let Some(whole) = &expected.exactly
        && *whole != answer.json
    {
        wrong.push(format!("the body is not exactly {whole}"));
    }
    wrong
}

fn compare(at: &str, want: &Value, got: &Value, wrong: &mut Vec<String>) {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => {
            for (name, want) in want {
                match got.get(name) {
                    Some(got) => compare(&format!("{at}.{name}"), want, got, wrong),
                    None if want == "$absent" => {}
                    None => wrong.push(format!("{at}.{name} is missing")),
                }
            }
        }
        (Value::Array(want), Value::Array(got)) if want.len() == got.len() => {
            for (index, (want, got)) in want.iter().zip(got).enumerate() {
                compare(&format!("{at}[{index}]"), want, got, wrong);
            }
        }
        _ => {
            let matches = match want.as_str() {
                Some("$integer") => got.is_u64(),
                Some("$float") => got.is_f64(),
                Some("$string") => got.is_string(),
                _ => want == got,
            };
            if !matches {
                wrong.push(format!("{at} is {got} instead of {want}"));
            }
        }
    }
}

/// The paths of Presidio's protocol, whose errors have its shape.
const PRESIDIO: [&str; 7] = [
    "/analyze",
    "/recognizers",
    "/supportedentities",
    "/anonymize",
    "/anonymizers",
    "/deanonymize",
    "/deanonymizers",
];

/// Checks the common rules of all answers.
fn broken_rules(sent: &Sent, answer: &Answer) -> Vec<String> {
    let mut wrong = answer_faults(&sent.method, &sent.path, answer);
    let mut rule = |holds: bool, rule: &str| {
        if !holds {
            wrong.push(format!("broken rule: {rule}"));
        }
    };
    let id = answer.header("x-request-id");
    rule(answer.header("content-type") == "application/json", "answers are JSON");
    rule(!id.is_empty() && id.len() <= 128, "answers have an id");
    rule(answer.header("cache-control") == "no-store", "answers with personal data are not cached");

    let reached = !matches!(answer.status.as_u16(), 401 | 404 | 405);
    let limited = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
    let has_limits = limited.iter().all(|name| !answer.header(name).is_empty());
    let presidio = PRESIDIO.iter().any(|path| sent.path.split('?').next() == Some(path));
    let keyed = reached && (sent.path.starts_with("/api/") || presidio);
    rule(keyed == has_limits, "every answer to a key, and no other, has the rate headers");

    if answer.status.as_u16() < 400 || sent.method == "HEAD" {
        return wrong;
    }
    if presidio {
        let error = json!({ "error": answer.json["error"].as_str() });
        rule(answer.json == error && !answer.json["error"].is_null(), "Presidio's errors are a message");
    } else if answer.json.get("error").is_some() {
        let error = &answer.json["error"];
        let mut whole = json!({ "error": error, "detail": error["message"], "type": error["code"] });
        rule(answer.json == whole, "errors have one shape");
        whole["error"]
            .as_object_mut()
            .unwrap()
            .retain(|name, _| !["code", "message", "details"].contains(&name.as_str()));
        rule(whole["error"] == json!({}), "errors have code, message and details");
        rule(
            (answer.json["type"] == "invalid_request") == error["details"]["field"].is_string(),
            "fields are named",
        );
    } else {
        rule(answer.json.as_object().is_some_and(|body| body.keys().eq(["detail"])), "or only a detail");
    }
    // message and details, without the names of fields
    let said = if presidio {
        answer.json["error"].to_string()
    } else {
        format!("{} {}", answer.json["detail"], answer.json["error"]["details"])
    };
    let mut strings = Vec::new();
    sent.json.iter().for_each(|json| leaves(json, &mut strings));
    strings.extend(sent.body.iter().cloned());
    let known = ["policy", "BLOCK", "replace", "hash", "mask", "encrypt"];
    for string in strings.iter().filter(|string| string.len() > 3 && !known.contains(&string.as_str())) {
        rule(!said.contains(string.as_str()), "an error quotes the caller");
    }
    for (_, key, _) in keys() {
        rule(!answer.text.contains(&key), "an answer shows a key");
    }
    wrong
}

fn leaves(json: &Value, strings: &mut Vec<String>) {
    match json {
        Value::String(string) => strings.push(string.clone()),
        Value::Array(values) => values.iter().for_each(|value| leaves(value, strings)),
        Value::Object(fields) => fields.values().for_each(|value| leaves(value, strings)),
        _ => {}
    }
}
