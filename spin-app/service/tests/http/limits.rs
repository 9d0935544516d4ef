//! Limits beside the rate window: requests in flight, and the monthly quota.

use std::{cell::Cell, convert::Infallible};

use bytes::Bytes;
use futures_util::{future::join_all, stream};
use http::Request;
use http_body::Frame;
use http_body_util::{Full, StreamBody};
use serde_json::json;
use textveil_service::credentials::{ApiKeyRecord, KeyLimits, Plan};

use crate::host::{Answer, Memory, NOW_MS, SERVICE_TOKEN, key};

async fn detect(host: &Memory, key_name: &str) -> Answer {
    host.post(key_name, "/api/v1/detect", &json!({ "text": "nothing" })).await
}

fn limited(host: &Memory, limits: KeyLimits) {
    let record = ApiKeyRecord { limits, ..ApiKeyRecord::new(&key("pro"), "acme", Plan::Pro) };
    host.put(&key("pro"), &record);
}

/// The number of requests in flight, and its maximum.
#[derive(Default)]
struct Gauge {
    now: Cell<u32>,
    most: Cell<u32>,
}

/// Sends a request whose body arrives slowly and is in flight while it is read.
async fn slow_detect(host: &Memory, gauge: &Gauge, pauses: usize) -> u16 {
    let body = StreamBody::new(stream::once(Box::pin(async move {
        gauge.now.set(gauge.now.get() + 1);
        gauge.most.set(gauge.most.get().max(gauge.now.get()));
        for _ in 0..pauses {
            tokio::task::yield_now().await;
        }
        gauge.now.set(gauge.now.get() - 1);
        Ok::<_, Infallible>(Frame::data(Bytes::from_static(b"{\"text\":\"nothing\"}")))
    })));
    let request = Request::post("/api/v1/detect").header("x-api-key", key("pro")).body(body).unwrap();
    host.answer(request).await.status().as_u16()
}

#[tokio::test]
async fn of_200_parallel_requests_exactly_60_pass_ten_at_a_time() {
    let (host, gauge) = (Memory::default(), Gauge::default());
    let statuses = join_all((0..200).map(|_| slow_detect(&host, &gauge, 3))).await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 60);
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 140);
    assert_eq!(gauge.most.get(), 10);
}

#[tokio::test]
async fn places_are_given_back() {
    let host = Memory::default();
    limited(&host, KeyLimits { concurrent_requests: Some(1), ..KeyLimits::default() });
    for _ in 0..5 {
        assert_eq!(detect(&host, "pro").await.status, 200);
    }
    assert!(host.counters().iter().all(|(key, count)| !key.starts_with("in-flight:") || *count == 0));
}

/// A host whose key has one place, which a request died with.
async fn with_a_lost_place() -> Memory {
    let (host, gauge) = (Memory::default(), Gauge::default());
    limited(&host, KeyLimits { concurrent_requests: Some(1), ..KeyLimits::default() });
    {
        let lost = slow_detect(&host, &gauge, usize::MAX);
        tokio::pin!(lost);
        while gauge.now.get() == 0 {
            let _ = futures_util::poll!(&mut lost);
        }
        // and is dropped in its place
    }
    host
}

#[tokio::test]
async fn a_lost_place_is_missed_at_first() {
    let host = with_a_lost_place().await;
    let answer = detect(&host, "pro").await;
    assert_eq!((answer.status.as_u16(), &answer.json["type"]), (429, &json!("rate_limit_exceeded")));
    assert_eq!(answer.header("retry-after"), "1");
    assert!(!answer.header("x-ratelimit-remaining").is_empty());
}

/// Spin's `SQLite` syncs the disk for each write.
#[tokio::test]
async fn on_a_slow_store_the_wait_for_a_place_ends_by_the_clock() {
    let host = with_a_lost_place().await;
    host.increment_ms.set(200);
    let began = host.now_ms.get();
    assert_eq!(detect(&host, "pro").await.status, 429);
    let waited = host.now_ms.get() - began;
    // the patience of two seconds, and the increments of the request beside it
    assert!((2_000..4_500).contains(&waited), "{waited} ms");
}

#[tokio::test]
async fn a_lost_place_is_free_after_a_minute_whoever_asked_meanwhile() {
    for seconds in [61, 121, 241, 601] {
        let host = with_a_lost_place().await;
        host.now_ms.set(NOW_MS + seconds * 1_000);
        assert_eq!(detect(&host, "pro").await.status, 200, "{seconds} seconds later");
    }
}

#[tokio::test]
async fn counters_of_minutes_past_are_deleted() {
    let host = Memory::default();
    for minute in 0..5 {
        host.now_ms.set(NOW_MS + minute * 60_000);
        assert_eq!(detect(&host, "pro").await.status, 200);
    }
    let kept = host.counters().into_iter().map(|(key, _)| key);
    let of_limits: Vec<_> =
        kept.filter(|key| key.starts_with("rate:") || key.starts_with("in-flight:")).collect();
    // of this minute and the last one: the window, the half minute, and the one before, which was read
    assert_eq!(of_limits.len(), 5, "{of_limits:?}");
}

#[tokio::test]
async fn a_quota_is_the_workspaces_by_its_plan_and_month() {
    let host = Memory::default();
    host.variables.borrow_mut().insert("monthly_quotas", "free=1,pro=3".to_owned());
    for want in [200, 403, 403] {
        let answer = detect(&host, "free").await;
        assert_eq!(answer.status, want, "{}", answer.text);
        if want == 403 {
            assert_eq!(answer.json["type"], "quota_exceeded");
            assert!(answer.json["detail"].as_str().unwrap().contains("quota of 1 "), "{}", answer.text);
        }
    }
    // two keys of one workspace share it, and a batch counts once
    assert_eq!(detect(&host, "pro").await.status, 200);
    let batch = json!({ "texts": ["a", "b", "c", "d"] });
    assert_eq!(host.post("pro", "/api/v1/detect/batch", &batch).await.status, 200);
    assert_eq!(detect(&host, "expiring").await.status, 200);
    assert_eq!(detect(&host, "expiring").await.status, 403);
    for _ in 0..5 {
        assert_eq!(detect(&host, "enterprise").await.status, 200, "a plan without a quota has no limit");
    }
    host.now_ms.set(NOW_MS + 8 * 86_400_000);
    assert_eq!(detect(&host, "pro").await.status, 200, "a new month");
    for months in 1..8 {
        host.now_ms.set(NOW_MS + (8 + months * 30) * 86_400_000);
        detect(&host, "pro").await;
        let kept = host.counters().iter().filter(|(key, _)| key.starts_with("quota:acme:")).count();
        assert!(kept <= 2, "months long past are forgotten");
    }
}

#[tokio::test]
async fn a_key_may_have_a_quota_of_its_own() {
    let host = Memory::default();
    host.variables.borrow_mut().insert("monthly_quotas", "pro=1".to_owned());
    limited(&host, KeyLimits { requests_per_month: Some(2), ..KeyLimits::default() });
    for want in [200, 200, 403] {
        assert_eq!(detect(&host, "pro").await.status, want);
    }
}

#[tokio::test]
async fn what_the_rate_limit_refuses_costs_no_quota() {
    let host = Memory::default();
    host.variables.borrow_mut().insert("monthly_quotas", "pro=61".to_owned());
    for _ in 0..70 {
        detect(&host, "pro").await;
    }
    host.now_ms.set(NOW_MS + 60_000);
    assert_eq!(detect(&host, "pro").await.status, 200);
    assert_eq!(detect(&host, "pro").await.status, 403);
}

#[tokio::test]
async fn metrics_count_what_was_done() {
    let host = Memory::default();
    host.post("pro", "/api/v1/detect", &json!({ "text": "a@example.com and b@example.com" })).await;
    host.post("pro", "/api/v1/detect", &json!({ "text": "" })).await;
    host.post("unknown", "/api/v1/detect", &json!({ "text": "x" })).await;
    let request = Request::get("/metrics").header("x-service-token", SERVICE_TOKEN);
    let request = request.body(Full::<Bytes>::default()).unwrap();
    let answer = host.answer(request).await;
    assert_eq!(answer.headers()["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    let text = String::from_utf8(answer.into_body().to_vec()).unwrap();
    for line in [
        "textveil_requests_total{route=\"/api/v1/detect\",status=\"200\"} 1",
        "textveil_requests_total{route=\"/api/v1/detect\",status=\"400\"} 1",
        "textveil_requests_total{route=\"/api/v1/detect\",status=\"401\"} 1",
        "textveil_request_duration_seconds_count{route=\"/api/v1/detect\"} 3",
        "textveil_request_duration_seconds_bucket{route=\"/api/v1/detect\",le=\"+Inf\"} 3",
        "textveil_entities_total{type=\"email\"} 2",
        "# TYPE textveil_request_duration_seconds histogram",
    ] {
        assert!(text.lines().any(|known| known == line), "{line} is not in\n{text}");
    }
    assert!(!text.contains("acme"), "no workspace");
}
