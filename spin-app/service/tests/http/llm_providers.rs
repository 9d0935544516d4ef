//! LLM providers: records, their rules, and asking a provider whether it answers.

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;
use serde_json::{Value, json};
use textveil_service::{
    Label,
    auth::user_token::{Claims, Role, issue},
    upstream::Failure,
};

use crate::host::{Answer, Memory, NOW_MS, Scripted, key};

const TOKEN_KEY: &str = "the key of user access tokens in tests";
const SERVICE_TOKEN: &str = "the-service-token-of-these-tests-0123456789";
const PATH: &str = "/api/v1/llm-providers";

fn memory() -> Memory {
    let host = Memory::default();
    for (name, value) in [
        ("user_token_key", TOKEN_KEY),
        ("service_tokens", SERVICE_TOKEN),
        ("provider_hosts", "http://127.0.0.1:11434, https://llm.corp.example"),
        ("openai_api_key", "sk-openai"),
        ("anthropic_api_key", "sk-anthropic"),
        (
            "provider_secrets",
            r#"{ "LOCAL_KEY": "sk-local", "BROKEN_KEY": "a\nb", "SERVICE_TOKENS": "",
                "AZURE_KEY": { "value": "sk-azure", "hosts": "https://x.openai.azure.com" } }"#,
        ),
    ] {
        host.variables.borrow_mut().insert(name, value.to_owned());
    }
    host
}

fn token(workspace: &str) -> String {
    let claims = Claims {
        team_id: Some("team".to_owned()),
        tenant_id: Some("tenant".to_owned()),
        role: Some(Role::Admin),
        ..Claims::new("user", workspace, NOW_MS / 1_000 + 60)
    };
    issue(TOKEN_KEY, &claims).unwrap()
}

fn request(method: &Method, workspace: &str, path: &str, body: &Value) -> Request<Full<Bytes>> {
    Request::builder()
        .method(method)
        .uri(format!("{PATH}{path}"))
        .header("authorization", format!("Bearer {}", token(workspace)))
        .header("content-type", "application/json")
        .body(Full::new(if body.is_null() { Bytes::new() } else { body.to_string().into() }))
        .unwrap()
}

/// Asks as a user of the workspace `acme`.
async fn ask(host: &Memory, method: Method, path: &str, body: &Value) -> Answer {
    host.send(request(&method, "acme", path, body)).await
}

async fn get(host: &Memory, path: &str) -> Answer {
    ask(host, Method::GET, path, &Value::Null).await
}

/// The body of the spec, as a client sends it.
fn body() -> Value {
    json!({
        "provider_type": "openai",
        "display_name": "OpenAI",
        "credential_source": "env_placeholder",
        "env_placeholder": "${OPENAI_API_KEY}",
        "base_url": "https://api.openai.com/v1",
        "default_model": "gpt-4o-mini",
        "allowed_models": ["gpt-4o-mini", "gpt-4o"],
        "supports_streaming": true,
        "priority": 10,
        "is_platform_default": true,
    })
}

/// [`body`] with some fields changed; null takes one away.
fn body_with(changes: &Value) -> Value {
    let mut body = body();
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => drop(body.as_object_mut().unwrap().remove(name)),
            value => body[name] = value.clone(),
        }
    }
    body
}

async fn create(host: &Memory, changes: &Value) -> Value {
    let answer = ask(host, Method::POST, "", &body_with(changes)).await;
    assert_eq!(answer.status, 201, "{changes}: {}", answer.text);
    answer.json
}

fn id(record: &Value) -> String {
    format!("/{}", record["id"].as_str().unwrap())
}

fn assert_invalid(answer: &Answer, field: &str, what: &str) {
    assert_eq!(answer.status, 400, "{what}: {}", answer.text);
    assert_eq!(answer.json["error"]["code"], "invalid_request", "{what}");
    // or an entry of it
    let named = answer.json["error"]["details"]["field"].as_str().unwrap();
    assert_eq!(named.split('[').next(), Some(field), "{what}: {}", answer.text);
    assert!(answer.json["detail"].as_str().unwrap().contains(field), "{what}: {}", answer.text);
}

#[tokio::test]
async fn the_record_of_a_new_provider_is_that_of_the_spec() {
    let host = memory();
    let record = create(&host, &json!({})).await;
    let uuid = record["id"].as_str().unwrap();
    assert!(uuid.len() == 36 && uuid.bytes().filter(|byte| *byte == b'-').count() == 4, "{uuid}");
    let want = json!({
        "id": uuid,
        "provider_type": "openai",
        "display_name": "OpenAI",
        "is_platform_default": true,
        "is_active": true,
        "credential_source": "env_placeholder",
        "key_prefix": null,
        "base_url": "https://api.openai.com/v1",
        "default_model": "gpt-4o-mini",
        "allowed_models": ["gpt-4o-mini", "gpt-4o"],
        "supports_streaming": true,
        "priority": 10,
        "validation_status": "unknown",
        "team_id": "team",
        "tenant_id": "tenant",
        "created_at": "2026-11-23T10:00:20Z",
        "updated_at": "2026-11-23T10:00:20Z",
    });
    assert_eq!(record, want, "exactly the spec's fields");
    assert_eq!(get(&host, &id(&record)).await.json, want);

    let least = json!({
        "allowed_models": null, "supports_streaming": null, "priority": null, "is_platform_default": null,
        "is_active": false, "unknown_field": 1,
    });
    let record = create(&host, &least).await;
    for (field, want) in [
        ("allowed_models", json!([])),
        ("supports_streaming", json!(true)),
        ("priority", json!(0)),
        ("is_platform_default", json!(false)),
        ("is_active", json!(true)),
    ] {
        assert_eq!(record[field], want, "{field}");
    }
    assert_eq!(record.get("unknown_field"), None);
}

#[tokio::test]
async fn every_type_and_source_can_be_made() {
    let host = memory();
    for kind in ["openai", "openai_compatible", "azure_openai", "anthropic", "mistral", "ollama", "vllm"] {
        create(&host, &json!({ "provider_type": kind })).await;
        let none = body_with(&json!({
            "provider_type": kind, "credential_source": "none", "env_placeholder": null,
        }));
        let answer = ask(&host, Method::POST, "", &none).await;
        if ["openai_compatible", "ollama", "vllm"].contains(&kind) {
            assert_eq!((answer.status.as_u16(), &answer.json["credential_source"]), (201, &json!("none")));
        } else {
            assert_invalid(&answer, "credential_source", kind);
        }
    }
    create(&host, &json!({ "provider_type": "ollama", "base_url": "http://127.0.0.1:11434" })).await;
    create(&host, &json!({ "base_url": "https://llm.corp.example/v1" })).await;
}

#[tokio::test]
async fn a_wrong_field_is_named() {
    let host = memory();
    let stored = create(&host, &json!({})).await;
    let long = "x".repeat(201);
    for (field, value) in [
        ("provider_type", json!("zanzibar")),
        ("provider_type", json!("OpenAI")),
        ("provider_type", json!(1)),
        ("display_name", json!("")),
        ("display_name", json!("  ")),
        ("display_name", json!("a\nb")),
        ("display_name", json!(long)),
        ("display_name", json!(["a"])),
        ("credential_source", json!("vault")),
        ("credential_source", json!(true)),
        ("env_placeholder", json!("sk-zanzibar")),
        ("env_placeholder", json!("${lower_case}")),
        ("env_placeholder", json!("${OPENAI_API_KEY} ")),
        ("env_placeholder", json!(5)),
        ("base_url", json!("http://api.openai.com/v1")),
        ("base_url", json!("http://127.0.0.1:8080")),
        ("base_url", json!("https://zanzibar.internal")),
        ("base_url", json!("https://user:zanzibar@api.openai.com")),
        ("base_url", json!("zanzibar")),
        ("base_url", json!({})),
        ("default_model", json!("")),
        ("default_model", json!("two words")),
        ("default_model", json!("not-allowed")),
        ("default_model", json!("x".repeat(129))),
        ("default_model", json!(null)),
        ("allowed_models", json!("gpt-4o-mini")),
        ("allowed_models", json!([1])),
        ("allowed_models", json!(["gpt-4o-mini", ""])),
        ("allowed_models", json!(vec!["gpt-4o-mini"; 51])),
        ("supports_streaming", json!("yes")),
        ("priority", json!(1.5)),
        ("priority", json!("1")),
        ("priority", json!(1_000_001)),
        ("priority", json!(10_000_000_000_000_000_000_u64)),
        ("is_platform_default", json!(1)),
    ] {
        let changes = json!({ field: value });
        for (method, path) in [(Method::POST, String::new()), (Method::PUT, id(&stored))] {
            let answer = ask(&host, method, &path, &body_with(&changes)).await;
            assert_invalid(&answer, field, &changes.to_string());
            assert!(!answer.text.contains("zanzibar"), "{}", answer.text);
        }
        assert_invalid(&ask(&host, Method::PATCH, &id(&stored), &changes).await, field, &changes.to_string());
    }
    for field in ["provider_type", "display_name", "credential_source", "base_url", "default_model"] {
        let answer = ask(&host, Method::POST, "", &body_with(&json!({ field: null }))).await;
        assert_invalid(&answer, field, "missing");
    }
    let answer = ask(&host, Method::POST, "", &body_with(&json!({ "env_placeholder": null }))).await;
    assert_invalid(&answer, "env_placeholder", "missing");
    let both = json!({ "provider_type": "vllm", "credential_source": "none" });
    assert_invalid(&ask(&host, Method::POST, "", &body_with(&both)).await, "env_placeholder", "both");

    assert_eq!(get(&host, &id(&stored)).await.json, stored, "nothing was changed");
    assert_eq!(get(&host, "").await.json["total"], 1, "nothing was added");
}

#[tokio::test]
async fn put_replaces_and_patch_merges() {
    let host = memory();
    let made = create(&host, &json!({})).await;
    host.now_ms.set(NOW_MS + 5_000);

    let patch = json!({ "display_name": "Other", "allowed_models": null, "is_active": false, "id": "mine" });
    let patched = ask(&host, Method::PATCH, &id(&made), &patch).await;
    let mut want = made.clone();
    for (field, value) in [
        ("display_name", json!("Other")),
        ("allowed_models", json!([])),
        ("is_active", json!(false)),
        ("updated_at", json!("2026-11-23T10:00:25Z")),
    ] {
        want[field] = value;
    }
    assert_eq!((patched.status.as_u16(), &patched.json), (200, &want));
    assert_eq!(get(&host, &id(&made)).await.json, want);

    let put = json!({
        "provider_type": "vllm", "display_name": "Local", "credential_source": "none",
        "base_url": "http://127.0.0.1:11434", "default_model": "llama",
    });
    let replaced = ask(&host, Method::PUT, &id(&made), &put).await;
    assert_eq!(replaced.status, 200, "{}", replaced.text);
    for (field, value) in [
        ("id", made["id"].clone()),
        ("provider_type", json!("vllm")),
        ("credential_source", json!("none")),
        ("allowed_models", json!([])),
        ("priority", json!(0)),
        ("is_platform_default", json!(false)),
        ("is_active", json!(true)),
        ("created_at", made["created_at"].clone()),
        ("team_id", json!("team")),
    ] {
        assert_eq!(replaced.json[field], value, "{field}");
    }
    // the whole of it is checked, and not only what is sent
    let answer = ask(&host, Method::PATCH, &id(&made), &json!({ "provider_type": "openai" })).await;
    assert_invalid(&answer, "credential_source", "openai without a credential");
    let both = json!({
        "provider_type": "openai", "credential_source": "env_placeholder", "env_placeholder": "${OPENAI_API_KEY}",
    });
    assert_eq!(ask(&host, Method::PATCH, &id(&made), &both).await.status, 200);
    let neither = json!({ "provider_type": "vllm", "credential_source": "none", "env_placeholder": null });
    assert_eq!(ask(&host, Method::PATCH, &id(&made), &neither).await.status, 200);
}

#[tokio::test]
async fn one_provider_of_a_workspace_is_the_default() {
    let host = memory();
    let defaults = async || {
        let list = get(&host, "").await.json;
        let records = list["providers"].as_array().unwrap().clone();
        records.iter().map(|record| record["is_platform_default"].as_bool().unwrap()).collect::<Vec<_>>()
    };
    let first = create(&host, &json!({})).await;
    create(&host, &json!({})).await;
    create(&host, &json!({ "is_platform_default": false })).await;
    assert_eq!(defaults().await, [false, true, false]);
    ask(&host, Method::PATCH, &id(&first), &json!({ "is_platform_default": true })).await;
    assert_eq!(defaults().await, [true, false, false]);
    ask(&host, Method::PATCH, &id(&first), &json!({ "is_platform_default": false })).await;
    assert_eq!(defaults().await, [false, false, false]);
}

#[tokio::test]
async fn the_list_has_pages() {
    let host = memory();
    assert_eq!(get(&host, "").await.json, json!({ "providers": [], "total": 0, "page": 1, "page_size": 20 }));
    for number in 0..5 {
        create(&host, &json!({ "display_name": format!("{number}") })).await;
    }
    for (query, want) in [
        ("", "01234"),
        ("?page_size=2", "01"),
        ("?page=2&page_size=2", "23"),
        ("?page=3&page_size=2", "4"),
        ("?page=4&page_size=2", ""),
    ] {
        let list = get(&host, query).await.json;
        let providers = list["providers"].as_array().unwrap();
        let names: String = providers.iter().map(|record| record["display_name"].as_str().unwrap()).collect();
        assert_eq!((names.as_str(), &list["total"]), (want, &json!(5)), "{query}");
    }
    for (query, field) in [("?page=0", "page"), ("?page_size=101", "page_size"), ("?page=x", "page")] {
        assert_invalid(&get(&host, query).await, field, query);
    }
}

#[tokio::test]
async fn a_workspace_has_a_hundred_at_most() {
    let host = memory();
    let full = json!({
        "display_name": "\u{1d11e}".repeat(200),
        "allowed_models": vec!["x".repeat(128); 50],
        "default_model": "x".repeat(128),
        "base_url": format!("https://a.example/{}", "x".repeat(1_000)),
    });
    for _ in 0..100 {
        create(&host, &full).await;
    }
    let answer = ask(&host, Method::POST, "", &body()).await;
    assert_eq!((answer.status.as_u16(), &answer.json["type"]), (409, &json!("conflict")), "{}", answer.text);
    assert!(answer.json["detail"].as_str().unwrap().contains("100"), "{}", answer.text);
}

#[tokio::test]
async fn what_a_configuration_names_stays() {
    let host = memory();
    let (first, second) = (create(&host, &json!({})).await, create(&host, &json!({})).await);
    let mistral = create(&host, &json!({ "provider_type": "mistral" })).await;
    for (named, kept) in [
        (first["id"].clone(), vec![true, false, false]),
        (json!("mistral"), vec![false, false, true]),
        // there are two of it, so it names neither
        (json!("openai"), vec![false, false, false]),
        (json!("anthropic"), vec![false, false, false]),
    ] {
        let routes = json!({ "primary": { "provider": named, "model": "m" } });
        let configuration = json!({ "providers": routes, "default_action": "MASK" });
        for (provider, kept) in [&first, &second, &mistral].into_iter().zip(kept) {
            let host = memory();
            host.put_config("gateway-config:acme", &configuration);
            let records = [&first, &second, &mistral];
            let stored: Vec<Value> = records.iter().map(|record| (*record).clone()).collect();
            host.put_config("providers:acme", &json!(stored));
            let answer = ask(&host, Method::DELETE, &id(provider), &Value::Null).await;
            if kept {
                assert_eq!(
                    (answer.status.as_u16(), &answer.json["type"]),
                    (409, &json!("conflict")),
                    "{named}"
                );
                assert_eq!(get(&host, &id(provider)).await.status, 200);
            } else {
                assert_eq!(answer.json, json!({ "deleted": true, "id": provider["id"] }), "{named}");
                assert_eq!(get(&host, &id(provider)).await.status, 404);
                assert_eq!(ask(&host, Method::DELETE, &id(provider), &Value::Null).await.status, 404);
            }
        }
    }
}

#[tokio::test]
async fn another_workspace_sees_nothing() {
    let host = memory();
    let record = create(&host, &json!({})).await;
    for (method, body) in [
        (Method::GET, Value::Null),
        (Method::PUT, body()),
        (Method::PATCH, json!({})),
        (Method::DELETE, Value::Null),
    ] {
        let answer = host.send(request(&method, "globex", &id(&record), &body)).await;
        assert_eq!((answer.status.as_u16(), &answer.json["type"]), (404, &json!("not_found")), "{method}");
    }
    let validate = request(&Method::POST, "globex", &format!("{}/validate", id(&record)), &Value::Null);
    assert_eq!(host.send_to_gateway(validate).await.status, 404);
    assert_eq!(host.send(request(&Method::GET, "globex", "", &Value::Null)).await.json["total"], 0);
    assert_eq!(get(&host, &id(&record)).await.json, record);
}

#[tokio::test]
async fn only_a_user_access_token_opens() {
    let host = memory();
    let record = create(&host, &json!({})).await;
    let bearer = |token: &str| ("authorization", format!("Bearer {token}"));
    for header in [
        ("x-other", String::new()),
        bearer(&key("enterprise")),
        ("x-api-key", key("enterprise")),
        bearer(SERVICE_TOKEN),
        ("x-service-token", SERVICE_TOKEN.to_owned()),
        ("x-api-key", token("acme")),
        bearer(""),
    ] {
        for (method, path) in [
            (Method::GET, String::new()),
            (Method::POST, String::new()),
            (Method::GET, id(&record)),
            (Method::PUT, id(&record)),
            (Method::PATCH, id(&record)),
            (Method::DELETE, id(&record)),
            (Method::POST, format!("{}/validate", id(&record))),
        ] {
            let request = Request::builder()
                .method(&method)
                .uri(format!("{PATH}{path}"))
                .header(header.0, &header.1)
                .body(Full::new(body().to_string().into()))
                .unwrap();
            let answer = match path.ends_with("/validate") {
                true => host.send_to_gateway(request).await,
                false => host.send(request).await,
            };
            assert_eq!(
                (answer.status.as_u16(), &answer.json["type"]),
                (401, &json!("unauthorized")),
                "{header:?}: {method} {path}"
            );
            assert_eq!(answer.header("www-authenticate"), "Bearer");
        }
    }
    assert!(host.sent.borrow().is_empty());
    assert_eq!(get(&host, &id(&record)).await.json, record);
}

#[tokio::test]
async fn each_component_answers_its_own_paths() {
    let host = memory();
    let record = create(&host, &json!({})).await;
    let validate = format!("{}/validate", id(&record));
    assert_eq!(ask(&host, Method::POST, &validate, &Value::Null).await.status, 404);
    for (method, path, want) in [
        (Method::GET, "", 404),
        (Method::GET, &*id(&record), 404),
        (Method::GET, &*validate, 405),
        (Method::POST, &*validate, 200),
        (Method::POST, "/a/b/c", 404),
    ] {
        let answer = host.send_to_gateway(request(&method, "acme", path, &Value::Null)).await;
        assert_eq!(answer.status, want, "{method} {path}: {}", answer.text);
    }
    let line: Value = serde_json::from_str(&host.log.borrow()[host.log.borrow().len() - 2]).unwrap();
    assert_eq!(
        (&line["route"], &line["workspace"]),
        (&json!("/api/v1/llm-providers/{id}/validate"), &json!("acme"))
    );
}

async fn validate(host: &Memory, record: &Value) -> Value {
    let request = request(&Method::POST, "acme", &format!("{}/validate", id(record)), &Value::Null);
    let answer = host.send_to_gateway(request).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(!answer.text.contains("zanzibar") && !answer.text.contains("sk-"), "{}", answer.text);
    answer.json
}

#[tokio::test]
async fn validation_says_how_the_provider_answers() {
    let list = Bytes::from_static(br#"{"object":"list","data":[{"id":"zanzibar"}]}"#);
    let huge = Bytes::from(format!("[\"{}\"]", "zanzibar".repeat(600_000)));
    for (scripted, status, message) in [
        (Scripted::Answer(200, list.clone()), "valid", "takes the credential"),
        (Scripted::Answer(401, list.clone()), "invalid", "status 401"),
        (Scripted::Answer(403, list.clone()), "invalid", "status 403"),
        (Scripted::Answer(301, list.clone()), "error", "status 301, which is not followed"),
        (Scripted::Answer(404, list.clone()), "error", "no list of models"),
        (Scripted::Answer(429, list.clone()), "error", "status 429"),
        (Scripted::Answer(500, list), "error", "status 500"),
        (Scripted::Answer(200, Bytes::from_static(b"zanzibar")), "error", "something else"),
        (Scripted::Answer(200, huge), "error", "larger than 4194304 bytes"),
        (
            Scripted::Failure(Failure::HostForbidden),
            "unreachable",
            "not let out; provider_hosts holds several",
        ),
        (Scripted::Failure(Failure::AddressForbidden), "unreachable", "takes block_networks out"),
        (Scripted::Failure(Failure::Unreachable), "unreachable", "no connection"),
        (Scripted::Failure(Failure::ConnectTimeout), "unreachable", "within 10 seconds"),
        (Scripted::Failure(Failure::AnswerTimeout), "unreachable", "within 10 seconds"),
        (Scripted::Failure(Failure::Broken), "unreachable", "broke off"),
        (Scripted::Silence, "unreachable", "within 10 seconds"),
    ] {
        let host = memory();
        let mut want = create(&host, &json!({})).await;
        *host.upstream.borrow_mut() = scripted.clone();
        let mut answer = validate(&host, &want).await;
        let said = answer.as_object_mut().unwrap().remove("message").unwrap();
        assert!(said.as_str().unwrap().contains(message), "{said}");
        want["validation_status"] = json!(status);
        assert_eq!(answer, want, "the record, {said}");
        assert_eq!(get(&host, &id(&want)).await.json, want, "it is kept");
        assert_eq!(host.sent.borrow().len(), 1, "one request, no second try");

        let log = host.log.borrow().join("\n");
        assert!(!log.contains("sk-") && !host.stored().contains("sk-"), "the credential is kept");
    }
}

#[tokio::test]
async fn each_type_takes_its_credential_its_own_way() {
    for (kind, base_url, placeholder, url, header, value) in [
        (
            "openai",
            "https://api.openai.com",
            "OPENAI_API_KEY",
            "https://api.openai.com/v1/models",
            "authorization",
            "Bearer sk-openai",
        ),
        (
            "anthropic",
            "https://api.anthropic.com/v1",
            "ANTHROPIC_API_KEY",
            "https://api.anthropic.com/v1/models",
            "x-api-key",
            "sk-anthropic",
        ),
        (
            "azure_openai",
            "https://x.openai.azure.com",
            "AZURE_KEY",
            "https://x.openai.azure.com/openai/models?api-version=2024-10-21",
            "api-key",
            "sk-azure",
        ),
        (
            "openai_compatible",
            "https://llm.corp.example/v1",
            "LOCAL_KEY",
            "https://llm.corp.example/v1/models",
            "authorization",
            "Bearer sk-local",
        ),
        ("ollama", "http://127.0.0.1:11434/v1", "", "http://127.0.0.1:11434/api/tags", "authorization", ""),
        ("vllm", "https://vllm.example", "", "https://vllm.example/v1/models", "authorization", ""),
    ] {
        let host = memory();
        *host.upstream.borrow_mut() = Scripted::Answer(200, Bytes::from_static(b"[]"));
        let mut changes = json!({ "provider_type": kind, "base_url": base_url });
        if placeholder.is_empty() {
            changes["credential_source"] = json!("none");
            changes["env_placeholder"] = json!(null);
        } else {
            changes["env_placeholder"] = json!(format!("${{{placeholder}}}"));
        }
        let record = create(&host, &changes).await;
        assert_eq!(validate(&host, &record).await["validation_status"], "valid", "{kind}");
        let sent = host.sent.borrow();
        let [request] = sent.as_slice() else { panic!("{kind}: {} requests", sent.len()) };
        assert_eq!((request.method(), request.uri().to_string().as_str()), (&Method::GET, url));
        let got = request.headers().get(header).map(|value| value.to_str().unwrap());
        assert_eq!(got.unwrap_or_default(), value, "{kind}");
        assert_eq!(request.headers().contains_key("anthropic-version"), kind == "anthropic");
        assert_eq!(request.headers()["accept-encoding"], "identity");
        assert!(!format!("{request:?}").contains("sk-"), "a credential shows itself");
    }
}

#[tokio::test]
async fn credentials_go_where_they_belong_and_nowhere_else() {
    for (placeholder, base_url, message) in [
        // hosts that the secret is not bound to
        ("OPENAI_API_KEY", "https://elsewhere.example/v1", "bound to other hosts"),
        ("LOCAL_KEY", "https://elsewhere.example/v1", "bound to other hosts"),
        ("OPENAI_API_KEY", "https://api.openai.com.elsewhere.example", "bound to other hosts"),
        ("OPENAI_API_KEY", "https://api.openai.com:8443", "bound to other hosts"),
        // names that are not set, or are not a provider's credential
        ("UNKNOWN_KEY", "https://api.openai.com/v1", "not set"),
        ("MISTRAL_API_KEY", "https://api.openai.com/v1", "bound to other hosts"),
        ("MISTRAL_API_KEY", "https://api.mistral.ai/v1", "not set"),
        ("SERVICE_TOKENS", "https://llm.corp.example/v1", "not set"),
        ("USER_TOKEN_KEY", "https://api.openai.com/v1", "not set"),
        ("TOKEN_SECRETS", "https://api.openai.com/v1", "not set"),
        ("PROVIDER_SECRETS", "https://api.openai.com/v1", "not set"),
        ("BROKEN_KEY", "https://llm.corp.example/v1", "no header can hold"),
    ] {
        let host = memory();
        let changes = json!({ "base_url": base_url, "env_placeholder": format!("${{{placeholder}}}") });
        let record = create(&host, &changes).await;
        let answer = validate(&host, &record).await;
        assert_eq!(answer["validation_status"], "error", "{placeholder}");
        assert!(answer["message"].as_str().unwrap().contains(message), "{placeholder}: {answer}");
        assert!(host.sent.borrow().is_empty(), "{placeholder} was sent to {base_url}");
    }
}

#[tokio::test]
async fn malformed_secrets_are_named_and_not_sent_around() {
    let host = memory();
    let record = create(&host, &json!({ "env_placeholder": "${OPENAI_API_KEY}" })).await;
    host.variables.borrow_mut().insert("provider_secrets", "{zanzibar".to_owned());
    let answer = validate(&host, &record).await;
    let message = answer["message"].as_str().unwrap();
    assert!(message.starts_with("provider_secrets must be") && !message.contains("zanzibar"), "{message}");
    assert!(host.sent.borrow().is_empty(), "its bounds are not known");
}

#[tokio::test]
async fn the_rules_hold_for_each_request() {
    let host = memory();
    let record =
        create(&host, &json!({ "provider_type": "vllm", "base_url": "http://127.0.0.1:11434" })).await;
    for (hosts, message) in [
        ("", "no longer allowed"),
        ("http://127.0.0.1:11435", "no longer allowed"),
        ("not a list", "provider_hosts must be patterns"),
    ] {
        host.variables.borrow_mut().insert("provider_hosts", hosts.to_owned());
        let answer = validate(&host, &record).await;
        assert_eq!(answer["validation_status"], "error");
        assert!(answer["message"].as_str().unwrap().contains(message), "{answer}");
    }
    assert!(host.sent.borrow().is_empty());
}

#[tokio::test]
async fn what_was_found_out_holds_until_the_provider_is_another() {
    let host = memory();
    let record = create(&host, &json!({})).await;
    *host.upstream.borrow_mut() = Scripted::Answer(200, Bytes::from_static(b"[]"));
    for (change, want) in [
        (json!({ "display_name": "x", "priority": 3, "allowed_models": [] }), "valid"),
        (json!({ "base_url": "https://api.openai.com" }), "unknown"),
        (json!({ "provider_type": "openai_compatible" }), "unknown"),
        (json!({ "env_placeholder": "${OTHER}" }), "unknown"),
    ] {
        assert_eq!(validate(&host, &record).await["validation_status"], "valid");
        let answer = ask(&host, Method::PATCH, &id(&record), &change).await;
        assert_eq!(answer.json["validation_status"], want, "{change}");
    }
}

#[tokio::test]
async fn without_a_store_there_is_an_error_and_no_request() {
    let host = memory();
    let record = create(&host, &json!({})).await;
    host.down.set(Some(Label::Config));
    for (method, path, body) in [
        (Method::GET, String::new(), Value::Null),
        (Method::POST, String::new(), body()),
        (Method::PATCH, id(&record), json!({})),
        (Method::DELETE, id(&record), Value::Null),
    ] {
        assert_eq!(ask(&host, method, &path, &body).await.status, 503, "{path}");
    }
    let validate = request(&Method::POST, "acme", &format!("{}/validate", id(&record)), &Value::Null);
    assert_eq!(host.send_to_gateway(validate).await.status, 503);
    assert!(host.sent.borrow().is_empty());
}
