//! How much a workspace may ask of the gateway: requests a minute, and requests at once (spec §8).

use bytes::Bytes;
use futures_util::future::join;
use http_body_util::BodyExt as _;
use serde_json::json;
use textveil_service::Host as _;

use crate::{
    gateway::{
        CHAT, answer_with, ask, begun, chat, chunk, configure, deadlines, echo, echoing, in_parts, logged,
        places, with,
    },
    host::{Memory, Reply},
};

/// A workspace of one place, whose provider streams an answer in three parts.
async fn with_one_place() -> Memory {
    let host = echoing().await;
    configure(&host, json!({ "rate_limits": { "requests_per_minute": 1_000, "burst": 1 } })).await;
    let parts = [chunk("One "), chunk("two "), "[DONE]".to_owned()];
    answer_with(&host, move |_| {
        in_parts(parts.iter().map(|data| Ok(Bytes::from(format!("data: {data}\n\n")))).collect())
    });
    host
}

#[tokio::test]
async fn a_stream_keeps_its_place_however_long_it_is() {
    for seconds in [20, 31] {
        let host = with_one_place().await;
        let mut stream = begun(&host).await;
        for part in 0..3 {
            assert!(stream.frame().await.is_some(), "part {part}");
            assert_eq!(chat(&host, CHAT, &ask("hi")).await.status, 429, "{seconds} seconds, part {part}");
            host.now_ms.set(host.now_ms.get() + seconds * 1_000);
        }
        assert!(stream.frame().await.is_none());
        drop(stream);
        assert_eq!(chat(&host, CHAT, &with(ask("hi"), &json!({ "stream": true }))).await.status, 200);
    }
}

#[tokio::test]
async fn who_waits_for_a_slow_provider_keeps_the_place() {
    let host = echoing().await;
    configure(&host, json!({ "rate_limits": { "requests_per_minute": 1_000, "burst": 1 } })).await;
    answer_with(&host, |request| Reply { wait_ms: 300_000, ..echo(request) });
    deadlines(&host, "first_byte=600");
    let question = ask("hi");
    let others = async {
        // each of them waits for a place for two seconds more
        for seconds in (12..288).step_by(12) {
            host.sleep_ms(10_000).await;
            let other = chat(&host, CHAT, &question).await;
            assert_eq!(other.status, 429, "after {seconds} seconds: {}", other.text);
        }
    };
    let (slow, ()) = join(chat(&host, CHAT, &question), others).await;
    assert_eq!(slow.status, 200, "{}", slow.text);
    assert!(places(&host).iter().all(|(_, count)| *count == 0), "{:?}", places(&host));
}

/// Nobody else asks while it goes on, so nobody else deletes what it leaves behind.
#[tokio::test]
async fn a_long_request_leaves_no_more_counters_than_a_short_one() {
    let host = echoing().await;
    answer_with(&host, |request| Reply { wait_ms: 300_000, ..echo(request) });
    deadlines(&host, "first_byte=600");
    assert_eq!(chat(&host, CHAT, &ask("hi")).await.status, 200);
    assert!(places(&host).len() <= 5, "{:?}", places(&host));
}

/// Its counter may be deleted by then: one that was made anew, below zero, would give places away for ever.
#[tokio::test]
async fn a_late_end_does_not_make_a_counter_anew() {
    let host = with_one_place().await;
    let late = begun(&host).await;
    for minutes in [3, 3] {
        host.now_ms.set(host.now_ms.get() + minutes * 60_000);
        assert_eq!(chat(&host, CHAT, &with(ask("hi"), &json!({ "stream": true }))).await.status, 200);
    }
    late.abandon().await;
    assert!(places(&host).iter().all(|(_, count)| *count == 0), "{:?}", places(&host));
}

/// An application that leaves is logged as what nginx calls 499, and the next one has its place.
#[tokio::test]
async fn who_leaves_a_stream_frees_its_place() {
    for (read, want) in [(0, 499), (1, 499), (2, 499), (3, 200), (4, 200)] {
        let host = with_one_place().await;
        let mut answer = begun(&host).await;
        for part in 0..read {
            assert_eq!(answer.frame().await.is_some(), part < 3, "part {part}");
        }
        answer.abandon().await;
        assert_eq!(logged(&host)["status"], want, "after {read} parts");
        let next = chat(&host, CHAT, &with(ask("hi"), &json!({ "stream": true }))).await;
        assert_eq!(next.status, 200, "after {read} parts: {}", next.text);
    }
}

#[tokio::test]
async fn a_workspace_is_held_to_its_limits() {
    let host = echoing().await;
    configure(&host, json!({ "rate_limits": { "requests_per_minute": 2, "burst": 1 } })).await;
    for want in [200, 200, 429] {
        let answer = chat(&host, CHAT, &ask("hi")).await;
        assert_eq!(answer.status, want, "{}", answer.text);
        if want == 429 {
            assert_eq!(answer.json["error"]["type"], "rate_limit_error");
            assert!(!answer.header("retry-after").is_empty());
        }
    }
    let answer = chat(&Memory::default(), CHAT, &ask("hi")).await;
    assert_eq!((answer.status.as_u16(), &answer.json["error"]["code"]), (503, &json!("no_provider")));
}
