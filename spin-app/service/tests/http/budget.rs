//! The cost of a caller's own detectors and lists.

use serde_json::{Value, json};

use crate::{
    gateway::{CHAT, ask, chat, echoing},
    host::{Answer, Memory},
};

const PROSE: &str = include_str!("../../../../engine/benches/texts/prose.txt");
/// It has too many states.
const TOO_LARGE: &str = "(?:[a-z ]{0,30}){0,30}Q#";
/// Its states are within their limit, and thirty of it take too long on a long text.
const COSTLY: &str = "(?:[a-z ]{0,20}){0,20}Q#";

fn text() -> String {
    PROSE.chars().cycle().take(49_990).collect()
}

fn written(pattern: &str, index: usize) -> String {
    pattern.replace('#', &index.to_string())
}

fn detectors(count: usize, pattern: &str) -> Value {
    let detector = |index| json!({ "name": format!("own_{index}"), "pattern": written(pattern, index) });
    (0..count).map(detector).collect()
}

fn recognizers(count: usize, pattern: &str) -> Value {
    let recognizer = |index| {
        json!({
            "name": format!("own {index}"), "supported_entity": format!("OWN_{index}"),
            "patterns": [{ "name": "own", "regex": written(pattern, index), "score": 0.5 }],
        })
    };
    (0..count).map(recognizer).collect()
}

/// The requests that bring detectors of their own.
async fn all(count: usize, pattern: &str) -> Vec<(&'static str, Answer)> {
    let host = Memory::default();
    let own = detectors(count, pattern);
    let allowed: Value = (0..count).map(|index| json!({ "regex": written(pattern, index) })).collect();
    let csv = format!("note\n{}\n", text().replace(['"', '\n', ','], " "));
    let mut answers = Vec::new();
    for (path, body) in [
        ("/api/v1/detect", json!({ "text": text(), "custom_detectors": own })),
        ("/api/v1/detect/batch", json!({ "texts": [text()], "custom_detectors": own })),
        ("/api/v1/protect", json!({ "text": text(), "custom_detectors": own })),
        ("/api/v1/protect/batch", json!({ "texts": [text()], "custom_detectors": own })),
        ("/api/v1/documents", json!({ "document": csv, "format": "csv", "custom_detectors": own })),
        (
            "/analyze",
            json!({ "text": text(), "language": "en", "ad_hoc_recognizers": recognizers(count, pattern) }),
        ),
    ] {
        answers.push((path, host.post("pro", path, &body).await));
    }
    if pattern == TOO_LARGE {
        let body = json!({ "text": "a", "allow_list": allowed });
        answers.push(("allow list", host.post("pro", "/api/v1/detect", &body).await));
    }
    answers
}

#[tokio::test]
async fn a_pattern_that_is_too_large_is_rejected_before_a_text_is_read() {
    for (path, answer) in all(50, TOO_LARGE).await {
        assert_eq!(answer.status, 400, "{path}: {}", answer.text);
        assert!(answer.text.contains("states") && answer.text.contains("[0]"), "{path}: {}", answer.text);
        // the example of a message is not the caller's
        assert!(!answer.text.contains("Q0"), "{path}: {}", answer.text);
    }
    let host = Memory::default();
    let stored = json!({ "name": "own", "pattern": TOO_LARGE });
    assert_eq!(host.post("pro", "/api/v1/custom-detectors", &stored).await.status, 400);
}

#[tokio::test]
async fn a_request_beyond_its_budget_is_rejected() {
    for (path, answer) in all(30, COSTLY).await {
        assert_eq!(answer.status, 422, "{path}: {}", answer.text);
        assert!(answer.text.contains("take too long"), "{path}: {}", answer.text);
    }
}

#[tokio::test]
async fn stored_detectors_have_the_budget_of_each_request() {
    let host = echoing().await;
    host.put_config("settings:initech", &json!({ "custom_detectors": detectors(25, COSTLY) }));
    let answer = chat(&host, CHAT, &ask(&text())).await;
    assert_eq!(answer.status, 422, "{}", answer.text);
    assert_eq!(answer.json["error"]["code"], "budget_exceeded", "{}", answer.text);
    let short = chat(&host, CHAT, &ask("hello")).await;
    assert_eq!(short.status, 200, "{}", short.text);
}
