//! Responses that go on from others, belong to a conversation, or are made in the background.

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;
use serde_json::{Value, json};

use crate::{
    gateway::{
        ADDRESS, answer_with, chat, chat_with, configure, events, gateway, in_parts, policy, sent, whole,
        with,
    },
    host::{Answer, Memory, Reply, SERVICE_TOKEN},
};

const RESPONSES: &str = "/v1/responses";
const SECRET: &str = "0123456789abcdef0123456789abcdef";
const DAY_MS: u64 = 86_400_000;

fn response(id: &str, status: &str, said: &str) -> Value {
    let part = json!({ "type": "output_text", "text": said, "annotations": [] });
    let message = json!({ "type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
        "content": [part] });
    let output = if said.is_empty() { json!([]) } else { json!([message]) };
    json!({ "id": id, "object": "response", "created_at": 1, "status": status, "model": "m", "output": output })
}

/// The placeholder in what the provider got first.
fn placeholder(host: &Memory) -> String {
    let sent = sent(host);
    let start = sent.find("[[EMAIL_").unwrap_or_else(|| panic!("{sent}"));
    sent[start..].split_inclusive("]]").next().unwrap().to_owned()
}

/// Creates a workspace that keeps sessions. Its provider answers `resp_1`, `resp_2` …, each with the text
/// `said`.
async fn keeping(said: &'static str) -> Memory {
    let host = gateway(&[("openai_compatible", json!({}))], |_| whole(500, &json!({}))).await;
    configure(&host, json!({ "sessions": { "enabled": true } })).await;
    says(&host, said);
    host
}

fn says(host: &Memory, said: &str) {
    let (said, number) = (said.to_owned(), std::cell::Cell::new(host.sent.borrow().len()));
    answer_with(host, move |_| {
        number.set(number.get() + 1);
        whole(200, &response(&format!("resp_{}", number.get()), "completed", &said))
    });
}

fn said(answer: &Answer) -> &str {
    answer.json["output"][0]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{}", answer.text))
}

async fn stored(host: &Memory, method: Method, path: &str) -> Answer {
    let separator = if path.contains('?') { '&' } else { '?' };
    let request = Request::builder()
        .method(method)
        .uri(format!("{RESPONSES}/{path}{separator}workspace_id=initech"))
        .header("authorization", format!("Bearer {SERVICE_TOKEN}"));
    host.send_to_gateway(request.body(Full::new(Bytes::new())).unwrap()).await
}

#[track_caller]
fn assert_rejected(answer: &Answer, field: &str) {
    let error = &answer.json["error"];
    assert_eq!((answer.status.as_u16(), &error["param"]), (400, &json!(field)), "{}", answer.text);
}

fn on(id: &str) -> Value {
    json!({ "input": "And what is it?", "previous_response_id": id })
}

#[tokio::test]
async fn a_response_goes_on_from_another() {
    let host = keeping("ok").await;
    assert_eq!(chat(&host, RESPONSES, &json!({ "input": ADDRESS })).await.status, 200);
    let made = placeholder(&host);
    says(&host, &format!("It is {made}."));
    // one after the other, and twice from the same one
    for (previous, id) in [("resp_1", "resp_2"), ("resp_2", "resp_3"), ("resp_1", "resp_4")] {
        let answer = chat(&host, RESPONSES, &on(previous)).await;
        assert_eq!((said(&answer), &answer.json["id"]), (&*format!("It is {ADDRESS}."), &json!(id)));
    }
    // the known value has the same placeholder, and the new one another
    let body = with(on("resp_4"), &json!({ "input": format!("not {ADDRESS} but eva@example.com") }));
    chat(&host, RESPONSES, &body).await;
    let last = String::from_utf8(host.sent.borrow().last().unwrap().body().to_vec()).unwrap();
    assert!(last.contains(&made) && last.matches("[[EMAIL_").count() == 2, "{last}");
    assert!(!sent(&host).contains("novak"), "{}", sent(&host));
}

#[tokio::test]
async fn nothing_is_stored_in_clear() {
    let host = keeping("ok").await;
    chat(&host, RESPONSES, &json!({ "input": format!("{ADDRESS} https://intern.example/x") })).await;
    let stored = host.stored();
    assert!(stored.contains("session:initech:"), "{stored}");
    for clear in ["novak", "[[EMAIL", "intern.example", "resp_1"] {
        assert!(!stored.contains(clear), "{clear}");
    }
}

#[tokio::test]
async fn a_conversation_keeps_its_values() {
    let host = keeping("ok").await;
    for conversation in [json!("conv_1"), json!({ "id": "conv_1" })] {
        let body = json!({ "input": ADDRESS, "conversation": conversation });
        assert_eq!(chat(&host, RESPONSES, &body).await.status, 200, "{conversation}");
        let to: Value = serde_json::from_slice(host.sent.borrow().last().unwrap().body()).unwrap();
        assert_eq!(to["conversation"], conversation);
    }
    let made = placeholder(&host);
    says(&host, &made);
    let answer = chat(&host, RESPONSES, &json!({ "input": "what?", "conversation": "conv_1" })).await;
    assert_eq!(said(&answer), ADDRESS);
    let other = chat(&host, RESPONSES, &json!({ "input": "what?", "conversation": "conv_2" })).await;
    assert_eq!(said(&other), made);
    // its id alone gives access to nothing, in the same workspace and in another one
    let tokens = format!("{SERVICE_TOKEN},other:gateway.chat@*:{SECRET}");
    host.variables.borrow_mut().insert("service_tokens", tokens);
    let body = json!({ "input": "what?", "conversation": "conv_1" });
    let other = [("authorization", format!("Bearer {SECRET}"))];
    let count = host.sent.borrow().len();
    assert_rejected(&chat_with(&host, RESPONSES, &body, &other).await, "conversation");
    assert_eq!(host.sent.borrow().len(), count);
    // until it ends
    host.now_ms.set(host.now_ms.get() + DAY_MS + 1_000);
    assert_eq!(said(&chat_with(&host, RESPONSES, &body, &other).await), made);
}

#[tokio::test]
async fn a_session_is_of_its_caller_its_workspace_and_its_time() {
    let host = keeping("ok").await;
    chat(&host, RESPONSES, &json!({ "input": ADDRESS })).await;
    let made = placeholder(&host);
    says(&host, &made);
    let known = |host: &Memory, answer: &Answer| {
        let count = host.sent.borrow().len();
        if answer.status == 200 {
            assert_eq!(said(answer), ADDRESS);
            return true;
        }
        assert_eq!(host.sent.borrow().len(), count);
        assert!(!answer.text.contains("novak"));
        false
    };
    let own = format!("Bearer {SERVICE_TOKEN}");
    let tokens = format!("{SERVICE_TOKEN},other:gateway.chat@initech:{SECRET}");
    host.variables.borrow_mut().insert("service_tokens", tokens);
    for (token, want) in [(format!("Bearer {SECRET}"), false), (own, true)] {
        let answer = chat_with(&host, RESPONSES, &on("resp_1"), &[("authorization", token)]).await;
        assert_eq!(known(&host, &answer), want);
    }
    // another workspace of the same caller
    let request = Request::post(format!("{RESPONSES}?workspace_id=acme"))
        .header("authorization", format!("Bearer {SERVICE_TOKEN}"))
        .header("content-type", "application/json")
        .body(Full::new(Bytes::from(on("resp_1").to_string())));
    assert_ne!(host.send_to_gateway(request.unwrap()).await.status, 200);
    host.now_ms.set(host.now_ms.get() + DAY_MS + 1_000);
    let late = chat(&host, RESPONSES, &on("resp_1")).await;
    assert_rejected(&late, "previous_response_id");
    assert!(!known(&host, &late));
}

#[tokio::test]
async fn what_is_not_stored_is_not_kept() {
    let host = keeping("ok").await;
    chat(&host, RESPONSES, &json!({ "input": ADDRESS, "store": false })).await;
    assert!(!host.stored().contains("session:"));
    assert_rejected(&chat(&host, RESPONSES, &on("resp_1")).await, "previous_response_id");
    for (field, value) in [("background", json!(true)), ("conversation", json!("conv_1"))] {
        let mut body = json!({ "input": "x", "store": false });
        body[field] = value;
        assert_rejected(&chat(&host, RESPONSES, &body).await, "store");
    }
    for (field, value) in [
        ("previous_response_id", json!("a b")),
        ("conversation", json!(7)),
        ("conversation", json!({ "id": "" })),
    ] {
        let mut body = json!({ "input": "x" });
        body[field] = value.clone();
        let answer = chat(&host, RESPONSES, &body).await;
        assert_eq!(answer.status, 400, "{value}");
        assert!(answer.json["error"]["param"].as_str().unwrap().starts_with(field), "{}", answer.text);
    }
    let both = with(on("resp_1"), &json!({ "conversation": "conv_1" }));
    assert_rejected(&chat(&host, RESPONSES, &both).await, "conversation");
    assert_eq!(host.sent.borrow().len(), 1);
}

#[tokio::test]
async fn a_session_that_is_too_large_is_rejected_before_anything_is_sent() {
    let host = keeping("ok").await;
    let addresses: String = (0..4_000).map(|number| format!("jan.novak{number}@example.cz ")).collect();
    let answer = chat(&host, RESPONSES, &json!({ "input": addresses })).await;
    assert_rejected(&answer, "input");
    assert!(host.sent.borrow().is_empty());
    let answer = chat(&host, RESPONSES, &json!({ "input": addresses, "store": false })).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn a_response_in_the_background_is_fetched_and_restored() {
    let host = keeping("ok").await;
    answer_with(&host, |_| whole(200, &response("resp_1", "queued", "")));
    let queued = chat(&host, RESPONSES, &json!({ "input": ADDRESS, "background": true })).await;
    assert_eq!((queued.status.as_u16(), &queued.json["status"]), (200, &json!("queued")));
    let made = placeholder(&host);
    let text = format!("It is {made}.");
    answer_with(&host, move |request| match (request.method().as_str(), request.uri().path()) {
        ("GET", "/v1/responses/resp_1") if request.uri().query() == Some("stream=true") => {
            let events = [
                json!({ "type": "response.created", "response": response("resp_1", "in_progress", "") }),
                json!({ "type": "response.completed", "response": response("resp_1", "completed", &text) }),
            ];
            let event =
                |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
            in_parts(events.iter().map(|one| Ok(Bytes::from(event(one)))).collect())
        }
        ("GET", "/v1/responses/resp_1") => whole(200, &response("resp_1", "completed", &text)),
        ("GET", "/v1/responses/resp_1/input_items") => {
            let part = json!({ "type": "input_text", "text": text });
            let item = json!({ "type": "message", "id": "msg_0", "role": "user", "content": [part] });
            whole(200, &json!({ "object": "list", "data": [item], "has_more": false }))
        }
        ("POST", "/v1/responses/resp_1/cancel") => whole(200, &response("resp_1", "cancelled", &text)),
        ("DELETE", "/v1/responses/resp_1") => {
            whole(200, &json!({ "id": "resp_1", "object": "response", "deleted": true }))
        }
        other => panic!("{other:?}"),
    });
    let want = format!("It is {ADDRESS}.");
    assert_eq!(said(&stored(&host, Method::GET, "resp_1").await), want);
    let streamed = stored(&host, Method::GET, "resp_1?stream=true").await;
    assert!(streamed.text.contains(&want) && !streamed.text.contains(&made), "{}", streamed.text);
    let items = stored(&host, Method::GET, "resp_1/input_items?limit=20&order=asc").await;
    assert_eq!(items.json["data"][0]["content"][0]["text"], want, "{}", items.text);
    assert_eq!(said(&stored(&host, Method::POST, "resp_1/cancel").await), want);
    let sent_last = host.sent.borrow().last().cloned().unwrap();
    assert_eq!((sent_last.method(), sent_last.uri().query()), (&Method::POST, None));
    for (path, param) in [("resp_1?starting_after=3", "starting_after"), ("resp_1?q=x", "query")] {
        let answer = stored(&host, Method::GET, path).await;
        assert_eq!((answer.status.as_u16(), &answer.json["error"]["param"]), (400, &json!(param)), "{path}");
    }
    let deleted = stored(&host, Method::DELETE, "resp_1").await;
    assert_eq!(deleted.json["deleted"], true, "{}", deleted.text);
    for path in ["resp_1", "resp_2", "a%20b"] {
        assert_eq!(stored(&host, Method::GET, path).await.status, 404, "{path}");
    }
    let head = host.sent.borrow().last().unwrap().clone();
    assert_eq!(head.method(), Method::DELETE);
}

/// A policy for the output applies to fetched responses, too.
#[tokio::test]
async fn what_is_fetched_is_protected() {
    let host = keeping("ok").await;
    chat(&host, RESPONSES, &json!({ "input": ADDRESS })).await;
    policy(&host, "BLOCK", json!([{ "entity_types": ["EMAIL"], "direction": "output" }])).await;
    says(&host, "write to eva@example.com");
    assert_eq!(stored(&host, Method::GET, "resp_1").await.status, 403);
}

/// A fetch waits for a failing provider no longer than any other request.
#[tokio::test]
async fn what_is_fetched_passes_the_breaker() {
    let host = keeping("ok").await;
    chat(&host, RESPONSES, &json!({ "input": ADDRESS })).await;
    answer_with(&host, |_| whole(401, &json!({})));
    for _ in 0..5 {
        assert_eq!(stored(&host, Method::GET, "resp_1").await.status, 502);
    }
    host.sent.borrow_mut().clear();
    let answer = stored(&host, Method::GET, "resp_1").await;
    assert_eq!((answer.status.as_u16(), &answer.json["error"]["code"]), (503, &json!("no_provider")));
    assert!(host.sent.borrow().is_empty());
}

#[tokio::test]
async fn a_streamed_response_can_be_gone_on_from_at_once() {
    let host = keeping("ok").await;
    answer_with(&host, |_| {
        let created =
            json!({ "type": "response.created", "response": response("resp_9", "in_progress", "") });
        let failed = json!({ "type": "error", "message": "no" });
        events(&[], &[&created.to_string(), &failed.to_string()])
    });
    chat(&host, RESPONSES, &json!({ "input": ADDRESS, "stream": true })).await;
    says(&host, &placeholder(&host));
    assert_eq!(said(&chat(&host, RESPONSES, &on("resp_9")).await), ADDRESS);
}

/// The provider that made a response is the only one that knows it.
#[tokio::test]
async fn a_request_goes_on_at_the_same_provider() {
    let host = gateway(&[("openai", json!({})), ("openai_compatible", json!({}))], |_| -> Reply {
        whole(200, &response("resp_1", "completed", "ok"))
    })
    .await;
    configure(
        &host,
        json!({ "sessions": { "enabled": true }, "providers": {
            "primary": { "provider": "openai", "model": "a" },
            "fallback": { "provider": "openai_compatible", "model": "b" },
        } }),
    )
    .await;
    chat(&host, RESPONSES, &json!({ "input": ADDRESS, "model": "openai_compatible/b" })).await;
    // by the fallback, since the primary one does not have it
    let answer = chat(&host, RESPONSES, &on("resp_1")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(host.sent.borrow().last().unwrap().uri().host(), Some("openai_compatible.example"));
    chat(&host, RESPONSES, &json!({ "input": "x", "model": "openai/a", "conversation": "conv_1" })).await;
    let elsewhere = json!({ "input": "x", "model": "openai_compatible/b", "conversation": "conv_1" });
    assert_rejected(&chat(&host, RESPONSES, &elsewhere).await, "conversation");
}

/// Sessions that ended are deleted by those that are kept later, and no others.
#[tokio::test]
async fn ended_sessions_are_deleted() {
    let host = keeping("ok").await;
    configure(&host, json!({ "sessions": { "ttl": 3_600 } })).await;
    let sessions = |host: &Memory| {
        host.values("config").into_keys().filter(|key| key.starts_with("session")).collect::<Vec<_>>()
    };
    for _ in 0..10 {
        let body = json!({ "input": ADDRESS, "conversation": "conv_1" });
        assert_eq!(chat(&host, RESPONSES, &body).await.status, 200);
    }
    // a session and an entry for each; for the conversation a session and an owner with ten entries each; the sweep's state
    assert_eq!(sessions(&host).len(), 10 + 10 + 2 + 20 + 1);
    // the conversation goes on, so that only its entries end
    host.now_ms.set(host.now_ms.get() + 1_800_000);
    chat(&host, RESPONSES, &json!({ "input": "x", "conversation": "conv_1" })).await;
    host.now_ms.set(host.now_ms.get() + 1_800_000 + 3_600_000 - 1_000);
    says(&host, &placeholder(&host));
    for _ in 0..20 {
        host.now_ms.set(host.now_ms.get() + 1_000);
        chat(&host, RESPONSES, &json!({ "input": "y", "conversation": "conv_2" })).await;
    }
    let left = sessions(&host);
    let (entries, kept): (Vec<_>, Vec<_>) =
        left.iter().partition(|key| key.starts_with("session-entry:initech:"));
    // those of the last 20 requests, and of the one that the other conversation went on with
    assert_eq!(entries.len(), 60, "{left:?}");
    assert_eq!(kept.len(), 20 + 2 + 1, "{left:?}");
    assert!(host.counters().iter().filter(|(key, _)| key.starts_with("session-count")).count() <= 2);
}
