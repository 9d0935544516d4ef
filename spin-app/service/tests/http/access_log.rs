//! One line per request, without any of its texts.

use http::Request;
use http_body_util::Full;
use serde_json::{Value, json};

use crate::host::{Memory, NOW_MS, key, post};

fn lines(host: &Memory) -> Vec<Value> {
    host.log.borrow().iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn a_line_says_what_was_asked_how_it_went_and_what_was_found() {
    let host = Memory::default();
    let body = json!({ "texts": ["PESEL 44051401359", "a@example.com, b@example.com", "nothing"] });
    for path in ["/api/v1/detect/batch", "/api/v1/protect/batch"] {
        host.post("pro", path, &body).await;
    }
    for (line, route) in lines(&host).iter().zip(["/api/v1/detect/batch", "/api/v1/protect/batch"]) {
        assert_eq!(line["route"], route);
        assert_eq!(line["method"], "POST");
        assert_eq!(line["status"], 200);
        assert_eq!(line["time_ms"], NOW_MS);
        assert_eq!(line["workspace"], "acme");
        assert_eq!(line["entities"], json!({ "pesel": 1, "email": 2 }));
        assert!(line["duration_ms"].as_f64().unwrap() > 0.0);
        assert_eq!(line["request_id"].as_str().unwrap().len(), 32);
    }
    assert_eq!(lines(&host).len(), 2);
}

#[tokio::test]
async fn a_line_names_the_trace_that_the_request_belongs_to() {
    let host = Memory::default();
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let mut request = post("pro", "/api/v1/detect", json!({ "text": "x" }).to_string());
    let parent = format!("00-{trace}-b7ad6b7169203331-01");
    request.headers_mut().insert("traceparent", parent.parse().unwrap());
    host.send(request).await;
    host.send(post("pro", "/api/v1/detect", json!({ "text": "x" }).to_string())).await;
    let logged = lines(&host);
    assert_eq!((&logged[0]["trace_id"], logged[1].get("trace_id")), (&json!(trace), None));
}

#[tokio::test]
async fn a_refusal_is_logged_with_its_code() {
    let host = Memory::default();
    host.send(post("unknown", "/api/v1/detect", "{}")).await;
    host.send(post("pro", "/api/v1/nowhere", "{}")).await;
    let logged = lines(&host);
    assert_eq!((&logged[0]["status"], &logged[0]["error"]), (&json!(401), &json!("unauthorized")));
    assert_eq!((&logged[1]["status"], &logged[1]["error"]), (&json!(404), &json!("not_found")));
    assert_eq!((logged[0].get("workspace"), logged[1].get("route")), (None, None));
}

#[tokio::test]
async fn nothing_that_a_caller_writes_is_logged() {
    let host = Memory::default();
    let marker = "zanzibar";
    let requests = [
        post("pro", "/api/v1/detect", json!({ "text": format!("{marker}@example.com") }).to_string()),
        post(
            "pro",
            "/api/v1/protect",
            json!({ "text": format!("{marker}@example.com"), "mode": "tokenize" }).to_string(),
        ),
        post("pro", "/api/v1/validate", json!({ "value": marker, "entity_type": marker }).to_string()),
        post("pro", "/api/v1/restore", json!({ "text": format!("tok_pl_pesel_{marker}") }).to_string()),
        post("pro", "/api/v1/detect", format!("{{{marker}")),
        post(
            "pro",
            "/api/v1/detect",
            json!({ "text": "a", "mode": marker, "privacy_preset": marker }).to_string(),
        ),
        post(
            "pro",
            "/api/v1/detect",
            json!({
                "text": format!("the word {marker}"),
                "custom_detectors": [{ "name": marker, "pattern": "zan[a-z]+", "confidence": 0.99 }],
                "deny_list": [{ "value": "word", "type": marker }],
            })
            .to_string(),
        ),
        post("pro", &format!("/api/v1/{marker}?{marker}={marker}"), String::new()),
        Request::builder().method("ZANZIBAR").uri("/api/v1/detect").body(Full::default()).unwrap(),
        Request::get("/healthz?zanzibar").header("user-agent", marker).body(Full::default()).unwrap(),
        Request::get("/api/v1/health").header("x-api-key", marker).body(Full::default()).unwrap(),
        Request::get("/api/v1/health")
            .header("x-request-id", format!("{marker}\t{marker}"))
            .body(Full::default())
            .unwrap(),
    ];
    let count = requests.len();
    for request in requests {
        host.send(request).await;
    }
    let of_custom_types = lines(&host).into_iter().find(|line| line["entities"].get("custom").is_some());
    assert_eq!(of_custom_types.expect("the caller's types are counted")["entities"], json!({ "custom": 2 }));
    let log = host.log.borrow().join("\n");
    assert_eq!(log.lines().count(), count, "one line a request");
    assert!(!log.to_lowercase().contains(marker), "{log}");
    assert!(!log.contains(&key("pro")), "{log}");
}

#[tokio::test]
async fn the_log_has_the_id_that_the_caller_was_given() {
    let host = Memory::default();
    for (sent, echoed) in [
        (Some("fpi_0123456789abcdef"), true),
        (Some("order-4711"), true),
        (Some("8letters"), true),
        (Some("7letter"), false),
        (Some("x"), false),
        (Some("order.4711"), false),
        (Some("order:4711"), false),
        (Some("order/4711"), false),
        (Some("order+4711="), false),
        (Some("123e4567-e89b-12d3-a456-426614174000"), true),
        (Some(&*"a".repeat(64)), true),
        (Some(&*"a".repeat(65)), false),
        (Some("44051401359"), false),
        (Some("+48.601.123.456"), false),
        (Some("pesel:44051401359"), false),
        (Some(""), false),
        (Some("two words"), false),
        (Some("tab\there"), false),
        (Some("\"quoted\""), false),
        (Some("<script>"), false),
        (Some("id;drop"), false),
        (None, false),
    ] {
        let mut request = Request::get("/healthz");
        if let Some(id) = sent {
            request = request.header("x-request-id", id);
        }
        let answer = host.send(request.body(Full::default()).unwrap()).await;
        let id = answer.header("x-request-id");
        match sent {
            Some(sent) if echoed => assert_eq!(id, sent),
            _ => assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{sent:?}: {id}"),
        }
        assert_eq!(lines(&host).last().unwrap()["request_id"], id);
    }
    let bytes = Request::get("/healthz").header("x-request-id", b"\xff\xfe".as_slice());
    let answer = host.send(bytes.body(Full::default()).unwrap()).await;
    assert_eq!(answer.header("x-request-id").len(), 32);
}
