//! Policies of the gateway: records, pages, and everything that may
//! be wrong with one.

use http::Method;
use serde_json::{Value, json};
use textveil_service::Label;

use crate::host::{Answer, Memory, NOW_MS, assert_invalid};

const POLICIES: &str = "/policies?workspace_id=initech";

fn path(record: &Value) -> String {
    format!("/policies/{}?workspace_id=initech", record["id"].as_str().unwrap())
}

async fn get(host: &Memory, path: &str) -> Answer {
    host.admin(Method::GET, path, &Value::Null).await
}

async fn create(host: &Memory, body: &Value) -> Value {
    let answer = host.admin(Method::POST, POLICIES, body).await;
    assert_eq!(answer.status, 201, "{body}: {}", answer.text);
    answer.json
}

/// The body of the spec.
fn body() -> Value {
    json!({
        "name": "mask sure findings", "description": "of any type", "priority": 10, "action": "MASK",
        "conditions": [{ "confidence_min": 0.8 }], "workspace_id": "initech", "is_default": false,
    })
}

/// One condition with every key.
fn every_key() -> Value {
    json!({
        "confidence_min": 0.5, "entity_types": ["EMAIL", "own_type"], "exclude_entity_types": ["IBAN"],
        "countries": ["CZ", "pl"], "categories": ["contact"], "risk_level_min": "HIGH", "validated": true,
        "direction": "input", "roles": ["user"], "providers": ["openai"], "models": ["gpt-*"],
        "tools": ["web_search"], "min_count": 2,
    })
}

#[tokio::test]
async fn a_policy_is_made_shown_changed_and_removed() {
    let host = Memory::default();
    let made = create(&host, &body()).await;
    let mut want = body();
    want["id"] = made["id"].clone();
    want["created_at"] = json!("2026-11-23T10:00:20Z");
    want["updated_at"] = json!("2026-11-23T10:00:20Z");
    assert_eq!(made, want, "exactly the spec's fields");
    assert_eq!(made["id"].as_str().unwrap().len(), 36);
    assert_eq!(get(&host, &path(&made)).await.json, want);

    host.now_ms.set(NOW_MS + 5_000);
    want["updated_at"] = json!("2026-11-23T10:00:25Z");
    let patch = json!({ "priority": -5, "conditions": [every_key()], "id": "mine", "created_at": "mine" });
    want["priority"] = json!(-5);
    want["conditions"] = json!([every_key()]);
    assert_eq!(host.admin(Method::PATCH, &path(&made), &patch).await.json, want);
    let patch = json!({ "description": null, "conditions": null });
    want["description"] = json!("");
    want["conditions"] = json!([]);
    assert_eq!(host.admin(Method::PATCH, &path(&made), &patch).await.json, want);

    let put = json!({ "name": "other", "action": "BLOCK" });
    let replaced = host.admin(Method::PUT, &path(&made), &put).await;
    for (field, value) in [
        ("name", json!("other")),
        ("action", json!("BLOCK")),
        ("priority", json!(0)),
        ("description", json!("")),
        ("is_default", json!(false)),
        ("id", made["id"].clone()),
        ("created_at", made["created_at"].clone()),
        ("workspace_id", json!("initech")),
    ] {
        assert_eq!(replaced.json[field], value, "{field}: {}", replaced.text);
    }
    assert_eq!(get(&host, &path(&made)).await.json, replaced.json);

    let deleted = host.admin(Method::DELETE, &path(&made), &Value::Null).await;
    assert_eq!(deleted.json, json!({ "deleted": true, "id": made["id"] }));
    for (method, body) in [
        (Method::GET, json!(null)),
        (Method::PUT, put),
        (Method::PATCH, patch),
        (Method::DELETE, json!(null)),
    ] {
        let answer = host.admin(method, &path(&made), &body).await;
        assert_eq!((answer.status.as_u16(), &answer.json["type"]), (404, &json!("not_found")));
    }
}

#[tokio::test]
async fn a_stored_policy_decides() {
    let host = Memory::default();
    let draft = json!({ "name": "mail", "action": "REDACT", "conditions": [{ "entity_types": ["EMAIL"] }] });
    let answer = host.admin(Method::POST, "/policies?workspace_id=globex", &draft).await;
    assert_eq!(answer.status, 201);
    let text = json!({ "text": "jan.novak@example.com", "mode": "policy" });
    let protected = host.post("enterprise", "/api/v1/protect", &text).await;
    assert_eq!(protected.json["protected_text"], "[REDACTED]", "{}", protected.text);
    assert_eq!(protected.json["entities"][0]["policy"], "mail");
}

#[tokio::test]
async fn a_wrong_field_is_named_and_nothing_is_changed() {
    let host = Memory::default();
    let stored = create(&host, &body()).await;
    let condition = |condition: Value| json!([{ "validated": true }, condition]);
    let names = |count: usize| json!(vec!["EMAIL"; count]);
    let in_condition = |key: &str, value: Value| {
        (format!("conditions[1].{key}"), "conditions", condition(json!({ key: value })))
    };
    let plain = |field: &'static str, value: Value| (field.to_owned(), field, value);
    for (place, field, value) in [
        plain("name", json!("a\nb")),
        plain("name", json!("")),
        plain("name", json!("  ")),
        plain("name", json!(1)),
        plain("name", json!("x".repeat(201))),
        plain("description", json!("x".repeat(1_001))),
        plain("description", json!(["zanzibar"])),
        plain("priority", json!(1.5)),
        plain("priority", json!("1")),
        plain("priority", json!(1_000_001)),
        plain("priority", json!(u64::MAX)),
        plain("action", json!("zanzibar")),
        plain("action", json!("mask")),
        plain("action", json!(["MASK"])),
        plain("is_default", json!(1)),
        plain("conditions", json!({ "confidence_min": 0.8 })),
        plain("conditions", json!(vec![json!({}); 51])),
        ("conditions[0]".to_owned(), "conditions", json!(["zanzibar"])),
        // by position it would be a condition that always holds
        ("conditions[0]".to_owned(), "conditions", json!([[]])),
        ("conditions[1]".to_owned(), "conditions", condition(json!({ "zanzibar": true }))),
        ("conditions[1]".to_owned(), "conditions", condition(json!({ "confidence_max": null }))),
        in_condition("confidence_min", json!(1.1)),
        in_condition("confidence_min", json!("high")),
        in_condition("entity_types", json!("EMAIL")),
        in_condition("entity_types", json!([])),
        in_condition("entity_types", json!(["zanzibar!"])),
        in_condition("entity_types", json!([1])),
        in_condition("entity_types", names(101)),
        in_condition("exclude_entity_types", names(101)),
        in_condition("exclude_entity_types", json!([""])),
        in_condition("countries", json!(["zanzibar"])),
        in_condition("countries", json!([])),
        in_condition("categories", json!(["zanzibar"])),
        in_condition("categories", json!([])),
        in_condition("risk_level_min", json!("zanzibar")),
        in_condition("validated", json!("yes")),
        in_condition("direction", json!("zanzibar")),
        in_condition("roles", json!([])),
        in_condition("roles", json!(["x".repeat(65)])),
        in_condition("providers", json!([])),
        in_condition("providers", json!(["zanzibar zanzibar"])),
        in_condition("tools", json!([])),
        in_condition("tools", json!(["two words"])),
        in_condition("models", json!([])),
        in_condition("models", json!(["two words"])),
        in_condition("models", json!(["x".repeat(129)])),
        in_condition("min_count", json!(0)),
        in_condition("min_count", json!(50_001)),
    ] {
        let mut changed = body();
        changed[field] = value.clone();
        for (method, path) in [(Method::POST, POLICIES.to_owned()), (Method::PUT, path(&stored))] {
            assert_invalid(&host.admin(method, &path, &changed).await, &place, &changed.to_string());
        }
        let patch = json!({ field: value });
        assert_invalid(&host.admin(Method::PATCH, &path(&stored), &patch).await, &place, &patch.to_string());
    }
    for field in ["name", "action"] {
        for missing in [json!({ field: null }), json!({})] {
            let mut body = body();
            body.as_object_mut().unwrap().remove(field);
            body.as_object_mut().unwrap().extend(missing.as_object().unwrap().clone());
            assert_invalid(&host.admin(Method::POST, POLICIES, &body).await, field, "missing");
        }
        assert_invalid(
            &host.admin(Method::PATCH, &path(&stored), &json!({ field: null })).await,
            field,
            "null",
        );
    }
    let list = get(&host, POLICIES).await.json;
    assert_eq!(list["policies"], json!([stored]), "nothing was changed or added");
}

#[tokio::test]
async fn the_workspace_is_in_the_query_or_in_the_body() {
    let host = Memory::default();
    let without = json!({ "name": "a", "action": "MASK" });
    let within = |workspace: &str| json!({ "name": "a", "action": "MASK", "workspace_id": workspace });
    for (path, body, want) in [
        (POLICIES, without.clone(), true),
        (POLICIES, within("initech"), true),
        ("/policies", within("initech"), true),
        (POLICIES, within("acme"), false),
        ("/policies", without, false),
        ("/policies", within(""), false),
        ("/policies", within("a/b"), false),
    ] {
        let answer = host.admin(Method::POST, path, &body).await;
        if want {
            assert_eq!((answer.status.as_u16(), &answer.json["workspace_id"]), (201, &json!("initech")));
        } else {
            assert_invalid(&answer, "workspace_id", &format!("{path} {body}"));
        }
    }
    let stored = get(&host, POLICIES).await.json["policies"][0].take();
    let id = stored["id"].as_str().unwrap();
    let bare = format!("/policies/{id}");
    for (method, body) in [
        (Method::GET, json!(null)),
        (Method::PUT, json!({})),
        (Method::PATCH, json!({})),
        (Method::DELETE, json!(null)),
    ] {
        assert_invalid(&host.admin(method.clone(), &bare, &body).await, "workspace_id", "none");
        let other = format!("{bare}?workspace_id=acme");
        let body = if body.is_null() { body } else { json!({ "name": "b", "action": "MASK" }) };
        assert_eq!(host.admin(method, &other, &body).await.status, 404, "another workspace sees nothing");
    }
    assert_eq!(host.admin(Method::PATCH, &bare, &within("initech")).await.status, 200);
    assert_invalid(&get(&host, "/policies").await, "workspace_id", "list");
}

#[tokio::test]
async fn the_list_has_pages_and_an_end() {
    let host = Memory::default();
    assert_eq!(
        get(&host, POLICIES).await.json,
        json!({ "policies": [], "total": 0, "page": 1, "page_size": 20 })
    );
    for number in 0..201 {
        let body = json!({ "name": format!("{number}"), "action": "MASK" });
        let answer = host.admin(Method::POST, POLICIES, &body).await;
        assert_eq!(answer.status, if number < 200 { 201 } else { 409 }, "{number}: {}", answer.text);
    }
    for (query, page, size, want) in [
        ("", 1, 20, (0..20).collect::<Vec<_>>()),
        ("&page=2", 2, 20, (20..40).collect()),
        ("&page=3&page_size=7", 3, 7, (14..21).collect()),
        ("&page=3&page_size=100", 3, 100, vec![]),
    ] {
        let list = get(&host, &format!("{POLICIES}{query}")).await.json;
        let names = list["policies"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap());
        assert_eq!(
            names.collect::<Vec<_>>(),
            want.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "{query}"
        );
        assert_eq!(
            (&list["total"], &list["page"], &list["page_size"]),
            (&json!(200), &json!(page), &json!(size))
        );
    }
    for (query, field) in [("&page=0", "page"), ("&page_size=101", "page_size"), ("&page=x", "page")] {
        assert_invalid(&get(&host, &format!("{POLICIES}{query}")).await, field, query);
    }
}

/// Some stores take no value of more than 1 MB.
#[tokio::test]
async fn the_document_has_an_end() {
    let host = Memory::default();
    let name = "x".repeat(64);
    let large = json!({ "entity_types": vec![&name; 100], "exclude_entity_types": vec![&name; 100] });
    let body = json!({ "name": "large", "action": "MASK", "conditions": vec![large; 15] });
    let mut made = 0;
    let refused = loop {
        let answer = host.admin(Method::POST, POLICIES, &body).await;
        if answer.status != 201 {
            break answer;
        }
        made += 1;
        assert!(made < 10, "it grows without end");
    };
    assert_eq!(
        (refused.status.as_u16(), &refused.json["type"]),
        (409, &json!("conflict")),
        "{}",
        refused.text
    );
    assert_eq!((get(&host, POLICIES).await.json["total"].clone(), made), (json!(made), 4));
}

#[tokio::test]
async fn at_once_none_is_lost() {
    let host = Memory::default();
    let body = body();
    let requests = (0..20).map(|_| host.admin(Method::POST, POLICIES, &body));
    for answer in futures_util::future::join_all(requests).await {
        assert_eq!(answer.status, 201, "{}", answer.text);
    }
    assert_eq!(get(&host, POLICIES).await.json["total"], 20);
}

#[tokio::test]
async fn without_a_store_there_is_an_error() {
    let host = Memory::default();
    let stored = create(&host, &body()).await;
    host.down.set(Some(Label::Config));
    for (method, path) in [
        (Method::GET, POLICIES.to_owned()),
        (Method::POST, POLICIES.to_owned()),
        (Method::GET, path(&stored)),
        (Method::PUT, path(&stored)),
        (Method::PATCH, path(&stored)),
        (Method::DELETE, path(&stored)),
    ] {
        assert_eq!(host.admin(method, &path, &body()).await.status, 503);
    }
}
