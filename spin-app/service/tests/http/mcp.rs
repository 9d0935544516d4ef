//! The Model Context Protocol over HTTP.

use http::{Method, Request};
use http_body_util::Full;
use serde_json::{Value, json};
use textveil_service::{
    credentials::{ApiKeyRecord, Plan},
    scope::{Scope, Scopes},
};

use crate::host::{Answer, Memory, key, post};

const PESEL: &str = "44051401359";
const STATELESS: &str = "2026-07-28";

async fn ask(host: &Memory, headers: &[(&'static str, &str)], message: &Value) -> Answer {
    let mut request = post("enterprise", "/mcp", message.to_string());
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    host.send(request).await
}

fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

/// A request of the revision without a handshake.
fn stateless(method: &str, fields: Value) -> Value {
    let mut params = json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": STATELESS, "io.modelcontextprotocol/clientCapabilities": {},
    } });
    params.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    request(method, params)
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
}

#[tokio::test]
async fn tools_are_called_in_every_revision() {
    let host = Memory::default();
    let arguments = json!({ "text": format!("PESEL {PESEL}") });
    let answer = ask(&host, &[], &request("tools/call", call("detect", arguments.clone()))).await;
    assert_eq!(answer.status.as_u16(), 200, "{}", answer.text);
    assert_eq!(answer.json["result"]["structuredContent"]["findings"][0]["type"], "pesel");
    assert!(!answer.text.contains(PESEL), "{}", answer.text);

    let headers =
        [("mcp-protocol-version", STATELESS), ("mcp-method", "tools/call"), ("mcp-name", "protect")];
    let message = stateless("tools/call", call("protect", arguments));
    let answer = ask(&host, &headers, &message).await;
    assert_eq!(
        answer.json["result"]["structuredContent"],
        json!({ "text": "PESEL [REDACTED]", "counts": { "pesel": 1 } })
    );
    assert_eq!((&answer.json["id"], &answer.json["result"]["resultType"]), (&json!(7), &json!("complete")));

    let valid = request("tools/call", call("validate", json!({ "type": "pesel", "value": PESEL })));
    assert_eq!(ask(&host, &[], &valid).await.json["result"]["structuredContent"]["valid"], true);
    let list = request("tools/call", call("list_detectors", json!({ "country": "PL" })));
    assert!(ask(&host, &[], &list).await.text.contains("pesel"));
    let tools = ask(&host, &[], &request("tools/list", json!({}))).await;
    let names: Vec<_> =
        tools.json["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["detect", "protect", "validate", "list_detectors"]);
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let answer = ask(&host, &[("mcp-protocol-version", "2025-06-18")], &notification).await;
    assert_eq!((answer.status.as_u16(), answer.text.as_str()), (202, ""));
}

#[tokio::test]
async fn headers_must_say_what_the_message_says() {
    let host = Memory::default();
    let message = stateless("tools/call", call("detect", json!({ "text": "a" })));
    let right = [
        ("mcp-protocol-version", STATELESS),
        ("mcp-method", "tools/call"),
        ("mcp-name", "=?base64?ZGV0ZWN0?="),
    ];
    assert_eq!(ask(&host, &right, &message).await.status, 200);
    for (at, value) in [(0, "2025-11-25"), (1, "tools/list"), (2, "protect")] {
        let mut wrong = right;
        wrong[at].1 = value;
        let answer = ask(&host, &wrong, &message).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json["error"]["code"]),
            (400, &json!(-32_020)),
            "{}",
            answer.text
        );
        let mut missing = right.to_vec();
        missing.remove(at);
        assert_eq!(ask(&host, &missing, &message).await.status, 400);
    }
    let old = request("tools/list", json!({}));
    assert_eq!(ask(&host, &[("mcp-protocol-version", "1999-01-01")], &old).await.status, 400);
    for (origin, status) in [("http://localhost", 200), ("https://evil.example", 403), ("null", 403)] {
        let answer = ask(&host, &[("host", "localhost"), ("origin", origin)], &old).await;
        assert_eq!(answer.status.as_u16(), status, "{origin}: {}", answer.text);
    }
}

#[tokio::test]
async fn faults_have_their_codes_and_nothing_of_the_text() {
    let host = Memory::default();
    let unknown = stateless(PESEL, json!({}));
    let headers = [("mcp-protocol-version", STATELESS), ("mcp-method", PESEL)];
    let answer = ask(&host, &headers, &unknown).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.json["error"]["code"]),
        (404, &json!(-32_601)),
        "{}",
        answer.text
    );
    for (message, status, code) in [
        (request(PESEL, json!({})), 200, -32_601),
        (request("tools/call", call(PESEL, json!({}))), 200, -32_602),
        (request("tools/call", call("restore", json!({ "text": PESEL }))), 200, -32_602),
        (json!({ "jsonrpc": "1.0", "id": 7, "method": PESEL }), 400, -32_600),
    ] {
        let answer = ask(&host, &[], &message).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json["error"]["code"]),
            (status, &json!(code)),
            "{}",
            answer.text
        );
        assert!(!answer.text.contains(PESEL), "{}", answer.text);
    }
    for arguments in [
        json!({ "text": "" }),
        json!({ "text": [PESEL] }),
        json!({ "text": "a", PESEL: 1 }),
        json!({ "text": "a", "values": PESEL }),
    ] {
        let answer = ask(&host, &[], &request("tools/call", call("detect", arguments))).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json["result"]["isError"]),
            (200, &json!(true)),
            "{}",
            answer.text
        );
        assert!(!answer.text.contains(PESEL), "{}", answer.text);
    }
    for (method, status) in [(Method::POST, 401), (Method::GET, 405), (Method::DELETE, 405)] {
        let request = Request::builder().method(method).uri("/mcp").body(Full::default()).unwrap();
        assert_eq!(host.send(request).await.status, status);
    }
}

#[tokio::test]
async fn a_tool_needs_the_scope_of_its_route() {
    let host = Memory::default();
    let record = ApiKeyRecord {
        scopes: Some(Scopes::of(&[Scope::Detect])),
        ..ApiKeyRecord::new(&key("enterprise"), "globex", Plan::Enterprise)
    };
    host.put(&key("enterprise"), &record);
    for (tool, status) in [("detect", 200), ("protect", 403)] {
        let answer = ask(&host, &[], &request("tools/call", call(tool, json!({ "text": "a" })))).await;
        assert_eq!(answer.status.as_u16(), status, "{tool}: {}", answer.text);
    }
}
