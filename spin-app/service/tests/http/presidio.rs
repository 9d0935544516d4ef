//! Presidio's protocol: tests that a table of exchanges cannot express.

use base64ct::{Base64, Encoding as _};
use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;
use serde_json::{Value, json};
use textveil_engine::detectors;

use crate::host::{Answer, Memory, key};

const ANALYZE: &str = "/analyze";

/// A request with those headers and this JSON.
async fn send(host: &Memory, method: Method, path: &str, headers: &[(&str, &str)], json: &Value) -> Answer {
    let mut request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    host.send(request.body(Full::new(Bytes::from(json.to_string()))).unwrap()).await
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", Base64::encode_string(format!("{user}:{password}").as_bytes()))
}

fn types(answer: &Answer) -> Vec<&str> {
    answer.json.as_array().unwrap().iter().map(|found| found["entity_type"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_key_may_be_the_password_of_the_url() {
    let host = Memory::default();
    let text = json!({ "text": "a@example.com", "language": "en" });
    for (user, name, want) in [
        ("key", "pro", 200),
        ("", "pro", 200),
        ("anybody", "free", 200),
        ("key", "expired", 401),
        ("key", "revoked", 401),
        ("key", "unknown", 401),
        ("key", "swapped", 401),
    ] {
        let headers = [("authorization", basic(user, &key(name)))];
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        let answer = send(&host, Method::POST, ANALYZE, &headers, &text).await;
        assert_eq!(answer.status, want, "{user}:{name}: {}", answer.text);
    }
    let user = [("authorization", basic(&key("pro"), ""))];
    let user = user.each_ref().map(|(name, value)| (*name, value.as_str()));
    assert_eq!(send(&host, Method::POST, ANALYZE, &user, &text).await.status, 401, "the user is not the key");
    assert!(!host.log.borrow().join("\n").contains("fpk_"), "a key is in the log");
}

#[tokio::test]
async fn a_workspace_can_be_open_to_those_without_a_key() {
    let host = Memory::default();
    let text = json!({ "text": "a@example.com", "language": "en" });
    let rules = json!({ "domain": "example.com" });
    assert_eq!(host.post("pro", "/api/v1/allow-list", &rules).await.status, 201);

    host.variables.borrow_mut().insert("presidio_workspace", "globex".to_owned());
    let answer = send(&host, Method::POST, ANALYZE, &[], &text).await;
    assert_eq!((answer.status.as_u16(), types(&answer)), (200, vec!["EMAIL_ADDRESS"]));
    assert!(host.log.borrow().last().unwrap().contains("\"workspace\":\"globex\""));

    // its settings are those of that workspace, and its limits are counted
    host.variables.borrow_mut().insert("presidio_workspace", "acme".to_owned());
    let answer = send(&host, Method::POST, ANALYZE, &[], &text).await;
    assert_eq!(types(&answer), Vec::<&str>::new());
    let remaining = (answer.header("x-ratelimit-limit"), answer.header("x-ratelimit-remaining"));
    assert_eq!(remaining, ("60", "59"));
    for _ in 0..59 {
        assert_eq!(send(&host, Method::POST, ANALYZE, &[], &text).await.status, 200);
    }
    let answer = send(&host, Method::POST, ANALYZE, &[], &text).await;
    assert_eq!(answer.status, 429);
    assert!(answer.json["error"].as_str().unwrap().contains("retry in 40 seconds"), "{}", answer.text);
    assert_eq!(answer.header("retry-after"), "40");

    // a request with a key is authenticated by that key only
    let wrong = [("x-api-key", "fpk_wrong")];
    assert_eq!(send(&host, Method::POST, ANALYZE, &wrong, &text).await.status, 401);
    let wrong = [("authorization", "Basic a2V5Og==")];
    assert_eq!(send(&host, Method::POST, ANALYZE, &wrong, &text).await.status, 401);
    assert_eq!(send(&host, Method::POST, "/api/v1/detect", &[], &text).await.status, 401);

    for closed in ["", "no workspace", "../x"] {
        host.variables.borrow_mut().insert("presidio_workspace", closed.to_owned());
        assert_eq!(send(&host, Method::POST, ANALYZE, &[], &text).await.status, 401, "{closed}");
    }
}

#[tokio::test]
async fn what_a_workspace_has_of_its_own_is_used_and_listed() {
    let host = Memory::default();
    let employee = json!({ "name": "employee", "pattern": "EMP-[0-9]{4}", "confidence": 0.9 });
    assert_eq!(host.post("pro", "/api/v1/custom-detectors", &employee).await.status, 201);
    let codename = json!({ "value": "Bluebird", "type": "codename" });
    assert_eq!(host.post("pro", "/api/v1/deny-list", &codename).await.status, 201);

    let text = "EMP-1234 of Bluebird, a@example.com";
    for (entities, want) in [
        (json!([]), vec!["CODENAME", "EMAIL_ADDRESS", "EMPLOYEE"]),
        (json!(["EMPLOYEE"]), vec!["EMPLOYEE"]),
        (json!(["codename"]), vec!["CODENAME"]),
    ] {
        let request = json!({ "text": text, "language": "en", "entities": entities });
        let answer = host.post("pro", ANALYZE, &request).await;
        let mut found = types(&answer);
        found.sort_unstable();
        assert_eq!(found, want, "{entities}");
    }
    for (path, names) in
        [("/supportedentities", ["EMPLOYEE", "CODENAME"]), ("/recognizers", ["employee", "codename"])]
    {
        let own = [("x-api-key", key("pro"))];
        let own = own.each_ref().map(|(name, value)| (*name, value.as_str()));
        let others = [("x-api-key", key("enterprise"))];
        let others = others.each_ref().map(|(name, value)| (*name, value.as_str()));
        let lists = |answer: &Answer, name: &str| answer.json.as_array().unwrap().contains(&json!(name));
        for name in names {
            assert!(lists(&send(&host, Method::GET, path, &own, &Value::Null).await, name), "{name}");
            assert!(!lists(&send(&host, Method::GET, path, &others, &Value::Null).await, name), "{name}");
        }
    }
}

/// Without a threshold of the request the catalogue and the workspace's detectors have that of every call.
#[tokio::test]
async fn a_threshold_shows_what_may_be() {
    let host = Memory::default();
    let order = json!({ "name": "order_number", "pattern": "ORD-[0-9]{4}", "confidence": 0.4 });
    assert_eq!(host.post("pro", "/api/v1/custom-detectors", &order).await.status, 201);
    for (threshold, want) in [(json!(null), 0), (json!(0), 1), (json!(0.4), 1), (json!(0.5), 0)] {
        let request = json!({ "text": "ORD-1234", "language": "en", "score_threshold": threshold });
        assert_eq!(types(&host.post("pro", ANALYZE, &request).await).len(), want, "{threshold}");
    }
}

#[tokio::test]
async fn every_detector_is_listed_in_every_language() {
    let host = Memory::default();
    let key = key("pro");
    let list = async |path: &str| {
        let answer = send(&host, Method::GET, path, &[("x-api-key", &key)], &Value::Null).await;
        let names: Vec<String> = serde_json::from_value(answer.json).unwrap();
        assert!(names.is_sorted(), "{path}");
        names
    };
    let entities = list("/supportedentities?language=en").await;
    assert_eq!(entities, list("/supportedentities").await);
    for name in [
        "EMAIL_ADDRESS",
        "PHONE_NUMBER",
        "CREDIT_CARD",
        "IBAN_CODE",
        "US_SSN",
        "UK_NHS",
        "PL_PESEL",
        "CRYPTO",
    ] {
        assert!(entities.iter().any(|known| known == name), "{name}");
    }
    let recognizers = list("/recognizers?language=en").await;
    for detector in detectors(None) {
        assert!(recognizers.iter().any(|known| known == detector.entity_type), "{}", detector.name);
    }
}

#[tokio::test]
async fn a_random_salt_and_a_random_vector_are_never_used_twice() {
    let host = Memory::default();
    for operator in [json!({ "type": "hash" }), json!({ "type": "encrypt", "key": "1111111111111111" })] {
        let result = |start| json!({ "start": start, "end": start + 1, "entity_type": "A", "score": 1 });
        let request = json!({ "text": "x x", "analyzer_results": [result(0), { "start": 2, "end": 3, "entity_type": "B", "score": 1 }], "anonymizers": { "DEFAULT": operator } });
        let answer = host.post("pro", "/anonymize", &request).await;
        let items = &answer.json["items"];
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_ne!(items[0]["text"], items[1]["text"], "{operator}");
    }
}

/// The work of the service is bounded, however small the request is.
#[tokio::test]
async fn small_requests_make_no_large_answers() {
    let host = Memory::default();
    let text = "x".repeat(20_000);
    let apart: Vec<_> = (0..10_000)
        .map(|at| json!({ "start": at * 2, "end": at * 2 + 1, "entity_type": "A", "score": 1 }))
        .collect();
    let request = json!({ "text": text, "analyzer_results": apart,
        "anonymizers": { "DEFAULT": { "type": "replace", "new_value": "y".repeat(100_000) } } });
    let overlapping: Vec<_> = (0..5_000)
        .map(|at| json!({ "start": at, "end": at + 15_000, "entity_type": format!("T{at}"), "score": 1 }))
        .collect();
    let hashed = json!({ "text": text, "analyzer_results": overlapping,
        "anonymizers": { "DEFAULT": { "type": "hash" } } });
    for request in [request, hashed] {
        let answer = host.post("pro", "/anonymize", &request).await;
        assert_eq!(answer.status, 422, "{:.200}", answer.text);
        assert!(answer.json["error"].as_str().unwrap().contains("far too long"));
    }
}

#[tokio::test]
async fn texts_have_the_limits_of_every_text() {
    let host = Memory::default();
    let longest = "é".repeat(50_000);
    let too_long = "é".repeat(50_001);
    let cases = [
        (ANALYZE, json!({ "text": longest, "language": "en" }), 200),
        (ANALYZE, json!({ "text": longest, "language": "en", "context": ["words"] }), 200),
        (ANALYZE, json!({ "text": too_long, "language": "en" }), 400),
        (ANALYZE, json!({ "text": ["a", too_long], "language": "en" }), 400),
        (ANALYZE, json!({ "text": vec!["a"; 50], "language": "en" }), 200),
        (ANALYZE, json!({ "text": vec!["a"; 51], "language": "en" }), 400),
        (ANALYZE, json!({ "text": [], "language": "en" }), 400),
        (ANALYZE, json!({ "text": "a", "entities": vec!["EMAIL_ADDRESS"; 1_001] }), 400),
        ("/anonymize", json!({ "text": longest, "analyzer_results": [] }), 200),
        ("/anonymize", json!({ "text": too_long, "analyzer_results": [] }), 200),
        ("/deanonymize", json!({ "text": too_long }), 200),
    ];
    for (path, request, want) in cases {
        let answer = host.post("pro", path, &request).await;
        assert_eq!(answer.status, want, "{path}: {:.200}", answer.text);
    }
}

/// The log contains the findings by type only.
#[tokio::test]
async fn the_log_counts_types() {
    let host = Memory::default();
    let recognizers = json!([{ "supported_entity": "SECRET_KIND", "deny_list": ["Bluebird"] }]);
    let request = json!({ "text": "Bluebird, a@example.com, PESEL 44051401359", "language": "en", "ad_hoc_recognizers": recognizers });
    assert_eq!(host.post("pro", ANALYZE, &request).await.status, 200);
    let log = host.log.borrow();
    let line: Value = serde_json::from_str(log.last().unwrap()).unwrap();
    assert_eq!(line["entities"], json!({ "custom": 1, "email": 1, "pesel": 1 }));
    assert_eq!(line["route"], ANALYZE);
}
