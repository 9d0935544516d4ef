//! Failing providers are skipped for a while, so that requests do not wait for them.

use std::rc::Rc;

use bytes::Bytes;
use http::Request;
use serde_json::json;
use textveil_service::{Label, upstream::Failure};

use crate::{
    gateway::{
        CHAT, answer_with, ask, assert_places_are_free, chat, deadlines, echo, echoing, fails, id_of, logged,
        metric, refuses, script, whole,
    },
    gateway_failover::with_fallback,
    host::{MakeReply, Memory, NOW_MS, Reply},
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

/// When the half minute ends in which all tests begin.
const NEXT_SLOT_MS: u64 = NOW_MS.next_multiple_of(30_000);

#[tokio::test]
async fn who_keeps_failing_is_passed_over_for_the_rest_of_the_half_minute() {
    let host = echoing().await;
    script(&host, refuses(401));
    for failures in 0..5 {
        assert_eq!(is_open(&host).await, None, "{failures} failures");
        assert!(reaches(&host).await, "{failures} failures");
    }
    for now_ms in [NOW_MS, NEXT_SLOT_MS - 1] {
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

    // the next half minute starts afresh: one success closes the breaker, and the threshold of failures opens
    // it again
    host.now_ms.set(NEXT_SLOT_MS);
    assert_eq!(is_open(&host).await, Some(false));
    answer_with(&host, echo);
    assert_eq!(chat(&host, CHAT, &ask("hi")).await.status, 200);
    script(&host, refuses(401));
    for failures in 0..5 {
        assert_eq!(is_open(&host).await, Some(false), "{failures} failures");
        assert!(reaches(&host).await, "{failures} failures");
    }
    assert_eq!((is_open(&host).await, reaches(&host).await), (Some(true), false));
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

#[tokio::test]
async fn what_is_the_callers_fault_is_no_failure_of_the_provider() {
    let silent = |request: &Request<Bytes>| Reply { wait_ms: 1_001, ..echo(request) };
    let cases: [(&str, MakeReply, bool); 9] = [
        ("400", refuses(400), false),
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
    host.now_ms.set(NEXT_SLOT_MS);
    chat(&host, CHAT, &ask("hi")).await;
    assert_eq!(host.sent.borrow().len(), 12, "both are tried again");
}
