//! Deadlines of providers: to connect, to begin, and for all of an answer.

use std::rc::Rc;

use bytes::Bytes;
use http_body_util::BodyExt;
use serde_json::json;

use crate::{
    gateway::{
        CHAT, MESSAGES, ask, assert_places_are_free, begun, chat, chunk, configure, deadlines, echo, echoing,
        gateway, in_parts, logged, metric, policy, script, with,
    },
    host::{MakeReply, Memory, NOW_MS, Reply, Scripted},
};

const TIMEOUTS: &str = "textveil_gateway_failures_total{code=\"upstream_timeout\"}";

fn elapsed_ms(host: &Memory) -> u64 {
    host.now_ms.get() - NOW_MS
}

/// A provider that takes so long to connect, to begin, and between the two parts of its answer.
fn takes(connect_ms: u64, wait_ms: u64, between_ms: u64) -> MakeReply {
    Rc::new(move |request| {
        let reply = echo(request);
        let whole = reply.parts[0].clone().unwrap();
        let parts = vec![Ok(whole.slice(..9)), Ok(whole.slice(9..))];
        Reply { parts, connect_ms, wait_ms, between_ms, ..reply }
    })
}

/// A deadline is exact to the millisecond; a request is repeated only if nothing was sent.
#[tokio::test]
async fn each_deadline_ends_in_a_timeout() {
    for (variable, (connect_ms, wait_ms, between_ms), tries, want_ms) in [
        ("", (10_000, 120_000, 120_000), 1, None),
        ("", (10_001, 0, 0), 3, Some(30_375..=30_750)),
        ("", (0, 120_001, 0), 1, Some(120_000..=120_000)),
        ("first_byte=600", (0, 300_000, 299_999), 1, None),
        ("first_byte=600", (0, 300_000, 300_001), 1, Some(600_000..=600_000)),
        // silent in the middle of an answer
        ("", (0, 0, 120_001), 1, Some(120_000..=120_000)),
        ("first_byte=3", (0, 2_000, 3_001), 1, Some(5_000..=5_000)),
        ("connect=2", (2_000, 0, 0), 1, None),
        ("connect=2", (2_001, 0, 0), 3, Some(6_375..=6_750)),
        ("first_byte=3", (10_000, 3_000, 0), 1, None),
        ("first_byte=3", (10_000, 3_001, 0), 1, Some(13_000..=13_000)),
        ("total=5", (1_000, 3_000, 999), 1, None),
        ("total=5", (1_000, 3_000, 1_001), 1, Some(5_000..=5_000)),
        ("total=5", (1_000, 4_001, 0), 1, Some(5_000..=5_000)),
        ("total=5", (5_001, 0, 0), 1, Some(5_000..=5_000)),
        // the third attempt has what is left
        ("connect=2,total=5", (2_001, 0, 0), 3, Some(5_000..=5_000)),
    ] {
        let what = format!("{variable}: {connect_ms}, {wait_ms}, {between_ms}");
        let host = echoing().await;
        deadlines(&host, variable);
        script(&host, takes(connect_ms, wait_ms, between_ms));
        let answer = chat(&host, CHAT, &ask("hi")).await;
        assert_eq!(host.sent.borrow().len(), tries, "{what}");
        let Some(want_ms) = want_ms else {
            assert_eq!(answer.status, 200, "{what}: {}", answer.text);
            assert_eq!(elapsed_ms(&host), connect_ms + wait_ms + between_ms, "{what}");
            continue;
        };
        assert_eq!(
            (answer.status.as_u16(), &answer.json["error"]["code"]),
            (504, &json!("upstream_timeout")),
            "{what}"
        );
        assert!(want_ms.contains(&elapsed_ms(&host)), "{what}: {}", elapsed_ms(&host));
        assert_eq!(
            (&logged(&host)["status"], &logged(&host)["error"]),
            (&json!(504), &json!("upstream_timeout")),
            "{what}"
        );
        assert_eq!(metric(&host, TIMEOUTS).await, Some(1), "{what}");
        assert_places_are_free(&host, &what);
    }
}

/// Some hosts know no deadlines.
#[tokio::test]
async fn the_last_deadline_is_the_gateways_own() {
    for (variable, want_ms) in [("", 600_000), ("total=7", 7_000)] {
        let host = echoing().await;
        deadlines(&host, variable);
        *host.upstream.borrow_mut() = Scripted::Silence;
        let answer = chat(&host, CHAT, &ask("hi")).await;
        assert_eq!((answer.status.as_u16(), elapsed_ms(&host)), (504, want_ms), "{}", answer.text);
    }
}

/// A slow reader of an answer that is available at once does not extend its deadline.
#[tokio::test]
async fn a_slow_reader_gets_no_more_time() {
    let host = gateway(&[("openai_compatible", json!({}))], |_| {
        in_parts(vec![Ok(format!("data: {}\n\n", chunk("One. ")).into()); 6])
    })
    .await;
    let mut answer = begun(&host).await;
    let mut parts = 0;
    while answer.frame().await.is_some() {
        host.now_ms.set(host.now_ms.get() + 301_000);
        parts += 1;
    }
    assert_eq!(parts, 3, "two of them and the error");
    assert_eq!(logged(&host)["error"], "upstream_timeout");
}

/// Returns the start of a streamed answer, up to the middle of an address; later chunks contain no text.
fn beginning(provider: &str) -> Bytes {
    let text = format!("{}eva@exam", "One two three. ".repeat(100));
    let events = match provider {
        "anthropic" => {
            let message = json!({ "id": "m", "type": "message", "role": "assistant", "content": [], "model": "m",
                "usage": { "input_tokens": 1, "output_tokens": 0 } });
            let delta = json!({ "type": "text_delta", "text": text });
            [
                json!({ "type": "message_start", "message": message }),
                json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
                json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
            ]
            .iter()
            .map(|event| format!("data: {event}\n\n"))
            .collect()
        }
        _ => format!("data: {}\n\n", chunk(&text)),
    };
    Bytes::from(events)
}

/// An upstream that sends only keep-alives is treated like a silent one.
#[tokio::test]
async fn a_stream_ends_at_its_deadline_with_nothing_that_was_held() {
    let openai = ("\"code\":\"upstream_timeout\"", "data: [DONE]\n\n");
    let anthropic =
        ("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"timeout_error\"", "}}\n\n");
    for (provider, path, (error, end)) in
        [("openai_compatible", CHAT, openai), ("anthropic", CHAT, openai), ("anthropic", MESSAGES, anthropic)]
    {
        for (what, between_ms) in [("silent", 400_000), ("alive", 40_000)] {
            let what = format!("{provider}, {path}, {what}");
            let host = gateway(&[(provider, json!({}))], move |_| {
                let alive = std::iter::repeat_n(Bytes::from(": ping\n\n"), 100);
                let parts = std::iter::once(beginning(provider)).chain(alive).map(Ok).collect();
                Reply { between_ms, ..in_parts(parts) }
            })
            .await;
            configure(&host, json!({ "rate_limits": { "requests_per_minute": 60, "burst": 1 } })).await;
            // only text that a policy may change is held
            policy(&host, "MASK", json!([{ "direction": "output" }])).await;
            deadlines(&host, "first_byte=600,total=300");
            let body = with(ask("hi"), &json!({ "stream": true, "max_tokens": 9 }));
            let answer = chat(&host, path, &body).await;
            assert_eq!((answer.status.as_u16(), elapsed_ms(&host)), (200, 300_000), "{what}");
            assert!(answer.text.contains(error) && answer.text.ends_with(end), "{what}: {}", answer.text);
            assert!(answer.text.contains("One two three. "), "{what}: {}", answer.text);
            assert!(!answer.text.contains("eva@"), "{what}: {}", answer.text);
            let line = logged(&host);
            assert_eq!(
                (&line["status"], &line["error"]),
                (&json!(200), &json!("upstream_timeout")),
                "{what}"
            );
            assert_eq!(metric(&host, TIMEOUTS).await, Some(1), "{what}");
            assert_places_are_free(&host, &what);
            assert_eq!(chat(&host, path, &body).await.status, 200, "{what}");
        }
    }
}
