//! Exports of telemetry: exporters send OTLP in JSON, and the operator's collector gets it protected.

use std::io::Write as _;

use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use http::{Method, Request};
use http_body_util::Full;
use serde_json::{Value, json};
use textveil_service::{
    Label,
    credentials::{ApiKeyRecord, Plan},
    limits::MAX_CHAT_BODY_BYTES,
    scope::{Scope, Scopes},
    upstream::Failure,
};

use crate::{
    gateway::as_user,
    host::{Answer, Memory, Reply, SERVICE_TOKEN, Scripted, key, post},
    openapi::faults,
};

const LOGS: &str = "/api/v1/otlp/v1/logs";
const TRACES: &str = "/api/v1/otlp/v1/traces";
const ADDRESS: &str = "jan.novak@example.cz";
const PESEL: &str = "44051401359";

/// A host with a collector that accepts everything.
fn collecting() -> Memory {
    let host = Memory::default();
    host.variables.borrow_mut().insert("otlp_collector", "http://127.0.0.1:4318".to_owned());
    *host.upstream.borrow_mut() = Scripted::Answer(200, Bytes::from_static(b"{}"));
    host
}

/// Sends an export, and holds the answer to its description.
async fn send(host: &Memory, request: Request<Full<Bytes>>) -> Answer {
    let path = request.uri().path().to_owned();
    let answer = host.send_to_gateway(request).await;
    let faults = faults("POST", &path, answer.status.as_u16(), answer.header("content-type"), &answer.json);
    assert!(faults.is_empty(), "{path}: {faults:?}: {}", answer.text);
    answer
}

async fn export(host: &Memory, path: &str, body: &Value) -> Answer {
    send(host, post("enterprise", path, body.to_string())).await
}

fn with(mut request: Request<Full<Bytes>>, headers: &[(&'static str, &str)]) -> Request<Full<Bytes>> {
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    request
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// The only body that the collector got.
fn collected(host: &Memory) -> Value {
    let sent = host.sent.borrow();
    assert_eq!(sent.len(), 1);
    serde_json::from_slice(sent[0].body()).unwrap()
}

fn attribute(key: &str, value: &Value) -> Value {
    json!({ "key": key, "value": value })
}

/// A record with a value in each place that has one, as the exporter for JavaScript writes it.
fn logs(address: &str, number: &Value) -> Value {
    let text = json!({ "stringValue": address });
    json!({ "resourceLogs": [{
        "resource": { "attributes": [attribute("service.name", &json!({ "stringValue": "shop" }))], "droppedAttributesCount": 0 },
        "scopeLogs": [{
            "scope": { "name": "shop", "version": "1.0.0" },
            "logRecords": [
                {
                    "timeUnixNano": "1544712660300000000", "observedTimeUnixNano": "1544712660300000000",
                    "severityNumber": 9, "severityText": "INFO", "body": { "stringValue": format!("write to {address}") },
                    "attributes": [
                        attribute("user.email", &text),
                        attribute("pesel", number),
                        attribute("list", &json!({ "arrayValue": { "values": [text, { "intValue": 7 }] } })),
                    ],
                    "droppedAttributesCount": 0, "flags": 1,
                    "traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174",
                },
                { "body": { "kvlistValue": { "values": [attribute("to", &text)] } }, "attributes": [] },
            ],
        }],
    }] })
}

fn traces(address: &str, number: &Value) -> Value {
    let text = json!({ "stringValue": address });
    json!({ "resourceSpans": [{
        "resource": { "attributes": [attribute("host.name", &json!({ "stringValue": "node-1" }))] },
        "scopeSpans": [{ "scope": { "name": "shop" }, "spans": [{
            "traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "parentSpanId": "",
            "name": format!("mail {address}"), "kind": 1,
            "startTimeUnixNano": "1544712660000000000", "endTimeUnixNano": "1544712661000000000",
            "attributes": [attribute("pesel", number), attribute("http.response.status_code", &json!({ "intValue": 200 }))],
            "events": [{ "timeUnixNano": "1", "name": "exception", "attributes": [attribute("exception.message", &text)] }],
            "links": [], "status": { "code": 2, "message": format!("no mailbox {address}") },
        }] }],
    }] })
}

#[tokio::test]
async fn the_collector_gets_exports_protected() {
    let number = json!({ "intValue": PESEL.parse::<u64>().unwrap() });
    let redacted = json!({ "stringValue": "[REDACTED]" });
    for (path, sent, want, address) in [
        (LOGS, logs(ADDRESS, &number), logs("[REDACTED]", &redacted), "http://127.0.0.1:4318/v1/logs"),
        (
            TRACES,
            traces(ADDRESS, &number),
            traces("[REDACTED]", &redacted),
            "http://127.0.0.1:4318/v1/traces",
        ),
    ] {
        let host = collecting();
        let answer = export(&host, path, &sent).await;
        assert_eq!((answer.status.as_u16(), &answer.json), (200, &json!({})), "{}", answer.text);
        assert_eq!(collected(&host), want);
        let request = host.sent.borrow_mut().remove(0);
        assert_eq!((request.method().as_str(), request.uri().to_string().as_str()), ("POST", address));
        // nothing of the exporter's own headers
        let names: Vec<_> = request.headers().keys().map(http::HeaderName::as_str).collect();
        assert_eq!(names, ["accept", "content-type", "content-length"]);
        let line: Value = serde_json::from_str(host.log.borrow().last().unwrap()).unwrap();
        assert_eq!((&line["route"], &line["workspace"]), (&json!(path), &json!("globex")));
        assert_eq!(line["entities"]["pesel"], 1);
    }
}

/// A text may be longer than a call of the engine takes.
#[tokio::test]
async fn long_texts_are_protected_to_their_end() {
    let host = collecting();
    let text = |value: &str| format!("{}{value}", "the mailbox is full. ".repeat(6_000));
    let answer = export(&host, LOGS, &logs(&text(ADDRESS), &json!({}))).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(collected(&host), logs(&text("[REDACTED]"), &json!({})));
}

#[tokio::test]
async fn the_operator_names_path_and_headers_of_the_collector() {
    let host = collecting();
    host.variables.borrow_mut().extend([
        ("otlp_collector", "https://otlp.example".to_owned()),
        ("otlp_path", "/api/public/otel/".to_owned()),
        ("otlp_headers", "Authorization=Basic%20YTpi, x-tenant=shop".to_owned()),
    ]);
    export(&host, TRACES, &json!({})).await;
    let request = host.sent.borrow_mut().remove(0);
    assert_eq!(request.uri(), "https://otlp.example/api/public/otel/v1/traces");
    let sent = |name: &str| request.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(
        [sent("authorization"), sent("x-tenant"), sent("content-type")],
        ["Basic YTpi", "shop", "application/json"]
    );
}

#[tokio::test]
async fn options_are_in_the_query() {
    for (query, status, part) in [
        ("?mode=mask", 200, "*"),
        ("?mode=tokenize", 200, "tok_xx_email_"),
        ("?mode=shout", 400, ""),
        ("?mod=mask", 400, ""),
        ("?mode=mask&mode=hash", 400, ""),
        ("?workspace_id=acme", 400, ""),
    ] {
        let host = collecting();
        let answer = export(&host, &format!("{LOGS}{query}"), &logs(ADDRESS, &json!({}))).await;
        assert_eq!(answer.status, status, "{query}: {}", answer.text);
        assert_eq!(host.sent.borrow().len(), usize::from(status == 200), "{query}");
        if status == 200 {
            let sent = collected(&host).to_string();
            assert!(sent.contains(part) && !sent.contains(ADDRESS), "{query}: {sent}");
        }
    }
}

#[tokio::test]
async fn a_body_may_be_compressed_with_gzip() {
    let plain = traces(ADDRESS, &json!({ "intValue": PESEL })).to_string().into_bytes();
    let packed = gzip(&plain);
    let large = gzip(&vec![b' '; MAX_CHAT_BODY_BYTES + 1]);
    let cut = packed[..packed.len() - 9].to_vec();
    let [mut garbled, two] = [packed.clone(), [gzip(&plain[..9]), gzip(&plain[9..])].concat()];
    let last = garbled.len() - 6;
    garbled[last] ^= 1;
    for (coding, body, status, part) in [
        ("gzip", &packed, 200, ""),
        ("GZIP", &packed, 200, ""),
        ("gzip", &two, 200, ""),
        ("identity", &plain, 200, ""),
        ("gzip", &plain, 400, "gzip"),
        ("gzip", &cut, 400, "gzip"),
        ("gzip", &garbled, 400, "gzip"),
        ("gzip", &large, 413, "larger than"),
        ("identity", &packed, 400, "JSON"),
        ("deflate", &packed, 415, "OTEL_EXPORTER_OTLP_COMPRESSION"),
        ("zstd", &packed, 415, "OTEL_EXPORTER_OTLP_COMPRESSION"),
        ("gzip, gzip", &packed, 415, "OTEL_EXPORTER_OTLP_COMPRESSION"),
        ("", &packed, 415, "OTEL_EXPORTER_OTLP_COMPRESSION"),
    ] {
        let host = collecting();
        let request = post("enterprise", TRACES, body.clone());
        let answer = send(&host, with(request, &[("content-encoding", coding)])).await;
        assert_eq!(answer.status, status, "{coding}: {}", answer.text);
        assert!(answer.text.contains(part), "{coding}: {}", answer.text);
        assert_eq!(host.sent.borrow().len(), usize::from(status == 200), "{coding}");
        if status == 200 {
            let sent = collected(&host).to_string();
            assert!(!sent.contains(ADDRESS) && !sent.contains(PESEL), "{coding}: {sent}");
        }
    }
}

/// The body of an error is a `google.rpc.Status`.
#[tokio::test]
async fn an_export_that_cannot_be_read_is_not_forwarded() {
    let json = "application/json";
    for (kind, body, status, code, part) in [
        ("application/x-protobuf", "\u{a}\u{0}", 415, 3, "OTEL_EXPORTER_OTLP_PROTOCOL=http/json"),
        ("application/grpc", "", 415, 3, "OTEL_EXPORTER_OTLP_PROTOCOL=http/json"),
        (json, "", 400, 3, "valid JSON"),
        (json, "{\"resourceLogs\":[", 400, 3, "valid JSON"),
        (json, "[]", 400, 3, "a JSON object"),
        (json, "{\"resourceLogs\":{}}", 400, 3, "resourceLogs must be a list"),
        (json, "{\"resourceLogs\":[],\"resourceLogs\":[]}", 400, 3, "a name twice"),
    ] {
        let host = collecting();
        let request = with(post("enterprise", LOGS, body), &[("content-type", kind)]);
        let answer = send(&host, request).await;
        assert_eq!(answer.status, status, "{body}: {}", answer.text);
        assert_eq!(answer.json["code"], code, "{body}");
        assert!(answer.json["message"].as_str().unwrap().contains(part), "{body}: {}", answer.text);
        assert_eq!(answer.json.as_object().unwrap().len(), 2, "{body}");
        assert!(host.sent.borrow().is_empty(), "{body}");
    }
    let host = collecting();
    let deep = format!("{{\"resourceLogs\":{}{}}}", "[".repeat(200), "]".repeat(200));
    assert_eq!(send(&host, post("enterprise", LOGS, deep)).await.status, 400);
    let many = format!("{{\"resourceLogs\":[{}0]}}", "0,".repeat(100_001));
    assert_eq!(send(&host, post("enterprise", LOGS, many)).await.status, 400);
    assert!(host.sent.borrow().is_empty());
}

#[tokio::test]
async fn an_export_needs_a_key_with_the_scope_of_protection() {
    let host = collecting();
    let record = ApiKeyRecord::new(&key("pro"), "acme", Plan::Pro);
    host.put(&key("pro"), &ApiKeyRecord { scopes: Some(Scopes::of(&[Scope::Detect])), ..record });
    let request = || post("pro", TRACES, traces(ADDRESS, &json!({})).to_string());
    let mut nobody = request();
    nobody.headers_mut().remove("x-api-key");
    for (request, status, code) in [
        (request(), 403, 7),
        (with(request(), &[("x-api-key", "fpk_unknown")]), 401, 16),
        (with(request(), &[("x-api-key", SERVICE_TOKEN)]), 401, 16),
        (nobody, 401, 16),
    ] {
        let answer = send(&host, request).await;
        assert_eq!((answer.status.as_u16(), &answer.json["code"]), (status, &json!(code)), "{}", answer.text);
    }
    assert!(host.sent.borrow().is_empty());
    // as exporters send headers
    let bearer = format!("Bearer {}", key("enterprise"));
    let mut request = with(request(), &[("authorization", &bearer)]);
    request.headers_mut().remove("x-api-key");
    let answer = send(&host, request).await;
    assert_eq!((answer.status.as_u16(), answer.header("x-ratelimit-limit").is_empty()), (200, false));
}

#[tokio::test]
async fn nothing_is_forwarded_that_a_policy_or_an_outage_stops() {
    let host = collecting();
    let policy = json!({ "name": "p", "action": "BLOCK", "conditions": [{ "entity_types": ["email"] }] });
    let made = host.admin(Method::POST, "/policies?workspace_id=globex", &policy).await;
    assert_eq!(made.status, 201);
    let body = logs(ADDRESS, &json!({}));
    let answer = export(&host, &format!("{LOGS}?mode=policy"), &body).await;
    assert_eq!((answer.status.as_u16(), &answer.json["code"]), (403, &json!(7)), "{}", answer.text);
    for label in [Label::Config, Label::Usage] {
        let host = collecting();
        host.down.set(Some(label));
        let answer = export(&host, LOGS, &body).await;
        assert_eq!((answer.status.as_u16(), &answer.json["code"]), (503, &json!(14)), "{}", answer.text);
        assert!(host.sent.borrow().is_empty());
    }
    assert!(host.sent.borrow().is_empty());
}

#[tokio::test]
async fn a_full_rate_window_asks_the_exporter_to_wait() {
    let host = collecting();
    let answer = loop {
        let answer = send(&host, post("free", LOGS, "{}")).await;
        if answer.status != 200 {
            break answer;
        }
    };
    assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (429, "40"));
    assert_eq!(answer.json["code"], 8);
}

#[tokio::test]
async fn answers_of_the_collector_are_passed_on() {
    let partial = r#"{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"too old"}}"#;
    for (status, body, want) in [
        (200, partial, serde_json::from_str(partial).unwrap()),
        (200, r#"{"partialSuccess":{}}"#, json!({ "partialSuccess": {} })),
        (200, "", json!({})),
        (202, "accepted", json!({})),
        (204, "", json!({})),
        (200, "[1]", json!({})),
    ] {
        let host = collecting();
        *host.upstream.borrow_mut() = Scripted::Answer(status, Bytes::from_static(body.as_bytes()));
        let answer = export(&host, LOGS, &logs(ADDRESS, &json!({}))).await;
        assert_eq!((answer.status.as_u16(), answer.json), (200, want), "{status} {body}");
    }
    // a body that breaks off or is endless is of an export that was accepted
    for parts in [
        vec![Err(Failure::Broken)],
        vec![Ok(Bytes::from(vec![b' '; 65 * 1024])), Ok(Bytes::from_static(b"{}"))],
    ] {
        let host = collecting();
        let parts = std::cell::RefCell::new(parts);
        *host.upstream.borrow_mut() = Scripted::Reply(std::rc::Rc::new(move |_| Reply {
            status: 200,
            parts: parts.take(),
            ..Reply::default()
        }));
        let answer = export(&host, LOGS, &json!({})).await;
        assert_eq!((answer.status.as_u16(), answer.json), (200, json!({})));
    }
    // so is one that does not come in time
    let host = collecting();
    *host.upstream.borrow_mut() = Scripted::Reply(std::rc::Rc::new(move |_| Reply {
        status: 200,
        parts: vec![Ok(Bytes::from_static(b"{")), Ok(Bytes::from_static(b"}"))],
        between_ms: 60_000,
        ..Reply::default()
    }));
    let answer = export(&host, LOGS, &json!({})).await;
    assert_eq!((answer.status.as_u16(), answer.json), (200, json!({})));
}

#[tokio::test]
async fn refusals_of_the_collector_reach_the_exporter_that_can_act_on_them() {
    for (status, retry_after, want, passed, part) in [
        (400, "", 400, "", "rejects the export with status 400"),
        (413, "", 413, "", "rejects the export with status 413"),
        (500, "", 500, "", "rejects the export with status 500"),
        (429, "7", 429, "7", "retry later"),
        (502, "", 502, "", "retry later"),
        (503, "30", 503, "30", "retry later"),
        (504, "Sun, 06 Nov 1994 08:49:37 GMT", 504, "Sun, 06 Nov 1994 08:49:37 GMT", "retry later"),
        (503, "jan.novak@example.cz", 503, "", "retry later"),
        // faults that the operator must correct
        (401, "", 502, "", "otlp_headers"),
        (403, "", 502, "", "otlp_headers"),
        (404, "", 502, "", "otlp_path"),
        (302, "", 502, "", "otlp_path"),
        (415, "", 502, "", "does not read OTLP in JSON"),
    ] {
        let host = collecting();
        *host.upstream.borrow_mut() = Scripted::Reply(std::rc::Rc::new(move |_| Reply {
            status,
            headers: Some(("retry-after", retry_after.to_owned()))
                .into_iter()
                .filter(|(_, value)| !value.is_empty())
                .collect(),
            parts: vec![Ok(Bytes::from_static(b"{\"message\":\"secret of the collector\"}"))],
            ..Reply::default()
        }));
        let answer = export(&host, TRACES, &traces(ADDRESS, &json!({}))).await;
        assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (want, passed), "{status}");
        assert!(answer.text.contains(part) && !answer.text.contains("secret"), "{status}: {}", answer.text);
        assert!(answer.json["code"].is_u64(), "{status}");
        assert_eq!(host.sent.borrow().len(), 1, "{status}: the exporter retries, not the service");
    }
    for (failure, want, part) in [
        (Failure::HostForbidden, 502, "allowed_outbound_hosts"),
        (Failure::AddressForbidden, 502, "block_networks"),
        (Failure::Unreachable, 502, "no connection"),
        (Failure::Broken, 502, "broke off"),
        (Failure::ConnectTimeout, 504, "in time"),
        (Failure::AnswerTimeout, 504, "in time"),
    ] {
        let host = collecting();
        *host.upstream.borrow_mut() = Scripted::Failure(failure);
        let answer = export(&host, LOGS, &json!({})).await;
        assert_eq!(answer.status, want, "{failure:?}: {}", answer.text);
        assert!(answer.text.contains(part), "{failure:?}: {}", answer.text);
    }
    let host = collecting();
    *host.upstream.borrow_mut() = Scripted::Silence;
    assert_eq!(export(&host, LOGS, &json!({})).await.status, 504);
}

#[tokio::test]
async fn without_a_collector_nothing_is_accepted() {
    for (name, value, status, part) in [
        ("otlp_collector", "", 501, "otlp_collector"),
        ("otlp_collector", "https://collector.invalid", 501, "otlp_collector"),
        ("otlp_collector", "127.0.0.1:4318", 503, "otlp_collector must be"),
        ("otlp_path", "otlp", 503, "otlp_path must be"),
        ("otlp_headers", "secret", 503, "otlp_headers must be"),
    ] {
        let host = collecting();
        host.variables.borrow_mut().insert(name, value.to_owned());
        let answer = export(&host, LOGS, &json!({})).await;
        assert_eq!(answer.status, status, "{name}={value}: {}", answer.text);
        assert!(answer.text.contains(part) && !answer.text.contains("secret"), "{}", answer.text);
        assert!(host.sent.borrow().is_empty());
    }
    // a component without a network has no such endpoint
    assert_eq!(collecting().send(post("enterprise", LOGS, "{}")).await.status, 404);
}

/// Only the operator may send something to the collector.
#[tokio::test]
async fn a_provider_cannot_have_the_address_of_the_collector() {
    let host = collecting();
    let provider = json!({
        "provider_type": "openai_compatible", "display_name": "p", "base_url": "http://127.0.0.1:4318/v1",
        "default_model": "m", "supports_streaming": true, "credential_source": "none",
    });
    let answer = as_user(&host, Method::POST, "", &provider).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert!(answer.text.contains("provider_hosts"), "{}", answer.text);
}

#[tokio::test]
async fn metrics_are_not_forwarded() {
    let host = collecting();
    let answer = host.send_to_gateway(post("enterprise", "/api/v1/otlp/v1/metrics", "{}")).await;
    assert_eq!((answer.status.as_u16(), &answer.json["code"]), (501, &json!(12)));
    assert!(answer.text.contains("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"), "{}", answer.text);
    let answer = host.send_to_gateway(post("enterprise", "/api/v1/otlp/v1/profiles", "{}")).await;
    assert_eq!(answer.status, 404);
    assert!(host.sent.borrow().is_empty());
}
