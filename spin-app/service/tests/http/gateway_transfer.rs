//! Export and import of configuration and policies.

use http::Method;
use serde_json::{Value, json};
use textveil_service::Label;

use crate::host::{Answer, Memory, assert_invalid};

const IMPORT: &str = "/config/import?workspace_id=initech";

async fn export(host: &Memory, workspace: &str) -> Value {
    let answer =
        host.admin(Method::GET, &format!("/config/export?workspace_id={workspace}"), &Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json
}

async fn import(host: &Memory, path: &str, document: &Value) -> Answer {
    host.admin(Method::POST, path, document).await
}

fn with_mode(document: &Value, mode: &str) -> Value {
    let mut document = document.clone();
    document["mode"] = json!(mode);
    document
}

/// A workspace `initech` with a provider, a configuration and two policies.
async fn filled() -> Memory {
    let host = Memory::default();
    put_provider(&host, "initech");
    let update = json!({
        "providers": { "primary": { "provider": "vllm", "model": "m" } }, "risk_levels": { "EMAIL": "LOW" },
        "default_action": "REDACT", "rate_limits": { "burst": 3 }, "streaming": { "fail_closed": false },
        "auth_cache_ttl": 1, "provider_config_cache_ttl": 2, "policy_cache_ttl": 3, "audit_retention_days": 4,
        "audit_level": "minimal", "region": "eu",
    });
    assert_eq!(host.admin(Method::PUT, "/config?workspace_id=initech", &update).await.status, 200);
    for name in ["first", "second"] {
        let policy = json!({ "name": name, "action": "MASK", "conditions": [{ "validated": true }] });
        assert_eq!(host.admin(Method::POST, "/policies?workspace_id=initech", &policy).await.status, 201);
    }
    host
}

fn put_provider(host: &Memory, workspace: &str) {
    host.put_config(
        &format!("providers:{workspace}"),
        &json!([{
            "id": "11111111-1111-4111-8111-111111111111", "provider_type": "vllm", "display_name": "x",
            "is_platform_default": false, "is_active": true, "credential_source": "env_placeholder",
            "env_placeholder": "${SECRET_NAME}", "key_prefix": null, "base_url": "https://llm.example",
            "default_model": "m", "allowed_models": [], "supports_streaming": true, "priority": 0,
            "validation_status": "unknown", "team_id": null, "tenant_id": null,
            "created_at": "2026-11-23T10:00:20Z", "updated_at": "2026-11-23T10:00:20Z",
        }]),
    );
}

#[tokio::test]
async fn an_export_is_all_of_it_and_no_secret() {
    let host = filled().await;
    let export = export(&host, "initech").await;
    let config = host.admin(Method::GET, "/config?workspace_id=initech", &Value::Null).await.json;
    let policies = host.admin(Method::GET, "/policies?workspace_id=initech", &Value::Null).await.json;
    let want = json!({
        "version": 1, "workspace_id": "initech", "exported_at": "2026-11-23T10:00:20Z",
        "configuration": config, "policies": policies["policies"],
    });
    assert_eq!(export, want);
    assert!(!export.to_string().contains("SECRET"), "{export}");
}

#[tokio::test]
async fn an_export_makes_the_same_again() {
    let host = filled().await;
    let document = export(&host, "initech").await;
    for (workspace, mode) in
        [("acme", "replace"), ("globex", "merge"), ("initech", "replace"), ("initech", "merge")]
    {
        put_provider(&host, workspace);
        let path = format!("/config/import?workspace_id={workspace}&mode={mode}");
        let answer = import(&host, &path, &document).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!((&answer.json["mode"], &answer.json["workspace_id"]), (&json!(mode), &json!(workspace)));
        let mut want = document.clone();
        want["workspace_id"] = json!(workspace);
        want["configuration"]["workspace_id"] = json!(workspace);
        for policy in want["policies"].as_array_mut().unwrap() {
            policy["workspace_id"] = json!(workspace);
        }
        assert_eq!(export(&host, workspace).await, want, "{workspace} {mode}");
        assert_eq!(answer.json["configuration"], want["configuration"]);
    }
    // the workspace is in the document only
    assert_eq!(import(&host, "/config/import", &document).await.json["workspace_id"], "initech");
}

#[tokio::test]
async fn replacing_takes_away_what_merging_leaves() {
    for (mode, policies, configuration) in [
        (
            "merge",
            json!({ "added": 1, "replaced": 1, "removed": 0, "total": 3 }),
            json!({ "region": "us", "default_action": "REDACT", "level": "minimal", "routes": 1 }),
        ),
        (
            "replace",
            json!({ "added": 1, "replaced": 1, "removed": 1, "total": 2 }),
            json!({ "region": "us", "default_action": "MASK", "level": "standard", "routes": 0 }),
        ),
    ] {
        let host = filled().await;
        let before = export(&host, "initech").await;
        let mut second = before["policies"][1].clone();
        second["action"] = json!("BLOCK");
        let third = json!({ "name": "third", "action": "FLAG" });
        let document =
            json!({ "configuration": { "region": "us" }, "policies": [second, third], "mode": mode });
        let answer = import(&host, IMPORT, &document).await;
        assert_eq!(answer.json["policies"], policies, "{mode}: {}", answer.text);
        let after = export(&host, "initech").await;
        let list = after["policies"].as_array().unwrap();
        let named = |name: &str| list.iter().find(|one| one["name"] == name);
        assert_eq!(named("first").is_some(), mode == "merge");
        assert_eq!(named("second").unwrap()["action"], "BLOCK");
        assert_eq!(named("second").unwrap()["id"], before["policies"][1]["id"]);
        assert_eq!(named("third").unwrap()["id"].as_str().unwrap().len(), 36);
        let config = &after["configuration"];
        let got = json!({
            "region": config["region"], "default_action": config["default_action"],
            "level": config["audit"]["level"], "routes": config["providers"].as_object().unwrap().len(),
        });
        assert_eq!(got, configuration, "{mode}");

        // a part that is not in the document stays
        import(&host, IMPORT, &with_mode(&json!({ "policies": [] }), mode)).await;
        let then = export(&host, "initech").await;
        assert_eq!(then["configuration"], after["configuration"], "{mode}");
        assert_eq!(then["policies"].as_array().unwrap().is_empty(), mode == "replace");
    }
}

#[tokio::test]
async fn nothing_is_written_where_anything_is_wrong() {
    let host = filled().await;
    let before = export(&host, "initech").await;
    let good = json!({ "name": "new", "action": "FLAG" });
    let with = |field: &str, value: Value| {
        let mut policy = good.clone();
        policy[field] = value;
        json!({ "configuration": { "region": "us" }, "policies": [good, policy] })
    };
    let config = |field: &str, value: Value| json!({ "configuration": { "region": "us", field: value }, "policies": [good] });
    let twice = json!("22222222-2222-4222-8222-222222222222");
    for (field, document) in [
        ("mode", with_mode(&with("name", json!("x")), "zanzibar")),
        ("version", json!({ "version": 2, "policies": [] })),
        ("workspace_id", json!({ "workspace_id": {}, "policies": [] })),
        ("configuration", json!({ "configuration": [], "policies": [good] })),
        ("policies", json!({ "configuration": { "region": "us" }, "policies": {} })),
        ("policies", json!({ "configuration": { "region": "us" }, "policies": vec![good.clone(); 201] })),
        ("policies[1].action", with("action", json!("zanzibar"))),
        ("policies[1].conditions[0]", with("conditions", json!([{ "zanzibar": 1 }]))),
        ("policies[1].id", with("id", json!("zanzibar"))),
        ("policies[1].created_at", with("created_at", json!("zanzibar"))),
        (
            "policies[1].id",
            json!({ "policies": [
                { "name": "a", "action": "MASK", "id": twice }, { "name": "b", "action": "MASK", "id": twice },
            ]}),
        ),
        ("configuration.default_action", config("default_action", json!("zanzibar"))),
        ("configuration.auth.cache_ttl", config("auth", json!({ "cache_ttl": -1 }))),
        ("configuration.policy.cache_ttl", config("policy", json!({ "cache_ttl": 86_401 }))),
        ("configuration.audit.level", config("audit", json!({ "level": "zanzibar" }))),
        ("configuration.audit.retention_days", config("audit", json!({ "retention_days": 0 }))),
        ("configuration.risk_levels.EMAIL", config("risk_levels", json!({ "EMAIL": "zanzibar" }))),
        ("configuration.risk_levels", config("risk_levels", json!({ "zanzibar!": "HIGH" }))),
        (
            "configuration.providers.primary.provider",
            config("providers", json!({ "primary": { "provider": "zanzibar", "model": "m" } })),
        ),
        (
            "configuration.providers",
            config("providers", json!({ "zanzibar!": { "provider": "vllm", "model": "m" } })),
        ),
    ] {
        assert_invalid(&import(&host, IMPORT, &document).await, field, &document.to_string());
    }
    assert_invalid(&import(&host, "/config/import", &json!({})).await, "workspace_id", "none");
    let both = with_mode(&json!({}), "merge");
    assert_invalid(&import(&host, &format!("{IMPORT}&mode=replace"), &both).await, "mode", "two modes");
    assert_invalid(&import(&host, &format!("{IMPORT}&mode=zanzibar"), &json!({})).await, "mode", "unknown");
    // too many together, though not alone
    let many = json!({ "configuration": { "region": "us" }, "policies": vec![good; 199] });
    let answer = import(&host, IMPORT, &many).await;
    assert_eq!((answer.status.as_u16(), &answer.json["type"]), (409, &json!("conflict")), "{}", answer.text);
    // too large, though few
    let name = "x".repeat(64);
    let condition = json!({ "entity_types": vec![&name; 100], "exclude_entity_types": vec![&name; 100] });
    let large = json!({ "name": "large", "action": "MASK", "conditions": vec![condition; 15] });
    let answer =
        import(&host, IMPORT, &json!({ "configuration": { "region": "us" }, "policies": vec![large; 5] }))
            .await;
    assert_eq!((answer.status.as_u16(), &answer.json["type"]), (409, &json!("conflict")));
    assert_eq!(export(&host, "initech").await, before, "nothing was written");
}

#[tokio::test]
async fn without_a_store_there_is_an_error() {
    let host = filled().await;
    let document = export(&host, "initech").await;
    host.down.set(Some(Label::Config));
    assert_eq!(import(&host, IMPORT, &document).await.status, 503);
    let path = "/config/export?workspace_id=initech";
    assert_eq!(host.admin(Method::GET, path, &Value::Null).await.status, 503);
}
