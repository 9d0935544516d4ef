//! Requests of applications to a language model through the gateway.

use std::rc::Rc;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use miniz_oxide::deflate::compress_to_vec;
use serde_json::{Value, json};
use textveil_service::{Label, upstream::Failure};

use crate::{
    gateway::{
        ADDRESS, CHAT, MESSAGES, answer_with, ask, assert_places_are_free, begun, chat, chat_with, chunk,
        completion, configure, content, echo, echoing, events, gateway, in_parts, logged, metrics, policy,
        records, said, script, sent, streamed, whole, with,
    },
    host::{MakeReply, Memory, Reply, SERVICE_TOKEN, Scripted, user_token},
};

#[tokio::test]
async fn the_model_sees_placeholders_and_the_application_the_values() {
    let host = echoing().await;
    let answer =
        chat(&host, CHAT, &ask(&format!("Write to {ADDRESS}, IBAN DE89 3704 0044 0532 0130 00"))).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let text = content(&answer);
    assert_eq!(text, format!("Write to {ADDRESS}, IBAN DE89 3704 0044 0532 0130 00"));
    assert_eq!(answer.header("x-privacy-action"), "MASK");
    assert_eq!(answer.header("x-privacy-entities"), "EMAIL=1,IBAN=1");
    assert_eq!(answer.header("x-gateway-model"), "openai_compatible-1");
    assert_eq!(answer.header("x-gateway-attempts"), "1");
    assert!(answer.header("x-gateway-overhead-ms").parse::<f64>().unwrap() > 0.0);
    for (family, limit, remaining) in [
        ("spec", "x-ratelimit-limit", "x-ratelimit-remaining"),
        ("OpenAI", "x-ratelimit-limit-requests", "x-ratelimit-remaining-requests"),
    ] {
        assert_eq!((answer.header(limit), answer.header(remaining)), ("60", "59"), "{family}");
    }
    let sent = sent(&host);
    assert!(!sent.contains("novak") && !sent.contains("3704") && sent.contains("[[EMAIL_"), "{sent}");
    assert!(sent.starts_with("https://openai_compatible.example/v1/chat/completions"), "{sent}");
    assert!(sent.contains("\"model\":\"openai_compatible-1\""), "{sent}");
}

#[tokio::test]
async fn one_person_has_one_placeholder_in_a_conversation() {
    let host = echoing().await;
    let messages = json!([
        { "role": "user", "content": "Dear Anna Kellermann of anna.kellermann@example.com, thanks" },
        { "role": "assistant", "content": "Hello" },
        { "role": "user", "content": "Ask Anna or Mrs Kellermann, ANNA.KELLERMANN@EXAMPLE.COM" },
    ]);
    chat(&host, CHAT, &json!({ "messages": messages })).await;
    let sent = sent(&host);
    let of_kind = |kind: &str| -> Vec<String> {
        let opening = format!("[[{kind}_");
        let ids = sent.split(&opening).skip(1).filter_map(|part| Some(part.split_once("]]")?.0.to_owned()));
        ids.collect()
    };
    for (kind, times) in [("NAME", 3), ("EMAIL", 2)] {
        let ids = of_kind(kind);
        assert_eq!(ids.len(), times, "{sent}");
        assert!(ids.iter().all(|id| *id == ids[0]), "{sent}");
    }
}

/// Clients wait for the end of the body, whatever the last event is.
#[tokio::test]
async fn a_stream_ends_before_its_metrics_are_written() {
    let host = echoing().await;
    host.batch_ms.set(250);
    let start_ms = host.now_ms.get();
    let body = begun(&host).await;
    assert!(body.collect().await.is_ok());
    assert_eq!(host.now_ms.get(), start_ms);
    assert_places_are_free(&host, "a stream that has ended");
    assert!(!host.log.borrow().is_empty());
}

/// However the provider's bytes are cut, the application gets the same.
#[tokio::test]
async fn a_stream_is_restored_wherever_it_is_cut() {
    let host = echoing().await;
    let body = with(ask(&format!("Žluťoučký kůň to {ADDRESS} and on.")), &json!({ "stream": true }));
    let want = chat(&host, CHAT, &body).await;
    assert_eq!(want.header("content-type"), "text/event-stream; charset=utf-8");
    assert!(want.text.ends_with("data: [DONE]\n\n"), "{}", want.text);
    assert_eq!(streamed(&want), format!("Žluťoučký kůň to {ADDRESS} and on."));
    let length = {
        let sent = host.sent.borrow();
        echo(sent.last().unwrap()).parts[0].as_ref().unwrap().len()
    };
    configure(&host, json!({ "rate_limits": { "requests_per_minute": 100_000, "burst": 10 } })).await;
    for cut in 1..length {
        answer_with(&host, move |request| {
            let whole = echo(request).parts.remove(0).unwrap();
            in_parts(vec![Ok(whole.slice(..cut)), Ok(whole.slice(cut..))])
        });
        assert_eq!(chat(&host, CHAT, &body).await.text, want.text, "cut at {cut}");
    }
    assert!(!sent(&host).contains("novak"));
}

#[tokio::test]
async fn a_token_is_taken_three_ways_and_goes_nowhere() {
    for (header, status) in [
        (("authorization", format!("Bearer {SERVICE_TOKEN}")), 200),
        (("x-api-key", SERVICE_TOKEN.to_owned()), 200),
        (("x-service-token", SERVICE_TOKEN.to_owned()), 200),
        (("authorization", format!("Bearer {}", user_token())), 401),
        (("authorization", format!("Bearer {}", crate::host::key("enterprise"))), 401),
        (("cookie", SERVICE_TOKEN.to_owned()), 401),
    ] {
        let host = echoing().await;
        let cookie = ("cookie", "session=zanzibar".to_owned());
        let other = ("openai-organization", "zanzibar".to_owned());
        let answer = chat_with(&host, CHAT, &ask("hi"), &[header.clone(), cookie, other]).await;
        assert_eq!(answer.status, status, "{header:?}: {}", answer.text);
        let sent = sent(&host);
        assert!(!sent.contains(SERVICE_TOKEN) && !sent.contains("zanzibar"), "{sent}");
        assert_eq!(sent.is_empty(), status == 401);
        if status == 401 {
            assert_eq!(answer.json["error"]["type"], "authentication_error");
        }
    }
}

#[tokio::test]
async fn a_model_is_a_route_a_model_or_behind_its_provider() {
    let providers = [
        ("openai_compatible", json!({ "allowed_models": ["openai_compatible-1", "b"] })),
        ("mistral", json!({ "default_model": "m-1" })),
        ("anthropic", json!({})),
    ];
    let host = gateway(&providers, |request| {
        let anthropic = json!({ "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [
            { "type": "text", "text": "hi" }], "stop_reason": "end_turn", "usage": { "input_tokens": 1, "output_tokens": 1 } });
        let is_anthropic = request.uri().path().ends_with("/messages");
        whole(200, &if is_anthropic { anthropic } else { completion("hi") })
    })
    .await;
    configure(
        &host,
        json!({ "providers": {
            "primary": { "provider": "openai_compatible", "model": "b" },
            "cheap": { "provider": "mistral", "model": "m-1" },
            "fallback": { "provider": "mistral", "model": "m-2" },
        } }),
    )
    .await;
    for (model, status, route, sent_model) in [
        (json!(null), 200, "primary", "b"),
        (json!("primary"), 200, "primary", "b"),
        (json!("cheap"), 200, "cheap", "m-1"),
        (json!("m-1"), 200, "cheap", "m-1"),
        (json!("mistral/other"), 200, "", "other"),
        (json!("anthropic/claude"), 200, "", "claude"),
        (json!("anthropic-1"), 200, "", "anthropic-1"),
        (json!("unheard-of"), 404, "", ""),
        (json!(7), 400, "", ""),
        (json!(format!("mistral/{ADDRESS}")), 400, "", ""),
        (json!("b"), 200, "primary", "b"),
    ] {
        host.sent.borrow_mut().clear();
        let answer = chat(&host, CHAT, &with(ask("hi"), &json!({ "model": model }))).await;
        assert_eq!(answer.status, status, "{model}: {}", answer.text);
        assert_eq!(host.sent.borrow().len(), usize::from(status == 200), "{model}");
        if status == 200 {
            assert_eq!(
                (answer.header("x-gateway-route"), answer.header("x-gateway-model")),
                (route, sent_model)
            );
            assert_eq!(content(&answer), "hi", "{model}");
        }
    }
    let request = Request::get("/v1/models?workspace_id=initech").header("x-api-key", SERVICE_TOKEN);
    let models = host.send_to_gateway(request.body(Full::default()).unwrap()).await;
    let names: Vec<_> = models.json["data"].as_array().unwrap().iter().map(|model| &model["id"]).collect();
    assert_eq!(names, ["cheap", "fallback", "primary", "openai_compatible-1", "b", "m-1", "anthropic-1"]);
}

/// The provider of the primary route gets any model name, so the caller's text in it is inspected too.
#[tokio::test]
async fn no_model_is_named_by_personal_data() {
    let host = echoing().await;
    let route = json!({ "provider": "openai_compatible", "model": "m" });
    configure(&host, json!({ "providers": { "primary": route } })).await;
    let models =
        ["m", "another", "claude-sonnet-4-5-20250929", "claude-opus", "Claude", "mistralai/mixtral-8x7b"];
    let people = [ADDRESS, "Jan Novak", "Claude-Monet"];
    let cases = models.map(|model| (model, 200)).into_iter().chain(people.map(|model| (model, 400)));
    for (model, status) in cases {
        let answer = chat(&host, CHAT, &with(ask("hi"), &json!({ "model": model }))).await;
        assert_eq!(answer.status, status, "{model}: {}", answer.text);
    }
    assert!(!sent(&host).contains("novak"), "{}", sent(&host));
}

#[tokio::test]
async fn what_providers_do_wrong_is_told_and_not_passed_on() {
    let error = |status: u16, message: &str| whole(status, &json!({ "error": { "message": message } }));
    type Case = (&'static str, MakeReply, u16, &'static str, usize);
    let cases: [Case; 10] = [
        ("500", Rc::new(move |_| error(500, "zanzibar")), 502, "upstream_error", 3),
        ("429", Rc::new(move |_| error(429, "zanzibar")), 429, "upstream_refused", 3),
        ("401", Rc::new(move |_| error(401, "zanzibar")), 502, "upstream_error", 1),
        ("400", Rc::new(move |_| error(400, "too long")), 400, "upstream_refused", 1),
        ("404", Rc::new(move |_| error(404, "no such model")), 404, "upstream_refused", 1),
        ("302", Rc::new(move |_| error(302, "zanzibar")), 502, "upstream_error", 1),
        ("another form", Rc::new(|_| whole(200, &json!("zanzibar"))), 502, "upstream_error", 1),
        (
            "no JSON",
            Rc::new(|_| Reply { status: 200, parts: vec![Ok("zanzibar".into())], ..Reply::default() }),
            502,
            "upstream_error",
            1,
        ),
        (
            "broken",
            Rc::new(|_| Reply { status: 200, parts: vec![Err(Failure::Broken)], ..Reply::default() }),
            502,
            "upstream_error",
            1,
        ),
        (
            "not UTF-8",
            Rc::new(|_| Reply {
                status: 200,
                parts: vec![Ok(Bytes::from_static(b"\"\xff\""))],
                ..Reply::default()
            }),
            502,
            "upstream_error",
            1,
        ),
    ];
    for (what, reply, status, code, attempts) in cases {
        let host = echoing().await;
        script(&host, reply);
        let answer = chat(&host, CHAT, &ask(ADDRESS)).await;
        assert_eq!((answer.status.as_u16(), &answer.json["error"]["code"]), (status, &json!(code)), "{what}");
        assert_eq!(host.sent.borrow().len(), attempts, "{what}");
        assert!(!answer.text.contains("zanzibar"), "{what}: {}", answer.text);
    }
    for (scripted, status, attempts) in [
        (Scripted::Failure(Failure::Unreachable), 502, 3),
        (Scripted::Failure(Failure::Broken), 502, 3),
        (Scripted::Failure(Failure::HostForbidden), 502, 1),
        (Scripted::Failure(Failure::AddressForbidden), 502, 1),
        (Scripted::Failure(Failure::ConnectTimeout), 504, 3),
        (Scripted::Failure(Failure::AnswerTimeout), 504, 1),
        (Scripted::Silence, 504, 1),
    ] {
        let host = echoing().await;
        *host.upstream.borrow_mut() = scripted;
        let answer = chat(&host, CHAT, &ask("hi")).await;
        assert_eq!((answer.status.as_u16(), host.sent.borrow().len()), (status, attempts), "{}", answer.text);
    }
}

/// A provider may compress an error although it must not; the gateway cannot inspect it.
#[tokio::test]
async fn a_refusal_that_is_compressed_is_told_without_its_words() {
    // stored blocks, so that the words are in them uncompressed
    let packed = compress_to_vec(br#"{"error":{"message":"zanzibar eva@example.com"}}"#, 0);
    assert!(packed.windows(8).any(|bytes| bytes == b"zanzibar"));
    for encoding in ["gzip", "deflate", "br", "zstd"] {
        for (status, stream) in [(400, false), (404, true), (413, false), (422, true)] {
            let host = echoing().await;
            let packed = Bytes::from(packed.clone());
            answer_with(&host, move |_| Reply {
                status,
                headers: vec![
                    ("content-encoding", encoding.into()),
                    ("content-type", "application/json".into()),
                ],
                parts: vec![Ok(packed.clone())],
                ..Reply::default()
            });
            let answer = chat(&host, CHAT, &with(ask(ADDRESS), &json!({ "stream": stream }))).await;
            let message = format!("the provider rejected the request with status {status}");
            let want = json!({ "message": message, "type": "invalid_request_error", "param": null, "code": "upstream_refused" });
            assert_eq!(
                (answer.status.as_u16(), &answer.json),
                (status, &json!({ "error": want })),
                "{encoding}"
            );
            assert_eq!(answer.header("content-encoding"), "", "{encoding}");
            assert_eq!(host.sent.borrow().len(), 1, "{encoding}");
        }
    }
}

/// Its header claims the requested encoding.
#[tokio::test]
async fn an_answer_with_another_encoding_is_not_looked_at() {
    for (encodings, status) in
        [(&["identity"][..], 200), (&["Identity", "gzip"], 502), (&["gzip"], 502), (&["br"], 502)]
    {
        for stream in [false, true] {
            let host = echoing().await;
            answer_with(&host, move |request| {
                let mut reply = echo(request);
                reply
                    .headers
                    .extend(encodings.iter().map(|encoding| ("content-encoding", (*encoding).to_owned())));
                reply
            });
            let answer = chat(&host, CHAT, &with(ask("zanzibar"), &json!({ "stream": stream }))).await;
            assert_eq!(answer.status, status, "{encodings:?}: {}", answer.text);
            assert_eq!(answer.text.contains("zanzibar"), status == 200, "{encodings:?}: {}", answer.text);
            assert_eq!(answer.header("content-encoding"), "", "{encodings:?}");
        }
    }
}

/// The provider's message may repeat what it was sent.
#[tokio::test]
async fn a_refusal_of_the_provider_is_restored() {
    let host = echoing().await;
    answer_with(&host, |request| whole(400, &json!({ "error": { "message": said(request) } })));
    let answer = chat(&host, CHAT, &ask(&format!("to {ADDRESS}"))).await;
    assert_eq!(answer.json["error"]["message"], format!("to {ADDRESS}"));
    assert_eq!(answer.json["error"]["type"], "invalid_request_error");
}

#[tokio::test]
async fn what_is_blocked_is_not_sent_and_not_passed_on() {
    let host = echoing().await;
    policy(&host, "BLOCK", json!([{ "entity_types": ["IBAN"], "direction": "input" }])).await;
    let answer = chat(&host, CHAT, &ask("IBAN DE89 3704 0044 0532 0130 00")).await;
    assert_eq!(answer.status, 403);
    assert_eq!(answer.json["error"]["code"], "policy_violation");
    assert_eq!(answer.json["error"]["details"], json!({ "iban": 1 }));
    assert_eq!(answer.header("x-should-retry"), "false");
    assert!(host.sent.borrow().is_empty());
    let audit = host.admin(Method::GET, "/audit?workspace_id=initech&action=BLOCK", &Value::Null).await;
    assert_eq!(audit.json["total"], 1, "{}", audit.text);
    let record = &audit.json["records"][0];
    assert_eq!((&record["entities"], &record["status"]), (&json!({ "iban": 1 }), &json!(403)));
    assert!(!audit.text.contains("DE89"));
    policy(&host, "BLOCK", json!([{ "entity_types": ["PHONE_NUMBER"], "direction": "input" }])).await;
    assert_eq!(chat(&host, CHAT, &ask("call +420 601 123 456")).await.status, 403);
    let audit = host.admin(Method::GET, "/audit?workspace_id=initech&action=BLOCK", &Value::Null).await;
    assert_eq!(audit.json["records"][0]["entities"], json!({ "phone": 1 }), "{}", audit.text);
    let dry = with(ask("IBAN DE89 3704 0044 0532 0130 00"), &json!({ "privacy": { "dry_run": true } }));
    assert_eq!(chat(&host, CHAT, &dry).await.status, 403);
    let again = host.admin(Method::GET, "/audit?workspace_id=initech&action=BLOCK", &Value::Null).await;
    assert_eq!(again.json["total"], 2, "{}", again.text);

    policy(&host, "BLOCK", json!([{ "entity_types": ["CREDIT_CARD"], "direction": "output" }])).await;
    for stream in [false, true] {
        answer_with(&host, move |_| match stream {
            false => whole(200, &completion("card 4111 1111 1111 1111.")),
            true => events(&["One two. ", "card 4111 1111", " 1111 1111."], &["[DONE]"]),
        });
        let answer = chat(&host, CHAT, &with(ask("hi"), &json!({ "stream": stream }))).await;
        assert!(!answer.text.contains("1111"), "{}", answer.text);
        assert!(answer.text.contains("\"code\":\"policy_violation\""), "{}", answer.text);
        assert_eq!(answer.status, if stream { 200 } else { 403 });
        assert_eq!(answer.text.ends_with("data: [DONE]\n\n"), stream);
    }
}

/// A blocked text of the model is recorded and counted, in every kind of answer.
#[tokio::test]
async fn an_answer_that_is_blocked_is_recorded_and_counted() {
    let card = "card 4111 1111 1111 1111.";
    type Case = (&'static str, bool, MakeReply, u16);
    let cases: [Case; 3] = [
        ("whole", false, Rc::new(move |_| whole(200, &completion(card))), 403),
        ("in parts", true, Rc::new(move |_| events(&[card], &["[DONE]"])), 200),
        ("an error", false, Rc::new(move |_| whole(400, &json!({ "error": { "message": card } }))), 403),
    ];
    for (what, stream, reply, status) in cases {
        let host = echoing().await;
        policy(&host, "BLOCK", json!([{ "entity_types": ["CREDIT_CARD"], "direction": "output" }])).await;
        script(&host, reply);
        let answer = chat(&host, CHAT, &with(ask("hi"), &json!({ "stream": stream }))).await;
        assert_eq!(answer.status, status, "{what}: {}", answer.text);
        assert!(answer.text.contains("\"code\":\"policy_violation\""), "{what}: {}", answer.text);
        let audit = host.admin(Method::GET, "/audit?workspace_id=initech&action=BLOCK", &Value::Null).await;
        assert_eq!(audit.json["total"], 1, "{what}: {}", audit.text);
        let record = &audit.json["records"][0];
        assert_eq!(
            (&record["entities"], &record["status"], &record["provider"]),
            (&json!({ "credit_card": 1 }), &json!(403), &json!("openai_compatible")),
            "{what}"
        );
        assert!(!audit.text.contains("1111"), "{what}: {}", audit.text);
        let blocks = "textveil_gateway_blocks_total{direction=\"output\"} 1";
        let metrics = metrics(&host).await;
        assert!(metrics.lines().any(|line| line == blocks), "{what}: {metrics}");
    }
}

/// The default action applies to the input. Findings in the model's own text are counted and stay.
#[tokio::test]
async fn what_the_model_says_itself_passes_through() {
    let text = "The president of France is Emmanuel Macron, see https://www.elysee.fr/en/contact, call \
                +33 1 42 92 81 00.";
    for action in ["MASK", "REDACT", "BLOCK"] {
        for stream in [false, true] {
            let host = echoing().await;
            configure(&host, json!({ "default_action": action })).await;
            // neither of these is restricted to the output
            policy(&host, "BLOCK", json!([{ "entity_types": ["PHONE_NUMBER"] }])).await;
            policy(&host, "REDACT", json!([])).await;
            answer_with(&host, move |_| match stream {
                false => whole(200, &completion(text)),
                true => events(&[&text[..50], &text[50..]], &["[DONE]"]),
            });
            let body = json!({ "stream": stream, "privacy": { "report": true } });
            let answer = chat(&host, CHAT, &with(ask("hi"), &body)).await;
            let got = if stream { streamed(&answer) } else { content(&answer) };
            assert_eq!(got, text, "{action}, stream: {stream}");
            for kind in ["NAME", "PHONE"] {
                let flagged = format!("\"type\":\"{kind}\",\"action\":\"FLAG\"");
                assert!(answer.text.contains(&flagged), "{kind}: {}", answer.text);
            }
        }
    }
}

/// A policy for the output applies to the model's own text.
#[tokio::test]
async fn what_the_model_emits_is_protected_by_a_policy() {
    for stream in [false, true] {
        let host = echoing().await;
        policy(&host, "MASK", json!([{ "direction": "output" }])).await;
        answer_with(&host, move |_| match stream {
            false => whole(200, &completion("Ask eva@example.com.")),
            true => events(&["Ask eva@ex", "ample.com."], &["[DONE]"]),
        });
        let answer = chat(&host, CHAT, &with(ask("hi"), &json!({ "stream": stream }))).await;
        assert!(answer.text.contains("[[EMAIL_") && !answer.text.contains("eva@"), "{}", answer.text);
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_says_so_and_nothing_that_was_held() {
    type Broken = (&'static str, fn() -> Reply);
    let broken: [Broken; 5] = [
        ("its end", || events(&["One two three [[EMAIL_"], &[])),
        ("an error", || {
            in_parts(vec![
                Ok(Bytes::from(format!("data: {}\n\n", chunk("One two three [[EMAIL_")))),
                Err(Failure::Broken),
            ])
        }),
        ("the provider's error", || {
            events(&["One two three [[EMAIL_"], &[r#"{"error":{"message":"zanzibar"}}"#])
        }),
        ("no JSON", || events(&["One two three [[EMAIL_"], &["zanzibar"])),
        ("bytes that are no text", || in_parts(vec![Ok(Bytes::from_static(b"data: \xff\xfe\n\n"))])),
    ];
    for (what, reply) in broken {
        let host = echoing().await;
        answer_with(&host, move |_| reply());
        let answer = chat(&host, CHAT, &with(ask("hi"), &json!({ "stream": true }))).await;
        assert!(answer.text.contains("\"code\":\"upstream_error\""), "{what}: {}", answer.text);
        assert!(answer.text.ends_with("data: [DONE]\n\n"), "{what}: {}", answer.text);
        assert!(
            !answer.text.contains("[[EMAIL") && !answer.text.contains("zanzibar"),
            "{what}: {}",
            answer.text
        );
        let line = logged(&host);
        assert_eq!((&line["status"], &line["error"]), (&json!(200), &json!("upstream_error")), "{what}");
    }
    let host = echoing().await;
    answer_with(&host, |_| whole(200, &completion("hi")));
    let answer = chat(&host, CHAT, &with(ask("hi"), &json!({ "stream": true }))).await;
    assert_eq!((answer.status.as_u16(), &answer.json["error"]["code"]), (502, &json!("upstream_error")));
}

/// A stream is over when all its texts are finished, or at its end mark, in any spelling.
#[tokio::test]
async fn a_stream_may_end_without_its_mark() {
    let finish = |index: u64| {
        let choice = json!({ "index": index, "delta": {}, "finish_reason": "stop" });
        json!({ "id": "c-1", "object": "chat.completion.chunk", "model": "m", "choices": [choice] })
            .to_string()
    };
    let usage =
        json!({ "id": "c-1", "object": "chat.completion.chunk", "choices": [], "usage": {} }).to_string();
    let second = chunk("two").replace("\"index\":0", "\"index\":1");
    let data = |chunks: &[&str]| chunks.iter().map(|data| format!("data: {data}\n\n")).collect::<String>();
    let said = chunk("One");
    for (what, sent, is_whole) in [
        ("finished", data(&[&said, &finish(0)]), true),
        ("finished, with usage", data(&[&said, &finish(0), &usage]), true),
        ("finished, and cut", data(&[&said, &finish(0)]).trim_end().to_owned(), true),
        ("both finished", data(&[&said, &second, &finish(1), &finish(0)]), true),
        ("a mark without a blank line", format!("{}data: [DONE]\n", data(&[&said])), true),
        ("a mark without a line", format!("{}data: [DONE]", data(&[&said])), true),
        ("a mark with another end", format!("{}data: [DONE]\r", data(&[&said])), true),
        ("one of two finished", data(&[&said, &second, &finish(0)]), false),
        ("not finished", data(&[&said]), false),
        ("a piece of an event", format!("{}data: {{\"choi", data(&[&said, &finish(0)])), false),
        ("nothing", String::new(), false),
    ] {
        let host = echoing().await;
        answer_with(&host, move |_| in_parts(vec![Ok(Bytes::from(sent.clone()))]));
        let body = with(ask("hi"), &json!({ "stream": true, "privacy": { "report": true } }));
        let answer = chat(&host, CHAT, &body).await;
        assert_eq!(answer.text.contains("\"error\""), !is_whole, "{what}: {}", answer.text);
        assert_eq!(answer.text.contains("\"privacy\""), is_whole, "{what}: {}", answer.text);
        assert_eq!(answer.text.matches("[DONE]").count(), 1, "{what}: {}", answer.text);
        assert!(!is_whole || answer.text.contains("\"One\""), "{what}: {}", answer.text);
    }
}

/// Some proxies drop the names of events, whose data contains their type too.
#[tokio::test]
async fn a_message_without_names_of_events_ends_and_fails_as_others() {
    let start = json!({ "type": "message_start", "message": { "id": "m", "type": "message", "role": "assistant",
        "content": [], "model": "m", "usage": { "input_tokens": 1, "output_tokens": 0 } } });
    for (last, is_whole, blank) in [
        (json!({ "type": "message_stop" }), true, "\n\n"),
        (json!({ "type": "message_stop" }), true, ""),
        (json!({ "type": "ping", "note": "message_stop" }), false, "\n\n"),
        (json!({ "type": "error", "error": { "type": "api_error", "message": "zanzibar" } }), false, "\n\n"),
    ] {
        let body = format!("data: {start}\n\ndata: {last}{blank}");
        let providers = [("anthropic", json!({}))];
        let host = gateway(&providers, move |_| in_parts(vec![Ok(Bytes::from(body.clone()))])).await;
        for path in [MESSAGES, CHAT] {
            let answer =
                chat(&host, path, &with(ask("hi"), &json!({ "max_tokens": 9, "stream": true }))).await;
            let is_refused = answer.text.contains("the provider");
            assert_eq!(is_refused, !is_whole, "{path} {last}: {}", answer.text);
            assert!(!answer.text.contains("zanzibar"), "{path} {last}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn what_cannot_be_looked_at_is_refused_unless_the_workspace_lets_it_pass() {
    let host = echoing().await;
    let image = json!({ "messages": [{ "role": "user", "content": [
        { "type": "image_url", "image_url": { "url": "https://example.com/a.png" } } ] }] });
    let unknown =
        json!({ "messages": [{ "role": "user", "content": [{ "type": "hologram", "data": "x" }] }] });
    let sound = with(ask("hi"), &json!({ "modalities": ["text", "audio"] }));
    for body in [&image, &unknown, &sound] {
        let answer = chat(&host, CHAT, body).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json["error"]["code"]),
            (503, &json!("privacy_check_failed"))
        );
        assert_eq!(answer.header("x-should-retry"), "false");
    }
    let tokens = chat(&host, "/v1/embeddings", &json!({ "input": [[1, 2, 3]] })).await;
    assert_eq!(tokens.json["error"]["code"], "privacy_check_failed");
    assert!(host.sent.borrow().is_empty());

    answer_with(&host, |_| whole(200, &completion("hi")));
    configure(&host, json!({ "streaming": { "fail_closed": false } })).await;
    let answer = chat(&host, CHAT, &image).await;
    assert_eq!((answer.status.as_u16(), answer.header("x-privacy-action")), (200, "BYPASS"));
    assert_eq!(records(&host).await[0]["bypassed"], true);
}

/// The model's thinking is sent back as signed by its provider, unless it contains a value that is replaced
/// elsewhere.
#[tokio::test]
async fn thinking_is_left_alone_only_where_its_provider_signed_it() {
    const SEAL: &str = "EqQBCgIYAhIM1gbcDa9GJwZA2b3h";
    let thought = |role: &str, of: &str, signature: &str| {
        json!({ "max_tokens": 9, "messages": [{ "role": "user", "content": ADDRESS }, { "role": role, "content": [
            { "type": "thinking", "thinking": format!("mail {of}"), "signature": signature } ] }] })
    };
    let other = "info@example.com";
    for (provider, path, role, of, signature, status, is_sent) in [
        ("anthropic", MESSAGES, "assistant", other, SEAL, 200, true),
        ("anthropic", MESSAGES, "assistant", ADDRESS, SEAL, 503, false),
        ("anthropic", MESSAGES, "assistant", other, "made-up", 200, false),
        ("anthropic", MESSAGES, "user", other, SEAL, 200, false),
        ("openai_compatible", CHAT, "assistant", other, SEAL, 200, false),
        ("openai_compatible", CHAT, "assistant", ADDRESS, "4111111111111111", 200, false),
    ] {
        let host = gateway(&[(provider, json!({}))], move |_| {
            let message = json!({ "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [],
                "usage": { "input_tokens": 1, "output_tokens": 1 } });
            whole(200, &if path == MESSAGES { message } else { completion("hi") })
        })
        .await;
        let answer = chat(&host, path, &thought(role, of, signature)).await;
        assert_eq!(answer.status, status, "{provider} {role} {of} {signature}: {}", answer.text);
        let sent = sent(&host);
        assert_eq!(sent.contains(of), is_sent, "{provider} {role} {of} {signature}: {sent}");
        assert!(!sent.contains("4111111111111111"), "{sent}");
    }
}

/// A schema may contain personal data, and the model must see the same placeholder everywhere.
#[tokio::test]
async fn schemas_of_tools_are_protected() {
    let host = echoing().await;
    answer_with(&host, |request| {
        let body: Value = serde_json::from_slice(request.body()).unwrap();
        let schema = &body["tools"][0]["function"]["parameters"];
        let chosen = &schema["properties"]["to"]["enum"][0];
        assert_eq!(*chosen, schema["properties"]["to"]["const"]);
        let name = schema["properties"].as_object().unwrap().keys().next_back().unwrap();
        assert_eq!(schema["required"][1], *name);
        let mut body = completion("");
        let function = json!({ "name": "f", "arguments": json!({ "to": chosen, name: 1 }).to_string() });
        body["choices"][0]["message"]["tool_calls"] =
            json!([{ "id": "c", "type": "function", "function": function }]);
        whole(200, &body)
    });
    let other = "eva.nova@example.cz";
    let schema = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "properties": { "to": { "type": "string", "format": "email", "enum": [ADDRESS, "none"], "const": ADDRESS },
            other: { "type": "integer" } },
        "required": ["to", other] });
    let tool = json!({ "type": "function", "function": { "name": "f", "parameters": schema } });
    let answer = chat(&host, CHAT, &with(ask("hi"), &json!({ "tools": [tool] }))).await;
    let arguments = &answer.json["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"];
    assert_eq!(*arguments, json!({ "to": ADDRESS, other: 1 }).to_string(), "{}", answer.text);
    let sent = sent(&host);
    assert!(!sent.contains("novak") && !sent.contains("eva.") && sent.contains("draft/2020-12"), "{sent}");
}

/// The provider received the uninspected parts, whatever it answers.
#[tokio::test]
async fn an_error_says_too_that_something_was_let_pass() {
    let image = json!({ "messages": [{ "role": "user", "content": [
        { "type": "image_url", "image_url": { "url": "https://example.com/a.png" } } ] }] });
    for (body, status, want, action) in
        [(&image, 400, 400, "BYPASS"), (&image, 503, 502, "BYPASS"), (&ask(ADDRESS), 400, 400, "MASK")]
    {
        let host = echoing().await;
        configure(&host, json!({ "streaming": { "fail_closed": false } })).await;
        answer_with(&host, move |_| whole(status, &json!({ "error": { "message": "no" } })));
        let answer = chat(&host, CHAT, body).await;
        assert_eq!((answer.status.as_u16(), answer.header("x-privacy-action")), (want, action), "{status}");
    }
}

#[tokio::test]
async fn a_request_is_recorded_before_it_is_sent() {
    let host = echoing().await;
    configure(&host, json!({ "audit_level": "full" })).await;
    policy(&host, "ALLOW", json!([{ "entity_types": ["PHONE_NUMBER"] }])).await;
    chat(&host, CHAT, &ask(&format!("{ADDRESS}, tel. +420 601 123 456"))).await;
    let audit = host.admin(Method::GET, "/audit?workspace_id=initech&event=request", &Value::Null).await;
    let record = &audit.json["records"][0];
    assert_eq!(record["entities"], json!({ "email": 1, "phone": 1 }), "{}", audit.text);
    assert_eq!((&record["action"], &record["provider"]), (&json!("MASK"), &json!("openai_compatible")));
    assert_eq!(record["masked_text"], "[EMAIL], tel. [PHONE_NUMBER]\n");
    for place in [audit.text, host.stored(), host.log.borrow().join("\n")] {
        assert!(!place.contains("novak") && !place.contains("601 123"), "{place}");
    }

    host.sent.borrow_mut().clear();
    host.down.set(Some(Label::Audit));
    assert_eq!(chat(&host, CHAT, &ask("hi")).await.status, 503);
    assert!(host.sent.borrow().is_empty());
}

#[tokio::test]
async fn a_conversation_has_messages() {
    let host = echoing().await;
    for messages in [json!(null), json!([]), json!("hi"), json!({}), json!(["hi"])] {
        let answer = chat(&host, CHAT, &json!({ "messages": messages })).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json["error"]["param"]),
            (400, &json!("messages")),
            "{messages}"
        );
    }
    assert!(host.sent.borrow().is_empty());
}

#[tokio::test]
async fn a_workspace_without_a_provider_is_told() {
    let answer = chat(&Memory::default(), CHAT, &ask("hi")).await;
    assert_eq!((answer.status.as_u16(), &answer.json["error"]["code"]), (503, &json!("no_provider")));
}

#[tokio::test]
async fn without_a_store_nothing_is_sent() {
    for label in [Label::Config, Label::Usage] {
        let host = echoing().await;
        host.down.set(Some(label));
        let answer = chat(&host, CHAT, &ask("hi")).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json["error"]["code"]),
            (503, &json!("service_unavailable"))
        );
        assert!(host.sent.borrow().is_empty());
    }
}

#[tokio::test]
async fn the_caller_may_ask_for_more() {
    let host = echoing().await;
    let privacy = |options: Value| with(ask(ADDRESS), &json!({ "privacy": options }));
    let kept = chat(&host, CHAT, &privacy(json!({ "restore": false }))).await;
    let text = content(&kept);
    assert!(text.starts_with("[[EMAIL_"), "{text}");

    let reported = chat(&host, CHAT, &privacy(json!({ "report": true }))).await;
    let report = &reported.json["privacy"];
    assert_eq!(report["entities"], json!([{ "type": "EMAIL", "action": "MASK", "count": 1 }]));
    assert_eq!((&report["action"], &report["restored"]), (&json!("MASK"), &json!(1)));
    let streamed = with(privacy(json!({ "report": true })), &json!({ "stream": true }));
    let streamed = chat(&host, CHAT, &streamed).await;
    assert!(streamed.text.contains("\"restored\":1"), "{}", streamed.text);
    assert!(!sent(&host).contains("privacy"));

    host.sent.borrow_mut().clear();
    let dry = chat(&host, CHAT, &privacy(json!({ "dry_run": true }))).await;
    assert!(dry.json["request"]["messages"][0]["content"].as_str().unwrap().starts_with("[[EMAIL_"));
    assert!(host.sent.borrow().is_empty());
}

#[tokio::test]
async fn anthropics_messages_are_spoken_as_they_are() {
    let host = gateway(&[("anthropic", json!({}))], |request| {
        let body: Value = serde_json::from_slice(request.body()).unwrap();
        let text = said(request);
        if body["stream"] != true {
            return whole(200, &json!({ "id": "m", "type": "message", "role": "assistant", "model": "m",
                "content": [{ "type": "thinking", "thinking": text, "signature": "s" }, { "type": "text", "text": text }],
                "stop_reason": "end_turn", "usage": { "input_tokens": 1, "output_tokens": 1 } }));
        }
        let events = [
            json!({ "type": "message_start", "message": { "id": "m", "type": "message", "role": "assistant",
                "content": [], "model": "m", "usage": { "input_tokens": 1, "output_tokens": 0 } } }),
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } }),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn", "stop_sequence": null }, "usage": { "output_tokens": 1 } }),
            json!({ "type": "message_stop" }),
        ];
        let written = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
        in_parts(vec![Ok(Bytes::from(events.iter().map(written).collect::<String>()))])
    })
    .await;
    let body = with(ask(&format!("to {ADDRESS}")), &json!({ "max_tokens": 10 }));
    let answer = chat(&host, MESSAGES, &body).await;
    assert_eq!(answer.json["content"][1]["text"], format!("to {ADDRESS}"), "{}", answer.text);
    // signed content stays as the provider wrote it
    assert!(answer.json["content"][0]["thinking"].as_str().unwrap().starts_with("to [[EMAIL_"));
    let sent = sent(&host);
    assert!(sent.starts_with("https://anthropic.example/v1/messages") && !sent.contains("novak"), "{sent}");
    assert!(sent.contains("anthropic-version"), "{sent}");

    let answer = chat(&host, MESSAGES, &with(body.clone(), &json!({ "stream": true }))).await;
    assert!(
        answer.text.contains(&format!("to {ADDRESS}")) || answer.text.contains(ADDRESS),
        "{}",
        answer.text
    );
    assert!(answer.text.contains("event: message_stop\n"), "{}", answer.text);
    // the same provider with OpenAI's protocol
    let answer = chat(&host, CHAT, &ask(&format!("to {ADDRESS}"))).await;
    assert_eq!(content(&answer), format!("to {ADDRESS}"), "{}", answer.text);
    let answer = chat(&host, CHAT, &with(ask(&format!("to {ADDRESS}")), &json!({ "stream": true }))).await;
    assert_eq!(streamed(&answer), format!("to {ADDRESS}"), "{}", answer.text);
    assert!(answer.text.ends_with("data: [DONE]\n\n"), "{}", answer.text);

    let other = echoing().await;
    let answer = chat(&other, MESSAGES, &body).await;
    assert_eq!((answer.status.as_u16(), &answer.json["type"]), (501, &json!("error")), "{}", answer.text);
}

#[tokio::test]
async fn embeddings_are_of_protected_texts() {
    let host = gateway(&[("openai_compatible", json!({}))], |_| {
        whole(200, &json!({ "object": "list", "model": "e", "data": [{ "object": "embedding", "index": 0, "embedding": [0.1] }] }))
    })
    .await;
    let answer = chat(&host, "/v1/embeddings", &json!({ "model": "primary", "input": [ADDRESS] })).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.json["data"][0]["embedding"]),
        (200, &json!([0.1])),
        "{}",
        answer.text
    );
    // in base64, as OpenAI's client requests it; what looks like identifiers in the digits is not personal data
    let vector = "4111111111111111AKIAIOSFODNN7EXAMPLE";
    answer_with(&host, move |_| {
        let entry =
            json!({ "object": "embedding", "index": 0, "embedding": vector, "note": "eva@example.com" });
        whole(200, &json!({ "object": "list", "model": "e", "data": [entry] }))
    });
    policy(&host, "MASK", json!([{ "direction": "output" }])).await;
    let answer = chat(&host, "/v1/embeddings", &json!({ "model": "primary", "input": "hi" })).await;
    assert_eq!(answer.json["data"][0]["embedding"], vector);
    assert!(!answer.text.contains("eva@"), "{}", answer.text);
    let sent = sent(&host);
    assert!(
        sent.starts_with("https://openai_compatible.example/v1/embeddings") && !sent.contains("novak"),
        "{sent}"
    );
}

#[tokio::test]
async fn everything_else_is_not_supported() {
    let host = echoing().await;
    for path in [
        "responses/x/y",
        "files",
        "models/x",
        "messages/batches",
        "images/generations",
        "engines/x/completions",
        "videos",
        "skills",
        "complete",
        "embeddings/x",
        "vector_stores",
    ] {
        let answer = chat(&host, &format!("/v1/{path}"), &json!({})).await;
        let got = (answer.status.as_u16(), &answer.json["error"]["code"]);
        assert_eq!(got, (501, &json!("not_supported")), "{path}");
    }
    let unknown = chat(&host, "/v1/nowhere", &json!({})).await;
    assert_eq!((unknown.status.as_u16(), &unknown.json["type"]), (404, &json!("not_found")));
    for path in [
        "nowhere",
        "chat/completions",
        "files",
        "policies/x/y",
        "config/x",
        "audit/x",
        "providers/x",
        "status/",
    ] {
        let answer = chat(&host, &format!("/api/v1/gateway/{path}"), &json!({})).await;
        assert_eq!((answer.status.as_u16(), &answer.json["type"]), (404, &json!("not_found")), "{path}");
    }
    assert!(host.sent.borrow().is_empty());
}

#[tokio::test]
async fn metrics_tell_what_the_gateway_did() {
    let host = echoing().await;
    chat(&host, CHAT, &ask(ADDRESS)).await;
    chat(&host, CHAT, &with(ask(ADDRESS), &json!({ "stream": true }))).await;
    answer_with(&host, |_| events(&["One"], &[]));
    chat(&host, CHAT, &with(ask("hi"), &json!({ "stream": true }))).await;
    begun(&host).await.abandon().await;
    let metrics = metrics(&host).await;
    for line in [
        "textveil_gateway_requests_total{endpoint=\"chat_completions\",outcome=\"ok\"} 2",
        "textveil_gateway_requests_total{endpoint=\"chat_completions\",outcome=\"failed\"} 1",
        "textveil_gateway_requests_total{endpoint=\"chat_completions\",outcome=\"abandoned\"} 1",
        "textveil_gateway_entities_total{type=\"email\",action=\"MASK\",direction=\"input\"} 2",
        "textveil_gateway_restores_total{outcome=\"ok\"} 2",
        "textveil_gateway_overhead_seconds_count{} 4",
        "textveil_gateway_upstream_seconds_count{provider=\"openai_compatible\"} 4",
        "textveil_gateway_first_token_seconds_count{provider=\"openai_compatible\"} 2",
    ] {
        assert!(metrics.lines().any(|found| found == line), "no {line} in\n{metrics}");
    }
}

/// A coding agent has its own credential, and sends the gateway's token in another header.
#[tokio::test]
async fn a_route_may_take_the_callers_own_credential() {
    let token = ("x-service-token", SERVICE_TOKEN.to_owned());
    let as_key = |key: &str| ("authorization", format!("Bearer {key}"));
    let providers = [("openai_compatible", json!({})), ("anthropic", json!({}))];
    let host = gateway(&providers, |request| {
        let is_anthropic = request.uri().path().ends_with("/messages");
        let message =
            json!({ "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [] });
        whole(200, &if is_anthropic { message } else { completion("hi") })
    })
    .await;
    let route = |provider: &str, credential: &str| json!({ "provider": provider, "model": "m", "credential": credential });
    let routes = json!({ "own": route("openai_compatible", "caller"), "claude": route("anthropic", "caller"),
        "shared": route("openai_compatible", "provider") });
    configure(&host, json!({ "providers": routes })).await;
    let config = host.admin(Method::GET, "/config?workspace_id=initech", &Value::Null).await;
    assert_eq!(config.json["providers"]["own"]["credential"], "caller");
    assert_eq!(config.json["providers"]["shared"], json!({ "provider": "openai_compatible", "model": "m" }));
    let own_key = |name: &'static str, value: &str| (name, value.to_owned());
    for (path, model, headers, status, header, value) in [
        (CHAT, "own", vec![token.clone(), as_key("sk-own")], 200, "authorization", "Bearer sk-own"),
        (
            CHAT,
            "own",
            vec![token.clone(), own_key("x-api-key", "sk-own")],
            200,
            "authorization",
            "Bearer sk-own",
        ),
        (MESSAGES, "claude", vec![token.clone(), own_key("x-api-key", "sk-own")], 200, "x-api-key", "sk-own"),
        (MESSAGES, "claude", vec![token.clone(), as_key("sk-oat")], 200, "authorization", "Bearer sk-oat"),
        (CHAT, "shared", vec![token.clone(), as_key("sk-own")], 200, "authorization", "Bearer sk-upstream"),
        // the gateway's token is not a caller's credential
        (CHAT, "own", vec![token.clone()], 401, "", ""),
        (CHAT, "own", vec![as_key(SERVICE_TOKEN)], 401, "", ""),
        (CHAT, "own", vec![token.clone(), as_key(SERVICE_TOKEN)], 401, "", ""),
        (CHAT, "own", vec![as_key("sk-own")], 401, "", ""),
    ] {
        host.sent.borrow_mut().clear();
        let body = with(ask("hi"), &json!({ "model": model, "max_tokens": 9 }));
        let answer = chat_with(&host, path, &body, &headers).await;
        assert_eq!(answer.status, status, "{model} {headers:?}: {}", answer.text);
        let all = host.sent.borrow();
        assert_eq!(all.len(), usize::from(status == 200), "{model} {headers:?}");
        for request in all.iter() {
            assert_eq!(request.headers()[header], value, "{model}");
            let written =
                format!("{:?}", request.headers().values().map(|one| one.as_bytes()).collect::<Vec<_>>());
            assert!(!written.contains(&format!("{:?}", SERVICE_TOKEN.as_bytes())), "{model}");
        }
    }
    // never sent to another host, even if the first one fails
    configure(
        &host,
        json!({ "providers": { "primary": route("openai_compatible", "caller"),
        "fallback": route("anthropic", "caller") } }),
    )
    .await;
    host.sent.borrow_mut().clear();
    answer_with(&host, |_| whole(500, &json!({})));
    let answer =
        chat_with(&host, CHAT, &with(ask("hi"), &json!({ "max_tokens": 9 })), &[token, as_key("sk-own")])
            .await;
    assert_eq!(answer.status, 502, "{}", answer.text);
    let hosts: Vec<_> = host.sent.borrow().iter().map(|one| one.uri().host().unwrap().to_owned()).collect();
    assert!(hosts.iter().all(|host| host == "openai_compatible.example") && !hosts.is_empty(), "{hosts:?}");
}

/// Prompt caching is in the body, betas are in headers; both are the caller's business with Anthropic.
#[tokio::test]
async fn caching_and_betas_pass_through() {
    let host = gateway(&[("anthropic", json!({}))], |_| {
        whole(200, &json!({ "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [] }))
    })
    .await;
    let cached = json!({ "type": "ephemeral", "ttl": "1h" });
    let body = json!({ "model": "primary", "max_tokens": 9,
        "system": [{ "type": "text", "text": "Be kind.", "cache_control": cached }],
        "tools": [{ "name": "f", "input_schema": { "type": "object" }, "cache_control": cached }],
        "messages": [{ "role": "user", "content": [{ "type": "text", "text": "hi", "cache_control": cached }] }] });
    let token = ("authorization", format!("Bearer {SERVICE_TOKEN}"));
    let beta = |value: &str| ("anthropic-beta", value.to_owned());
    let answer = chat_with(&host, MESSAGES, &body, &[token.clone(), beta("context-1m-2025-08-07")]).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    {
        let sent = host.sent.borrow();
        assert_eq!(sent[0].headers()["anthropic-beta"], "context-1m-2025-08-07");
        assert_eq!(sent[0].headers()["anthropic-version"], "2023-06-01");
        assert_eq!(serde_json::from_slice::<Value>(sent[0].body()).unwrap(), body);
    }
    for value in [ADDRESS, "4111111111111111-2025-08-07", "zanzibar"] {
        let answer = chat_with(&host, MESSAGES, &body, &[token.clone(), beta(value)]).await;
        assert_eq!(answer.status, 400, "{value}: {}", answer.text);
        assert!(answer.text.contains("anthropic-beta") && !answer.text.contains(value), "{}", answer.text);
    }
    assert_eq!(host.sent.borrow().len(), 1);
}
