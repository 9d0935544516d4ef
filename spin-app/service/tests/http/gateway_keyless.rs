//! Callers without a service token: admitted where the operator says so, on this machine, with their own credential.

use http::{Method, Request};
use http_body_util::Full;
use serde_json::{Value, json};

use crate::{
    gateway::{
        ADDRESS, CHAT, MESSAGES, answer_with, ask, configure, echo, gateway, records, said, sent, streamed,
        whole, with,
    },
    host::{Answer, Memory, SERVICE_TOKEN},
};

const LOCAL: (&str, &str) = ("spin-client-addr", "127.0.0.1:50000");
const KEY: (&str, &str) = ("authorization", "Bearer sk-own");

/// A gateway with both protocols, whose routes take the caller's credential; the workspace is open to keyless callers.
async fn keyless() -> Memory {
    let host = gateway(&[("openai", json!({})), ("anthropic", json!({}))], |request| {
        match request.uri().path().rsplit('/').next() {
            Some("models") => {
                whole(200, &json!({ "data": [{ "id": "m-of-the-provider" }], "has_more": false }))
            }
            Some("messages") => whole(
                200,
                &json!({ "id": "m", "type": "message", "role": "assistant", "model": "m",
                    "content": [{ "type": "text", "text": said(request) }] }),
            ),
            _ => echo(request),
        }
    })
    .await;
    let route = |provider: &str| json!({ "provider": provider, "model": "m", "credential": "caller" });
    configure(&host, json!({ "providers": { "primary": route("openai"), "other": route("anthropic") } }))
        .await;
    let mut variables = host.variables.borrow_mut();
    variables.insert("keyless_workspace", "initech".to_owned());
    // as the variables of the operator are set: no keyless caller may use them
    variables.insert("openai_api_key", "sk-of-the-operator".to_owned());
    drop(variables);
    host
}

/// Sends a request without a workspace to an address of this machine, unless `headers` says otherwise.
async fn send(host: &Memory, method: Method, uri: &str, body: &Value, headers: &[(&str, &str)]) -> Answer {
    let mut request = Request::builder().method(method).uri(uri).header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = if body.is_null() { String::new() } else { body.to_string() };
    host.send_to_gateway(request.body(Full::new(body.into())).unwrap()).await
}

/// The address of an endpoint under a name.
fn at(name: &str, path: &str) -> String {
    format!("http://{name}:7300{path}")
}

#[tokio::test]
async fn the_credential_of_the_caller_leads_to_the_provider_of_its_protocol() {
    let host = keyless().await;
    let body = with(ask(&format!("write to {ADDRESS}")), &json!({ "model": "gpt-9", "max_tokens": 9 }));
    for (path, headers, provider, header, value) in [
        (CHAT, vec![LOCAL, KEY], "openai.example", "authorization", "Bearer sk-own"),
        (MESSAGES, vec![LOCAL, ("x-api-key", "sk-ant")], "anthropic.example", "x-api-key", "sk-ant"),
        (MESSAGES, vec![LOCAL, KEY], "anthropic.example", "authorization", "Bearer sk-own"),
    ] {
        host.sent.borrow_mut().clear();
        let answer = send(&host, Method::POST, &at("127.0.0.1", path), &body, &headers).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        assert!(answer.text.contains(ADDRESS), "{path}: {}", answer.text);
        {
            let all = host.sent.borrow();
            let [request] = &all[..] else { panic!("{} requests", all.len()) };
            assert_eq!(request.uri().host(), Some(provider));
            assert_eq!(request.headers()[header], value);
            let seen: Value = serde_json::from_slice(request.body()).unwrap();
            assert_eq!(seen["model"], "gpt-9");
        }
        let sent = sent(&host);
        assert!(!sent.contains(ADDRESS) && !sent.contains("operator"), "{sent}");
    }
    let streaming = with(body, &json!({ "stream": true }));
    let answer = send(&host, Method::POST, &at("localhost", CHAT), &streaming, &[LOCAL, KEY]).await;
    assert_eq!(streamed(&answer), format!("write to {ADDRESS}"));
}

/// Names of models at some providers look like the names of ours.
#[tokio::test]
async fn the_name_of_a_model_leads_to_no_credential_of_the_operator() {
    let host = keyless().await;
    for model in ["openai/gpt-9", "anthropic/claude-9", "openai-1", "anthropic-1"] {
        host.sent.borrow_mut().clear();
        let body = with(ask("hi"), &json!({ "model": model }));
        let answer = send(&host, Method::POST, &at("127.0.0.1", CHAT), &body, &[LOCAL, KEY]).await;
        assert_eq!(answer.status, 200, "{model}: {}", answer.text);
        let all = host.sent.borrow();
        let seen: Value = serde_json::from_slice(all[0].body()).unwrap();
        assert_eq!((all[0].uri().host(), &seen["model"]), (Some("openai.example"), &json!(model)));
        assert_eq!(all[0].headers()["authorization"], "Bearer sk-own");
    }
    // without a route that takes the caller's credential there is no destination
    let shared = json!({ "provider": "openai", "model": "m", "credential": "provider" });
    configure(&host, json!({ "providers": { "primary": shared, "other": null, "fallback": shared } })).await;
    for model in ["primary", "fallback", "openai/m", "m", "gpt-9"] {
        host.sent.borrow_mut().clear();
        let body = with(ask("hi"), &json!({ "model": model }));
        let answer = send(&host, Method::POST, &at("127.0.0.1", CHAT), &body, &[LOCAL, KEY]).await;
        assert_eq!(answer.status, 503, "{model}: {}", answer.text);
        let models =
            send(&host, Method::GET, &at("127.0.0.1", "/v1/models"), &Value::Null, &[LOCAL, KEY]).await;
        assert_eq!(models.status, 503, "{}", models.text);
        assert!(host.sent.borrow().is_empty(), "{model}");
    }
    configure(&host, json!({ "providers": { "primary": null, "fallback": null } })).await;
    let answer = send(&host, Method::POST, &at("127.0.0.1", CHAT), &ask("hi"), &[LOCAL, KEY]).await;
    assert_eq!((answer.status.as_u16(), host.sent.borrow().len()), (503, 0), "{}", answer.text);
}

#[tokio::test]
async fn pages_other_machines_and_other_names_are_not_admitted() {
    let host = keyless().await;
    let remote = ("spin-client-addr", "192.0.2.1:50000");
    for (name, headers, status) in [
        ("127.0.0.1", vec![LOCAL, KEY], 200),
        // a page in a browser, also one that this machine serves
        ("127.0.0.1", vec![LOCAL, KEY, ("origin", "https://evil.example")], 403),
        ("127.0.0.1", vec![LOCAL, KEY, ("origin", "http://127.0.0.1:7300")], 403),
        ("127.0.0.1", vec![LOCAL, KEY, ("origin", "null")], 403),
        ("127.0.0.1", vec![LOCAL, KEY, ("sec-fetch-site", "same-origin")], 403),
        // DNS rebinding: the page's own name leads to this machine
        ("evil.example", vec![LOCAL, KEY], 403),
        ("localhost.evil.example", vec![LOCAL, KEY], 403),
        ("evil.example", vec![LOCAL, KEY, ("host", "127.0.0.1:7300")], 403),
        // other machines
        ("127.0.0.1", vec![remote, KEY], 403),
        ("127.0.0.1", vec![KEY], 403),
        // without a credential, and with one of ours
        ("127.0.0.1", vec![LOCAL], 401),
        ("127.0.0.1", vec![LOCAL, ("authorization", "Bearer tvs_0123456789abcdef0123456789abcdef")], 401),
        ("127.0.0.1", vec![LOCAL, ("x-api-key", "fpk_unknown")], 401),
        ("127.0.0.1", vec![LOCAL, KEY, ("x-service-token", "a-wrong-service-token-of-32-characters")], 401),
        // another workspace
        ("127.0.0.1", vec![LOCAL, KEY, ("x-workspace-id", "globex")], 403),
    ] {
        host.sent.borrow_mut().clear();
        for (method, path, body) in
            [(Method::POST, CHAT, ask("hi")), (Method::GET, "/v1/models", Value::Null)]
        {
            let answer = send(&host, method, &at(name, path), &body, &headers).await;
            assert_eq!(answer.status, status, "{name} {headers:?} {path}: {}", answer.text);
            assert!(!answer.text.contains("evil") && !answer.text.contains("sk-own"), "{}", answer.text);
        }
        assert_eq!(host.sent.borrow().is_empty(), status != 200, "{name} {headers:?}");
    }
    // other machines are admitted under a name that the operator gives
    host.variables.borrow_mut().insert("keyless_hosts", "proxy.internal".to_owned());
    for (name, headers, status) in [
        ("proxy.internal", vec![remote, KEY], 200),
        ("evil.example", vec![remote, KEY], 403),
        ("proxy.internal", vec![remote, KEY, ("origin", "http://proxy.internal")], 403),
    ] {
        let answer = send(&host, Method::POST, &at(name, CHAT), &ask("hi"), &headers).await;
        assert_eq!(answer.status, status, "{name} {headers:?}: {}", answer.text);
    }
}

#[tokio::test]
async fn without_the_variable_nobody_is_admitted() {
    let host = keyless().await;
    for closed in [Some(""), Some("not a workspace"), None] {
        match closed {
            Some(value) => host.variables.borrow_mut().insert("keyless_workspace", value.to_owned()),
            None => host.variables.borrow_mut().remove("keyless_workspace"),
        };
        host.sent.borrow_mut().clear();
        for path in [CHAT, MESSAGES] {
            let answer = send(&host, Method::POST, &at("127.0.0.1", path), &ask("hi"), &[LOCAL, KEY]).await;
            assert_eq!(answer.status, 401, "{closed:?}: {}", answer.text);
        }
        assert!(host.sent.borrow().is_empty());
    }
}

/// A token of the gateway keeps its rights, and is no credential for a provider.
#[tokio::test]
async fn service_tokens_are_served_beside_keyless_callers() {
    let host = keyless().await;
    let token = format!("Bearer {SERVICE_TOKEN}");
    let uri = at("gateway.example", &format!("{CHAT}?workspace_id=initech"));
    let body = with(ask("hi"), &json!({ "model": "openai/gpt-9" }));
    let answer = send(&host, Method::POST, &uri, &body, &[("authorization", &token)]).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(host.sent.borrow()[0].headers()["authorization"], "Bearer sk-upstream");
    let answer = send(&host, Method::POST, &uri, &ask("hi"), &[("authorization", &token)]).await;
    assert_eq!(answer.status, 401, "the route takes another credential: {}", answer.text);
    let headers = [("x-service-token", SERVICE_TOKEN), KEY, ("origin", "https://app.example")];
    let answer = send(&host, Method::POST, &uri, &ask("hi"), &headers).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

#[tokio::test]
async fn models_are_those_of_the_provider() {
    let host = keyless().await;
    for (query, headers, address) in [
        ("", vec![LOCAL, KEY], "https://openai.example/v1/models"),
        ("", vec![LOCAL, KEY, ("anthropic-version", "2023-06-01")], "https://anthropic.example/v1/models"),
        (
            "?limit=2&after_id=m-1&unknown=x",
            vec![LOCAL, KEY, ("anthropic-version", "2023-06-01")],
            "https://anthropic.example/v1/models?limit=2&after_id=m-1",
        ),
    ] {
        host.sent.borrow_mut().clear();
        let uri = at("127.0.0.1", &format!("/v1/models{query}"));
        let answer = send(&host, Method::GET, &uri, &Value::Null, &headers).await;
        assert_eq!(answer.json["data"][0]["id"], "m-of-the-provider", "{}", answer.text);
        assert_eq!(host.sent.borrow()[0].uri().to_string(), address);
    }
    host.sent.borrow_mut().clear();
    let uri = at("127.0.0.1", &format!("/v1/models?after_id={ADDRESS}"));
    let answer = send(&host, Method::GET, &uri, &Value::Null, &[LOCAL, KEY]).await;
    assert_eq!((answer.status.as_u16(), host.sent.borrow().len()), (400, 0), "{}", answer.text);
    assert!(!answer.text.contains(ADDRESS), "{}", answer.text);
}

/// Clients renew their credential at 401, and say at 403 what the account lacks.
#[tokio::test]
async fn a_rejected_credential_has_the_status_of_the_provider() {
    let host = keyless().await;
    for status in [401, 403] {
        answer_with(&host, move |_| whole(status, &json!({ "error": { "message": ADDRESS } })));
        for (path, method) in [(CHAT, Method::POST), (MESSAGES, Method::POST), ("/v1/models", Method::GET)] {
            let body = if method == Method::POST { ask("hi") } else { Value::Null };
            let answer = send(&host, method, &at("127.0.0.1", path), &body, &[LOCAL, KEY]).await;
            assert_eq!(answer.status, status, "{path}: {}", answer.text);
            assert!(
                answer.text.contains("your credential") && !answer.text.contains(ADDRESS),
                "{}",
                answer.text
            );
        }
    }
}

/// A stored response is of the credential that made it.
#[tokio::test]
async fn another_credential_is_another_caller() {
    let host = keyless().await;
    configure(&host, json!({ "sessions": { "enabled": true } })).await;
    answer_with(&host, |_| {
        whole(
            200,
            &json!({ "id": "resp_1", "object": "response", "status": "completed", "model": "m", "output": [] }),
        )
    });
    let body = json!({ "model": "gpt-9", "input": format!("write to {ADDRESS}") });
    let uri = at("127.0.0.1", "/v1/responses");
    let answer = send(&host, Method::POST, &uri, &body, &[LOCAL, KEY]).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    for (key, status) in [("Bearer sk-own", 200), ("Bearer sk-other", 404)] {
        let headers = [LOCAL, ("authorization", key)];
        let answer = send(&host, Method::GET, &format!("{uri}/resp_1"), &Value::Null, &headers).await;
        assert_eq!(answer.status, status, "{key}: {}", answer.text);
    }
}

#[tokio::test]
async fn the_audit_names_the_caller_by_a_hash() {
    let host = keyless().await;
    let answer = send(&host, Method::POST, &at("127.0.0.1", CHAT), &ask("hi"), &[LOCAL, KEY]).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let records = records(&host).await;
    let actor = records[0]["actor"].as_str().unwrap();
    assert!(actor.starts_with("keyless:sha256-") && actor.len() == "keyless:sha256-".len() + 16, "{actor}");
    assert!(!host.log.borrow().iter().any(|line| line.contains("sk-own")));
}
