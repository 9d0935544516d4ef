//! Failing providers are skipped for a while, so that requests do not wait for them.

use std::rc::Rc;

use bytes::Bytes;
use http::Request;
use serde_json::json;
use textveil_service::{Label, upstream::Failure};

use crate::{
    gateway::{
        CHAT, answer_with, ask, assert_places_are_free, chat, chat_with, configure, deadlines, echo, echoing,
        fails, id_of, logged, metric, refuses, script, whole, with,
    },
    gateway_failover::with_fallback,
    host::{MakeReply, Memory, NOW_MS, Reply, SERVICE_TOKEN},
};

/// Whether the metrics show the provider as skipped; `None` if they do not contain it.
async fn is_open(host: &Memory) -> Option<bool> {
    let name =
        format!("textveil_gateway_breaker_open{{provider=\"{}\"}}", id_of(host, "openai_compatible").await);
    metric(host, &name).await.map(|value| value == 1)
}

/// Sends one request, and returns whether the provider received it.
async fn reaches(host: &Memory) -> bool {
    host.sent.borrow_mut().clear();
    chat(host, CHAT, &ask("hi")).await;
    !host.sent.borrow().is_empty()
}

/// The time in which an open breaker admits nothing.
const PAUSE_MS: u64 = 30_000;

#[tokio::test]
async fn who_keeps_failing_is_passed_over_until_a_probe_succeeds() {
    let host = echoing().await;
    script(&host, refuses(401));
    for failures in 0..5 {
        assert_eq!(is_open(&host).await, None, "{failures} failures");
        assert!(reaches(&host).await, "{failures} failures");
    }
    for now_ms in [NOW_MS, NOW_MS + PAUSE_MS - 1] {
        host.now_ms.set(now_ms);
        assert_eq!(is_open(&host).await, Some(true));
        host.sent.borrow_mut().clear();
        let answer = chat(&host, CHAT, &ask("hi")).await;
        assert_eq!((answer.status.as_u16(), &answer.json["error"]["code"]), (503, &json!("no_provider")));
        assert_eq!(answer.header("x-should-retry"), "false");
        assert_eq!(logged(&host)["error"], "no_provider");
        assert!(host.sent.borrow().is_empty());
    }
    assert_places_are_free(&host, "of those who were turned away");

    // then one request is sent; if it fails, too, the next one is half a minute later
    host.now_ms.set(NOW_MS + PAUSE_MS);
    assert_eq!(is_open(&host).await, Some(false));
    assert!(reaches(&host).await);
    assert_eq!((is_open(&host).await, reaches(&host).await), (Some(true), false));
    host.now_ms.set(NOW_MS + 2 * PAUSE_MS);

    // a success closes the breaker, and the threshold of failures opens it again
    answer_with(&host, echo);
    assert_eq!(chat(&host, CHAT, &ask("hi")).await.status, 200);
    script(&host, refuses(401));
    for failures in 0..5 {
        assert_eq!(is_open(&host).await, Some(false), "{failures} failures");
        assert!(reaches(&host).await, "{failures} failures");
    }
    assert_eq!((is_open(&host).await, reaches(&host).await), (Some(true), false));
}

/// A failing provider gets one request, and not those of all clients that wait for it.
#[tokio::test]
async fn one_request_is_the_probe() {
    let host = echoing().await;
    script(&host, refuses(503));
    for _ in 0..2 {
        chat(&host, CHAT, &ask("hi")).await;
    }
    host.sent.borrow_mut().clear();
    host.now_ms.set(host.now_ms.get() + PAUSE_MS);
    answer_with(&host, |request| Reply { wait_ms: 1_000, ..echo(request) });
    let body = ask("hi");
    let (one, other, third) =
        tokio::join!(chat(&host, CHAT, &body), chat(&host, CHAT, &body), chat(&host, CHAT, &body));
    let mut statuses = [&one, &other, &third].map(|answer| answer.status.as_u16());
    statuses.sort_unstable();
    assert_eq!((statuses, host.sent.borrow().len()), ([200, 503, 503], 1));
    assert_eq!(chat(&host, CHAT, &body).await.status, 200);

    // a probe is not repeated
    script(&host, refuses(503));
    for _ in 0..2 {
        chat(&host, CHAT, &body).await;
    }
    host.sent.borrow_mut().clear();
    host.now_ms.set(host.now_ms.get() + PAUSE_MS);
    assert_eq!(chat(&host, CHAT, &body).await.status, 502);
    assert_eq!(host.sent.borrow().len(), 1);

    // a request that is not sent is not the probe
    host.sent.borrow_mut().clear();
    host.now_ms.set(host.now_ms.get() + PAUSE_MS);
    let dry = with(ask("hi"), &json!({ "privacy": { "dry_run": true } }));
    assert_eq!(chat(&host, CHAT, &dry).await.status, 200);
    assert_eq!(chat(&host, CHAT, &json!({ "messages": [] })).await.status, 400);
    answer_with(&host, echo);
    assert_eq!((chat(&host, CHAT, &body).await.status.as_u16(), host.sent.borrow().len()), (200, 1));
}

#[tokio::test]
async fn who_fails_less_often_than_not_is_asked_on() {
    for (successes, failures) in [(0, 5), (5, 5), (6, 6), (9, 9)] {
        let host = echoing().await;
        for _ in 0..successes {
            assert_eq!(chat(&host, CHAT, &ask("hi")).await.status, 200);
        }
        script(&host, refuses(401));
        for failure in 0..failures {
            assert!(reaches(&host).await, "{failure} failures of {}", successes + failure);
        }
        assert!(!reaches(&host).await, "{failures} failures of {}", successes + failures);
    }
}

/// One workspace with a bad key of its own must not take a shared provider from all others.
#[tokio::test]
async fn a_callers_credential_says_nothing_about_the_provider() {
    let own = |key: &str| {
        [("x-service-token", SERVICE_TOKEN.to_owned()), ("authorization", format!("Bearer {key}"))]
    };
    let routes = json!({
        "primary": { "provider": "openai_compatible", "model": "m" },
        "own": { "provider": "openai_compatible", "model": "m", "credential": "caller" },
    });
    for (status, is_callers) in [(401, true), (403, true), (402, true), (429, true), (503, false)] {
        let host = echoing().await;
        configure(&host, json!({ "providers": routes })).await;
        answer_with(&host, move |request| {
            let is_bad = request.headers()["authorization"] == "Bearer sk-bad";
            if is_bad { whole(status, &json!({ "error": { "message": "no" } })) } else { echo(request) }
        });
        let body = with(ask("hi"), &json!({ "model": "own" }));
        for _ in 0..6 {
            let answer = chat_with(&host, CHAT, &body, &own("sk-bad")).await;
            assert!(!answer.text.contains("operator"), "{}", answer.text);
        }
        let answer = chat(&host, CHAT, &ask("hi")).await;
        assert_eq!(answer.status, 200, "{status}: {}", answer.text);
        // nor do rejections of one caller's credential take it from other callers
        let answer = chat_with(&host, CHAT, &body, &own("sk-good")).await;
        assert_eq!(answer.status, if is_callers { 200 } else { 503 }, "{status}: {}", answer.text);
    }
}

#[tokio::test]
async fn what_is_the_callers_fault_is_no_failure_of_the_provider() {
    let silent = |request: &Request<Bytes>| Reply { wait_ms: 1_001, ..echo(request) };
    let cases: [(&str, MakeReply, bool); 11] = [
        ("400", refuses(400), false),
        ("402", refuses(402), false),
        ("429", refuses(429), false),
        ("404", refuses(404), false),
        ("413", refuses(413), false),
        ("422", refuses(422), false),
        ("403", refuses(403), true),
        ("302", refuses(302), true),
        ("503", refuses(503), true),
        ("no connection", fails(Failure::Unreachable), true),
        ("silence", Rc::new(silent), true),
    ];
    for (what, reply, is_failure) in cases {
        let host = echoing().await;
        deadlines(&host, "first_byte=1");
        script(&host, reply);
        for _ in 0..5 {
            chat(&host, CHAT, &ask("hi")).await;
        }
        assert_eq!(reaches(&host).await, !is_failure, "{what}");
    }
}

#[tokio::test]
async fn whoever_shares_the_counters_passes_it_over() {
    let host = echoing().await;
    script(&host, refuses(401));
    for _ in 0..5 {
        assert!(reaches(&host).await);
    }
    assert!(!reaches(&host.beside(&[Label::Config, Label::Usage])).await);
    assert!(reaches(&host.beside(&[Label::Config])).await, "its counters are its own");
}

#[tokio::test]
async fn where_all_keep_failing_none_is_asked() {
    let host = with_fallback(|_| whole(401, &json!({}))).await;
    script(&host, refuses(401));
    for _ in 0..5 {
        assert_eq!(chat(&host, CHAT, &ask("hi")).await.status, 502);
    }
    assert_eq!(host.sent.borrow().len(), 10);
    let answer = chat(&host, CHAT, &ask("hi")).await;
    assert_eq!((answer.status.as_u16(), &answer.json["error"]["code"]), (503, &json!("no_provider")));
    assert_eq!(host.sent.borrow().len(), 10);
    host.now_ms.set(NOW_MS + PAUSE_MS);
    chat(&host, CHAT, &ask("hi")).await;
    assert_eq!(host.sent.borrow().len(), 12, "both are tried again");
}
