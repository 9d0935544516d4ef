//! Limits of a workspace in the gateway: requests per minute, and requests in flight.

use bytes::Bytes;
use futures_util::future::join;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use serde_json::json;
use textveil_service::System as _;

use crate::{
    gateway::{
        CHAT, MESSAGES, answer_with, ask, assert_places_are_free, begun, chat, chunk, configure, deadlines,
        echo, echoing, in_parts, logged, places, with,
    },
    host::{Answer, Memory, NOW_MS, Reply, SERVICE_TOKEN},
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
    assert_places_are_free(&host, "of the slow one and those refused");
}

/// Without concurrent requests, a long request must delete its own counters.
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
    assert_places_are_free(&host, "of the late one");
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

/// Returns the limit in the headers of an answer: in this service's names, and in those of OpenAI's clients.
fn limit(answer: &Answer) -> [[&str; 3]; 2] {
    [
        ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"],
        ["x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"],
    ]
    .map(|names| names.map(|name| answer.header(name)))
}

/// Each endpoint counts, and so does a rejected request.
#[tokio::test]
async fn a_minute_has_so_many_requests_and_each_answer_says_how_many_are_left() {
    let anthropic = json!({ "error": { "type": "rate_limit_error" } });
    let openai = json!({ "error": { "type": "rate_limit_error", "code": "rate_limit_exceeded" } });
    for (path, more, refusal) in [
        (CHAT, json!({}), &openai),
        (CHAT, json!({ "stream": true }), &openai),
        ("/v1/embeddings", json!({ "input": "hi" }), &openai),
        (MESSAGES, json!({ "max_tokens": 9 }), &anthropic),
    ] {
        let host = echoing().await;
        configure(&host, json!({ "rate_limits": { "requests_per_minute": 2 } })).await;
        let body = with(ask("hi"), &more);
        let reset = (NOW_MS / 60_000 + 1) * 60;
        for (left, is_refused) in [("1", false), ("0", false), ("0", true), ("0", true)] {
            host.sent.borrow_mut().clear();
            let answer = chat(&host, path, &body).await;
            let what = format!("{path}, {more}: {}", answer.text);
            // 39.75 seconds are left of the minute
            assert_eq!(limit(&answer), [["2", left, &reset.to_string()], ["2", left, "40s"]], "{what}");
            assert_eq!(answer.header("retry-after"), if is_refused { "40" } else { "" }, "{what}");
            assert_eq!(answer.status == 429, is_refused, "{what}");
            if is_refused {
                for (name, want) in refusal["error"].as_object().unwrap() {
                    assert_eq!(&answer.json["error"][name], want, "{what}");
                }
                assert!(host.sent.borrow().is_empty(), "{what}");
                assert_eq!(logged(&host)["error"], "rate_limit_exceeded", "{what}");
            }
        }
        host.now_ms.set(reset * 1_000 - 1);
        assert_eq!(chat(&host, path, &body).await.header("retry-after"), "1", "{path}");
        host.now_ms.set(reset * 1_000);
        let answer = chat(&host, path, &body).await;
        assert_ne!(answer.status, 429, "{path}: {}", answer.text);
        assert_eq!(limit(&answer)[1], ["2", "1", "60s"], "{path}");
    }
}

/// A place is waited for, two seconds and no longer.
#[tokio::test]
async fn no_more_than_a_burst_is_in_work() {
    for (burst, wait_ms, refused) in [(1, 1_500, 0), (1, 2_500, 1), (2, 2_500, 0), (3, 2_500, 0)] {
        let host = echoing().await;
        configure(&host, json!({ "rate_limits": { "burst": burst } })).await;
        answer_with(&host, move |request| Reply { wait_ms, ..echo(request) });
        let question = ask("hi");
        let (one, two) = join(chat(&host, CHAT, &question), chat(&host, CHAT, &question)).await;
        let what = format!("{burst}, {wait_ms}");
        let mut left: Vec<_> = [&one, &two].map(|answer| answer.header("x-ratelimit-remaining")).into();
        left.sort_unstable();
        assert_eq!(left, ["58", "59"], "{what}");
        let refusals: Vec<_> = [one, two].into_iter().filter(|answer| answer.status != 200).collect();
        assert_eq!(refusals.len(), refused, "{what}");
        assert_eq!(host.sent.borrow().len(), 2 - refused, "{what}");
        for answer in refusals {
            let reset = ((NOW_MS / 60_000 + 1) * 60).to_string();
            assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (429, "1"), "{what}");
            assert_eq!(answer.json["error"]["type"], "rate_limit_error", "{what}");
            assert_eq!(answer.json["error"]["code"], "rate_limit_exceeded", "{what}");
            let left = answer.header("x-ratelimit-remaining");
            // as it was when the request came
            assert_eq!(limit(&answer), [["60", left, &reset], ["60", left, "40s"]], "{what}");
        }
        assert_places_are_free(&host, &what);
    }
}

#[tokio::test]
async fn each_workspace_has_its_own_limits() {
    let host = echoing().await;
    for workspace in ["initech", "globex"] {
        let limits = json!({ "rate_limits": { "requests_per_minute": 1 } });
        host.admin(Method::PUT, &format!("/config?workspace_id={workspace}"), &limits).await;
    }
    for (workspace, status) in [("initech", 200), ("initech", 429), ("globex", 200), ("globex", 429)] {
        let request = Request::get(format!("/v1/models?workspace_id={workspace}"));
        let request = request.header("x-api-key", SERVICE_TOKEN).body(Full::default());
        let answer = host.send_to_gateway(request.unwrap()).await;
        assert_eq!(answer.status, status, "{workspace}: {}", answer.text);
    }
}

/// A token for every workspace has one limit for all names without stored records.
#[tokio::test]
async fn workspaces_that_are_only_names_share_the_limit_of_the_credential() {
    let host = echoing().await;
    let ask = async |workspace: &str| {
        let request = Request::get(format!("/v1/models?workspace_id={workspace}"));
        let request = request.header("x-api-key", SERVICE_TOKEN).body(Full::default());
        host.send_to_gateway(request.unwrap()).await.status.as_u16()
    };
    let mut statuses = std::collections::BTreeMap::new();
    for name in 0..150 {
        *statuses.entry(ask(&format!("new_{name}")).await).or_insert(0) += 1;
    }
    assert_eq!(statuses, [(200, 60), (429, 90)].into());
    let counters = host.counters();
    assert!(counters.iter().all(|(counter, _)| !counter.contains("new_")), "{counters:?}");
    // a workspace of its own has its own limit, also for this credential
    host.admin(Method::PUT, "/config?workspace_id=new_0", &json!({ "region": "eu" })).await;
    assert_eq!(ask("new_0").await, 200);
}
