//! The cache of workspace data in an instance of the gateway, and its expiry.

use http::Method;
use serde_json::{Value, json};
use textveil_service::{
    Host as _, KeyValue as _, Label,
    credentials::{ApiKeyRecord, Plan},
    scope::Scopes,
};

use crate::{
    gateway::{ADDRESS, CHAT, as_user, ask, chat, configure, content, echoing, id_of, policy, said, sent},
    host::{Memory, NOW_MS, key},
};

/// All times to remember something, and which one holds for each thing that can be changed.
const TTLS: [&str; 3] = ["provider_config_cache_ttl", "policy_cache_ttl", "auth_cache_ttl"];
const CHANGES: [(&str, &str); 5] = [
    ("a route", TTLS[0]),
    ("a provider", TTLS[0]),
    ("a policy", TTLS[1]),
    ("a list of the workspace", TTLS[1]),
    ("the secrets", TTLS[2]),
];

/// Creates a workspace that caches one thing for `seconds`, and everything else for a day; by default for
/// 300.
async fn remembering(ttl: &str, seconds: u32) -> Memory {
    let host = echoing().await;
    let mut record = ApiKeyRecord::new(&key("pro"), "initech", Plan::Pro);
    record.scopes = Some(Scopes::GRANTABLE_TO_KEY);
    host.put(&key("pro"), &record);
    for one in TTLS {
        if one != ttl {
            configure(&host, json!({ one: 86_400 })).await;
        } else if seconds != 300 {
            configure(&host, json!({ one: seconds })).await;
        }
    }
    host
}

async fn change(host: &Memory, what: &str) {
    match what {
        "a route" => {
            let route = json!({ "provider": "openai_compatible", "model": "another" });
            configure(host, json!({ "providers": { "primary": route } })).await;
        }
        "a provider" => {
            let path = format!("/{}", id_of(host, "openai_compatible").await);
            let answer = as_user(host, Method::PATCH, &path, &json!({ "default_model": "another" })).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
        "a policy" => policy(host, "REDACT", json!([])).await,
        "a list of the workspace" => {
            let answer = host.post("pro", "/api/v1/allow-list", &json!({ "domain": "example.cz" })).await;
            assert_eq!(answer.status, 201, "{}", answer.text);
        }
        _ => {
            let secrets = "3:303132333435363738393a3b3c3d3e3f".to_owned();
            host.variables.borrow_mut().insert("token_secrets", secrets);
        }
    }
}

/// Returns what depends on the cached data: the model of a request, and the text sent to the provider.
async fn treatment(host: &Memory) -> (String, String) {
    let answer = chat(host, CHAT, &ask(ADDRESS)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    (answer.header("x-gateway-model").to_owned(), said(host.sent.borrow().last().unwrap()))
}

/// A stamp that was lost is not missed for longer than an entry lives.
#[tokio::test]
async fn a_change_without_a_stamp_is_seen_when_the_entry_expires() {
    for (what, ttl) in CHANGES {
        for seconds in [0, 7, 300] {
            let here = remembering(ttl, seconds).await;
            let there = here.beside(&[Label::Config]);
            let before = treatment(&here).await;
            let stamp = here.values("config").remove("stamp:initech");
            change(&there, what).await;
            // a variable is each host's own
            if ttl == "auth_cache_ttl" {
                change(&here, what).await;
            }
            let after = treatment(&there).await;
            assert_ne!(after, before, "{what}");
            here.meddle("config", "stamp:initech", stamp);
            let end_ms = NOW_MS + u64::from(seconds) * 1_000;
            if seconds > 0 {
                here.now_ms.set(end_ms - 1);
                assert_eq!(treatment(&here).await, before, "{what}, after less than {seconds} seconds");
            }
            here.now_ms.set(end_ms);
            assert_eq!(treatment(&here).await, after, "{what}, after {seconds} seconds");
        }
    }
}

#[tokio::test]
async fn a_change_of_any_host_that_shares_the_documents_is_seen_at_once() {
    for (what, ttl) in CHANGES.into_iter().filter(|(what, _)| *what != "the secrets") {
        let here = remembering(ttl, 86_400).await;
        let there = here.beside(&[Label::Config]);
        let before = treatment(&here).await;
        assert_eq!(treatment(&there).await, before, "{what}");
        change(&there, what).await;
        let after = treatment(&there).await;
        assert_ne!(after, before, "{what}");
        assert_eq!(treatment(&here).await, after, "{what}");
    }
}

#[tokio::test]
async fn a_change_is_seen_at_once_and_what_is_known_is_not_read_again() {
    let host = echoing().await;
    chat(&host, CHAT, &ask(ADDRESS)).await;
    // a change without a new stamp is not seen before the cached data expires
    let hidden = json!([{ "id": "1", "name": "p", "action": "REDACT", "conditions": [], "workspace_id": "initech",
        "created_at": "2026-11-23T10:00:00Z", "updated_at": "2026-11-23T10:00:00Z" }]);
    host.put_config("policies:initech", &hidden);
    assert_eq!(content(&chat(&host, CHAT, &ask(ADDRESS)).await), ADDRESS);
    host.now_ms.set(host.now_ms.get() + 301_000);
    assert_eq!(content(&chat(&host, CHAT, &ask(ADDRESS)).await), "[REDACTED]");
    policy(&host, "FLAG", json!([])).await;
    let answer = host.admin(Method::DELETE, "/policies/1?workspace_id=initech", &Value::Null).await;
    assert_eq!(answer.status, 200);
    assert_eq!(content(&chat(&host, CHAT, &ask(ADDRESS)).await), ADDRESS);
    assert!(
        sent(&host).ends_with(&format!(
            "\"role\":\"user\",\"content\":\"{ADDRESS}\"}}],\"model\":\"openai_compatible-1\"}}"
        )),
        "{}",
        sent(&host)
    );
}

/// Each call of a store may be a round trip to a server.
#[tokio::test]
async fn a_request_takes_few_calls_of_the_stores() {
    let host = echoing().await;
    // leases and permits of earlier slots have ended: 4.25 seconds after the begin of a slot of locks
    host.now_ms.set(NOW_MS + 9_000);
    treatment(&host).await;
    host.calls.borrow_mut().clear();
    treatment(&host).await;
    let calls = host.calls.borrow();
    let beginnings = calls.iter().map(|key| key.split(':').next().unwrap());
    // metrics are written after the answer, together with those of other requests
    let beginnings: Vec<&str> = beginnings.take_while(|beginning| *beginning != "metric").collect();
    let expected = [
        "stamp",
        "rate",
        "in-flight",
        "breaker",
        "lock",
        "fence",
        "audit-index",
        "audit",
        "fence",
        "audit",
        "lock",
        "breaker",
        "in-flight",
    ];
    assert_eq!(beginnings, expected, "{calls:?}");
}

/// A host may get a lock of the slot before late, if its store was slow, and hold it for two seconds of the next slot.
#[tokio::test]
async fn a_lock_that_was_acquired_late_is_respected() {
    let host = echoing().await;
    // 2.25 seconds after the begin of a slot, with a clock of another host that is a second behind
    host.now_ms.set(NOW_MS + 7_000);
    treatment(&host).await;
    let slot = host.now_ms.get() / 5_000;
    let lock = format!("lock:{}:audit-index:initech:0", (slot - 1) % 4);
    host.store(Label::Usage).increment(&lock, 1).await.unwrap();
    host.calls.borrow_mut().clear();
    treatment(&host).await;
    let calls = host.calls.borrow();
    // a new lock holder raises its fence
    let is_acquired = |chain: u8| calls.contains(&format!("fence:audit-index:initech:{chain}"));
    assert!(is_acquired(1) && !is_acquired(0), "{calls:?}");
}
