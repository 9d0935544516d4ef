//! Tokens and hashes over HTTP: whose they are and how long they live.

use serde_json::{Value, json};

use crate::{
    gateway::metrics,
    host::{Memory, SECRETS},
};

const TEXT: &str = "PESEL 44051401359, jan.novak@example.cz";

async fn protect(host: &Memory, key_name: &str, mode: &str) -> String {
    let answer = host.post(key_name, "/api/v1/protect", &json!({ "text": TEXT, "mode": mode })).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let text = answer.json["protected_text"].as_str().unwrap().to_owned();
    assert!(!text.contains("44051401359") && !text.contains("jan.novak"), "{text}");
    text
}

async fn restore(host: &Memory, key_name: &str, text: &str) -> Value {
    let answer = host.post(key_name, "/api/v1/restore", &json!({ "text": text })).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json
}

#[tokio::test]
async fn restoring_tokens_gives_the_text_back() {
    let host = Memory::default();
    let protected = protect(&host, "pro", "tokenize").await;
    assert!(protected.contains("tok_pl_pesel_") && protected.contains("tok_xx_email_"), "{protected}");
    let restored = restore(&host, "pro", &protected).await;
    assert_eq!(restored, json!({ "text": TEXT, "restored": 2, "unknown": 0, "api_version": "v1" }));
}

#[tokio::test]
async fn tokens_are_the_same_on_every_node() {
    let (one, other) = (Memory::default(), Memory::default());
    for mode in ["tokenize", "hash"] {
        assert_eq!(protect(&one, "pro", mode).await, protect(&other, "pro", mode).await);
    }
}

#[tokio::test]
async fn tokens_belong_to_their_workspace() {
    let host = Memory::default();
    let tokens = protect(&host, "pro", "tokenize").await;
    assert_ne!(tokens, protect(&host, "enterprise", "tokenize").await);
    assert_ne!(protect(&host, "pro", "hash").await, protect(&host, "enterprise", "hash").await);
    let restored = restore(&host, "enterprise", &tokens).await;
    assert_eq!(restored["text"], tokens);
    assert_eq!((&restored["restored"], &restored["unknown"]), (&json!(0), &json!(2)));
}

#[tokio::test]
async fn a_secret_is_rotated_by_a_newer_one_in_front() {
    let host = Memory::default();
    let (_, old) = SECRETS.split_once(',').unwrap();
    host.variables.borrow_mut().insert("token_secrets", old.to_owned());
    let tokens = protect(&host, "pro", "tokenize").await;

    host.variables.borrow_mut().insert("token_secrets", SECRETS.to_owned());
    assert_eq!(restore(&host, "pro", &tokens).await["text"], TEXT, "the old one opens still");
    let newer = protect(&host, "pro", "tokenize").await;
    assert_ne!(newer, tokens, "the new one seals");
    assert_eq!(restore(&host, "pro", &newer).await["text"], TEXT);

    host.variables.borrow_mut().insert("token_secrets", "3:00000000000000000000000000000000".to_owned());
    assert_eq!(restore(&host, "pro", &tokens).await["text"], tokens, "without its secret a token stays");
}

#[tokio::test]
async fn the_protected_form_of_the_longest_text_can_be_restored() {
    let host = Memory::default();
    let text = "a@b.cz ".repeat(7_142);
    let body = json!({ "text": text, "mode": "tokenize" });
    let answer = host.post("pro", "/api/v1/protect", &body).await;
    let protected = answer.json["protected_text"].as_str().unwrap();
    assert!(protected.len() > 100_000, "tokens are longer than what they stand for");
    assert_eq!(restore(&host, "pro", protected).await["text"], text);
}

#[tokio::test]
async fn nothing_of_a_text_is_stored() {
    let host = Memory::default();
    for mode in ["replace", "mask", "hash", "tokenize"] {
        let protected = protect(&host, "pro", mode).await;
        restore(&host, "pro", &protected).await;
    }
    let stored = host.stored();
    for part in ["44051401359", "novak", "tok_"] {
        assert!(!stored.contains(part), "{part} is stored");
    }
}

/// An administrator who retires a version sees whether its tokens are still in use.
#[tokio::test]
async fn tokens_are_counted_by_the_version_of_their_key() {
    let host = Memory::default();
    let (_, old) = SECRETS.split_once(',').unwrap();
    host.variables.borrow_mut().insert("token_secrets", old.to_owned());
    let tokens = protect(&host, "pro", "tokenize").await;
    host.variables.borrow_mut().insert("token_secrets", SECRETS.to_owned());
    let newer = protect(&host, "pro", "tokenize").await;
    restore(&host, "pro", &format!("{tokens} {newer}")).await;
    restore(&host, "enterprise", &tokens).await;
    let text = metrics(&host).await;
    for line in [
        r#"textveil_tokens_total{version="1",outcome="ok"} 2"#,
        r#"textveil_tokens_total{version="1",outcome="unknown"} 2"#,
        r#"textveil_tokens_total{version="2",outcome="ok"} 2"#,
    ] {
        assert!(text.lines().any(|known| known == line), "{line} is not in\n{text}");
    }
}
