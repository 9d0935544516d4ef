//! API keys that users make, see and revoke.

use http::{Method, Request};
use http_body_util::Full;
use serde_json::{Value, json};
use textveil_service::auth::user_token::{Claims, Role, issue};
use textveil_service::{credentials::Plan, host::Label};

use crate::host::{Answer, Memory, NOW_MS};

const SECRET: &str = "a secret of the identity provider, long enough";

fn host() -> Memory {
    let host = Memory::default();
    host.variables.borrow_mut().insert("user_token_key", SECRET.to_owned());
    host
}

fn token(workspace: &str, plan: Plan) -> String {
    let role = Some(Role::Admin);
    let claims = Claims { plan: Some(plan), role, ..Claims::new("u-1", workspace, NOW_MS / 1_000 + 600) };
    issue(SECRET, &claims).unwrap()
}

async fn ask(host: &Memory, workspace: &str, method: Method, path: &str, body: Option<Value>) -> Answer {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("authorization", format!("Bearer {}", token(workspace, Plan::Pro)))
        .header("content-type", "application/json");
    let body = body.map(|body| body.to_string()).unwrap_or_default();
    host.send(request.body(Full::from(body)).unwrap()).await
}

async fn create(host: &Memory, body: Value) -> Answer {
    ask(host, "acme", Method::POST, "/api/v1/api-keys", Some(body)).await
}

async fn health(host: &Memory, key: &str) -> Answer {
    let request = Request::get("/api/v1/health").header("x-api-key", key);
    host.send(request.body(Full::default()).unwrap()).await
}

#[tokio::test]
async fn a_key_lives_from_creation_to_revocation() {
    let host = host();
    let made = create(&host, json!({ "name": "nightly import" })).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let key = made.json["key"].as_str().unwrap().to_owned();
    let id = made.json["id"].as_str().unwrap().to_owned();
    assert_eq!(made.json["key_prefix"], key[..8]);
    assert_eq!(
        (&made.json["plan"], &made.json["is_active"], &made.json["created_at"]),
        (&json!("pro"), &json!(true), &json!("2026-11-23T10:00:20Z"))
    );
    assert_eq!(health(&host, &key).await.status, 200);
    assert!(!host.stored().contains(&key), "only its hash is stored");

    let path = format!("/api/v1/api-keys/{id}");
    for answer in [
        ask(&host, "acme", Method::GET, "/api/v1/api-keys", None).await,
        ask(&host, "acme", Method::GET, &path, None).await,
    ] {
        assert_eq!(answer.status, 200);
        assert!(answer.text.contains("nightly import") && answer.text.contains(&id), "{}", answer.text);
        assert!(!answer.text.contains(&key) && !answer.text.contains("sha256"), "shown once");
    }
    assert_eq!(ask(&host, "globex", Method::GET, &path, None).await.status, 404, "of another workspace");
    assert_eq!(ask(&host, "globex", Method::DELETE, &path, None).await.status, 404);

    for _ in 0..2 {
        let revoked = ask(&host, "acme", Method::DELETE, &path, None).await;
        assert_eq!((revoked.status.as_u16(), &revoked.json["is_active"]), (200, &json!(false)));
    }
    assert_eq!(health(&host, &key).await.status, 401);
    let list = ask(&host, "acme", Method::GET, "/api/v1/api-keys", None).await;
    assert_eq!((&list.json["total"], &list.json["api_keys"][0]["is_active"]), (&json!(1), &json!(false)));
    assert_eq!(list.json["api_keys"][0]["revoked_at"], "2026-11-23T10:00:20Z");
}

/// A host that has seen the key before must not trust what it saw.
#[tokio::test]
async fn a_store_that_fails_during_a_revocation_leaves_no_revoked_key_in_use() {
    let mut refused = 0;
    for sets in 0.. {
        let here = host();
        let made = create(&here, json!({})).await;
        let (key, id) = (made.json["key"].as_str().unwrap(), made.json["id"].as_str().unwrap());
        assert_eq!(health(&here, key).await.status, 200);
        let there = here.beside(&[Label::Config]);
        there.variables.borrow_mut().insert("user_token_key", SECRET.to_owned());
        there.sets_left.set(Some(sets));
        let revoked = ask(&there, "acme", Method::DELETE, &format!("/api/v1/api-keys/{id}"), None).await;
        let fresh = here.beside(&[Label::Config]);
        assert_eq!(health(&here, key).await.status, health(&fresh, key).await.status, "after {sets} values");
        match revoked.status.as_u16() {
            503 => refused += 1,
            200 => {
                assert_eq!(health(&here, key).await.status, 401);
                break;
            }
            other => panic!("{other}: {}", revoked.text),
        }
    }
    assert!(refused > 2, "the store did not fail");
}

#[tokio::test]
async fn a_key_has_what_was_asked_for() {
    let host = host();
    let body = json!({
        "plan": "free",
        "limits": { "requests_per_minute": 2, "concurrent_requests": 1, "requests_per_month": 9 },
        "expires_at": "2026-11-23T11:00:30+01:00",
    });
    let made = create(&host, body.clone()).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert_eq!((&made.json["plan"], &made.json["limits"]), (&json!("free"), &body["limits"]));
    assert_eq!(made.json["expires_at"], "2026-11-23T10:00:30Z");
    let key = made.json["key"].as_str().unwrap();
    for want in [200, 200, 429] {
        let answer = health(&host, key).await;
        assert_eq!((answer.status.as_u16(), answer.header("x-ratelimit-limit")), (want, "2"));
    }
    host.now_ms.set(NOW_MS + 10_000);
    assert_eq!(health(&host, key).await.status, 401, "expired");
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let host = host();
    for (body, status, field) in [
        (json!({ "plan": "gold" }), 400, "plan"),
        (json!({ "name": 7 }), 400, "name"),
        (json!({ "name": "x".repeat(201) }), 400, "name"),
        (json!({ "limits": { "requests_per_minute": 0 } }), 400, "limits"),
        (json!({ "limits": { "requests_per_minute": -1 } }), 400, "limits"),
        (json!({ "limits": { "requests_per_hour": 1 } }), 400, "limits"),
        (json!({ "expires_at": "tomorrow" }), 400, "expires_at"),
        (json!({ "expires_at": "2026-11-23T10:00:20Z" }), 400, "expires_at"),
        (json!({ "expires_at": 1 }), 400, "expires_at"),
    ] {
        let answer = create(&host, body.clone()).await;
        assert_eq!(answer.status, status, "{body}: {}", answer.text);
        assert_eq!(answer.json["error"]["details"]["field"], field, "{body}");
    }
    let answer = create(&host, json!({ "plan": "enterprise" })).await;
    assert_eq!((answer.status.as_u16(), &answer.json["type"]), (403, &json!("permission_denied")));
    let list = ask(&host, "acme", Method::GET, "/api/v1/api-keys", None).await;
    assert_eq!(list.json["total"], 0, "nothing was made");
    let nothing = ask(&host, "acme", Method::PUT, "/api/v1/api-keys", None).await;
    assert_eq!((nothing.status.as_u16(), nothing.header("allow")), (405, "GET, HEAD, POST"));
}

#[tokio::test]
async fn keys_made_at_the_same_time_are_all_there() {
    let host = host();
    let made = futures_util::future::join_all((0..40).map(|_| create(&host, json!({})))).await;
    assert!(made.iter().all(|answer| answer.status == 201));
    let list = ask(&host, "acme", Method::GET, "/api/v1/api-keys", None).await;
    assert_eq!(list.json["total"], 40);
}

#[tokio::test]
async fn one_that_died_with_the_lock_holds_it_for_a_while_only() {
    let host = host();
    let dead = async {
        let creating = create(&host, json!({}));
        tokio::pin!(creating);
        // dropped in the middle of its work
        for _ in 0..8 {
            let _ = futures_util::poll!(&mut creating);
            tokio::task::yield_now().await;
        }
    };
    dead.await;
    let made = create(&host, json!({})).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert!(host.now_ms.get() - NOW_MS <= 12_000, "after two slots at most");
}
