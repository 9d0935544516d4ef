//! Bodies: their limits and everything that is wrong with one.

use std::{
    cell::Cell,
    collections::VecDeque,
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::Request;
use http_body::{Body, Frame};
use http_body_util::Full;
use serde_json::{Value, json};
use textveil_service::limits::{BODY_SECONDS, MAX_BATCH_BODY_BYTES, MAX_BODY_BYTES, MAX_JSON_VALUES};

use crate::host::{Answer, Memory, key, post, user_token};

/// A body in pieces that counts how many of them were read.
struct Pieces {
    pieces: VecDeque<io::Result<Bytes>>,
    read: Rc<Cell<usize>>,
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let piece = self.pieces.pop_front();
        self.read.set(self.read.get() + usize::from(piece.is_some()));
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }
}

async fn send_pieces(
    path: &str,
    length: Option<usize>,
    pieces: impl IntoIterator<Item = io::Result<Bytes>>,
) -> (Answer, usize) {
    let read = Rc::new(Cell::new(0));
    let mut request =
        Request::post(path).header("x-api-key", key("pro")).header("content-type", "application/json");
    if let Some(length) = length {
        request = request.header("content-length", length);
    }
    let body = Pieces { pieces: pieces.into_iter().collect(), read: Rc::clone(&read) };
    let answer = Memory::default().answer(request.body(body).unwrap()).await;
    (Answer::from(answer), read.get())
}

/// `{"texts": […]}` with everything escaped that can be.
fn escaped_batch(texts: usize, chars: usize) -> String {
    let text = format!("\"{}\"", r"\ud83d\ude00".repeat(chars));
    format!("{{\"texts\":[{}]}}", vec![text; texts].join(","))
}

#[tokio::test]
async fn a_full_batch_of_escaped_4_byte_characters_is_accepted() {
    let host = Memory::default();
    for path in ["/api/v1/detect/batch", "/api/v1/protect/batch"] {
        let answer = host.send(post("pro", path, escaped_batch(50, 50_000))).await;
        assert_eq!(answer.status, 200, "{path}: {:.300}", answer.text);
        let results = answer.json["results"].as_array().unwrap();
        assert_eq!(results.len(), 50);
        let text = results[49].get("text").or(results[49].get("original_text")).unwrap().as_str().unwrap();
        assert!(text.len() == 200_000 && text.chars().all(|char| char == '😀'));
    }
}

#[tokio::test]
async fn texts_and_batches_have_limits_in_characters() {
    let host = Memory::default();
    let long = "é".repeat(50_001);
    let full = "é".repeat(50_000);
    let emoji = "😀".repeat(50_000);
    for (path, body, want) in [
        ("/api/v1/detect", json!({ "text": full }), None),
        ("/api/v1/detect", json!({ "text": emoji }), None),
        ("/api/v1/detect", json!({ "text": long }), Some("text")),
        ("/api/v1/protect", json!({ "text": full }), None),
        ("/api/v1/protect", json!({ "text": long }), Some("text")),
        ("/api/v1/detect/batch", json!({ "texts": ["a", "b", "c", long] }), Some("texts[3]")),
        ("/api/v1/protect/batch", json!({ "texts": ["a", "b", "c", long] }), Some("texts[3]")),
        ("/api/v1/detect/batch", json!({ "texts": vec!["a"; 50] }), None),
        ("/api/v1/protect/batch", json!({ "texts": vec!["a"; 50] }), None),
        ("/api/v1/detect/batch", json!({ "texts": vec!["a"; 51] }), Some("texts")),
        ("/api/v1/protect/batch", json!({ "texts": vec!["a"; 51] }), Some("texts")),
    ] {
        let answer = host.post("pro", path, &body).await;
        let said: String = answer.text.chars().take(300).collect();
        match want {
            None => assert_eq!(answer.status, 200, "{path}: {said}"),
            Some(field) => {
                assert_eq!(answer.status, 400, "{path}: {said}");
                assert_eq!(answer.json["error"]["details"]["field"], field, "{path}: {said}");
                assert!(answer.text.len() < 1_000, "an error quotes the text");
            }
        }
    }
}

#[tokio::test]
async fn larger_bodies_are_refused_while_they_come_in() {
    for (path, limit) in [
        ("/api/v1/detect", MAX_BODY_BYTES),
        ("/api/v1/detect/batch", MAX_BATCH_BODY_BYTES),
        ("/api/v1/protect/batch", MAX_BATCH_BODY_BYTES),
    ] {
        // a body at the limit is read to its end, whatever its content
        let piece = Bytes::from(vec![b' '; 64 * 1024]);
        let mut pieces = vec![piece.clone(); limit / piece.len()];
        pieces.push(piece.slice(..limit % piece.len()));
        let (answer, _) = send_pieces(path, None, pieces.iter().cloned().map(Ok)).await;
        assert_eq!(answer.status, 400, "{path}: {}", answer.text);

        // one byte more, followed by much more that must not be read
        pieces.push(Bytes::from_static(b" "));
        let needed = pieces.len();
        pieces.extend(vec![piece; 100]);
        let (answer, read) = send_pieces(path, None, pieces.into_iter().map(Ok)).await;
        assert_eq!(answer.status, 413, "{path}: {}", answer.text);
        assert_eq!(answer.json["type"], "payload_too_large");
        assert_eq!(read, needed, "{path}: read on behind the limit");

        let (answer, read) = send_pieces(path, Some(limit + 1), [Ok(Bytes::from_static(b"{"))]).await;
        assert_eq!(
            (answer.status.as_u16(), read),
            (413, 0),
            "{path}: what says that it is too large is not read"
        );
    }
}

#[tokio::test]
async fn a_body_may_come_in_any_pieces() {
    let body = json!({ "text": "PESEL 44051401359 😀" }).to_string();
    let pieces = body.bytes().map(|byte| Ok(Bytes::from(vec![byte])));
    let (answer, _) = send_pieces("/api/v1/detect", None, pieces).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.json["text"], "PESEL 44051401359 😀");
}

#[tokio::test]
async fn a_body_that_breaks_off_is_an_error_of_the_request() {
    let pieces = [Ok(Bytes::from_static(b"{\"text\":")), Err(io::Error::other("reset"))];
    let (answer, _) = send_pieces("/api/v1/detect", None, pieces).await;
    assert_eq!(answer.status, 400);
    assert_eq!(answer.json["error"]["details"]["field"], "body");
}

/// A body that stalls.
struct Stalled(Option<Bytes>);

impl Body for Stalled {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match self.0.take() {
            Some(piece) => Poll::Ready(Some(Ok(Frame::data(piece)))),
            None => Poll::Pending,
        }
    }
}

#[tokio::test]
async fn a_body_that_does_not_end_is_given_up() {
    for first in [None, Some(Bytes::from_static(b"{\"text\":\"44051401359"))] {
        let host = Memory::default();
        let began = host.now_ms.get();
        let request = Request::post("/api/v1/detect")
            .header("x-api-key", key("pro"))
            .header("content-type", "application/json")
            .body(Stalled(first))
            .unwrap();
        let answer = Answer::from(host.answer(request).await);
        assert_eq!(answer.status, 408, "{}", answer.text);
        assert_eq!(answer.json["type"], "request_timeout");
        assert_eq!(host.now_ms.get() - began, BODY_SECONDS * 1_000);
        let in_flight = host.counters().into_iter().find(|(key, _)| key.starts_with("in-flight:"));
        assert_eq!(in_flight.map(|(_, count)| count), Some(0), "its place is free again");
    }
}

#[tokio::test]
async fn nul_is_a_character_like_any_other() {
    let text = "PESEL 44051401359\0 and more";
    let answer = Memory::default().post("pro", "/api/v1/detect", &json!({ "text": text })).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!((&answer.json["text"], &answer.json["entities"][0]["end"]), (&json!(text), &json!(17)));
}

/// By itself serde reads a struct from a list as well, by position: a condition without a key holds always.
#[tokio::test]
async fn a_list_is_no_object() {
    let host = Memory::default();
    let policy = |conditions: Value| json!([{ "name": "p", "action": "ALLOW", "conditions": conditions }]);
    let detector = |check: Value| json!([{ "name": "a", "shapes": ["d9"], "check": check }]);
    for (field, value) in [
        ("policies", json!([["p", 1, "ALLOW", [], false]])),
        ("policies", policy(json!([[]]))),
        ("policies", policy(json!([[null, null]]))),
        ("custom_detectors", json!([["a", "b"]])),
        ("custom_detectors", detector(json!(["luhn"]))),
        ("custom_detectors", detector(json!({ "rule": "any", "checks": [["luhn"]] }))),
        ("custom_detectors", detector(json!({ "rule": "part", "check": ["luhn"] }))),
        ("custom_detectors", detector(json!({ "rule": "by_length", "lengths": { "9": ["luhn"] } }))),
        ("deny_list", json!([["a"]])),
        ("allow_list", json!([["value", "a"]])),
        ("operators", json!({ "email": ["mask"] })),
        ("operators", json!([["email", {}]])),
    ] {
        let answer = host.post("enterprise", "/api/v1/protect", &json!({ "text": "a", field: value })).await;
        assert_eq!(answer.status, 400, "{field}: {value}");
        let named = answer.json["error"]["details"]["field"].as_str().unwrap();
        assert!(named.starts_with(field), "{named} instead of {field}");
    }
    let request = Request::post("/api/v1/api-keys")
        .header("authorization", format!("Bearer {}", user_token()))
        .body(Full::new(Bytes::from(r#"{"limits":[1]}"#)))
        .unwrap();
    let answer = host.send(request).await;
    assert_eq!((answer.status.as_u16(), &answer.json["error"]["details"]["field"]), (400, &json!("limits")));
}

#[tokio::test]
async fn depth_and_number_of_values_have_limits() {
    let nested =
        |depth: usize| format!("{{\"text\":\"a\",\"future\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    // the object and its other two values count, too
    let many = |values: usize| format!("{{\"text\":\"a\",\"future\":[{}]}}", vec!["0"; values - 3].join(","));
    for (body, want) in [
        (nested(126), 200),
        (nested(127), 400),
        (many(MAX_JSON_VALUES), 200),
        (many(MAX_JSON_VALUES + 1), 400),
    ] {
        let answer = Memory::default().send(post("pro", "/api/v1/detect", body)).await;
        assert_eq!(answer.status, want, "{:.200}", answer.text);
    }
}

#[tokio::test]
async fn a_body_that_is_no_json_object_names_the_body() {
    let secret = "44051401359";
    let nested =
        |open: &str, close: &str| format!("{{\"text\":{}{}}}", open.repeat(100_000), close.repeat(100_000));
    for body in [
        Vec::new(),
        b" ".to_vec(),
        b"{".to_vec(),
        b"nonsense".to_vec(),
        format!("{{\"text\":\"{secret}").into_bytes(),
        format!("{{\"text\":\"{secret}\"").into_bytes(),
        format!("{{\"text\":\"{secret}\"}} {{}}").into_bytes(),
        format!("{{\"text\":\"{secret}\",}}").into_bytes(),
        format!("{{'text':'{secret}'}}").into_bytes(),
        format!("{{text:\"{secret}\"}}").into_bytes(),
        format!("\u{feff}{{\"text\":\"{secret}\"}}").into_bytes(),
        format!("{{\"text\":\"{secret}\n\"}}").into_bytes(),
        format!("{{\"text\":\"{secret}\\x\"}}").into_bytes(),
        format!("{{\"text\":\"{secret}\\ud83d\"}}").into_bytes(),
        format!("{{\"text\":\"{secret}\",\"explain\":NaN}}").into_bytes(),
        format!("{{\"text\":\"{secret}\",\"min_confidence\":1e999}}").into_bytes(),
        [b"{\"text\":\"44051401359 ", b"\xff".as_slice(), b"\"}"].concat(),
        [b"{\"text\":\"44051401359 ", b"\xed\xa0\x80".as_slice(), b"\"}"].concat(),
        [b"{\"text\":\"44051401359 ", b"\xc0\xaf".as_slice(), b"\"}"].concat(),
        "{\"text\":\"44051401359\"}".encode_utf16().flat_map(u16::to_le_bytes).collect(),
        nested("[", "]").into_bytes(),
        nested("{\"a\":", "}").into_bytes(),
        "[".repeat(100_000).into_bytes(),
        b"null".to_vec(),
        b"true".to_vec(),
        b"1".to_vec(),
        b"\"44051401359\"".to_vec(),
        // duplicate names, at any depth and with any escapes
        format!("{{\"text\":\"a\",\"text\":\"{secret}\"}}").into_bytes(),
        format!("{{\"text\":\"{secret}\",\"t\\u0065xt\":\"a\"}}").into_bytes(),
        format!("{{\"text\":\"{secret}\",\"operators\":{{\"email\":{{}},\"email\":{{}}}}}}").into_bytes(),
        format!("{{\"text\":\"{secret}\",\"future\":[{{\"a\":1,\"b\":2,\"a\":1}}]}}").into_bytes(),
        format!("{{\"text\":\"{secret}\\ude00\"}}").into_bytes(),
        format!("{{\"text\":\"{secret}\\ud83d\\u0041\"}}").into_bytes(),
        format!("{{\"text\":\"{secret}\",\"\\udfff\":1}}").into_bytes(),
        format!("{{\"text\":\"{secret}\0\"}}").into_bytes(),
        format!("{{\"text\":\"{secret}\",\"min_confidence\":-1e400}}").into_bytes(),
        // without the check, a list instead of an object would be read by position
        b"[\"44051401359\"]".to_vec(),
        format!("{{\"text\":\"{secret}\",\"future\":[{}]}}", vec!["0"; MAX_JSON_VALUES].join(","))
            .into_bytes(),
    ] {
        let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        let answer = Memory::default().send(post("pro", "/api/v1/detect", body)).await;
        assert_eq!(answer.status, 400, "{shown}: {}", answer.text);
        assert_eq!(answer.json["error"]["code"], "invalid_request", "{shown}");
        assert_eq!(answer.json["error"]["details"], json!({ "field": "body" }), "{shown}");
        assert!(!answer.text.contains(secret), "{shown}: {}", answer.text);
    }
}

#[tokio::test]
async fn unknown_fields_are_ignored_whatever_they_hold() {
    let mut body = json!({ "text": "nothing", "future": { "a": [1, null, { "b": "c" }] } });
    body["many"] = Value::from(vec![0; MAX_JSON_VALUES - 100]);
    let answer = Memory::default().post("pro", "/api/v1/detect", &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}
