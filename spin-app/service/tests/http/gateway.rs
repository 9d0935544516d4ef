//! The gateway with scripted providers, and requests of applications and administrators.

use std::rc::Rc;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;
use serde_json::{Value, json};
use textveil_service::{gateway::AnswerBody, handle_gateway, upstream::Failure};

use crate::host::{Answer, MakeReply, Memory, Reply, SERVICE_TOKEN, Scripted, user_token};

pub const ADDRESS: &str = "jan.novak@example.cz";
pub const CHAT: &str = "/v1/chat/completions";
pub const MESSAGES: &str = "/v1/messages";

/// Creates a workspace with providers whose answers `reply` returns.
pub async fn gateway(
    providers: &[(&str, Value)],
    reply: impl Fn(&Request<Bytes>) -> Reply + 'static,
) -> Memory {
    let host = Memory::default();
    for (kind, changes) in providers {
        let mut body = json!({
            "provider_type": kind, "display_name": kind, "base_url": format!("https://{kind}.example/v1"),
            "default_model": format!("{kind}-1"), "supports_streaming": true,
            "credential_source": "env_placeholder", "env_placeholder": "${LLM_KEY}",
        });
        body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let answer = as_user(&host, Method::POST, "", &body).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
    }
    let mut variables = host.variables.borrow_mut();
    variables.insert("provider_hosts", "https://*.example".to_owned());
    variables.insert("provider_secrets", r#"{"LLM_KEY":"sk-upstream"}"#.to_owned());
    drop(variables);
    answer_with(&host, reply);
    host
}

/// Asks for LLM providers of the workspace `initech`, as a user does.
pub async fn as_user(host: &Memory, method: Method, path: &str, body: &Value) -> Answer {
    let request = Request::builder()
        .method(method)
        .uri(format!("/api/v1/llm-providers{path}"))
        .header("authorization", format!("Bearer {}", user_token()))
        .body(Full::new(Bytes::from(body.to_string())));
    host.send(request.unwrap()).await
}

pub fn answer_with(host: &Memory, reply: impl Fn(&Request<Bytes>) -> Reply + 'static) {
    script(host, Rc::new(reply));
}

/// The same of an answer that a table holds.
pub fn script(host: &Memory, reply: MakeReply) {
    *host.upstream.borrow_mut() = Scripted::Reply(reply);
}

/// Creates one provider that repeats the last message.
pub async fn echoing() -> Memory {
    gateway(&[("openai_compatible", json!({}))], echo).await
}

/// Returns the last message of a request, as received by its provider.
pub fn said(request: &Request<Bytes>) -> String {
    let body: Value = serde_json::from_slice(request.body()).unwrap();
    let content = &body["messages"].as_array().unwrap().last().unwrap()["content"];
    content.as_str().or(content[0]["text"].as_str()).unwrap().to_owned()
}

pub fn echo(request: &Request<Bytes>) -> Reply {
    let body: Value = serde_json::from_slice(request.body()).unwrap();
    let said = said(request);
    if body["stream"] == true {
        return events(&[&said], &["[DONE]"]);
    }
    whole(200, &completion(&said))
}

pub fn completion(content: &str) -> Value {
    json!({
        "id": "c-1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": content } }],
        "usage": { "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 },
    })
}

pub fn whole(status: u16, body: &Value) -> Reply {
    Reply {
        status,
        headers: vec![("content-type", "application/json".to_owned())],
        parts: vec![Ok(Bytes::from(body.to_string()))],
        ..Reply::default()
    }
}

/// A refusal or a failure with this status.
pub fn refuses(status: u16) -> MakeReply {
    Rc::new(move |_| whole(status, &json!({ "error": { "message": "no" } })))
}

/// No answer for this reason.
pub fn fails(failure: Failure) -> MakeReply {
    Rc::new(move |_| Reply { failure: Some(failure), ..Reply::default() })
}

pub fn chunk(content: &str) -> String {
    let delta = json!({ "index": 0, "delta": { "content": content }, "finish_reason": null });
    json!({ "id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [delta] })
        .to_string()
}

/// Chunks of these contents, then events as they are.
pub fn events(contents: &[&str], last: &[&str]) -> Reply {
    let chunks =
        contents.iter().map(|content| chunk(content)).chain(last.iter().map(|one| (*one).to_owned()));
    let body: String = chunks.map(|data| format!("data: {data}\n\n")).collect();
    in_parts(vec![Ok(Bytes::from(body))])
}

pub fn in_parts(parts: Vec<Result<Bytes, Failure>>) -> Reply {
    let headers = vec![("content-type", "text/event-stream".to_owned())];
    Reply { status: 200, headers, parts, ..Reply::default() }
}

pub fn ask(content: &str) -> Value {
    json!({ "messages": [{ "role": "user", "content": content }] })
}

pub fn with(mut body: Value, more: &Value) -> Value {
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

/// Asks with the service token as a key, in the workspace `initech`.
pub async fn chat(host: &Memory, path: &str, body: &Value) -> Answer {
    chat_with(host, path, body, &[("authorization", format!("Bearer {SERVICE_TOKEN}"))]).await
}

pub async fn chat_with(host: &Memory, path: &str, body: &Value, headers: &[(&str, String)]) -> Answer {
    let mut request =
        Request::post(format!("{path}?workspace_id=initech")).header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    host.send_to_gateway(request.body(Full::new(Bytes::from(body.to_string()))).unwrap()).await
}

pub async fn configure(host: &Memory, change: Value) {
    let answer = host.admin(Method::PUT, "/config?workspace_id=initech", &change).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

/// Sets how long providers may take.
pub fn deadlines(host: &Memory, deadlines: &str) {
    host.variables.borrow_mut().insert("upstream_deadlines", deadlines.to_owned());
}

pub async fn policy(host: &Memory, action: &str, conditions: Value) {
    let policy = json!({ "name": "p", "action": action, "conditions": conditions });
    let answer = host.admin(Method::POST, "/policies?workspace_id=initech", &policy).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
}

pub async fn metrics(host: &Memory) -> String {
    let request = Request::get("/metrics").header("x-service-token", SERVICE_TOKEN);
    let request = request.body(Full::new(Bytes::new())).unwrap();
    host.send(request).await.text
}

/// Returns the value of one metric of a family, with its labels; `None` if it is not shown.
pub async fn metric(host: &Memory, name: &str) -> Option<u64> {
    let metrics = metrics(host).await;
    let value = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.map(|value| value.parse().unwrap())
}

/// The id of the only provider of that type.
pub async fn id_of(host: &Memory, kind: &str) -> String {
    let list = as_user(host, Method::GET, "", &Value::Null).await;
    let mut providers = list.json["providers"].as_array().unwrap().iter();
    let provider = providers.find(|provider| provider["provider_type"] == kind).unwrap();
    provider["id"].as_str().unwrap().to_owned()
}

/// Everything that went to providers.
pub fn sent(host: &Memory) -> String {
    let sent = host.sent.borrow();
    let shown = |request: &Request<Bytes>| {
        format!("{} {:?} {}", request.uri(), request.headers(), String::from_utf8_lossy(request.body()))
    };
    sent.iter().map(shown).collect()
}

/// The text of a whole answer.
pub fn content(answer: &Answer) -> String {
    answer.json["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
}

/// The text of a stream, as a client joins it.
pub fn streamed(answer: &Answer) -> String {
    let data = answer.text.lines().filter_map(|line| line.strip_prefix("data: "));
    let chunks = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
    chunks.filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str().map(str::to_owned)).collect()
}

/// The records of requests in the audit, the newest first.
pub async fn records(host: &Memory) -> Vec<Value> {
    let audit = host.admin(Method::GET, "/audit?workspace_id=initech&event=request", &Value::Null).await;
    audit.json["records"].as_array().unwrap().clone()
}

/// The last line of the log.
pub fn logged(host: &Memory) -> Value {
    serde_json::from_str(host.log.borrow().last().unwrap()).unwrap()
}

/// Returns a streamed answer without reading it.
pub async fn begun(host: &Memory) -> AnswerBody<'_> {
    let body = with(ask("hi"), &json!({ "stream": true })).to_string();
    let request = Request::post(format!("{CHAT}?workspace_id=initech"))
        .header("authorization", format!("Bearer {SERVICE_TOKEN}"))
        .header("content-type", "application/json")
        .body(Full::new(Bytes::from(body)));
    handle_gateway(host, request.unwrap()).await.0.into_body()
}

/// The counters of requests in flight.
pub fn places(host: &Memory) -> Vec<(String, i64)> {
    host.counters().into_iter().filter(|(key, _)| key.starts_with("in-flight:")).collect()
}

/// Asserts that the counters show no request in flight.
#[track_caller]
pub fn assert_places_are_free(host: &Memory, what: &str) {
    let places = places(host);
    assert!(places.iter().all(|(_, count)| *count == 0), "{what}: {places:?}");
}
