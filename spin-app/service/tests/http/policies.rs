//! Mode `policy`: the workspace's policies decide.

use serde_json::{Value, json};

use crate::host::{Answer, Memory};

const TEXT: &str = "jan.novak@example.com, PESEL 44051401359, 4111 1111 1111 1111";

fn policy(name: &str, action: &str, priority: i64, conditions: Value) -> Value {
    json!({
        "id": name, "name": name, "action": action, "priority": priority, "conditions": conditions,
        "workspace_id": "globex", "created_at": "2026-11-23T10:00:20Z", "updated_at": "2026-11-23T10:00:20Z",
    })
}

async fn protect(host: &Memory, key: &str, body: Value) -> Answer {
    host.post(key, "/api/v1/protect", &body).await
}

#[tokio::test]
async fn each_finding_goes_by_the_policies_of_the_workspace() {
    let host = Memory::default();
    let of = |kinds: &[&str]| json!([{ "entity_types": kinds }]);
    for (action, want) in [
        ("ALLOW", "jan.novak@example.com"),
        ("FLAG", "jan.novak@example.com"),
        ("MASK", "*********************"),
        ("REDACT", "[REDACTED]"),
    ] {
        host.put_config("policies:globex", &json!([policy("mail", action, 1, of(&["EMAIL"]))]));
        let answer = protect(&host, "enterprise", json!({ "text": TEXT, "mode": "policy" })).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let text = answer.json["protected_text"].as_str().unwrap();
        assert!(text.starts_with(&format!("{want}, PESEL ***********")), "{action}: {text}");
        assert_eq!(answer.json["entities"][0]["action"], action);
        assert_eq!(answer.json["entities"][0]["policy"], "mail");
        assert_eq!(answer.json["protection_mode"], "policy");
    }
    for (action, start) in [("TOKENIZE", "tok_xx_email_"), ("HASH", "")] {
        host.put_config("policies:globex", &json!([policy("mail", action, 1, of(&["email"]))]));
        let answer = protect(&host, "enterprise", json!({ "text": TEXT, "mode": "policy" })).await;
        let text = answer.json["protected_text"].as_str().unwrap();
        assert!(text.starts_with(start) && !text.contains("jan.novak"), "{action}: {text}");
    }
}

#[tokio::test]
async fn a_policy_that_blocks_refuses_the_call_with_types_and_counts() {
    let host = Memory::default();
    host.put_config(
        "policies:globex",
        &json!([policy(
            "cards",
            "BLOCK",
            9,
            json!([{ "entity_types": ["CREDIT_CARD"], "direction": "input" }])
        )]),
    );
    for (path, body) in [
        ("/api/v1/protect", json!({ "text": TEXT, "mode": "policy" })),
        ("/api/v1/protect/batch", json!({ "texts": ["nothing", TEXT], "mode": "policy" })),
    ] {
        let answer = host.post("enterprise", path, &body).await;
        assert_eq!(answer.status, 403, "{}", answer.text);
        assert_eq!(answer.json["error"]["code"], "policy_violation");
        assert_eq!(answer.json["type"], "policy_violation");
        assert_eq!(answer.json["error"]["details"], json!({ "credit_card": 1 }));
        assert!(!answer.text.contains("4111"), "{}", answer.text);
    }
    let harmless = protect(&host, "enterprise", json!({ "text": "nothing", "mode": "policy" })).await;
    assert_eq!(harmless.status, 200);
}

#[tokio::test]
async fn what_no_policy_decides_goes_by_the_default_action() {
    let host = Memory::default();
    for (config, want) in [
        (json!({}), "*********************"),
        (json!({ "default_action": "REDACT" }), "[REDACTED]"),
        (json!({ "default_action": "ALLOW" }), "jan.novak@example.com"),
    ] {
        host.put_config("gateway-config:globex", &config);
        let answer = protect(&host, "enterprise", json!({ "text": TEXT, "mode": "policy" })).await;
        let text = answer.json["protected_text"].as_str().unwrap();
        assert!(text.starts_with(&format!("{want}, ")), "{config}: {text}");
    }
}

#[tokio::test]
async fn risk_is_what_the_workspace_says() {
    let host = Memory::default();
    host.put_config(
        "gateway-config:globex",
        &json!({ "risk_levels": { "CREDIT_CARD": "CRITICAL", "EMAIL": "LOW" } }),
    );
    host.put_config(
        "policies:globex",
        &json!([
            policy("risky", "REDACT", 2, json!([{ "risk_level_min": "HIGH" }])),
            policy("rest", "ALLOW", 1, json!([])),
        ]),
    );
    let answer = protect(&host, "enterprise", json!({ "text": TEXT, "mode": "policy" })).await;
    assert_eq!(
        answer.json["protected_text"], "jan.novak@example.com, PESEL 44051401359, [REDACTED]",
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn policies_belong_to_their_workspace_and_plan() {
    let host = Memory::default();
    host.put_config("policies:acme", &json!([policy("all", "ALLOW", 1, json!([]))]));
    let answer = protect(&host, "enterprise", json!({ "text": TEXT, "mode": "policy" })).await;
    assert!(!answer.json["protected_text"].as_str().unwrap().contains("novak"));
    for plan in ["free", "pro"] {
        for (path, body) in [
            ("/api/v1/protect", json!({ "text": TEXT, "mode": "policy" })),
            ("/api/v1/protect/batch", json!({ "texts": [TEXT], "mode": "policy" })),
        ] {
            let answer = host.post(plan, path, &body).await;
            let message = "mode policy requires the Enterprise plan; use replace, mask, hash or tokenize";
            assert_eq!((answer.status.as_u16(), answer.json), (400, json!({ "detail": message })), "{path}");
        }
    }
}

#[tokio::test]
async fn a_stored_policy_that_cannot_be_read_lets_nothing_through() {
    let host = Memory::default();
    let unknown = json!([policy("mail", "ALLOW", 1, json!([{ "entity_kinds": ["email"] }]))]);
    host.put_config("policies:globex", &unknown);
    let answer = protect(&host, "enterprise", json!({ "text": TEXT, "mode": "policy" })).await;
    assert_eq!((answer.status.as_u16(), &answer.json["type"]), (500, &json!("internal_error")));
    assert!(!answer.text.contains("novak"));
}
