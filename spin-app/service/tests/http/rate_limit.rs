//! The rate window.

use std::rc::Rc;

use serde_json::json;
use textveil_service::credentials::{ApiKeyRecord, KeyLimits, Plan};
use tokio::task::LocalSet;

use crate::host::{Answer, Memory, NOW_MS, key, post};

const DETECT: &str = "/api/v1/detect";
const WINDOW_END: u64 = (NOW_MS / 60_000 + 1) * 60;

async fn detect(host: &Memory, key_name: &str) -> Answer {
    host.post(key_name, DETECT, &json!({ "text": "nothing" })).await
}

#[tokio::test(flavor = "current_thread")]
async fn of_200_requests_at_once_exactly_60_pass() {
    let host = Rc::new(Memory::default());
    let tasks = LocalSet::new();
    let requests: Vec<_> = (0..200)
        .map(|_| {
            let host = Rc::clone(&host);
            tasks.spawn_local(async move { detect(&host, "pro").await })
        })
        .collect();
    tasks.await;

    let mut remaining = Vec::new();
    let mut refused = 0;
    for request in requests {
        let answer = request.await.unwrap();
        match answer.status.as_u16() {
            200 => remaining.push(answer.header("x-ratelimit-remaining").parse::<u32>().unwrap()),
            429 => refused += 1,
            status => panic!("status {status}"),
        }
    }
    remaining.sort_unstable();
    assert_eq!(remaining, (0..60).collect::<Vec<_>>(), "each that passes leaves one less");
    assert_eq!(refused, 140);
}

#[tokio::test]
async fn the_answer_says_how_the_key_stands_and_how_long_to_wait() {
    let host = Memory::default();
    let first = detect(&host, "pro").await;
    assert_eq!(first.header("x-ratelimit-limit"), "60");
    assert_eq!(first.header("x-ratelimit-remaining"), "59");
    assert_eq!(first.header("x-ratelimit-reset"), WINDOW_END.to_string());
    assert_eq!(first.header("retry-after"), "");

    for _ in 1..60 {
        assert_eq!(detect(&host, "pro").await.status, 200);
    }
    let refused = detect(&host, "pro").await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("x-ratelimit-limit"), "60");
    assert_eq!(refused.header("x-ratelimit-remaining"), "0");
    assert_eq!(refused.header("x-ratelimit-reset"), WINDOW_END.to_string());
    // 39.75 seconds are left; who waits 39 would come too early
    assert_eq!(refused.header("retry-after"), "40");
    assert_eq!(refused.json["error"]["code"], "rate_limit_exceeded");
    assert!(refused.json["detail"].as_str().unwrap().contains("retry in 40 seconds"), "{}", refused.text);
    assert_eq!(refused.json["error"].get("details"), None);

    host.now_ms.set(WINDOW_END * 1_000 - 1);
    assert_eq!(detect(&host, "pro").await.header("retry-after"), "1");
    host.now_ms.set(WINDOW_END * 1_000);
    let again = detect(&host, "pro").await;
    assert_eq!((again.status.as_u16(), again.header("x-ratelimit-remaining")), (200, "59"));
}

#[tokio::test]
async fn each_key_has_a_window_of_its_own() {
    let host = Memory::default();
    for _ in 0..61 {
        detect(&host, "pro").await;
    }
    assert_eq!(detect(&host, "pro").await.status, 429);
    assert_eq!(detect(&host, "free").await.status, 200);
}

#[tokio::test]
async fn a_key_may_have_a_limit_of_its_own() {
    let host = Memory::default();
    for (requests_per_minute, passing) in [(Some(2), 2), (Some(0), 0), (Some(61), 61), (None, 60)] {
        let record = ApiKeyRecord {
            limits: KeyLimits { requests_per_minute, ..KeyLimits::default() },
            ..ApiKeyRecord::new(&key("pro"), "acme", Plan::Pro)
        };
        host.put(&key("pro"), &record);
        host.now_ms.set(host.now_ms.get() + 60_000);
        for _ in 0..passing {
            assert_eq!(detect(&host, "pro").await.status, 200);
        }
        let refused = detect(&host, "pro").await;
        assert_eq!(refused.status, 429);
        assert_eq!(refused.header("x-ratelimit-limit"), requests_per_minute.unwrap_or(60).to_string());
    }
}

#[tokio::test]
async fn a_batch_counts_as_one_request() {
    let host = Memory::default();
    let body = json!({ "texts": vec!["nothing"; 50] });
    let answer = host.post("pro", "/api/v1/detect/batch", &body).await;
    assert_eq!((answer.status.as_u16(), answer.header("x-ratelimit-remaining")), (200, "59"));
}

#[tokio::test]
async fn every_answer_to_a_key_counts_and_no_other() {
    let host = Memory::default();
    let left = async |request| host.send(request).await.header("x-ratelimit-remaining").to_owned();
    assert_eq!(left(post("pro", DETECT, "{")).await, "59", "a wrong request");
    assert_eq!(left(post("unknown", DETECT, "{}")).await, "", "a wrong key");
    assert_eq!(left(post("pro", "/api/v1/nowhere", "{}")).await, "", "a wrong path");
    assert_eq!(left(post("pro", "/api/v1/health", "{}")).await, "", "a wrong method");
    assert_eq!(left(post("pro", DETECT, "{}")).await, "58");
}

#[tokio::test]
async fn refused_requests_do_no_work() {
    let host = Memory::default();
    for _ in 0..60 {
        detect(&host, "pro").await;
    }
    // rejected before the body is read
    assert_eq!(host.send(post("pro", DETECT, "{")).await.status, 429);
}

fn windows(host: &Memory) -> Vec<(String, i64)> {
    host.counters().into_iter().filter(|(key, _)| key.starts_with("rate:")).collect()
}

#[tokio::test]
async fn counters_of_the_past_are_deleted() {
    let host = Memory::default();
    for minutes in [0, 1, 2, 3, 10, 11, 5_000, 5_001, 5_002] {
        host.now_ms.set(NOW_MS + minutes * 60_000);
        detect(&host, "pro").await;
        detect(&host, "free").await;
        let counters = windows(&host);
        assert!(counters.len() <= 4, "two windows a key at most: {counters:?}");
    }
    let current = (NOW_MS / 60_000 + 5_002).to_string();
    let counters = windows(&host);
    assert_eq!(counters.iter().filter(|(key, count)| key.ends_with(&current) && *count == 1).count(), 2);
}

#[tokio::test]
async fn a_clock_that_lags_behind_counts_in_the_window_before() {
    let host = Memory::default();
    for _ in 0..60 {
        detect(&host, "pro").await;
    }
    host.now_ms.set(NOW_MS + 60_000);
    assert_eq!(detect(&host, "pro").await.status, 200);
    host.now_ms.set(NOW_MS);
    assert_eq!(detect(&host, "pro").await.status, 429, "the window before was forgotten");
}
