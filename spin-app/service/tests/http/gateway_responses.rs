//! OpenAI's responses through the gateway, whole and as events.

use bytes::Bytes;
use http::Request;
use proptest::{collection::vec, prelude::*, sample::Index};
use serde_json::{Value, json};

use crate::{
    gateway::{ADDRESS, answer_with, chat, echoing, gateway, in_parts, metrics, policy, sent, whole, with},
    host::{Memory, Reply},
};

pub const RESPONSES: &str = "/v1/responses";
const SEAL: &str = "gAAAAABm-_x7Zk2qd3mabX9Y8Z7W6V5U";

/// The placeholder of the address in a request.
fn placeholder(request: &Request<Bytes>) -> String {
    let body = String::from_utf8(request.body().to_vec()).unwrap();
    let start = body.find("[[EMAIL_").unwrap_or_else(|| panic!("{body}"));
    body[start..].split_inclusive("]]").next().unwrap().to_owned()
}

/// Returns items of every kind that contain the placeholder.
fn items(made: &str) -> Vec<Value> {
    vec![
        json!({ "type": "reasoning", "id": "rs_1", "summary": [{ "type": "summary_text", "text": format!("about {made}") }],
            "encrypted_content": SEAL }),
        json!({ "type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [
            { "type": "output_text", "text": format!("Write to {made} or eva@example.com."), "annotations": [],
                "logprobs": [] },
            { "type": "refusal", "refusal": format!("not {made}") }] }),
        json!({ "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "send", "status": "completed",
            "arguments": json!({ "to": made, "n": 1.5 }).to_string() }),
        json!({ "type": "custom_tool_call", "id": "ct_1", "call_id": "call_2", "name": "sh",
            "input": format!("mail {made}") }),
    ]
}

pub fn response(items: &[Value]) -> Value {
    json!({ "id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "m", "output": items,
        "error": null, "parallel_tool_calls": true, "usage": { "input_tokens": 1, "output_tokens": 1 } })
}

/// Returns the provider's events for these items, with each text in pieces of `size` characters.
pub fn stream(items: &[Value], size: usize) -> Vec<Value> {
    let mut events = vec![json!({ "type": "response.created", "response": response(&[]) })];
    for (index, item) in items.iter().enumerate() {
        let mut begun = item.clone();
        for (key, empty) in
            [("content", json!([])), ("summary", json!([])), ("arguments", json!("")), ("input", json!(""))]
        {
            if begun.get(key).is_some() {
                begun[key] = empty;
            }
        }
        events.push(json!({ "type": "response.output_item.added", "output_index": index, "item": begun }));
        let mut say = |kind: &str, place: &Value, key: &str, text: &str| {
            let event = |end: &str, key: &str, text: &str| {
                let mut event = json!({ "type": format!("response.{kind}.{end}"), "item_id": item["id"],
                    "output_index": index });
                event.as_object_mut().unwrap().extend(place.as_object().unwrap().clone());
                event[key] = text.into();
                event
            };
            let letters: Vec<char> = text.chars().collect();
            events.extend(
                letters.chunks(size).map(|piece| event("delta", "delta", &piece.iter().collect::<String>())),
            );
            events.push(event("done", key, text));
        };
        let parts = item["content"].as_array().or(item["summary"].as_array()).cloned().unwrap_or_default();
        for (part, said) in parts.iter().enumerate() {
            let place = json!({ "content_index": part });
            match said["type"].as_str().unwrap() {
                "output_text" => say("output_text", &place, "text", said["text"].as_str().unwrap()),
                "refusal" => say("refusal", &place, "refusal", said["refusal"].as_str().unwrap()),
                _ => say(
                    "reasoning_summary_text",
                    &json!({ "summary_index": part }),
                    "text",
                    said["text"].as_str().unwrap(),
                ),
            }
        }
        for (key, kind) in [("arguments", "function_call_arguments"), ("input", "custom_tool_call_input")] {
            if let Some(text) = item[key].as_str() {
                say(kind, &json!({}), key, text);
            }
        }
        events.push(json!({ "type": "response.output_item.done", "output_index": index, "item": item }));
    }
    events.push(json!({ "type": "response.completed", "response": response(items) }));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = number.into();
    }
    events
}

/// Returns events as a provider sends them.
pub fn written(events: &[Value]) -> String {
    events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()))
        .collect()
}

fn read(text: &str) -> Vec<Value> {
    text.lines()
        .filter_map(|line| Some(serde_json::from_str(line.strip_prefix("data: ")?).unwrap()))
        .collect()
}

/// Joins the deltas of each text, by item and kind; they must equal its last event.
#[track_caller]
fn joined(events: &[Value]) -> Vec<(String, String)> {
    let mut texts: Vec<(String, String)> = Vec::new();
    for event in events {
        let kind = event["type"].as_str().unwrap();
        let (Some(base), is_delta) = (match kind.strip_suffix(".delta") {
            Some(base) => (Some(base), true),
            None => (kind.strip_suffix(".done").filter(|base| !base.ends_with("item")), false),
        }) else {
            continue;
        };
        let key = format!("{} {base}", event["output_index"]);
        if is_delta {
            assert!(event["item_id"].is_string(), "{event}");
            let piece = event["delta"].as_str().unwrap();
            match texts.iter_mut().find(|(known, _)| *known == key) {
                Some((_, text)) => text.push_str(piece),
                None => texts.push((key, piece.to_owned())),
            }
        } else {
            let whole =
                ["text", "refusal", "arguments", "input"].iter().find_map(|key| event[key].as_str()).unwrap();
            let said = texts.iter().find(|(known, _)| *known == key).map(|(_, text)| text.as_str());
            assert_eq!(said, Some(whole), "{key}");
        }
    }
    texts
}

async fn answering(size: usize) -> Memory {
    let host = echoing().await;
    answer_with(&host, move |request| reply(request, size, &[]));
    host
}

fn reply(request: &Request<Bytes>, size: usize, cuts: &[Index]) -> Reply {
    let items = items(&placeholder(request));
    let body: Value = serde_json::from_slice(request.body()).unwrap();
    if body["stream"] != true {
        return whole(200, &response(&items));
    }
    let bytes = Bytes::from(written(&stream(&items, size)));
    let mut places: Vec<usize> =
        cuts.iter().map(|cut| cut.index(bytes.len())).chain([0, bytes.len()]).collect();
    places.sort_unstable();
    in_parts(places.windows(2).map(|place| Ok(bytes.slice(place[0]..place[1]))).collect())
}

#[tokio::test]
async fn a_response_is_restored_whole_and_as_events() {
    let body = json!({ "model": "primary", "instructions": format!("You work for {ADDRESS}."), "input": ADDRESS,
        "privacy": { "report": true } });
    let host = answering(3).await;
    let answer = chat(&host, RESPONSES, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let sent = sent(&host);
    assert!(
        sent.starts_with("https://openai_compatible.example/v1/responses") && !sent.contains("novak"),
        "{sent}"
    );
    let output = &answer.json["output"];
    assert_eq!(*output, Value::from(items(ADDRESS)));
    assert_eq!(answer.json["privacy"]["restored"], 5);
    assert_eq!(answer.json["privacy"]["emitted"], json!([{ "type": "EMAIL", "action": "FLAG", "count": 1 }]));
    for size in [1, 3, 1_000] {
        let host = answering(size).await;
        let answer = chat(&host, RESPONSES, &with(body.clone(), &json!({ "stream": true }))).await;
        let events = read(&answer.text);
        let numbers: Vec<_> = events.iter().map(|event| event["sequence_number"].as_u64().unwrap()).collect();
        assert!(numbers.iter().zip(0..).all(|(number, nth)| *number == nth), "{numbers:?}");
        assert_eq!(joined(&events).len(), 5);
        let last = &events.last().unwrap()["response"];
        assert_eq!(last["output"], *output, "{size}");
        let done: Vec<_> = events.iter().filter(|one| one["type"] == "response.output_item.done").collect();
        assert_eq!(done.iter().map(|one| one["item"].clone()).collect::<Value>(), *output);
        // values that the last events repeat are counted once
        assert_eq!(
            last["privacy"],
            chat(&answering(9).await, RESPONSES, &body).await.json["privacy"],
            "{size}"
        );
        assert!(!answer.text.contains("[["), "{}", answer.text);
        let count = "textveil_gateway_requests_total{endpoint=\"responses\",outcome=\"ok\"} 1";
        assert!(metrics(&host).await.contains(count));
    }
}

#[tokio::test]
async fn output_policies_hold_for_responses() {
    let body = json!({ "input": ADDRESS });
    for (action, is_blocked) in [("MASK", false), ("REDACT", false), ("BLOCK", true)] {
        let host = answering(2).await;
        policy(&host, action, json!([{ "direction": "output" }])).await;
        let whole = chat(&host, RESPONSES, &body).await;
        assert_eq!(whole.status, if is_blocked { 403 } else { 200 });
        let answer = chat(&host, RESPONSES, &with(body.clone(), &json!({ "stream": true }))).await;
        assert!(!answer.text.contains("eva@") && !whole.text.contains("eva@"), "{}", answer.text);
        let events = read(&answer.text);
        let last = events.last().unwrap();
        if is_blocked {
            assert_eq!((&last["type"], &last["code"]), (&json!("error"), &json!("policy_violation")));
        } else {
            assert_eq!(last["response"]["output"], whole.json["output"], "{action}");
            assert!(joined(&events).iter().any(|(_, text)| text.contains(ADDRESS)), "{action}");
        }
    }
}

/// Every place of a request that could hold an address.
#[tokio::test]
async fn nothing_of_a_request_stays() {
    let host = echoing().await;
    answer_with(&host, |_| whole(200, &response(&[])));
    let arguments = json!({ "to": ADDRESS }).to_string();
    let body = json!({
        "input": [
            { "role": "user", "content": ADDRESS },
            { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": ADDRESS }] },
            { "type": "message", "role": "assistant", "id": "m", "status": "completed",
                "content": [{ "type": "output_text", "text": ADDRESS, "annotations": [] }] },
            { "type": "reasoning", "id": "r", "summary": [{ "type": "summary_text", "text": ADDRESS }],
                "content": [{ "type": "reasoning_text", "text": ADDRESS }], "encrypted_content": SEAL },
            { "type": "function_call", "call_id": "c", "name": "f", "arguments": arguments },
            { "type": "function_call_output", "call_id": "c", "output": ADDRESS },
            { "type": "function_call_output", "call_id": "c", "output": [{ "type": "input_text", "text": ADDRESS }] },
            { "type": "custom_tool_call", "call_id": "d", "name": "g", "input": ADDRESS },
            { "type": "custom_tool_call_output", "call_id": "d", "output": ADDRESS },
            { "type": "local_shell_call", "call_id": "e", "action": { "type": "exec", "command": ["mail", ADDRESS] } },
            { "type": "web_search_call", "id": "w", "action": { "type": "search", "query": ADDRESS } },
        ],
        "instructions": ADDRESS, "metadata": { "a": ADDRESS }, "user": ADDRESS, "new": [ADDRESS],
        "prompt": { "id": "pmpt_1", "variables": { "who": ADDRESS } },
        "text": { "format": { "type": "json_schema", "name": "n", "strict": true, "schema": {
            "type": "object", "properties": { "to": { "enum": [ADDRESS] } } } }, "verbosity": "low" },
        "tools": [{ "type": "function", "name": "f", "description": ADDRESS, "strict": true, "parameters": {
            "type": "object", "properties": { "to": { "type": "string", "description": ADDRESS } } } }],
        "include": ["reasoning.encrypted_content"], "reasoning": { "effort": "low" }, "store": false,
    });
    let answer = chat(&host, RESPONSES, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let sent: Value = serde_json::from_slice(host.sent.borrow()[0].body()).unwrap();
    let made = sent["instructions"].as_str().unwrap();
    assert!(made.starts_with("[[EMAIL_"), "{made}");
    let mut want: Value = serde_json::from_str(&body.to_string().replace(ADDRESS, made)).unwrap();
    want["model"] = sent["model"].clone();
    assert_eq!(sent, want);
}

/// With Codex' `wire_api = "responses"`: only personal data changes, and the patch is unchanged.
#[tokio::test]
async fn a_coding_agent_works_through_it() {
    let patch = |address: &str| {
        format!("*** Begin Patch\n*** Update File: contact.md\n@@\n-none\n+{address}\n*** End Patch")
    };
    let body = json!({
        "model": "primary", "stream": true, "store": false, "tool_choice": "auto", "parallel_tool_calls": false,
        "instructions": "You are a coding agent running in the Codex CLI.",
        "prompt_cache_key": "0199a213-81c0-7800-8aa1-bbab2a035a53",
        "reasoning": { "effort": "medium", "summary": "auto" }, "include": ["reasoning.encrypted_content"],
        "text": { "verbosity": "medium" },
        "input": [
            { "type": "message", "role": "developer", "content": [{ "type": "input_text",
                "text": "<permissions>\nApproval policy is on-request.\n</permissions>" }] },
            { "type": "message", "role": "user", "content": [{ "type": "input_text",
                "text": "<environment_context>\n  <cwd>/work/site</cwd>\n  <shell>zsh</shell>\n</environment_context>" }] },
            { "type": "message", "role": "user", "content": [{ "type": "input_text",
                "text": format!("put {ADDRESS} into contact.md") }] },
            { "type": "reasoning", "summary": [], "encrypted_content": SEAL },
            { "type": "function_call", "name": "shell", "call_id": "call_7Qh2",
                "arguments": "{\"command\":[\"bash\",\"-lc\",\"cat contact.md\"],\"workdir\":\"/work/site\"}" },
            { "type": "function_call_output", "call_id": "call_7Qh2",
                "output": "{\"output\":\"none\\n\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.1}}" },
        ],
        "tools": [
            { "type": "function", "name": "shell", "description": "Runs a shell command.", "strict": false,
                "parameters": { "type": "object", "required": ["command"], "additionalProperties": false,
                    "properties": { "command": { "type": "array", "items": { "type": "string" } },
                        "timeout_ms": { "type": "number" }, "workdir": { "type": "string" } } } },
            { "type": "custom", "name": "apply_patch", "description": "Edits files.", "format": {
                "type": "grammar", "syntax": "lark", "definition": "start: begin_patch hunk+ end_patch" } },
            { "type": "web_search", "external_web_access": false },
        ],
    });
    let host = echoing().await;
    answer_with(&host, move |request| {
        let call = json!({ "type": "custom_tool_call", "id": "ct_1", "call_id": "call_8", "name": "apply_patch",
            "input": patch(&placeholder(request)) });
        in_parts(vec![Ok(Bytes::from(written(&stream(&[call], 5))))])
    });
    let answer = chat(&host, RESPONSES, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let made = placeholder(&host.sent.borrow()[0]);
    let sent: Value = serde_json::from_slice(host.sent.borrow()[0].body()).unwrap();
    let mut want: Value = serde_json::from_str(&body.to_string().replace(ADDRESS, &made)).unwrap();
    want["model"] = sent["model"].clone();
    assert_eq!(sent, want);
    let events = read(&answer.text);
    let done = events.iter().find(|event| event["type"] == "response.output_item.done").unwrap();
    assert_eq!(done["item"]["input"], json!(patch(ADDRESS)));
}

/// The provider runs these tools itself, and the item of a call has its results.
#[tokio::test]
async fn what_a_tool_of_the_provider_said_is_its_own() {
    for item in [
        json!({ "type": "mcp_call", "id": "m", "server_label": "s", "name": "read_mail", "arguments": "{}", "output": ADDRESS }),
        json!({ "type": "file_search_call", "id": "f", "queries": ["q"], "results": [{ "text": ADDRESS }] }),
        json!({ "type": "code_interpreter_call", "id": "i", "code": "x", "outputs": [{ "type": "logs", "logs": ADDRESS }] }),
        json!({ "type": "tool_search_output", "id": "t", "call_id": "q", "output": ADDRESS }),
        json!({ "type": "mcp_list_tools", "id": "l", "server_label": "s", "tools": [{ "description": ADDRESS }] }),
    ] {
        let host = echoing().await;
        answer_with(&host, |request| {
            let arguments = json!({ "body": placeholder(request) }).to_string();
            let item = json!({ "type": "function_call", "call_id": "c9", "name": "http_fetch", "arguments": arguments });
            whole(200, &response(&[item]))
        });
        let body = json!({ "model": "primary", "input": [{ "role": "user", "content": "hi" }, item] });
        let answer = chat(&host, RESPONSES, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert!(!answer.text.contains(ADDRESS), "{}: {}", item["type"], answer.text);
        assert!(answer.text.contains(&placeholder(&host.sent.borrow()[0])), "{}", item["type"]);
    }
}

/// A shell and a browser are tools like those with a name.
#[tokio::test]
async fn what_a_tool_said_is_not_told_to_a_shell() {
    let told = |kind: &str| {
        json!({ "input": [
            { "role": "user", "content": "hi" },
            { "type": kind, "call_id": "c1", "name": "read", "arguments": "{}", "action": { "type": "exec" } },
            { "type": format!("{kind}_output"), "call_id": "c1", "output": ADDRESS },
        ] })
    };
    for (kind, is_restored) in [("function_call", false), ("local_shell_call", true)] {
        let host = echoing().await;
        answer_with(&host, |request| {
            let command = json!(["mail", placeholder(request)]);
            let item = json!({ "type": "local_shell_call", "id": "l", "call_id": "c2", "status": "completed",
                "action": { "type": "exec", "command": command } });
            whole(200, &response(&[item]))
        });
        let mut body = told(kind);
        if kind == "local_shell_call" {
            body["input"][1].as_object_mut().unwrap().remove("name");
        }
        let answer = chat(&host, RESPONSES, &body).await;
        let command = answer.json["output"][0]["action"]["command"][1].as_str().unwrap();
        assert_eq!(command == ADDRESS, is_restored, "{kind}: {}", answer.text);
        assert_eq!(command.starts_with("[[EMAIL_"), !is_restored, "{kind}: {}", answer.text);
    }
}

#[tokio::test]
async fn what_the_gateway_cannot_keep_is_rejected() {
    let host = echoing().await;
    for (field, value) in [
        ("previous_response_id", json!("resp_1")),
        ("conversation", json!("conv_1")),
        ("background", json!(true)),
        ("input", json!(7)),
        ("input", json!([])),
        ("input", json!(["hi"])),
        ("input", json!(null)),
    ] {
        let mut body = json!({ "input": "hi" });
        body[field] = value.clone();
        let answer = chat(&host, RESPONSES, &body).await;
        assert_eq!((answer.status.as_u16(), &answer.json["error"]["param"]), (400, &json!(field)), "{value}");
    }
    let unknown = json!({ "input": [{ "type": "hologram", "data": "x" }] });
    assert_eq!(chat(&host, RESPONSES, &unknown).await.json["error"]["code"], "privacy_check_failed");
    let image = json!({ "input": [{ "role": "user", "content": [
        { "type": "input_image", "image_url": "data:image/png;base64,AA" }] }] });
    assert_eq!(chat(&host, RESPONSES, &image).await.json["error"]["code"], "privacy_check_failed");
    assert!(host.sent.borrow().is_empty());
    let anthropic = gateway(&[("anthropic", json!({}))], |_| whole(200, &json!({}))).await;
    assert_eq!(chat(&anthropic, RESPONSES, &json!({ "input": "hi" })).await.status, 501);
}

#[tokio::test]
async fn a_response_that_breaks_off_says_so() {
    for (what, end) in [
        ("nothing", ""),
        ("an error", "event: error\ndata: {\"type\":\"error\",\"message\":\"zanzibar\"}\n\n"),
        ("no JSON", "data: {\n\n"),
    ] {
        let host = echoing().await;
        answer_with(&host, move |request| {
            let mut events = stream(&items(&placeholder(request)), 4);
            events.truncate(6);
            in_parts(vec![Ok(Bytes::from(written(&events) + end))])
        });
        let answer = chat(&host, RESPONSES, &json!({ "input": ADDRESS, "stream": true })).await;
        let last = read(&answer.text).pop().unwrap();
        assert_eq!(
            (&last["type"], &last["code"]),
            (&json!("error"), &json!("upstream_error")),
            "{what}: {}",
            answer.text
        );
        assert_eq!(last["error"]["code"], "upstream_error", "{what}");
        assert!(!answer.text.contains("zanzibar"), "{what}: {}", answer.text);
    }
}

#[tokio::test]
async fn tokens_are_counted_of_what_the_model_would_see() {
    let host = gateway(&[("anthropic", json!({}))], |_| whole(200, &json!({ "input_tokens": 7 }))).await;
    let body = json!({ "model": "primary", "messages": [{ "role": "user", "content": ADDRESS }], "system": ADDRESS });
    let answer = chat(&host, "/v1/messages/count_tokens", &body).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.json),
        (200, &json!({ "input_tokens": 7 })),
        "{}",
        answer.text
    );
    let sent = sent(&host);
    assert!(
        sent.starts_with("https://anthropic.example/v1/messages/count_tokens") && !sent.contains("novak"),
        "{sent}"
    );
    assert_eq!(chat(&echoing().await, "/v1/messages/count_tokens", &body).await.status, 501);
    answer_with(&host, |_| whole(200, &json!({ "input_tokens": "many" })));
    assert_eq!(chat(&host, "/v1/messages/count_tokens", &body).await.status, 502);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chunks_and_cuts_do_not_matter(size in 1..40_usize, cuts in vec(any::<Index>(), 0..20), has_policy in any::<bool>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let host = echoing().await;
            if has_policy {
                policy(&host, "REDACT", json!([{ "direction": "output" }])).await;
            }
            let mut got = Vec::new();
            for (size, cuts) in [(1_000, Vec::new()), (size, cuts)] {
                answer_with(&host, move |request| reply(request, size, &cuts));
                let answer = chat(&host, RESPONSES, &json!({ "input": ADDRESS, "stream": true })).await;
                let events = read(&answer.text);
                got.push((joined(&events), events.last().unwrap()["response"].clone()));
            }
            prop_assert_eq!(&got[0], &got[1]);
            Ok(())
        })?;
    }
}
