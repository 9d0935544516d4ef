//! The whole service as a team runs it: two hosts on one Redis, and what breaks under it.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};
use tempfile::tempdir;
use textveil_service::{
    auth::user_token::{Claims, Role, issue},
    credentials::Plan,
};
use textveil_tests::http_client::Connection;
use textveil_tests::service::{Options, Service};

use crate::redis::Redis;

/// A secret that both hosts check user tokens with.
const USER_TOKEN_KEY: &str = "user_token_key=one secret of the identity provider, for both hosts";

/// Options of hosts whose stores are all in this Redis.
fn on(redis: &Redis, folder: &Path) -> Options {
    let file = folder.join("runtime-config.toml");
    let url = redis.url();
    let store = |label: &str| format!("[key_value_store.{label}]\ntype = \"redis\"\nurl = \"{url}\"\n");
    std::fs::write(&file, store("config") + &store("usage")).unwrap();
    Options { runtime_config_file: Some(file), variables: vec![USER_TOKEN_KEY.to_owned()] }
}

async fn ask(address: SocketAddr, method: Method, path: &str, key: &str, body: Value) -> (u16, Value) {
    let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
    let mut connection = Connection::open(address).await.unwrap();
    let (status, body) = connection.send(method, path, Some(key), body).await.unwrap();
    (status.as_u16(), serde_json::from_slice(&body).unwrap_or(Value::Null))
}

async fn post(service: &Service, path: &str, key: &str, body: Value) -> (u16, Value) {
    ask(service.address(), Method::POST, path, key, body).await
}

async fn get(service: &Service, path: &str, key: &str) -> (u16, Value) {
    ask(service.address(), Method::GET, path, key, Value::Null).await
}

/// A user's token, signed with the secret of both hosts.
fn user_token() -> String {
    let claims =
        Claims { plan: Some(Plan::Pro), role: Some(Role::Admin), ..Claims::new("u", "team", 4_102_444_800) };
    let (_, secret) = USER_TOKEN_KEY.split_once('=').unwrap();
    issue(secret, &claims).unwrap()
}

/// Asks 200 times at once, half of it on each host, and counts the requests that the rate limit lets pass, and the others.
///
/// On a busy machine a request that passed may wait in vain for one of ten permits.
async fn parallel(hosts: &[&Service], key: &str) -> (usize, usize) {
    let requests = (0..200).map(|index| {
        let (address, key) = (hosts[index % hosts.len()].address(), key.to_owned());
        tokio::spawn(async move {
            let text = json!({ "text": "nothing" });
            let (status, answer) = ask(address, Method::POST, "/api/v1/detect", &key, text).await;
            let message = answer["error"]["message"].as_str().unwrap_or_default();
            if status == 429 && message.contains("in flight") { 200 } else { status }
        })
    });
    let (mut passed, mut limited) = (0, 0);
    for request in requests.collect::<Vec<_>>() {
        match request.await.unwrap() {
            200 => passed += 1,
            429 => limited += 1,
            other => panic!("status {other}"),
        }
    }
    (passed, limited)
}

/// Waits for the first seconds of a minute, so that a test ends in the rate window it began in.
async fn early_in_a_minute() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() % 60;
    if now > 40 {
        tokio::time::sleep(Duration::from_secs(61 - now)).await;
    }
}

#[tokio::test]
async fn of_200_parallel_requests_exactly_60_pass() {
    let service = Service::start().unwrap();
    let key = service.credential("TEXTVEIL_API_KEY").unwrap();
    early_in_a_minute().await;
    assert_eq!(parallel(&[&service], &key).await, (60, 140));
}

#[tokio::test]
#[ignore = "needs Redis; `cargo xtask test` has one"]
async fn with_redis_two_hosts_are_one_service() {
    let (redis, folder) = (Redis::start(), tempdir().unwrap());
    let options = on(&redis, folder.path());
    let (one, other) = (Service::start_with(&options).unwrap(), Service::start_with(&options).unwrap());

    // a key made on one works on the other at once, and so does its end
    let scopes = ["detect", "protect", "restore", "settings.read", "settings.write"];
    let new = json!({ "name": "shared", "scopes": scopes });
    let (status, made) = post(&one, "/api/v1/api-keys", &user_token(), new).await;
    assert_eq!(status, 201, "{made}");
    let key = made["key"].as_str().unwrap();
    assert_eq!(get(&other, "/api/v1/health", key).await.0, 200);

    // settings and tokens are the workspace's, wherever it asks
    let detector = json!({ "name": "order_number", "pattern": "ORD-[0-9]{6}", "confidence": 0.9 });
    assert_eq!(post(&other, "/api/v1/custom-detectors", key, detector).await.0, 201);
    let text = json!({ "text": "ORD-123456, PESEL 44051401359", "mode": "tokenize" });
    let (_, protected) = post(&one, "/api/v1/protect", key, text).await;
    let protected = protected["protected_text"].as_str().unwrap().to_owned();
    assert!(
        protected.starts_with("tok_xx_order_number_") && protected.contains("tok_pl_pesel_"),
        "{protected}"
    );
    let (_, restored) = post(&other, "/api/v1/restore", key, json!({ "text": protected })).await;
    assert_eq!(restored["text"], "ORD-123456, PESEL 44051401359");

    let path = format!("/api/v1/api-keys/{}", made["id"].as_str().unwrap());
    let (status, _) = ask(other.address(), Method::DELETE, &path, &user_token(), Value::Null).await;
    assert_eq!(status, 200);
    assert_eq!(get(&one, "/api/v1/health", key).await.0, 401);

    // a limit is one limit
    let (_, made) = post(&one, "/api/v1/api-keys", &user_token(), json!({})).await;
    early_in_a_minute().await;
    assert_eq!(parallel(&[&one, &other], made["key"].as_str().unwrap()).await, (60, 140));
}

#[tokio::test]
#[ignore = "needs Redis; `cargo xtask test` has one"]
async fn with_redis_stopped_it_says_so_and_recovers_by_itself() {
    let (mut redis, folder) = (Redis::start(), tempdir().unwrap());
    let service = Service::start_with(&on(&redis, folder.path())).unwrap();
    let key = service.api_key().to_owned();
    assert_eq!(get(&service, "/api/v1/health", &key).await.0, 200);

    redis.stop();
    let (status, answer) = get(&service, "/api/v1/health", &key).await;
    assert_eq!((status, &answer["type"]), (503, &json!("service_unavailable")));
    assert_eq!(get(&service, "/readyz", &key).await.0, 503);
    assert_eq!(get(&service, "/healthz", &key).await.0, 200);

    redis.resume();
    for attempt in 0.. {
        if get(&service, "/readyz", &key).await.0 == 200 {
            break;
        }
        assert!(attempt < 100, "it did not recover");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(get(&service, "/api/v1/health", &key).await.0, 200);
}

#[tokio::test]
async fn no_acknowledged_key_is_lost_when_the_host_is_killed_under_load() {
    let options = Options { variables: vec![USER_TOKEN_KEY.to_owned()], ..Options::default() };
    let mut service = Service::start_with(&options).unwrap();
    let address = service.address();
    let (acknowledged, mut made) = tokio::sync::mpsc::unbounded_channel();
    let clients: Vec<_> = (0..4)
        .map(|_| {
            let acknowledged = acknowledged.clone();
            tokio::spawn(async move {
                let mut connection = Connection::open(address).await.unwrap();
                let token = user_token();
                // until the connection breaks
                loop {
                    let body = Bytes::from_static(b"{}");
                    let sent = connection.send(Method::POST, "/api/v1/api-keys", Some(&token), body).await;
                    let Ok((status, body)) = sent else { return };
                    assert_eq!(status, 201, "{}", String::from_utf8_lossy(&body));
                    let record: Value = serde_json::from_slice(&body).unwrap();
                    acknowledged.send(record).unwrap();
                }
            })
        })
        .collect();
    let mut keys = Vec::new();
    for _ in 0..20 {
        keys.push(made.recv().await.unwrap());
    }
    service.kill_and_restart(&options).unwrap();
    for client in clients {
        client.await.unwrap();
    }
    while let Ok(record) = made.try_recv() {
        keys.push(record);
    }
    let (_, list) = get(&service, "/api/v1/api-keys", &user_token()).await;
    let listed = list["api_keys"].as_array().unwrap();
    for record in &keys {
        assert!(listed.iter().any(|known| known["id"] == record["id"]), "a key is not in the list");
        assert_eq!(get(&service, "/api/v1/health", record["key"].as_str().unwrap()).await.0, 200);
    }
    // and the lock that the dead one may have held does not last
    assert_eq!(post(&service, "/api/v1/api-keys", &user_token(), json!({})).await.0, 201);
}
