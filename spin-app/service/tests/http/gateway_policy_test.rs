//! Testing policies on texts: the decisions, and that nothing is stored.

use http::Method;
use serde_json::{Value, json};

use crate::{
    gateway::{ADDRESS, CHAT, chat, echoing},
    host::{Answer, Memory, assert_invalid},
};

const TEXT: &str = "jan.novak@example.com, PESEL 44051401359, 4111 1111 1111 1111";

async fn test(host: &Memory, body: &Value) -> Answer {
    host.admin(Method::POST, "/policies/test?workspace_id=initech", body).await
}

fn policy(name: &str, action: &str, priority: i64, conditions: Value) -> Value {
    json!({ "name": name, "action": action, "priority": priority, "conditions": conditions })
}

fn of(kind: &str) -> Value {
    json!([{ "entity_types": [kind] }])
}

/// A text whose placeholders have no ids.
fn without_ids(text: &str) -> String {
    let mut out = String::new();
    for piece in text.split_inclusive("]]") {
        match piece.strip_suffix("]]").and_then(|placeholder| placeholder.rsplit_once('_')) {
            Some((kind, id)) if id.len() == 11 => out.push_str(&format!("{kind}_]]")),
            _ => out.push_str(piece),
        }
    }
    out
}

/// The live test shows the placeholders that the gateway sends, the same for the same value.
#[tokio::test]
async fn the_test_shows_what_the_model_would_see() {
    let host = echoing().await;
    let messages = json!([
        { "role": "user", "content": format!("I am {ADDRESS}") },
        { "role": "assistant", "content": format!("Noted, {ADDRESS}; see [[EMAIL_abcdefghij]]") },
    ]);
    let tested = test(&host, &json!({ "messages": messages })).await;
    chat(&host, CHAT, &json!({ "messages": messages })).await;
    let sent: Value = serde_json::from_slice(host.sent.borrow().last().unwrap().body()).unwrap();
    assert_eq!(tested.json["protected_messages"], sent["messages"], "{}", tested.text);
    assert!(!tested.json["protected_messages"].to_string().contains("novak"), "{}", tested.text);
}

/// Type, action and policy of each finding.
fn decided(answer: &Answer) -> Vec<(String, String, String)> {
    let entities = answer.json["entities"].as_array().unwrap_or_else(|| panic!("{}", answer.text));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    entities.iter().map(|one| (text(&one["type"]), text(&one["action"]), text(&one["policy"]))).collect()
}

#[tokio::test]
async fn the_decision_is_the_strictest_one() {
    let host = Memory::default();
    for (policies, default_action, decision, text) in [
        (json!([]), "MASK", "MASK", Some("[[EMAIL_]], PESEL [[PESEL_]], [[CREDIT_CARD_]]")),
        (json!([]), "ALLOW", "ALLOW", Some(TEXT)),
        (json!([]), "FLAG", "FLAG", Some(TEXT)),
        (json!([]), "BLOCK", "BLOCK", None),
        (
            json!([policy("mail", "REDACT", 1, of("EMAIL"))]),
            "ALLOW",
            "REDACT",
            Some("[REDACTED], PESEL 44051401359, 4111 1111 1111 1111"),
        ),
        (json!([policy("card", "BLOCK", 1, of("CREDIT_CARD"))]), "ALLOW", "BLOCK", None),
        // the highest priority wins, whatever its action
        (
            json!([policy("block", "BLOCK", 1, json!([])), policy("allow", "ALLOW", 2, json!([]))]),
            "MASK",
            "ALLOW",
            Some(TEXT),
        ),
    ] {
        let body = json!({ "text": TEXT, "policies": policies, "default_action": default_action });
        let answer = test(&host, &body).await;
        assert_eq!(answer.json["decision"], decision, "{body}: {}", answer.text);
        assert_eq!(answer.json["protected_text"].as_str().map(without_ids).as_deref(), text, "{body}");
        assert_eq!(answer.json["protected_messages"], Value::Null);
        assert_eq!(answer.json["entities"].as_array().unwrap().len(), 3);
    }
    let nothing = test(&host, &json!({ "text": "nothing here", "default_action": "BLOCK" })).await;
    assert_eq!((&nothing.json["decision"], &nothing.json["entities"]), (&json!("ALLOW"), &json!([])));
}

#[tokio::test]
async fn each_finding_says_what_was_decided_and_by_which_policy() {
    let host = Memory::default();
    let policies = json!([
        policy("same name", "REDACT", 5, of("EMAIL")),
        policy("same name", "BLOCK", 5, of("CREDIT_CARD")),
        policy("mild", "ALLOW", 5, of("CREDIT_CARD")),
        { "name": "rest", "action": "FLAG", "is_default": true, "priority": 99 },
    ]);
    let answer = test(&host, &json!({ "text": TEXT, "policies": policies })).await;
    let want =
        [("email", "REDACT", "same name"), ("pesel", "FLAG", "rest"), ("credit_card", "BLOCK", "same name")];
    let want: Vec<_> = want.iter().map(|(a, b, c)| (a.to_string(), b.to_string(), c.to_string())).collect();
    assert_eq!(decided(&answer), want);
    // a single draft, and the default action
    let answer =
        test(&host, &json!({ "text": TEXT, "policy": policy("card", "BLOCK", 0, of("CREDIT_CARD")) })).await;
    let want = [("email", "MASK", ""), ("pesel", "MASK", ""), ("credit_card", "BLOCK", "card")];
    let want: Vec<_> = want.iter().map(|(a, b, c)| (a.to_string(), b.to_string(), c.to_string())).collect();
    assert_eq!(decided(&answer), want);
}

/// The engine's own decision, if it reports one, is the same.
#[tokio::test]
async fn it_decides_as_protection_does() {
    let host = Memory::default();
    let actions = ["ALLOW", "FLAG", "MASK", "REDACT", "HASH", "TOKENIZE"];
    for (index, action) in actions.iter().enumerate() {
        let other = actions[(index + 2) % actions.len()];
        let policies = json!([
            policy("a", action, 1, of("EMAIL")),
            policy("b", other, 1, json!([])),
            policy("c", "MASK", 2, of("PESEL")),
        ]);
        let body = json!({ "text": TEXT, "policies": policies, "mode": "policy" });
        let tested = test(&host, &body).await;
        let protected = host.post("enterprise", "/api/v1/protect", &body).await;
        assert_eq!(decided(&tested), decided(&protected), "{action}");
        // the gateway uses placeholders for masked values; hashes and tokens differ per call
        let of = |answer: &Answer| -> Vec<Value> {
            let entities = answer.json["entities"].as_array().unwrap().iter();
            let same = entities.filter(|one| {
                one["action"] == "ALLOW" || one["action"] == "FLAG" || one["action"] == "REDACT"
            });
            same.map(|one| one["protected"].clone()).collect()
        };
        assert_eq!(of(&tested), of(&protected), "{action}");
    }
}

#[tokio::test]
async fn without_a_draft_the_stored_policies_and_settings_count() {
    let host = Memory::default();
    let stored = policy("stored", "REDACT", 1, of("EMAIL"));
    host.admin(Method::POST, "/policies?workspace_id=initech", &stored).await;
    let config = json!({ "default_action": "FLAG", "risk_levels": { "PESEL": "HIGH" } });
    host.admin(Method::PUT, "/config?workspace_id=initech", &config).await;
    host.put_config(
        "settings:initech",
        &json!({ "deny_list": [{
            "id": "1", "created_at": "2026-11-23T10:00:20Z", "value": "Bluebird", "type": "code_name",
        }]}),
    );
    let answer = test(&host, &json!({ "text": "a@example.com Bluebird" })).await;
    assert_eq!(answer.json["protected_text"], "[REDACTED] Bluebird");
    assert_eq!(decided(&answer)[1].1, "FLAG");
    let risky = policy("risky", "BLOCK", 1, json!([{ "risk_level_min": "HIGH" }]));
    let answer = test(&host, &json!({ "text": TEXT, "policy": risky })).await;
    assert_eq!(decided(&answer).iter().filter(|one| one.1 == "BLOCK").count(), 1);
    // another workspace has neither these policies nor these settings
    let answer = host.admin(Method::POST, "/policies/test?workspace_id=acme", &json!({ "text": TEXT })).await;
    assert_eq!((&answer.json["decision"], &answer.json["workspace_id"]), (&json!("MASK"), &json!("acme")));
}

#[tokio::test]
async fn where_a_text_stands_counts() {
    let host = Memory::default();
    host.put_config("providers:initech", &json!([{
        "id": "11111111-1111-4111-8111-111111111111", "provider_type": "vllm", "display_name": "x",
        "is_platform_default": false, "is_active": true, "credential_source": "none", "key_prefix": null,
        "base_url": "https://llm.example", "default_model": "m", "allowed_models": [], "supports_streaming": true,
        "priority": 0, "validation_status": "unknown", "team_id": null, "tenant_id": null,
        "created_at": "2026-11-23T10:00:20Z", "updated_at": "2026-11-23T10:00:20Z",
    }]));
    for (condition, place, applies) in [
        (json!({ "direction": "output" }), json!({}), false),
        (json!({ "direction": "output" }), json!({ "direction": "output" }), true),
        (json!({ "direction": "input" }), json!({}), true),
        (json!({ "roles": ["tool"] }), json!({}), false),
        (json!({ "roles": ["tool"] }), json!({ "role": "tool" }), true),
        (json!({ "models": ["gpt-*"] }), json!({ "model": "gpt-4o" }), true),
        (json!({ "models": ["gpt-*"] }), json!({ "model": "claude" }), false),
        (json!({ "providers": ["vllm"] }), json!({ "provider": "vllm" }), true),
        (
            json!({ "providers": ["vllm"] }),
            json!({ "provider": "11111111-1111-4111-8111-111111111111" }),
            true,
        ),
        (json!({ "providers": ["openai"] }), json!({ "provider": "vllm" }), false),
    ] {
        let mut body = place.clone();
        body["text"] = json!(TEXT);
        body["policy"] = policy("here", "BLOCK", 1, json!([condition]));
        let answer = test(&host, &body).await;
        assert_eq!(answer.json["decision"] == "BLOCK", applies, "{condition} {place}: {}", answer.text);
    }
}

#[tokio::test]
async fn messages_are_tested_each_in_its_role() {
    let host = Memory::default();
    let messages = json!([
        { "role": "system", "content": "a@example.com" },
        { "role": "user", "content": [
            { "type": "image_url", "image_url": { "url": "https://example.com/x.png" } },
            { "type": "text", "text": "b@example.com" },
            { "type": "text", "text": "" },
        ]},
        { "role": "assistant", "content": null, "tool_calls": [] },
        { "role": "system", "content": "" },
    ]);
    let draft = policy("of users", "REDACT", 1, json!([{ "roles": ["user"] }]));
    let answer = test(&host, &json!({ "messages": messages, "policy": draft })).await;
    let mut want = messages.clone();
    want[0]["content"] = answer.json["entities"][0]["protected"].clone();
    assert_eq!(want[0]["content"].as_str().map(without_ids).as_deref(), Some("[[EMAIL_]]"));
    want[1]["content"][1]["text"] = json!("[REDACTED]");
    want[2].as_object_mut().unwrap().remove("tool_calls");
    assert_eq!(answer.json["protected_messages"], want, "{}", answer.text);
    assert_eq!(answer.json["protected_text"], Value::Null);
    let places: Vec<_> = answer.json["entities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one.get("message").cloned(), one.get("part").cloned(), one["start"].clone()))
        .collect();
    assert_eq!(places, [(Some(json!(0)), None, json!(0)), (Some(json!(1)), Some(json!(1)), json!(0))]);

    let draft = policy("of users", "BLOCK", 1, json!([{ "roles": ["user"] }]));
    let answer = test(&host, &json!({ "messages": messages, "policy": draft })).await;
    assert_eq!(
        (&answer.json["decision"], &answer.json["protected_messages"]),
        (&json!("BLOCK"), &Value::Null)
    );
}

#[tokio::test]
async fn a_wrong_field_is_named() {
    let host = Memory::default();
    let long = "é".repeat(50_001);
    let message = |content: Value| json!({ "messages": [{ "role": "user", "content": "a" }, { "role": "user", "content": content }] });
    for (field, body) in [
        ("text", json!({})),
        ("text", json!({ "text": "" })),
        ("text", json!({ "text": 1 })),
        ("text", json!({ "text": long })),
        ("messages", json!({ "text": "a", "messages": [{ "role": "user", "content": "a" }] })),
        ("messages", json!({ "messages": [] })),
        ("messages", json!({ "messages": "zanzibar" })),
        ("messages", json!({ "messages": vec![json!({ "role": "user", "content": "a" }); 51] })),
        ("messages[0]", json!({ "messages": ["zanzibar"] })),
        ("messages[0].role", json!({ "messages": [{ "content": "a" }] })),
        ("messages[1].content", message(json!(5))),
        ("messages[1].content", message(json!(long))),
        ("messages[1].content[0]", message(json!(["zanzibar"]))),
        ("messages[1].content[0].text", message(json!([{ "text": 1 }]))),
        ("messages[1].content[0].text", message(json!([{ "text": long }]))),
        ("messages", message(json!(vec![json!({ "text": "a" }); 50]))),
        ("policy", json!({ "text": "a", "policy": [] })),
        ("policy", json!({ "text": "a", "policy": policy("a", "MASK", 1, json!([])), "policies": [] })),
        ("policy.action", json!({ "text": "a", "policy": policy("a", "zanzibar", 1, json!([])) })),
        ("policies[0].name", json!({ "text": "a", "policies": [{ "action": "MASK" }] })),
        (
            "policies[0].conditions[0]",
            json!({ "text": "a", "policies": [policy("a", "MASK", 1, json!([{ "zanzibar": 1 }]))] }),
        ),
        ("policies", json!({ "text": "a", "policies": vec![policy("a", "MASK", 1, json!([])); 201] })),
        ("default_action", json!({ "text": "a", "default_action": "zanzibar" })),
        ("direction", json!({ "text": "a", "direction": "zanzibar" })),
        ("provider", json!({ "text": "a", "provider": "zanzibar" })),
        ("model", json!({ "text": "a", "model": "" })),
        ("privacy_preset", json!({ "text": "a", "privacy_preset": "zanzibar" })),
        ("workspace_id", json!({ "text": "a", "workspace_id": "acme" })),
    ] {
        let said = body.to_string().chars().take(300).collect::<String>();
        assert_invalid(&test(&host, &body).await, field, &said);
    }
}

#[tokio::test]
async fn nothing_is_stored_logged_or_sent() {
    let host = Memory::default();
    let before = host.stored();
    let body = json!({ "text": "zanzibar@example.com", "policy": policy("zanzibar", "MASK", 1, json!([])) });
    assert_eq!(test(&host, &body).await.status, 200);
    let documents = |text: &str| {
        text.lines()
            .filter(|line| line.contains(' '))
            .filter(|line| !line.starts_with("metrics-list ") && !line.starts_with("rate-windows:"))
            .map(str::to_owned)
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(documents(&host.stored()), documents(&before), "no document is new");
    assert!(!host.stored().contains("zanzibar") && host.sent.borrow().is_empty());
    let log = host.log.borrow().join("\n");
    assert!(!log.contains("zanzibar") && log.contains(r#""entities":{"email":1}"#), "{log}");
}
