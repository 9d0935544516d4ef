//! The gateway's administration: status, configuration, providers.

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;
use serde_json::{Value, json};
use textveil_service::Label;

use crate::{
    gateway::{as_user, logged},
    host::{Answer, Memory, SERVICE_TOKEN, assert_invalid, key, user_token},
};

const CONFIG: &str = "/config?workspace_id=initech";

async fn get(host: &Memory, path: &str) -> Answer {
    host.admin(Method::GET, path, &Value::Null).await
}

async fn put(host: &Memory, update: &Value) -> Answer {
    host.admin(Method::PUT, CONFIG, update).await
}

/// Adds an LLM provider to the workspace `initech`, as a user does; some fields differ.
async fn provider(host: &Memory, kind: &str, changes: &Value) -> Value {
    let mut body = json!({
        "provider_type": kind, "display_name": "x", "credential_source": "env_placeholder",
        "env_placeholder": "${NAME}", "base_url": "https://llm.example/v1", "default_model": "m-1",
    });
    body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    let answer = as_user(host, Method::POST, "", &body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.json
}

/// Returns the configuration of a workspace that was never configured.
fn defaults() -> Value {
    json!({
        "workspace_id": "initech",
        "providers": {},
        "risk_levels": {},
        "default_action": "MASK",
        "rate_limits": { "requests_per_minute": 60, "burst": 10 },
        "streaming": { "enabled": true, "buffer_tokens": 50 },
        "auth": { "cache_ttl": 300 },
        "provider_config": { "cache_ttl": 300 },
        "policy": { "cache_ttl": 300 },
        "audit": { "retention_days": 90, "level": "standard" },
        "region": null,
    })
}

/// Returns the value merged with `patch` (RFC 7396, except for nulls).
fn merged(mut value: Value, patch: &Value) -> Value {
    match (&mut value, patch) {
        (Value::Object(fields), Value::Object(patch)) => {
            for (name, patch) in patch {
                let old = fields.remove(name).unwrap_or_default();
                fields.insert(name.clone(), merged(old, patch));
            }
            value
        }
        _ => patch.clone(),
    }
}

#[tokio::test]
async fn a_workspace_that_was_never_configured_has_the_defaults() {
    let host = Memory::default();
    assert_eq!(get(&host, CONFIG).await.json, defaults());
    assert_eq!(put(&host, &json!({})).await.json, defaults());
}

#[tokio::test]
async fn each_field_is_set_alone_and_the_rest_stays() {
    let host = Memory::default();
    provider(&host, "openai", &json!({})).await;
    provider(&host, "anthropic", &json!({})).await;
    let mut want = defaults();
    for (update, read) in [
        (
            json!({ "providers": { "primary": { "provider": "openai", "model": "gpt-4o" } } }),
            json!({ "providers": { "primary": { "provider": "openai", "model": "gpt-4o" } } }),
        ),
        // beside the one that is there
        (
            json!({ "providers": { "fallback": { "provider": "anthropic", "model": "claude" } } }),
            json!({ "providers": { "fallback": { "provider": "anthropic", "model": "claude" } } }),
        ),
        // a part of one
        (
            json!({ "providers": { "primary": { "model": "gpt-4o-mini" } } }),
            json!({ "providers": { "primary": { "model": "gpt-4o-mini" } } }),
        ),
        (
            json!({ "risk_levels": { "EMAIL": "MEDIUM", "ADDRESS": "HIGH" } }),
            json!({ "risk_levels": { "EMAIL": "MEDIUM", "ADDRESS": "HIGH" } }),
        ),
        // types are upper case, however they are sent
        (json!({ "risk_levels": { "email": "LOW" } }), json!({ "risk_levels": { "EMAIL": "LOW" } })),
        (json!({ "default_action": "BLOCK" }), json!({ "default_action": "BLOCK" })),
        (
            json!({ "rate_limits": { "requests_per_minute": 120 } }),
            json!({ "rate_limits": { "requests_per_minute": 120 } }),
        ),
        (json!({ "rate_limits": { "burst": 20 } }), json!({ "rate_limits": { "burst": 20 } })),
        (json!({ "streaming": { "enabled": false } }), json!({ "streaming": { "enabled": false } })),
        (json!({ "streaming": { "buffer_tokens": 7 } }), json!({ "streaming": { "buffer_tokens": 7 } })),
        (json!({ "streaming": { "fail_closed": true } }), json!({ "streaming": { "fail_closed": true } })),
        (
            json!({ "sessions": { "enabled": true } }),
            json!({ "sessions": { "enabled": true, "ttl": 86_400 } }),
        ),
        (json!({ "sessions": { "ttl": 60 } }), json!({ "sessions": { "ttl": 60 } })),
        (json!({ "auth_cache_ttl": 0 }), json!({ "auth": { "cache_ttl": 0 } })),
        (
            json!({ "provider_config_cache_ttl": 86_400 }),
            json!({ "provider_config": { "cache_ttl": 86_400 } }),
        ),
        (json!({ "policy_cache_ttl": 60 }), json!({ "policy": { "cache_ttl": 60 } })),
        (json!({ "audit_retention_days": 365 }), json!({ "audit": { "retention_days": 365 } })),
        (json!({ "audit_level": "full" }), json!({ "audit": { "level": "full" } })),
        (json!({ "region": "eu-central" }), json!({ "region": "eu-central" })),
        (
            json!({ "restore_hosts": ["Wiki.example.com", "*.example.com", "10.0.0.7", "wiki.example.com"] }),
            json!({ "restore_hosts": ["*.example.com", "10.0.0.7", "wiki.example.com"] }),
        ),
        // null is equivalent to an absent field, except for nullable values
        (json!({ "default_action": null, "rate_limits": null, "streaming": { "enabled": null } }), json!({})),
        (json!({ "providers": null, "audit_level": null, "unknown": 1 }), json!({})),
    ] {
        want = merged(want, &read);
        let answer = put(&host, &update).await;
        assert_eq!((answer.status.as_u16(), &answer.json), (200, &want), "{update}");
        assert_eq!(get(&host, CONFIG).await.json, want, "{update}");
    }
    // null clears what can be absent
    let clear = json!({
        "providers": { "fallback": null, "nothing": null }, "risk_levels": { "email": null },
        "streaming": { "fail_closed": null }, "region": null, "restore_hosts": null,
    });
    for (place, field) in
        [("/providers", "fallback"), ("/risk_levels", "EMAIL"), ("/streaming", "fail_closed")]
    {
        want.pointer_mut(place).unwrap().as_object_mut().unwrap().remove(field).unwrap();
    }
    want["region"] = Value::Null;
    want.as_object_mut().unwrap().remove("restore_hosts");
    assert_eq!(put(&host, &clear).await.json, want);
    assert_eq!(get(&host, CONFIG).await.json, want);
    assert_eq!(get(&host, "/config?workspace_id=acme").await.json["default_action"], "MASK");
}

#[tokio::test]
async fn every_value_of_an_enumeration_is_taken() {
    let host = Memory::default();
    for (field, values) in [
        ("default_action", &["ALLOW", "FLAG", "MASK", "REDACT", "HASH", "TOKENIZE", "BLOCK"] as &[&str]),
        ("audit_level", &["none", "minimal", "standard", "full"]),
    ] {
        for value in values {
            assert_eq!(put(&host, &json!({ field: value })).await.status, 200, "{field} {value}");
        }
    }
    for level in ["NONE", "LOW", "MEDIUM", "HIGH", "CRITICAL"] {
        let answer = put(&host, &json!({ "risk_levels": { "EMAIL": level } })).await;
        assert_eq!(answer.json["risk_levels"]["EMAIL"], level, "{}", answer.text);
    }
}

#[tokio::test]
async fn a_wrong_field_is_named_and_nothing_is_changed() {
    let host = Memory::default();
    provider(&host, "openai", &json!({})).await;
    for _ in 0..2 {
        provider(&host, "anthropic", &json!({})).await;
    }
    let route = |name: &str, route: Value| json!({ "providers": { name: route } });
    let many = |count: usize, value: Value| {
        let entries = (0..count).map(|index| (format!("N{index}"), value.clone()));
        Value::Object(entries.collect())
    };
    let good = json!({ "provider": "openai", "model": "m" });
    for (field, update) in [
        ("providers", json!({ "providers": [] })),
        ("providers", json!({ "providers": "zanzibar" })),
        ("providers.primary", route("primary", json!("zanzibar"))),
        ("providers.primary", route("primary", json!(["openai", "m"]))),
        ("providers.primary.provider", route("primary", json!({ "model": "m" }))),
        ("providers.primary.provider", route("primary", json!({ "provider": 1, "model": "m" }))),
        ("providers.primary.provider", route("primary", json!({ "provider": "zanzibar", "model": "m" }))),
        // none of that type, and two of that type
        ("providers.fallback.provider", route("fallback", json!({ "provider": "mistral", "model": "m" }))),
        ("providers.fallback.provider", route("fallback", json!({ "provider": "anthropic", "model": "m" }))),
        ("providers.primary.model", route("primary", json!({ "provider": "openai" }))),
        ("providers.primary.model", route("primary", json!({ "provider": "openai", "model": "" }))),
        ("providers.primary.model", route("primary", json!({ "provider": "openai", "model": "two words" }))),
        (
            "providers.primary.model",
            route("primary", json!({ "provider": "openai", "model": "x".repeat(129) })),
        ),
        ("providers.*.provider", route("zanzibar", json!({ "provider": "zanzibar", "model": "m" }))),
        ("providers", route("zanzibar/zanzibar", good.clone())),
        ("providers", route("", good.clone())),
        ("providers", route(&"x".repeat(65), good.clone())),
        ("providers", json!({ "providers": many(51, good) })),
        ("risk_levels", json!({ "risk_levels": ["HIGH"] })),
        ("risk_levels.EMAIL", json!({ "risk_levels": { "EMAIL": "zanzibar" } })),
        ("risk_levels.EMAIL", json!({ "risk_levels": { "EMAIL": "high" } })),
        ("risk_levels.EMAIL", json!({ "risk_levels": { "EMAIL": 3 } })),
        ("risk_levels.*", json!({ "risk_levels": { "ZANZIBAR": "zanzibar" } })),
        ("risk_levels", json!({ "risk_levels": { "zanzibar!": "HIGH" } })),
        ("risk_levels", json!({ "risk_levels": many(501, json!("HIGH")) })),
        ("default_action", json!({ "default_action": "zanzibar" })),
        ("default_action", json!({ "default_action": "mask" })),
        ("default_action", json!({ "default_action": ["MASK"] })),
        ("rate_limits", json!({ "rate_limits": [60, 10] })),
        ("rate_limits.requests_per_minute", json!({ "rate_limits": { "requests_per_minute": 0 } })),
        ("rate_limits.requests_per_minute", json!({ "rate_limits": { "requests_per_minute": 1_000_001 } })),
        ("rate_limits.requests_per_minute", json!({ "rate_limits": { "requests_per_minute": 1.5 } })),
        ("rate_limits.burst", json!({ "rate_limits": { "burst": -1 } })),
        ("rate_limits.burst", json!({ "rate_limits": { "burst": "10" } })),
        ("streaming", json!({ "streaming": true })),
        ("streaming.enabled", json!({ "streaming": { "enabled": "yes" } })),
        ("streaming.buffer_tokens", json!({ "streaming": { "buffer_tokens": 0 } })),
        ("streaming.buffer_tokens", json!({ "streaming": { "buffer_tokens": 10_001 } })),
        ("streaming.fail_closed", json!({ "streaming": { "fail_closed": 0 } })),
        ("auth_cache_ttl", json!({ "auth_cache_ttl": -1 })),
        ("auth_cache_ttl", json!({ "auth_cache_ttl": u64::MAX })),
        ("provider_config_cache_ttl", json!({ "provider_config_cache_ttl": 86_401 })),
        ("policy_cache_ttl", json!({ "policy_cache_ttl": "60" })),
        ("audit_retention_days", json!({ "audit_retention_days": 0 })),
        ("audit_retention_days", json!({ "audit_retention_days": 3_651 })),
        ("audit_level", json!({ "audit_level": "zanzibar" })),
        ("audit_level", json!({ "audit_level": "FULL" })),
        ("restore_hosts", json!({ "restore_hosts": "example.com" })),
        ("restore_hosts", json!({ "restore_hosts": ["https://example.com"] })),
        ("restore_hosts", json!({ "restore_hosts": ["example.com/zanzibar"] })),
        ("restore_hosts", json!({ "restore_hosts": ["zanzibar@example.com"] })),
        ("restore_hosts", json!({ "restore_hosts": ["*.com"] })),
        ("restore_hosts", json!({ "restore_hosts": ["*"] })),
        ("restore_hosts", json!({ "restore_hosts": [""] })),
        ("restore_hosts", json!({ "restore_hosts": vec!["a.example"; 201] })),
        ("region", json!({ "region": "" })),
        ("region", json!({ "region": "a\nb" })),
        ("region", json!({ "region": "x".repeat(65) })),
        ("region", json!({ "region": 5 })),
        ("workspace_id", json!({ "workspace_id": "acme" })),
        ("workspace_id", json!({ "workspace_id": 1 })),
    ] {
        // the correct fields beside it are not changed either
        let mut update = update;
        if field != "default_action" {
            update["default_action"] = json!("BLOCK");
        }
        assert_invalid(&put(&host, &update).await, field, &update.to_string());
    }
    assert_eq!(get(&host, CONFIG).await.json, defaults());
}

#[tokio::test]
async fn the_workspace_is_named_once_and_rightly() {
    let host = Memory::default();
    for path in ["/config", "/providers"] {
        for query in [
            "",
            "?workspace_id=",
            "?workspace_id=a%2Fb",
            "?workspace_id=initech&workspace_id=initech",
            &format!("?workspace_id={}", "x".repeat(300)),
        ] {
            let answer = get(&host, &format!("{path}{query}")).await;
            assert_invalid(&answer, "workspace_id", &format!("{path}{query}"));
        }
    }
    let body = json!({ "workspace_id": "initech", "region": "eu" });
    assert_eq!(put(&host, &body).await.status, 200);
    assert_eq!(host.admin(Method::PUT, "/config", &body).await.json["workspace_id"], "initech");
    assert_invalid(&host.admin(Method::PUT, "/config", &json!({})).await, "workspace_id", "neither");
}

#[tokio::test]
async fn a_provider_that_a_route_names_stays() {
    let host = Memory::default();
    let record = provider(&host, "openai", &json!({})).await;
    let id = record["id"].as_str().unwrap();
    for name in [id, "openai"] {
        put(&host, &json!({ "providers": { "primary": { "provider": name, "model": "m" } } })).await;
        let answer = as_user(&host, Method::DELETE, &format!("/{id}"), &Value::Null).await;
        assert_eq!((answer.status.as_u16(), &answer.json["type"]), (409, &json!("conflict")), "{name}");
    }
    put(&host, &json!({ "providers": { "primary": null } })).await;
    assert_eq!(as_user(&host, Method::DELETE, &format!("/{id}"), &Value::Null).await.status, 200);
}

#[tokio::test]
async fn of_naming_a_provider_and_deleting_it_at_once_one_is_refused() {
    for delay in 0..40 {
        let host = Memory::default();
        let record = provider(&host, "openai", &json!({})).await;
        let path = format!("/{}", record["id"].as_str().unwrap());
        let update = json!({ "providers": { "primary": { "provider": "openai", "model": "m" } } });
        let named = async {
            for _ in 0..delay {
                tokio::task::yield_now().await;
            }
            put(&host, &update).await.status.as_u16()
        };
        let deleted = async { as_user(&host, Method::DELETE, &path, &Value::Null).await.status.as_u16() };
        let both = tokio::join!(named, deleted);
        assert!([(200, 409), (400, 200)].contains(&both), "after {delay}: {both:?}");
    }
}

#[tokio::test]
async fn providers_are_the_models_of_the_routes() {
    let host = Memory::default();
    let list = async || get(&host, "/providers?workspace_id=initech").await.json["providers"].take();
    let entry = |provider: &str, model: &str, streaming: bool| json!({ "provider": provider, "model": model, "streaming": streaming });
    assert_eq!(list().await, json!([]));

    let openai = provider(&host, "openai", &json!({ "priority": 1 })).await;
    let quiet = json!({ "supports_streaming": false, "priority": 5, "default_model": "m-2" });
    provider(&host, "anthropic", &quiet).await;
    // without a route: the active ones, the highest priority first
    assert_eq!(list().await, json!([entry("anthropic", "m-2", false), entry("openai", "m-1", true)]));

    put(
        &host,
        &json!({ "providers": {
            "fallback": { "provider": "anthropic", "model": "claude" },
            "primary": { "provider": openai["id"], "model": "gpt-4o" },
            "same": { "provider": "anthropic", "model": "claude" },
        }}),
    )
    .await;
    let id = openai["id"].as_str().unwrap();
    assert_eq!(list().await, json!([entry(id, "gpt-4o", true), entry("anthropic", "claude", false)]));
    put(&host, &json!({ "streaming": { "enabled": false } })).await;
    assert_eq!(list().await, json!([entry(id, "gpt-4o", false), entry("anthropic", "claude", false)]));
    as_user(&host, Method::PATCH, &format!("/{id}"), &json!({ "is_active": false })).await;
    assert_eq!(list().await, json!([entry("anthropic", "claude", false)]));
    assert_eq!(get(&host, "/providers?workspace_id=acme").await.json, json!({ "providers": [] }));
}

#[tokio::test]
async fn the_status_counts_providers() {
    let host = Memory::default();
    let status = async || get(&host, "/status").await.json;
    let want = |count: u32| json!({ "status": "ok", "service": "gateway", "providers_configured": count });
    assert_eq!(status().await, want(0));
    let first = provider(&host, "openai", &json!({})).await;
    provider(&host, "mistral", &json!({})).await;
    assert_eq!(status().await, want(2));
    let path = format!("/{}", first["id"].as_str().unwrap());
    for _ in 0..2 {
        as_user(&host, Method::DELETE, &path, &Value::Null).await;
    }
    assert_eq!(status().await, want(1));
}

#[tokio::test]
async fn only_a_service_token_opens() {
    let host = Memory::default();
    let bearer = |token: &str| ("authorization", format!("Bearer {token}"));
    for header in [
        ("x-other", String::new()),
        bearer(SERVICE_TOKEN),
        bearer(&user_token()),
        bearer(&key("enterprise")),
        ("x-api-key", key("enterprise")),
        ("x-api-key", SERVICE_TOKEN.to_owned()),
        ("x-service-token", key("enterprise")),
        ("x-service-token", user_token()),
        ("x-service-token", SERVICE_TOKEN[1..].to_owned()),
        ("x-service-token", String::new()),
    ] {
        for (path, routes) in crate::openapi::DOCUMENT["paths"].as_object().unwrap() {
            if !path.starts_with("/api/v1/gateway/") || crate::openapi::is_a_models(path) {
                continue;
            }
            for method in routes.as_object().unwrap().keys() {
                let request = Request::builder()
                    .method(method.to_uppercase().as_str())
                    .uri(path.replace("{id}", "x") + "?workspace_id=initech")
                    .header(header.0, &header.1)
                    .body(Full::new(Bytes::from("{}")));
                let answer = host.send_to_gateway(request.unwrap()).await;
                let said = (answer.status.as_u16(), &answer.json["type"]);
                assert_eq!(said, (401, &json!("unauthorized")), "{header:?}: {method} {path}");
                assert_eq!(answer.header("www-authenticate"), "Bearer");
            }
        }
    }
}

#[tokio::test]
async fn each_component_answers_its_own_paths() {
    let host = Memory::default();
    let request = Request::get("/api/v1/gateway/status").header("x-service-token", SERVICE_TOKEN);
    assert_eq!(host.send(request.body(Full::default()).unwrap()).await.status, 404);
    let answer = host.admin(Method::DELETE, "/config", &Value::Null).await;
    assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, "GET, HEAD, PUT"));
    assert_eq!(host.admin(Method::HEAD, "/status", &Value::Null).await.text, "");
    get(&host, CONFIG).await;
    let line = logged(&host);
    let logged = (&line["route"], &line["workspace"]);
    assert_eq!(logged, (&json!("/api/v1/gateway/config"), &json!("initech")));
}

#[tokio::test]
async fn without_a_store_there_is_an_error() {
    let host = Memory::default();
    host.down.set(Some(Label::Config));
    for (method, path) in [
        (Method::GET, "/status"),
        (Method::GET, CONFIG),
        (Method::PUT, CONFIG),
        (Method::GET, "/providers?workspace_id=initech"),
    ] {
        let answer = host.admin(method, path, &json!({})).await;
        assert_eq!((answer.status.as_u16(), &answer.json["type"]), (503, &json!("service_unavailable")));
    }
}
