//! What the gateway adds to a language model's own time: `cargo bench --package textveil-tests --bench gateway`,
//! after `cargo xtask build`.
//!
//! A provider in this process answers with what it was told last, so that every request is masked and every
//! answer restored. It is asked directly and through the gateway, in turns, by the same client over 16
//! connections that are kept open.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a program for developers"
)]

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use textveil_tests::{http_client::Connection, service::Service};
use tokio::net::TcpListener;

const CONNECTIONS: usize = 16;
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(2);
const CHAT: &str = "/v1/chat/completions";
const EVENTS: usize = 2_000;

const TEXT: &str = "Please write to jan.novak@example.cz that the refund of 120 EUR goes to DE89 3704 0044 0532 0130 00, \
    and that we call +420 601 123 456 in the afternoon. Thank you, and have a nice day.";

/// What is asked of whom.
struct Asked {
    name: &'static str,
    server: SocketAddr,
    token: Option<String>,
    body: Bytes,
}

/// How long requests took, in milliseconds.
#[derive(Default)]
struct Times {
    first_byte: Vec<f64>,
    whole: Vec<f64>,
    rates: Vec<f64>,
}

#[tokio::main]
async fn main() {
    let provider = serve().await;
    let service = Service::start().unwrap();
    let token = configure(&service, provider).await;
    let one = json!({ "messages": [{ "role": "user", "content": TEXT }] });
    let turn = |number: usize| {
        let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
        json!({ "role": role, "content": format!("{number}. {}", TEXT.repeat(10)) })
    };
    let many = json!({ "messages": (0..100).map(turn).collect::<Vec<_>>() });
    let mut stream = one.clone();
    stream["stream"] = json!(true);
    println!(
        "{:<44} {:>11} {:>9} {:>9} {:>9} {:>11}",
        "", "requests/s", "p50 ms", "p99 ms", "first ms", "bytes"
    );
    for (name, through, body) in [
        ("a short message, direct", "a short message, through the gateway", one),
        ("100 messages, direct", "100 messages, through the gateway", many),
        ("2,000 events, direct", "2,000 events, through the gateway", stream),
    ] {
        let body = Bytes::from(body.to_string());
        let direct = Asked { name, server: provider, token: None, body: body.clone() };
        let gateway = Asked { name: through, server: service.address(), token: Some(token.clone()), body };
        compare([direct, gateway].map(Arc::new)).await;
    }
}

/// Adds the provider to the development workspace; the service token.
async fn configure(service: &Service, provider: SocketAddr) -> String {
    let user = service.credential("TEXTVEIL_USER_TOKEN").unwrap();
    let token = service.credential("TEXTVEIL_SERVICE_TOKEN").unwrap();
    let record = json!({
        "provider_type": "openai_compatible", "display_name": "echo", "credential_source": "none",
        "base_url": format!("http://{provider}/v1"), "default_model": "echo", "supports_streaming": true,
    });
    let limits = json!({ "rate_limits": { "requests_per_minute": 1_000_000, "burst": 1_000 } });
    let mut connection = Connection::open(service.address()).await.unwrap();
    let body = Bytes::from(record.to_string());
    let made = connection.send(Method::POST, "/api/v1/llm-providers", Some(&user), body).await.unwrap();
    assert_eq!(made.0, StatusCode::CREATED, "{}", String::from_utf8_lossy(&made.1));
    let path = "/api/v1/gateway/config?workspace_id=default";
    let request = Request::put(path)
        .header("host", service.address().to_string())
        .header("content-type", "application/json")
        .header("x-service-token", &token);
    let changed =
        connection.request(request.body(Full::new(limits.to_string().into())).unwrap()).await.unwrap();
    assert_eq!(changed.status(), StatusCode::OK);
    token
}

/// Asks each in turns and prints the medians.
async fn compare(asked: [Arc<Asked>; 2]) {
    let mut times = [Times::default(), Times::default()];
    // the first round is for nothing: instances are made, caches are filled
    for round in 0..=ROUNDS {
        for (asked, times) in asked.iter().zip(&mut times) {
            let measured = measure(asked).await;
            if round > 0 {
                times.first_byte.extend(measured.first_byte);
                times.whole.extend(measured.whole);
                times.rates.extend(measured.rates);
            }
        }
    }
    for (asked, times) in asked.iter().zip(times) {
        println!(
            "{:<44} {:>11.0} {:>9.2} {:>9.2} {:>9.2} {:>11}",
            asked.name,
            at(times.rates, 0.5),
            at(times.whole.clone(), 0.5),
            at(times.whole, 0.99),
            at(times.first_byte, 0.5),
            asked.body.len()
        );
    }
}

fn at(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * share) as usize]
}

async fn measure(asked: &Arc<Asked>) -> Times {
    let mut clients = Vec::new();
    let start = Instant::now();
    for _ in 0..CONNECTIONS {
        let connection = Connection::open(asked.server).await.unwrap();
        let asked = asked.clone();
        clients.push(tokio::spawn(async move { ask(connection, &asked, start + ROUND).await }));
    }
    let mut all = Times::default();
    for client in clients {
        let times = client.await.unwrap();
        all.first_byte.extend(times.first_byte);
        all.whole.extend(times.whole);
    }
    all.rates.push(all.whole.len() as f64 / start.elapsed().as_secs_f64());
    all
}

/// Asks again and again; every answer must hold what was said.
async fn ask(mut connection: Connection, asked: &Asked, until: Instant) -> Times {
    let mut times = Times::default();
    let ms = |since: Instant| since.elapsed().as_secs_f64() * 1_000.0;
    while Instant::now() < until {
        let start = Instant::now();
        let token = asked.token.as_deref();
        let answer = connection.begin(Method::POST, CHAT, token, asked.body.clone()).await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        let mut body = answer.into_body();
        let first = body.frame().await.unwrap().unwrap();
        times.first_byte.push(ms(start));
        let mut text = first.into_data().unwrap_or_default().to_vec();
        text.extend(body.collect().await.unwrap().to_bytes());
        times.whole.push(ms(start));
        assert!(
            String::from_utf8_lossy(&text).contains("jan.novak@example.cz"),
            "the answer is not restored"
        );
    }
    times
}

/// Starts the provider; where it listens.
async fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            tokio::spawn(async move {
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(echo)).await;
            });
        }
    });
    address
}

/// Answers with what was said last.
async fn echo(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let body = request.into_body().collect().await.unwrap().to_bytes();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let said = body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
    if body["stream"] != true {
        let message = json!({ "role": "assistant", "content": said });
        let answer = json!({ "id": "c", "object": "chat.completion", "created": 1, "model": "echo",
            "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }] });
        let response = Response::builder().header("content-type", "application/json");
        return Ok(response.body(Full::new(answer.to_string().into())).unwrap());
    }
    let pieces =
        std::iter::once(said.to_owned()).chain((1..EVENTS).map(|number| format!(" word{}", number % 7)));
    let event = |piece: String| {
        let chunk = json!({ "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "echo",
            "choices": [{ "index": 0, "delta": { "content": piece }, "finish_reason": null }] });
        format!("data: {chunk}\n\n")
    };
    let events: String = pieces.map(event).chain(["data: [DONE]\n\n".to_owned()]).collect();
    let response = Response::builder().header("content-type", "text/event-stream");
    Ok(response.body(Full::new(events.into())).unwrap())
}
