//! Detectors and lists of a workspace.

use http::{Method, Request};
use http_body_util::Full;
use serde_json::{Value, json};

use crate::host::{Answer, Memory, key};

async fn ask(host: &Memory, key_name: &str, method: Method, path: &str) -> Answer {
    let request = Request::builder().method(method).uri(path).header("x-api-key", key(key_name));
    host.send(request.body(Full::default()).unwrap()).await
}

fn order_number() -> Value {
    json!({ "name": "order_number", "pattern": "ORD-[0-9]{6}", "context": ["order"], "confidence": 0.9 })
}

async fn kinds(host: &Memory, key_name: &str, text: &str) -> Vec<String> {
    let answer = host.post(key_name, "/api/v1/detect", &json!({ "text": text })).await;
    let entities = answer.json["entities"].as_array().unwrap();
    entities.iter().map(|entity| entity["type"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_detector_of_the_workspace_works_in_every_call_of_it() {
    let host = Memory::default();
    let made = host.post("pro", "/api/v1/custom-detectors", &order_number()).await;
    assert_eq!((made.status.as_u16(), &made.json), (201, &order_number()));

    let text = "order ORD-123456";
    assert_eq!(kinds(&host, "pro", text).await, ["order_number"]);
    assert_eq!(kinds(&host, "expiring", text).await, ["order_number"], "another key of the workspace");
    assert_eq!(kinds(&host, "enterprise", text).await, Vec::<String>::new(), "another workspace");
    for (path, body, at) in [
        ("/api/v1/detect/batch", json!({ "texts": ["x", text] }), "/results/1/entities/0/type"),
        ("/api/v1/protect", json!({ "text": text }), "/entities/0/type"),
        ("/api/v1/protect/batch", json!({ "texts": [text] }), "/results/0/entities/0/type"),
    ] {
        let answer = host.post("pro", path, &body).await;
        assert_eq!(answer.json.pointer(at), Some(&json!("order_number")), "{path}: {}", answer.text);
    }

    let list = ask(&host, "pro", Method::GET, "/api/v1/custom-detectors").await;
    assert_eq!(list.json, json!({ "custom_detectors": [order_number()], "count": 1 }));
    let twice = host.post("pro", "/api/v1/custom-detectors", &order_number()).await;
    assert_eq!((twice.status.as_u16(), &twice.json["type"]), (409, &json!("conflict")));

    let path = "/api/v1/custom-detectors/order_number";
    assert_eq!(ask(&host, "enterprise", Method::DELETE, path).await.status, 404);
    assert_eq!(ask(&host, "pro", Method::DELETE, path).await.status, 200);
    assert_eq!(ask(&host, "pro", Method::DELETE, path).await.status, 404);
    assert_eq!(kinds(&host, "pro", text).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_detector_that_finds_too_much_or_nothing_right_is_refused() {
    let host = Memory::default();
    for (detector, field, why) in [
        (json!({ "name": "x", "pattern": "[a-z]+" }), "pattern", "matches too much"),
        (json!({ "name": "x", "pattern": "[0-9]" }), "pattern", "matches too much"),
        (json!({ "name": "x", "pattern": "\\w{4,}" }), "pattern", "matches too much"),
        (json!({ "name": "x", "pattern": "[0-9]*" }), "pattern", "empty"),
        (json!({ "name": "x", "pattern": "" }), "pattern", "empty"),
        (json!({ "name": "x", "pattern": "(" }), "pattern", "pattern"),
        (json!({ "name": "x" }), "pattern", "missing"),
        (json!({ "pattern": "ORD-[0-9]{6}" }), "name", "missing"),
        (json!({ "name": "Order Number", "pattern": "ORD-[0-9]{6}" }), "name", "name"),
        (json!({ "name": "email", "pattern": "ORD-[0-9]{6}" }), "name", "catalogue"),
        (json!({ "name": "x", "pattern": "ORD-[0-9]{6}", "confidence": 2 }), "confidence", "0 to 1"),
    ] {
        let answer = host.post("pro", "/api/v1/custom-detectors", &detector).await;
        assert_eq!(answer.status, 400, "{detector}: {}", answer.text);
        assert_eq!(answer.json["error"]["details"]["field"], field, "{detector}: {}", answer.text);
        assert!(answer.json["detail"].as_str().unwrap().contains(why), "{detector}: {}", answer.text);
        assert!(!answer.text.contains("custom_detectors["), "{}", answer.text);
    }
    let list = ask(&host, "pro", Method::GET, "/api/v1/custom-detectors").await;
    assert_eq!(list.json["count"], 0);
}

#[tokio::test]
async fn lists_of_the_workspace_count_in_every_call_of_it() {
    let host = Memory::default();
    let text = "Project Bluebird, info@example.com";
    assert_eq!(kinds(&host, "pro", text).await, ["email"]);
    let allowed = host.post("pro", "/api/v1/allow-list", &json!({ "domain": "example.com" })).await;
    assert_eq!((allowed.status.as_u16(), &allowed.json["domain"]), (201, &json!("example.com")));
    let denied =
        host.post("pro", "/api/v1/deny-list", &json!({ "value": "Bluebird", "type": "codename" })).await;
    assert_eq!(denied.status, 201, "{}", denied.text);
    assert_eq!(kinds(&host, "pro", text).await, ["codename"]);
    assert_eq!(kinds(&host, "enterprise", text).await, ["email"]);

    for (list, name, made) in [("allow-list", "allow_list", &allowed), ("deny-list", "deny_list", &denied)] {
        let path = format!("/api/v1/{list}");
        let shown = ask(&host, "pro", Method::GET, &path).await;
        let mut entry = made.json.clone();
        if list == "allow-list" {
            // the effect of the whole list
            for figure in ["allowed_specimens", "specimens"] {
                assert_eq!(entry.as_object_mut().unwrap().remove(figure).unwrap(), shown.json[figure]);
            }
            assert!(shown.json["specimens"].as_u64().unwrap() > 50);
        }
        assert_eq!((&shown.json[name][0], &shown.json["count"]), (&entry, &json!(1)));
        let path = format!("{path}/{}", made.json["id"].as_str().unwrap());
        assert_eq!(ask(&host, "enterprise", Method::DELETE, &path).await.status, 404);
        assert_eq!(ask(&host, "pro", Method::DELETE, &path).await.status, 200);
    }
    assert_eq!(kinds(&host, "pro", text).await, ["email"]);

    for (list, rule) in [
        ("allow-list", json!({})),
        ("allow-list", json!({ "regex": "(" })),
        ("allow-list", json!({ "value": 1 })),
        ("deny-list", json!({ "value": "" })),
        ("deny-list", json!({ "type": "x" })),
    ] {
        let answer = host.post("pro", &format!("/api/v1/{list}"), &rule).await;
        assert_eq!(answer.status, 400, "{list} {rule}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_workspace_has_so_many_detectors_and_no_more() {
    let host = Memory::default();
    for index in 0..26 {
        let detector = json!({ "name": format!("own_{index}"), "pattern": format!("X{index}-[0-9]{{6}}") });
        let answer = host.post("enterprise", "/api/v1/custom-detectors", &detector).await;
        assert_eq!(answer.status, if index < 25 { 201 } else { 409 }, "{index}: {}", answer.text);
    }
}

/// Detection is kept compiled for the next request with the same options.
#[tokio::test]
async fn options_of_one_request_are_not_those_of_the_next() {
    let host = Memory::default();
    host.post("pro", "/api/v1/custom-detectors", &order_number()).await;
    let text = "order ORD-123456, jan.novak@example.cz";
    let kinds = async |options: Value| {
        let mut request = json!({ "text": text });
        request.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
        let answer = host.post("pro", "/api/v1/detect", &request).await;
        let entities = answer.json["entities"].as_array().unwrap().clone();
        let unit = entities.first().map_or(Value::Null, |entity| entity["evidence"].clone());
        (entities.iter().map(|entity| entity["type"].clone()).collect::<Vec<_>>(), unit != Value::Null)
    };
    let both = || vec![json!("order_number"), json!("email")];
    for _ in 0..2 {
        for (options, want, explained) in [
            (json!({}), both(), false),
            (json!({ "explain": true }), both(), true),
            (json!({ "entities": ["email"] }), vec![json!("email")], false),
            (json!({ "exclude_entities": ["email"] }), vec![json!("order_number")], false),
            (json!({ "min_confidence": 1.0 }), vec![], false),
            (json!({ "country": "CZ", "language": "cs" }), both(), false),
            (json!({ "allow_list": [{ "domain": "example.cz" }] }), vec![json!("order_number")], false),
            (
                json!({ "deny_list": [{ "value": "order", "type": "verb" }] }),
                vec![json!("verb"), both()[0].clone(), both()[1].clone()],
                false,
            ),
            (
                json!({ "hints": [{ "type": "noun", "start": 0, "end": 5, "confidence": 0.9 }] }),
                vec![json!("noun"), both()[0].clone(), both()[1].clone()],
                false,
            ),
        ] {
            assert_eq!(kinds(options.clone()).await, (want, explained), "{options}");
        }
    }
}

#[tokio::test]
async fn hints_belong_to_one_text() {
    let host = Memory::default();
    let hints = json!([{ "type": "name", "start": 0, "end": 5, "confidence": 0.9 }]);
    let one = json!({ "texts": ["Emily"], "hints": hints });
    let answer = host.post("pro", "/api/v1/detect/batch", &one).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.json["error"]["details"]["field"]),
        (400, &json!("hints")),
        "{}",
        answer.json
    );
}
