//! Where requests go when a provider gives no answer: to it again, to the fallback, or to nobody for a while
//! (design §6 "Chat", 3).

use serde_json::json;

use crate::gateway::{
    ADDRESS, CHAT, MESSAGES, answer_with, ask, chat, configure, echo, echoing, gateway, metrics, policy,
    whole, with,
};

#[tokio::test]
async fn the_fallback_is_protected_by_its_own_policies() {
    let providers = [("openai_compatible", json!({})), ("mistral", json!({}))];
    let host = gateway(&providers, |request| {
        if request.uri().host().unwrap().starts_with("mistral") {
            echo(request)
        } else {
            whole(503, &json!({}))
        }
    })
    .await;
    configure(
        &host,
        json!({ "providers": {
            "primary": { "provider": "openai_compatible", "model": "a" },
            "fallback": { "provider": "mistral", "model": "b" },
        } }),
    )
    .await;
    policy(&host, "REDACT", json!([{ "providers": ["mistral"] }])).await;
    let answer = chat(&host, CHAT, &ask(&format!("to {ADDRESS}"))).await;
    assert_eq!(answer.json["choices"][0]["message"]["content"], "to [REDACTED]", "{}", answer.text);
    assert_eq!((answer.header("x-gateway-route"), answer.header("x-gateway-attempts")), ("fallback", "4"));
    // five failures later the primary is not asked any more
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
        // the second time the primary fails too often to be asked again
        for (status, sent) in [(502, 3), (502, 6), (503, 6)] {
            let answer = chat(&host, path, &body).await;
            assert_eq!(answer.status, status, "{path}: {}", answer.text);
            assert_eq!(host.sent.borrow().len(), sent, "{path}");
        }
        let metrics = metrics(&host).await;
        assert!(!metrics.contains("textveil_gateway_fallbacks_total"), "{path}: {metrics}");
    }
}

/// And not only when somebody was turned away by it.
#[tokio::test]
async fn metrics_tell_of_a_breaker_as_soon_as_it_is_open() {
    let host = echoing().await;
    answer_with(&host, |_| whole(503, &json!({})));
    for (requests, want) in [(1, None), (1, Some("1")), (0, Some("0"))] {
        for _ in 0..requests {
            assert_eq!(chat(&host, CHAT, &ask("hi")).await.status, 502);
        }
        let metrics = metrics(&host).await;
        let line = metrics.lines().find_map(|line| line.strip_prefix("textveil_gateway_breaker_open{"));
        assert_eq!(line.and_then(|line| line.split(' ').nth(1)), want, "{metrics}");
        // a provider is tried again in the next half minute
        host.now_ms.set(host.now_ms.get() + if want.is_some() { 30_000 } else { 0 });
    }
}
