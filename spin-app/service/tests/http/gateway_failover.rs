//! The destination of a request when a provider gives no answer: the same one again, or the fallback.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    rc::Rc,
};

use bytes::Bytes;
use http::Request;
use serde_json::json;
use textveil_service::upstream::Failure;

use crate::{
    gateway::{
        ADDRESS, CHAT, MESSAGES, answer_with, ask, chat, configure, content, deadlines, echo, echoing,
        events, fails, gateway, id_of, metric, metrics, policy, records, refuses, said, streamed, whole,
        with,
    },
    host::{MakeReply, Memory, NOW_MS, Reply},
};

const FALLBACKS: &str = "textveil_gateway_fallbacks_total{}";

/// Creates a primary route whose provider's answers `primary` returns, and a fallback whose provider repeats
/// the last message.
pub async fn with_fallback(primary: impl Fn(&Request<Bytes>) -> Reply + 'static) -> Memory {
    let providers = [("openai_compatible", json!({})), ("mistral", json!({}))];
    let host = gateway(&providers, move |request| {
        let is_fallback = request.uri().host() == Some("mistral.example");
        if is_fallback { echo(request) } else { primary(request) }
    })
    .await;
    let routes = json!({
        "primary": { "provider": "openai_compatible", "model": "a" },
        "fallback": { "provider": "mistral", "model": "b" },
    });
    configure(&host, json!({ "providers": routes })).await;
    host
}

#[tokio::test]
async fn the_fallback_is_protected_by_its_own_policies() {
    let host = with_fallback(|_| whole(503, &json!({}))).await;
    policy(&host, "REDACT", json!([{ "providers": ["mistral"] }])).await;
    let answer = chat(&host, CHAT, &ask(&format!("to {ADDRESS}"))).await;
    assert_eq!(content(&answer), "to [REDACTED]", "{}", answer.text);
    assert_eq!((answer.header("x-gateway-route"), answer.header("x-gateway-attempts")), ("fallback", "4"));
    // after five failures the primary is skipped
    chat(&host, CHAT, &ask("hi")).await;
    host.sent.borrow_mut().clear();
    let answer = chat(&host, CHAT, &ask("hi")).await;
    assert_eq!((answer.header("x-gateway-attempts"), host.sent.borrow().len()), ("1", 1));
}

#[tokio::test]
async fn a_fallback_that_cannot_take_the_request_is_passed_over() {
    let of_two = with(ask("hi"), &json!({ "n": 2 }));
    let in_parts = with(ask("hi"), &json!({ "stream": true }));
    let mute = json!({ "supports_streaming": false });
    for (primary, fallback, path, body) in [
        ("openai_compatible", ("anthropic", json!({})), CHAT, of_two),
        (
            "anthropic",
            ("openai_compatible", json!({})),
            MESSAGES,
            with(ask("hi"), &json!({ "max_tokens": 9 })),
        ),
        ("openai_compatible", ("anthropic", json!({})), "/v1/embeddings", json!({ "input": "hi" })),
        ("openai_compatible", ("mistral", mute), CHAT, in_parts),
    ] {
        let providers = [(primary, json!({})), fallback.clone()];
        let host = gateway(&providers, |_| whole(503, &json!({}))).await;
        let routes = json!({
            "primary": { "provider": primary, "model": "a" },
            "fallback": { "provider": fallback.0, "model": "b" },
        });
        configure(&host, json!({ "providers": routes })).await;
        // at the second request the primary has failed too often to be retried
        for (status, sent) in [(502, 3), (502, 6), (503, 6)] {
            let answer = chat(&host, path, &body).await;
            assert_eq!(answer.status, status, "{path}: {}", answer.text);
            assert_eq!(host.sent.borrow().len(), sent, "{path}");
        }
        assert_eq!(metric(&host, FALLBACKS).await, None, "{path}");
    }
}

/// An answer that comes too late for one of the default deadlines.
fn is_late(connect_ms: u64, wait_ms: u64) -> MakeReply {
    Rc::new(move |request| Reply { connect_ms, wait_ms, ..echo(request) })
}

/// When requests reach the provider from now on, in milliseconds.
fn arrivals(host: &Memory, reply: impl Fn() -> Reply + 'static) -> Rc<RefCell<Vec<u64>>> {
    let times = Rc::new(RefCell::new(Vec::new()));
    let (noted, now_ms) = (Rc::clone(&times), Rc::clone(&host.now_ms));
    answer_with(host, move |_| {
        noted.borrow_mut().push(now_ms.get());
        reply()
    });
    times
}

/// Every failure before the first byte leads to the fallback, after the given number of attempts.
#[tokio::test]
async fn who_gives_no_answer_is_replaced_by_the_fallback() {
    let cases: [(&str, MakeReply, usize); 16] = [
        ("no connection", fails(Failure::Unreachable), 3),
        ("a connection that breaks", fails(Failure::Broken), 3),
        ("a host that is not let out to", fails(Failure::HostForbidden), 1),
        ("an address that is not let out to", fails(Failure::AddressForbidden), 1),
        ("no connection in time", is_late(10_001, 0), 3),
        ("no first byte in time", is_late(0, 120_001), 1),
        ("401", refuses(401), 1),
        ("403", refuses(403), 1),
        ("408", refuses(408), 3),
        ("429", refuses(429), 3),
        ("302", refuses(302), 1),
        ("500", refuses(500), 3),
        ("502", refuses(502), 3),
        ("503", refuses(503), 3),
        ("504", refuses(504), 3),
        ("529", refuses(529), 3),
    ];
    for (what, reply, tries) in cases {
        for stream in [false, true] {
            let reply = Rc::clone(&reply);
            let host = with_fallback(move |request| reply(request)).await;
            let body = with(ask(&format!("to {ADDRESS}")), &json!({ "stream": stream }));
            let answer = chat(&host, CHAT, &body).await;
            assert_eq!(answer.status, 200, "{what}: {}", answer.text);
            let said_back = if stream { streamed(&answer) } else { content(&answer) };
            assert_eq!(said_back, format!("to {ADDRESS}"), "{what}");
            let attempts = (tries + 1).to_string();
            for (name, want) in [
                ("x-gateway-route", "fallback"),
                ("x-gateway-provider", &id_of(&host, "mistral").await),
                ("x-gateway-model", "b"),
                ("x-gateway-attempts", &attempts),
            ] {
                assert_eq!(answer.header(name), want, "{what}: {name}");
            }
            let asked: Vec<_> =
                host.sent.borrow().iter().map(|one| one.uri().host().unwrap().to_owned()).collect();
            let (last, first) = asked.split_last().unwrap();
            assert_eq!((last.as_str(), first.len()), ("mistral.example", tries), "{what}");
            assert!(first.iter().all(|host| host == "openai_compatible.example"), "{what}");
            let messages: BTreeSet<_> = host.sent.borrow().iter().map(said).collect();
            assert!(
                messages.len() == 1 && !messages.first().unwrap().contains("novak"),
                "{what}: {messages:?}"
            );
            let routes: Vec<_> =
                records(&host).await.into_iter().map(|record| record["route"].clone()).collect();
            assert_eq!(routes, ["fallback", "primary"], "{what}");
            assert_eq!(metric(&host, FALLBACKS).await, Some(1), "{what}");
            assert!(!metrics(&host).await.contains("textveil_gateway_failures_total"), "{what}");
        }
    }
}

#[tokio::test]
async fn who_answers_at_last_is_not_replaced() {
    for failures in 0..3 {
        let asked = Cell::new(0);
        let host = with_fallback(move |request| {
            let nth = asked.replace(asked.get() + 1);
            if nth < failures { whole(503, &json!({})) } else { echo(request) }
        })
        .await;
        let answer = chat(&host, CHAT, &ask("hi")).await;
        assert_eq!((answer.status.as_u16(), content(&answer)), (200, "hi".to_owned()), "{failures} failures");
        for (name, want) in [
            ("x-gateway-route", "primary"),
            ("x-gateway-provider", &id_of(&host, "openai_compatible").await),
            ("x-gateway-model", "a"),
            ("x-gateway-attempts", &(failures + 1).to_string()),
        ] {
            assert_eq!(answer.header(name), want, "{failures} failures: {name}");
        }
        assert_eq!(records(&host).await.len(), 1, "{failures} failures");
        assert_eq!(metric(&host, FALLBACKS).await, None, "{failures} failures");
    }
}

/// Another provider would answer the same, or the application may have received a part of the answer.
#[tokio::test]
async fn who_refuses_or_has_begun_is_not_replaced() {
    let broken = |_: &Request<Bytes>| Reply {
        parts: vec![Ok("{".into()), Err(Failure::Broken)],
        ..whole(200, &json!({}))
    };
    let cut = |_: &Request<Bytes>| events(&["One"], &[]);
    let packed = |request: &Request<Bytes>| Reply {
        headers: vec![("content-encoding", "br".into())],
        ..echo(request)
    };
    let cases: [(&str, bool, MakeReply, u16); 7] = [
        ("400", false, refuses(400), 400),
        ("404", false, refuses(404), 404),
        ("413", true, refuses(413), 413),
        ("422", false, refuses(422), 422),
        ("a body that breaks off", false, Rc::new(broken), 502),
        ("a stream that breaks off", true, Rc::new(cut), 200),
        ("a compressed answer", false, Rc::new(packed), 502),
    ];
    for (what, stream, reply, status) in cases {
        let host = with_fallback(move |request| reply(request)).await;
        let answer = chat(&host, CHAT, &with(ask("hi"), &json!({ "stream": stream }))).await;
        assert_eq!(answer.status, status, "{what}: {}", answer.text);
        assert!(answer.text.contains("\"error\""), "{what}: {}", answer.text);
        assert_eq!(host.sent.borrow().len(), 1, "{what}");
        assert_eq!(metric(&host, FALLBACKS).await, None, "{what}");
    }
}

/// As the provider asks, as far as that is bearable, else twice as long each time.
#[tokio::test]
async fn a_provider_is_asked_again_after_a_while() {
    let own = vec![125..=249, 250..=499];
    let waits = |seconds: u64, times| vec![seconds * 1_000..=seconds * 1_000; times];
    for (status, retry_after, total, want) in [
        (429, "2", 600, waits(2, 2)),
        (408, "1", 600, waits(1, 2)),
        (503, "5", 600, waits(5, 2)),
        (500, "0", 600, waits(0, 2)),
        // longer than the gateway waits for anybody
        (429, "6", 600, waits(6, 0)),
        (503, "3600", 600, waits(6, 0)),
        (429, "18446744073709551615", 600, waits(6, 0)),
        (503, "99999999999999999999999", 600, waits(6, 0)),
        // no longer than there is time
        (429, "5", 10, waits(5, 1)),
        (429, "3", 3, waits(3, 0)),
        (429, "", 600, own.clone()),
        (503, "Mon, 23 Nov 2026 10:00:30 GMT", 600, own.clone()),
        (429, "-1", 600, own.clone()),
        (429, "1.5", 600, own.clone()),
        (429, "zanzibar", 600, own.clone()),
    ] {
        let host = echoing().await;
        deadlines(&host, &format!("total={total}"));
        let headers = vec![("retry-after", retry_after.to_owned())];
        let headers = if retry_after.is_empty() { Vec::new() } else { headers };
        let reply = move || Reply { headers: headers.clone(), ..whole(status, &json!({})) };
        let times = arrivals(&host, reply);
        let answer = chat(&host, CHAT, &ask("hi")).await;
        let what = format!("{status}, {retry_after}");
        let pauses: Vec<_> = times.borrow().windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(pauses.len(), want.len(), "{what}: {pauses:?}");
        assert!(pauses.iter().zip(&want).all(|(pause, want)| want.contains(pause)), "{what}: {pauses:?}");
        assert_eq!(answer.status, if status == 429 { 429 } else { 502 }, "{what}");
        // the rate limit is the provider's, so its retry time is passed on too
        let is_number = !retry_after.is_empty() && retry_after.bytes().all(|digit| digit.is_ascii_digit());
        let is_told = status == 429 && is_number;
        assert_eq!(answer.header("retry-after"), if is_told { retry_after } else { "" }, "{what}");
    }
}

/// A provider without remaining time must not be charged with a failure.
#[tokio::test]
async fn nobody_is_asked_when_the_time_is_over() {
    let host = with_fallback(|request| Reply { wait_ms: 9_000, ..echo(request) }).await;
    deadlines(&host, "total=5");
    for _ in 0..6 {
        host.sent.borrow_mut().clear();
        let answer = chat(&host, CHAT, &ask("hi")).await;
        assert_eq!((answer.status.as_u16(), host.sent.borrow().len()), (504, 1), "{}", answer.text);
        assert_eq!(answer.header("x-gateway-route"), "primary");
        host.now_ms.set(host.now_ms.get() + 60_000);
    }
    assert_eq!(metric(&host, FALLBACKS).await, None);
    let answer = chat(&host, CHAT, &with(ask("hi"), &json!({ "model": "fallback" }))).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

/// The headers about the destination of a request, whatever its outcome.
#[tokio::test]
async fn an_error_says_who_was_asked() {
    for (reply, status, route, attempts) in [
        (refuses(400), 400, "primary", "1"),
        (refuses(429), 429, "fallback", "6"),
        (refuses(503), 502, "fallback", "6"),
        (is_late(0, 120_001), 504, "fallback", "2"),
    ] {
        let host = with_fallback(echo).await;
        answer_with(&host, move |request| reply(request));
        let answer = chat(&host, CHAT, &ask(&format!("to {ADDRESS}"))).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        let names = ["x-gateway-route", "x-gateway-attempts", "x-privacy-action", "x-privacy-entities"];
        assert_eq!(names.map(|name| answer.header(name)), [route, attempts, "MASK", "EMAIL=1"], "{status}");
        assert!(!answer.header("x-gateway-overhead-ms").is_empty(), "{status}");
    }
    // no provider was called
    let host = echoing().await;
    let answer = chat(&host, CHAT, &json!({ "messages": [] })).await;
    assert_eq!((answer.status.as_u16(), answer.header("x-gateway-route")), (400, ""));
}

#[tokio::test]
async fn who_asks_for_too_long_a_wait_is_replaced_at_once() {
    for (retry_after, attempts, waited_ms) in [("5", "4", 10_000), ("6", "2", 0)] {
        let headers = vec![("retry-after", retry_after.to_owned())];
        let host = with_fallback(move |_| Reply { headers: headers.clone(), ..whole(429, &json!({})) }).await;
        let answer = chat(&host, CHAT, &ask("hi")).await;
        assert_eq!(answer.header("x-gateway-route"), "fallback", "{retry_after}: {}", answer.text);
        assert_eq!(answer.header("x-gateway-attempts"), attempts, "{retry_after}");
        assert_eq!(host.now_ms.get() - NOW_MS, waited_ms, "{retry_after}");
    }
}
