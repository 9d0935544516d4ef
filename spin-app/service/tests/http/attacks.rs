//! Attacks on rights, limits and records. Each row succeeded once, and must fail.
//!
//! A row is a function that attacks a fresh host. It returns `Err` with the gain if the attack succeeds. Rows
//! that need a real host are in `host-native/tests` and `tests/conformance/tests/suite/deploy/attacks.rs`.

use std::{future::Future, pin::Pin, rc::Rc};

use bytes::Bytes;
use http::{HeaderMap, Method, Request};
use http_body_util::Full;
use serde_json::{Value, json};

use crate::{
    gateway::{ADDRESS, CHAT, as_user, ask, chat_with, echo, echoing, gateway, sent},
    host::{Answer, Memory, NOW_MS, SERVICE_TOKEN, key, user_token},
};

type Gain = Result<(), String>;
type Attack = fn() -> Pin<Box<dyn Future<Output = Gain>>>;

macro_rules! rows {
    ($($name:literal => $attack:ident),* $(,)?) => {
        /// Every attack by its name.
        const ROWS: &[(&str, Attack)] = &[$(($name, || Box::pin($attack()))),*];
    };
}

rows! {
    "1 a chat token changes the configuration" => chat_token_administers,
    "1 a token of one workspace administers another" => token_crosses_workspaces,
    "1 a token of one workspace chats in another" => token_chats_elsewhere,
    "1 a reading token writes policies" => reader_writes,
    "1 a member creates keys" => member_creates_keys,
    "1 a slip in an entry widens its token" => slip_widens,
    "2 an API key allows everything" => key_allows_everything,
    "2 an administrator allows everything" => admin_allows_everything,
    "2 a key without the scope changes detectors" => key_without_scope_writes,
    "5 a secret goes to another trusted host" => secret_leaves_its_host,
    "5 the Azure key goes to any tenant" => azure_key_leaves,
    "5 a secret of one workspace is used by another" => secret_crosses_workspaces,
    "6 a user lifts the quota" => user_lifts_quota,
    "6 a user lifts the rate limit" => user_lifts_rate,
    "6 a key gets scopes of the gateway" => key_gets_scopes,
    "8 a deleted chain leaves no trace" => deleted_chain,
    "8 a record is forged with its hash" => forged_record,
    "8 a change of keys leaves no record" => unrecorded_keys,
    "8 a change of lists leaves no record" => unrecorded_lists,
    "8 a record does not name its actor" => anonymous_record,
    "8 changes are not recorded where requests are not" => silent_changes,
    "9 a holder that overruns writes" => overrun_writes,
    "9 two records have one sequence" => one_sequence,
    "10 anybody reads the metrics" => open_metrics,
    "10 a chat token reads the metrics" => chat_token_reads_metrics,
    "10 the administration has no rate limit" => unlimited_administration,
    "11 a token of another service is accepted" => foreign_token,
    "unknown paths answer 501" => unknown_paths,
}

#[tokio::test]
async fn every_attack_fails() {
    let mut gained = Vec::new();
    for (name, attack) in ROWS {
        if let Err(gain) = attack().await {
            gained.push(format!("{name}: {gain}"));
        }
    }
    assert!(gained.is_empty(), "{} of {} attacks succeed:\n{}", gained.len(), ROWS.len(), gained.join("\n"));
}

/// The attack succeeds if `gained` is true.
fn unless(gained: bool, gain: &str) -> Gain {
    if gained { Err(gain.to_owned()) } else { Ok(()) }
}

const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// A host with a token that may do `scopes` in `workspaces`, beside the usual one.
fn with_token(host: Memory, scopes: &str, workspaces: &str) -> Memory {
    let tokens = format!("{SERVICE_TOKEN},attacker:{scopes}@{workspaces}:{SECRET}");
    host.variables.borrow_mut().insert("service_tokens", tokens);
    host
}

async fn call(host: &Memory, method: Method, uri: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
    let mut request = Request::builder().method(method).uri(uri).header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
    let request = request.body(Full::new(body)).unwrap();
    match uri.starts_with("/api/v1/gateway") || uri.starts_with("/v1/") {
        true => host.send_to_gateway(request).await,
        false => host.send(request).await,
    }
}

async fn with_secret(host: &Memory, method: Method, uri: &str, body: &Value) -> Answer {
    call(host, method, uri, &[("x-service-token", SECRET)], body).await
}

/// The token accepted at all, so that a failed attack is due to its rights.
async fn assert_accepted(host: &Memory) {
    let status = with_secret(host, Method::GET, "/api/v1/gateway/status", &Value::Null).await.status;
    assert_eq!(status, 200, "the token is not accepted at all");
}

async fn chat_token_administers() -> Gain {
    let host = with_token(Memory::default(), "gateway.chat", "*");
    let uri = "/api/v1/gateway/config?workspace_id=initech";
    let update = json!({ "default_action": "ALLOW", "audit_level": "none" });
    let answer = with_secret(&host, Method::PUT, uri, &update).await;
    if answer.status == 401 {
        // a build without scopes knows only bare tokens: the token of a chat client is one
        let answer = call(&host, Method::PUT, uri, &[("x-service-token", SERVICE_TOKEN)], &update).await;
        host.variables.borrow_mut().insert("service_tokens", SECRET.to_owned());
        let chat = with_secret(&host, Method::PUT, uri, &update).await;
        return unless(answer.status == 200 && chat.status == 200, "200");
    }
    assert_accepted(&host).await;
    unless(answer.status != 403, &answer.status.to_string())
}

async fn token_crosses_workspaces() -> Gain {
    let host = with_token(Memory::default(), "*", "acme");
    let mut gained = Vec::new();
    for (method, path, body) in [
        (Method::GET, "/config?workspace_id=initech", Value::Null),
        (Method::PUT, "/config?workspace_id=initech", json!({ "default_action": "ALLOW" })),
        (Method::GET, "/config/export?workspace_id=initech", Value::Null),
        (Method::POST, "/config/import?workspace_id=initech", json!({ "policies": [] })),
        (Method::POST, "/config/import", json!({ "workspace_id": "initech", "policies": [] })),
        (Method::GET, "/policies?workspace_id=initech", Value::Null),
        (Method::POST, "/policies", json!({ "workspace_id": "initech", "name": "a", "action": "ALLOW" })),
        (Method::POST, "/policies/test?workspace_id=initech", json!({ "text": "x" })),
        (Method::GET, "/audit?workspace_id=initech", Value::Null),
        (Method::GET, "/providers?workspace_id=initech", Value::Null),
    ] {
        let answer = with_secret(&host, method.clone(), &format!("/api/v1/gateway{path}"), &body).await;
        if answer.status != 403 {
            gained.push(format!("{method} {path}: {}", answer.status));
        }
    }
    let own = with_secret(&host, Method::GET, "/api/v1/gateway/config?workspace_id=acme", &Value::Null).await;
    if own.status != 200 {
        gained.push(format!("its own workspace: {}", own.status));
    }
    unless(!gained.is_empty(), &gained.join(", "))
}

async fn token_chats_elsewhere() -> Gain {
    let host = with_token(echoing().await, "gateway.chat", "acme");
    let answer = chat_with(&host, CHAT, &ask("hi"), &[("authorization", format!("Bearer {SECRET}"))]).await;
    unless(answer.status != 403 || !host.sent.borrow().is_empty(), &answer.status.to_string())
}

async fn reader_writes() -> Gain {
    let host = with_token(Memory::default(), "settings.read", "initech");
    let reads =
        with_secret(&host, Method::GET, "/api/v1/gateway/policies?workspace_id=initech", &Value::Null).await;
    let policy = json!({ "name": "a", "action": "ALLOW" });
    let writes =
        with_secret(&host, Method::POST, "/api/v1/gateway/policies?workspace_id=initech", &policy).await;
    unless((reads.status.as_u16(), writes.status.as_u16()) != (200, 403), &format!("{}", writes.status))
}

/// A token of the workspace `initech` with these claims more.
fn user(more: Value) -> String {
    use base64ct::{Base64UrlUnpadded, Encoding as _};
    use hmac::{Hmac, KeyInit, Mac};
    let mut claims =
        json!({ "sub": "u-7", "exp": NOW_MS / 1_000 + 600, "workspace_id": "initech", "plan": "pro" });
    claims.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let part = |json: &Value| Base64UrlUnpadded::encode_string(json.to_string().as_bytes());
    let message = format!("{}.{}", part(&json!({ "alg": "HS256", "typ": "JWT" })), part(&claims));
    let mac = Hmac::<sha2::Sha256>::new_from_slice(b"a shared secret of more than 32 bytes").unwrap();
    let signature = mac.chain_update(message.as_bytes()).finalize().into_bytes();
    format!("{message}.{}", Base64UrlUnpadded::encode_string(&signature))
}

async fn of_user(host: &Memory, claims: Value, method: Method, uri: &str, body: &Value) -> Answer {
    let authorization = format!("Bearer {}", user(claims));
    call(host, method, uri, &[("authorization", &authorization)], body).await
}

async fn member_creates_keys() -> Gain {
    let host = Memory::default();
    for claims in [json!({}), json!({ "role": "member" })] {
        let answer = of_user(&host, claims.clone(), Method::POST, "/api/v1/api-keys", &json!({})).await;
        unless(answer.status != 403, &format!("{claims}: {}", answer.status))?;
        let list = of_user(&host, claims, Method::GET, "/api/v1/api-keys", &Value::Null).await;
        unless(list.status != 200, "a member reads no keys")?;
    }
    Ok(())
}

async fn slip_widens() -> Gain {
    let host = Memory::default();
    for entry in ["chat:gateway.chat", "gateway.chat@acme", "chat:gateway.chats@acme"] {
        let entry = format!("{entry}:{SECRET}");
        host.variables.borrow_mut().insert("service_tokens", entry.clone());
        for sent in [SECRET, &entry] {
            let headers = [("x-service-token", sent)];
            let uri = "/api/v1/gateway/config?workspace_id=initech";
            let answer = call(&host, Method::GET, uri, &headers, &Value::Null).await;
            unless(answer.status != 401, &format!("{entry}: {}", answer.status))?;
        }
    }
    Ok(())
}

/// Adds an entry to the allow list of `initech` with a key of these scopes.
async fn allow(scopes: Option<Value>, rule: &Value) -> (Memory, Answer) {
    let host = echoing().await;
    let mut body = json!({ "name": "attacker" });
    if let Some(scopes) = scopes {
        body["scopes"] = scopes;
    }
    let authorization = format!("Bearer {}", user_token());
    let headers = [("authorization", authorization.as_str())];
    let made = call(&host, Method::POST, "/api/v1/api-keys", &headers, &body).await;
    let api_key = made.json["key"].as_str().unwrap().to_owned();
    let answer = call(&host, Method::POST, "/api/v1/allow-list", &[("x-api-key", &api_key)], rule).await;
    (host, answer)
}

async fn key_allows_everything() -> Gain {
    let (host, answer) = allow(None, &json!({ "regex": ".+" })).await;
    let body = ask(&format!("Write to {ADDRESS}"));
    chat_with(&host, CHAT, &body, &[("authorization", format!("Bearer {SERVICE_TOKEN}"))]).await;
    let leaked = sent(&host).contains(ADDRESS);
    unless(answer.status != 403 || leaked, &format!("{}, leaked: {leaked}", answer.status))
}

async fn admin_allows_everything() -> Gain {
    let scopes = json!(["detect", "settings.read", "settings.allow"]);
    for rule in [
        json!({ "regex": ".+" }),
        json!({ "regex": "(?s).*" }),
        json!({ "regex": ".*@.*" }),
        json!({ "regex": "[0-9 +]+" }),
        json!({ "domain": "com" }),
    ] {
        let (_, answer) = allow(Some(scopes.clone()), &rule).await;
        unless(answer.status != 400, &format!("{rule}: {}", answer.status))?;
    }
    let (_, answer) = allow(Some(scopes), &json!({ "value": "info@initech.example" })).await;
    unless(answer.status != 201, &format!("a narrow entry is rejected: {}", answer.text))
}

async fn key_without_scope_writes() -> Gain {
    let host = Memory::default();
    for (method, path, body) in [
        (Method::POST, "/api/v1/custom-detectors", json!({ "name": "x", "pattern": "ORD-[0-9]{6}" })),
        (Method::POST, "/api/v1/deny-list", json!({ "value": "Bluebird" })),
        (Method::POST, "/api/v1/allow-list", json!({ "value": "Bluebird" })),
        (Method::DELETE, "/api/v1/custom-detectors/x", Value::Null),
    ] {
        let answer = call(&host, method, path, &[("x-api-key", &key("free"))], &body).await;
        unless(answer.status != 403, &format!("{path}: {}", answer.status))?;
    }
    Ok(())
}

/// A strict host whose workspace `initech` has one provider at `base_url` with `placeholder` as its credential.
async fn with_provider(base_url: &str, placeholder: &str, secrets: &str) -> Memory {
    let changes = json!({ "base_url": base_url, "env_placeholder": placeholder });
    let host = gateway(&[("openai_compatible", changes)], echo).await;
    let mut variables = host.variables.borrow_mut();
    variables.insert("profile", "strict".to_owned());
    variables.insert("openai_api_key", "sk-openai".to_owned());
    variables.insert("azure_openai_api_key", "sk-azure".to_owned());
    variables.insert("provider_secrets", secrets.to_owned());
    drop(variables);
    host
}

async fn gained_secret(host: &Memory, secret: &str) -> Gain {
    let token = [("authorization", format!("Bearer {SERVICE_TOKEN}"))];
    chat_with(host, CHAT, &ask("hi"), &token).await;
    let gained = sent(host).contains(secret)
        || host.sent.borrow().iter().any(|request| holds(request.headers(), secret));
    unless(gained, "the credential was sent")
}

fn holds(headers: &HeaderMap, secret: &str) -> bool {
    headers.values().any(|value| value.to_str().is_ok_and(|value| value.contains(secret)))
}

async fn secret_leaves_its_host() -> Gain {
    for base_url in
        ["https://llm.example/v1", "https://attacker.openai.azure.com/v1", "https://api.mistral.ai/v1"]
    {
        let host = with_provider(base_url, "${OPENAI_API_KEY}", "").await;
        gained_secret(&host, "sk-openai").await.map_err(|gain| format!("{base_url}: {gain}"))?;
    }
    let host = with_provider("https://api.openai.com/v1", "${OPENAI_API_KEY}", "").await;
    unless(gained_secret(&host, "sk-openai").await.is_ok(), "it does not even go to its own host")
}

async fn azure_key_leaves() -> Gain {
    let host = with_provider("https://attacker.openai.azure.com/v1", "${AZURE_OPENAI_API_KEY}", "").await;
    gained_secret(&host, "sk-azure").await?;
    let bound = r#"{"AZURE_OPENAI_API_KEY":{"hosts":"https://ours.openai.azure.com"}}"#;
    let host = with_provider("https://ours.openai.azure.com/v1", "${AZURE_OPENAI_API_KEY}", bound).await;
    unless(gained_secret(&host, "sk-azure").await.is_ok(), "the operator cannot bind it")
}

async fn secret_crosses_workspaces() -> Gain {
    let bound = |workspace: &str| {
        json!({ "LLM_KEY": { "value": "sk-bound", "hosts": "https://llm.example", "workspaces": [workspace] } })
            .to_string()
    };
    let host = with_provider("https://llm.example/v1", "${LLM_KEY}", &bound("acme")).await;
    gained_secret(&host, "sk-bound").await?;
    let host = with_provider("https://llm.example/v1", "${LLM_KEY}", &bound("initech")).await;
    unless(gained_secret(&host, "sk-bound").await.is_ok(), "its own workspace cannot use it")
}

async fn creates(limits: Value) -> u16 {
    let host = Memory::default();
    host.variables.borrow_mut().insert("monthly_quotas", "free=10000,pro=1000000".to_owned());
    let body = json!({ "limits": limits });
    of_user(&host, json!({ "role": "admin" }), Method::POST, "/api/v1/api-keys", &body).await.status.as_u16()
}

async fn user_lifts_quota() -> Gain {
    for requests in [u64::MAX, 1_000_001] {
        let status = creates(json!({ "requests_per_month": requests })).await;
        unless(status == 201, &format!("{requests} a month"))?;
    }
    let host = Memory::default();
    let unlimited = json!({ "limits": { "requests_per_month": u64::MAX } });
    let claims = json!({ "role": "admin", "plan": "enterprise" });
    let answer = of_user(&host, claims, Method::POST, "/api/v1/api-keys", &unlimited).await;
    unless(answer.status == 201, "on a plan without a quota")?;
    unless(creates(json!({ "requests_per_month": 1_000 })).await != 201, "a limit cannot be lowered")
}

async fn user_lifts_rate() -> Gain {
    for limits in [json!({ "requests_per_minute": 1_000_000 }), json!({ "concurrent_requests": 1_000_000 })] {
        unless(creates(limits.clone()).await == 201, &limits.to_string())?;
    }
    Ok(())
}

async fn key_gets_scopes() -> Gain {
    let host = Memory::default();
    let body = json!({ "scopes": ["detect", "gateway.admin"] });
    let answer = of_user(&host, json!({ "role": "admin" }), Method::POST, "/api/v1/api-keys", &body).await;
    // a build without scopes ignores the field, and its keys may write
    unless(answer.status != 400, &answer.status.to_string())
}

/// A host with records of changes in the audit of `initech`.
async fn with_records() -> Memory {
    let host = Memory::default();
    for region in ["a", "b", "c"] {
        let body = json!({ "region": region });
        host.admin(Method::PUT, "/config?workspace_id=initech", &body).await;
    }
    host
}

/// Whether `textveil audit verify` would report something.
async fn is_noticed(host: &Memory) -> bool {
    !textveil_service::audit::verify(host, "initech", &[]).await.unwrap().faults.is_empty()
}

async fn deleted_chain() -> Gain {
    let host = with_records().await;
    unless(is_noticed(&host).await, "it reports faults of an untouched audit")?;
    for key in host.values("audit").into_keys() {
        host.meddle("audit", &key, None);
    }
    unless(!is_noticed(&host).await, "all records are gone, and nothing is reported")
}

async fn forged_record() -> Gain {
    use sha2::{Digest, Sha256};
    let host = with_records().await;
    let (key, lines) = host.values("audit").into_iter().find(|(key, _)| key.starts_with("audit:")).unwrap();
    // the last record of the chain, changed and hashed anew with what an attacker knows
    let (first, last) = lines.trim_end().rsplit_once('\n').unwrap();
    let record = last.split_once(' ').unwrap().1.replace("config_update", "policy_create");
    let hash: String = Sha256::digest(&record).iter().map(|byte| format!("{byte:02x}")).collect();
    host.meddle("audit", &key, Some(format!("{first}\n{hash} {record}\n")));
    unless(!is_noticed(&host).await, "a forged record is not reported")
}

async fn events(host: &Memory, workspace: &str) -> Vec<String> {
    let path = format!("/audit?workspace_id={workspace}");
    let list = host.admin(Method::GET, &path, &Value::Null).await;
    let records = list.json["records"].as_array().unwrap().iter().rev();
    records.map(|record| record["event"].as_str().unwrap().to_owned()).collect()
}

async fn unrecorded_keys() -> Gain {
    let host = Memory::default();
    let claims = json!({ "role": "admin" });
    let made = of_user(&host, claims.clone(), Method::POST, "/api/v1/api-keys", &json!({})).await;
    let path = format!("/api/v1/api-keys/{}", made.json["id"].as_str().unwrap());
    of_user(&host, claims, Method::DELETE, &path, &Value::Null).await;
    let provider = json!({
        "provider_type": "openai", "display_name": "OpenAI", "credential_source": "env_placeholder",
        "env_placeholder": "${OPENAI_API_KEY}", "base_url": "https://api.openai.com/v1", "default_model": "m",
    });
    let made = as_user(&host, Method::POST, "", &provider).await;
    let path = format!("/{}", made.json["id"].as_str().unwrap());
    as_user(&host, Method::PATCH, &path, &json!({ "priority": 1 })).await;
    as_user(&host, Method::DELETE, &path, &Value::Null).await;
    let got = events(&host, "initech").await;
    let want = ["key_create", "key_revoke", "provider_create", "provider_update", "provider_delete"];
    unless(got != want, &format!("{got:?}"))
}

async fn unrecorded_lists() -> Gain {
    let host = Memory::default();
    let pro = key("pro");
    let headers = [("x-api-key", pro.as_str())];
    for (path, body) in [
        ("/api/v1/custom-detectors", json!({ "name": "x", "pattern": "ORD-[0-9]{6}" })),
        ("/api/v1/allow-list", json!({ "value": "info@acme.example" })),
        ("/api/v1/deny-list", json!({ "value": "Bluebird" })),
    ] {
        let made = call(&host, Method::POST, path, &headers, &body).await;
        let id = made.json.get("id").or(made.json.get("name")).and_then(Value::as_str).unwrap();
        call(&host, Method::DELETE, &format!("{path}/{id}"), &headers, &Value::Null).await;
    }
    let got = events(&host, "acme").await;
    let want = [
        "detector_create",
        "detector_delete",
        "allow_list_create",
        "allow_list_delete",
        "deny_list_create",
        "deny_list_delete",
    ];
    unless(got != want, &format!("{got:?}"))?;
    let stored: String = host.values("audit").into_values().collect();
    unless(stored.contains("Bluebird") || stored.contains("info@"), "a record holds what was listed")
}

async fn anonymous_record() -> Gain {
    let host = with_token(echoing().await, "*", "initech");
    let uri = "/api/v1/gateway/config?workspace_id=initech";
    with_secret(&host, Method::PUT, uri, &json!({ "region": "eu" })).await;
    of_user(&host, json!({ "role": "admin" }), Method::POST, "/api/v1/api-keys", &json!({})).await;
    chat_with(&host, CHAT, &ask("hi"), &[("authorization", format!("Bearer {SECRET}"))]).await;
    let list = host.admin(Method::GET, "/audit?workspace_id=initech", &Value::Null).await;
    let records = list.json["records"].as_array().unwrap();
    let actor = |event: &str| {
        let record = records.iter().find(|record| record["event"] == event);
        record.and_then(|record| record["actor"].as_str()).unwrap_or("nobody").to_owned()
    };
    let got = ["config_update", "key_create", "request"].map(actor);
    unless(got != ["service:attacker", "user:u-7", "service:attacker"], &format!("{got:?}"))
}

async fn silent_changes() -> Gain {
    let host = Memory::default();
    for body in [
        json!({ "audit_level": "none" }),
        json!({ "audit_retention_days": 1 }),
        json!({ "default_action": "ALLOW" }),
    ] {
        host.admin(Method::PUT, "/config?workspace_id=initech", &body).await;
    }
    let got = events(&host, "initech").await;
    unless(got.len() != 3, &format!("{got:?}"))
}

/// Two changes of one document, the first of which is slow to read `key`.
async fn race(host: &Memory, slow: &str) -> (Answer, Answer) {
    *host.slow.borrow_mut() = Some((slow.to_owned(), 30_000));
    let change = async |region: &str| {
        let body = json!({ "region": region });
        host.admin(Method::PUT, "/config?workspace_id=initech", &body).await
    };
    let later = async {
        host.clock_sleep(12_000).await;
        change("later").await
    };
    tokio::join!(change("slow"), later)
}

async fn overrun_writes() -> Gain {
    let host = Memory::default();
    let (slow, later) = race(&host, "gateway-config:initech").await;
    let kept = host.admin(Method::GET, "/config?workspace_id=initech", &Value::Null).await;
    let gained = later.status == 200 && kept.json["region"] != "later";
    unless(
        gained,
        &format!("the slow one: {}, the other: {}, kept: {}", slow.status, later.status, kept.json["region"]),
    )
}

async fn one_sequence() -> Gain {
    let host = with_records().await;
    let index = host.values("audit").into_keys().find(|key| key.starts_with("audit-index:")).unwrap();
    // both append to the same chain; the first one loses its lease while it reads the index
    race(&host, &index).await;
    let list = host.admin(Method::GET, "/audit?workspace_id=initech", &Value::Null).await;
    let records = list.json["records"].as_array().unwrap();
    let mut sequences: Vec<_> =
        records.iter().map(|record| (record["chain"].as_u64(), record["sequence"].as_u64())).collect();
    sequences.sort_unstable();
    let all = sequences.len();
    sequences.dedup();
    unless(sequences.len() != all || is_noticed(&host).await, "two records have one sequence, or one is lost")
}

async fn open_metrics() -> Gain {
    let host = Memory::default();
    for headers in [&[][..], &[("x-api-key", key("enterprise").as_str())]] {
        let answer = call(&host, Method::GET, "/metrics", headers, &Value::Null).await;
        unless(answer.status != 401, &answer.status.to_string())?;
    }
    Ok(())
}

async fn chat_token_reads_metrics() -> Gain {
    let host = with_token(Memory::default(), "gateway.chat", "*");
    let answer = with_secret(&host, Method::GET, "/metrics", &Value::Null).await;
    unless(answer.status != 403, &answer.status.to_string())?;
    let host = with_token(Memory::default(), "metrics", "*");
    let answer = with_secret(&host, Method::GET, "/metrics", &Value::Null).await;
    unless(answer.status != 200, "a token with the scope reads none")
}

async fn unlimited_administration() -> Gain {
    let host = Rc::new(Memory::default());
    for (uri, headers) in [
        ("/api/v1/gateway/status", [("x-service-token", SERVICE_TOKEN.to_owned())]),
        ("/api/v1/llm-providers", [("authorization", format!("Bearer {}", user_token()))]),
        ("/metrics", [("x-service-token", SERVICE_TOKEN.to_owned())]),
    ] {
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut last = 0;
        for _ in 0..1_500 {
            last = call(&host, Method::GET, uri, &headers, &Value::Null).await.status.as_u16();
            if last == 429 {
                break;
            }
        }
        unless(last != 429, &format!("{uri}: 1,500 requests in a minute"))?;
    }
    Ok(())
}

async fn foreign_token() -> Gain {
    let host = Memory::default();
    host.variables.borrow_mut().insert("profile", "strict".to_owned());
    let admin = json!({ "role": "admin" });
    let list = async |claims: Value| {
        of_user(&host, claims, Method::GET, "/api/v1/api-keys", &Value::Null).await.status.as_u16()
    };
    let status = list(admin.clone()).await;
    unless(status != 401, &format!("without issuer and audience: {status}"))?;
    for (name, value) in [("user_token_issuer", "https://id.example"), ("user_token_audience", "textveil")] {
        host.variables.borrow_mut().insert(name, value.to_owned());
    }
    let bound = json!({ "role": "admin", "iss": "https://id.example", "aud": "textveil" });
    unless(list(bound).await != 200, "a bound token is rejected")?;
    let other = json!({ "role": "admin", "iss": "https://id.example", "aud": "wiki" });
    unless(list(other).await != 401, "a token for another audience")
}

async fn unknown_paths() -> Gain {
    let host = Memory::default();
    for (path, want) in [
        ("/api/v1/gateway/nothing", 404),
        ("/api/v1/gateway/nothing/else", 404),
        ("/v1/nothing", 404),
        ("/v1/files", 501),
        ("/v1/images/generations", 501),
        ("/api/v1/gateway/chat/completions", 404),
    ] {
        let answer = call(&host, Method::POST, path, &[("x-service-token", SERVICE_TOKEN)], &json!({})).await;
        unless(answer.status != want, &format!("{path}: {}", answer.status))?;
    }
    Ok(())
}
