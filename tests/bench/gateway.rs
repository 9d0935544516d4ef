//! The time that the gateway adds to a language model's own: `cargo bench --package textveil-tests --bench gateway`,
//! after `cargo xtask build`.
//!
//! A provider in this process answers with what it was told last, so that every request is masked and every
//! answer restored. It is asked directly, through the gateway, and through peers, in turns, by the same client
//! over connections that are kept open.
//!
//! An argument, such as `events`, measures only what has it in its name.
//!
//! If `WRK` names it, the load generator of that name asks each too, as a third-party client; it inspects no
//! answer and does not tell when the first byte came.
//!
//! The peers are started where a variable says how: `MASKFLOW_PYTHON` names a Python with PyPI's
//! `maskflow-gateway`, which masks as well; `PORTKEY_SERVER` the `start-server.js` of npm's
//! `@portkey-ai/gateway`, which only passes on. `cargo xtask bench --only gateway` installs all of them.
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
    process::{Child, Command, Stdio},
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

/// One at a time for what is added, many for how much goes through.
const CONNECTIONS: [usize; 2] = [1, 16];
const ROUNDS: usize = 3;
const ROUND: Duration = Duration::from_secs(2);
const CHAT: &str = "/v1/chat/completions";
const EVENTS: usize = 2_000;
/// Tokens of a letter.
const LETTER: usize = 200;
const PROSE: &str = "Thank you for your message. I have looked at the order, and the parcel was handed over on 12 May; \
    it should be with you within three working days. If it is not, please write again, and we will send the 2 missing \
    parts free of charge. ";

const TEXT: &str = "Please write to jan.novak@example.cz that the refund of 120 EUR goes to DE89 3704 0044 0532 0130 00, \
    and that we call +420 601 123 456 in the afternoon. Thank you, and have a nice day.";

/// A route to a model: direct, or through a gateway.
struct Way {
    name: &'static str,
    server: SocketAddr,
    headers: Vec<(&'static str, String)>,
}

/// A request, and the route that it is sent on.
struct Asked {
    way: Arc<Way>,
    body: Bytes,
}

/// The durations of requests, in milliseconds.
#[derive(Default)]
struct Times {
    first_byte: Vec<f64>,
    whole: Vec<f64>,
    rates: Vec<f64>,
    /// Answers that were no success.
    failed: usize,
}

#[tokio::main]
async fn main() {
    let provider = serve().await;
    let service = Service::start().unwrap();
    let token = configure(&service, provider).await;
    let authorization = |token: &str| ("authorization", format!("Bearer {token}"));
    let mut ways = vec![
        Way { name: "direct", server: provider, headers: Vec::new() },
        Way { name: "textveil", server: service.address(), headers: vec![authorization(&token)] },
    ];
    let peers = Peers::start(provider).await;
    ways.extend(peers.ways(provider, &authorization("sk-test")));
    let ways: Vec<Arc<Way>> = ways.into_iter().map(Arc::new).collect();

    let one = json!({ "model": "echo", "messages": [{ "role": "user", "content": TEXT }] });
    let turn = |number: usize| {
        let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
        json!({ "role": role, "content": format!("{number}. {}", TEXT.repeat(10)) })
    };
    let many = json!({ "model": "echo", "messages": (0..100).map(turn).collect::<Vec<_>>() });
    let mut stream = one.clone();
    stream["stream"] = json!(true);
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let all = [("a short message", one), ("100 messages", many), ("2,000 events", stream)];
    for (name, body) in
        all.into_iter().filter(|(name, _)| only.as_ref().is_none_or(|only| name.contains(only)))
    {
        let body = Bytes::from(body.to_string());
        let asked = ways.iter().map(|way| Arc::new(Asked { way: Arc::clone(way), body: body.clone() }));
        let asked: Vec<_> = asked.collect();
        for connections in CONNECTIONS {
            println!("{name}, {} bytes, connections: {connections}", body.len());
            println!(
                "  {:<10} {:>11} {:>9} {:>9} {:>9} {:>7}",
                "", "requests/s", "p50 ms", "p99 ms", "first ms", "failed"
            );
            compare(&asked, connections).await;
            for asked in &asked {
                by_wrk(asked, connections).await;
            }
        }
    }
}

/// Other gateways, which end with this.
struct Peers(Vec<(Child, &'static str, SocketAddr)>);

impl Peers {
    /// Starts those that there are, in front of the provider.
    async fn start(provider: SocketAddr) -> Self {
        let mut peers = Vec::new();
        let url = format!("http://{provider}/v1");
        if let Ok(python) = std::env::var("MASKFLOW_PYTHON") {
            let port = free_port();
            let mut command = Command::new(python);
            command
                .args(["-m", "maskflow_gateway", "--host", "127.0.0.1", "--port", &port.to_string()])
                .env("MASKFLOW_GATEWAY_OPENAI_BASE_URL", &url)
                .env("MASKFLOW_GATEWAY_LOG_LEVEL", "ERROR");
            peers.push((command, "maskflow", port));
        }
        if let Ok(server) = std::env::var("PORTKEY_SERVER") {
            let port = free_port();
            let mut command = Command::new("node");
            command.args([&server, "--headless", &format!("--port={port}")]);
            peers.push((command, "portkey", port));
        }
        let mut started = Vec::new();
        for (mut command, name, port) in peers {
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            let address = SocketAddr::from(([127, 0, 0, 1], port));
            while Connection::open(address).await.is_err() {
                assert!(child.try_wait().unwrap().is_none(), "{name} does not start");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            started.push((child, name, address));
        }
        Self(started)
    }

    /// Returns the ways to reach the provider; headers of one mean nothing to the other.
    fn ways(&self, provider: SocketAddr, authorization: &(&'static str, String)) -> Vec<Way> {
        let way = |(_, name, server): &(Child, &'static str, SocketAddr)| Way {
            name,
            server: *server,
            headers: vec![
                authorization.clone(),
                ("x-portkey-provider", "openai".to_owned()),
                ("x-portkey-custom-host", format!("http://{provider}/v1")),
            ],
        };
        self.0.iter().map(way).collect()
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        for (child, ..) in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
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

/// Sends each request in turns and prints the medians.
async fn compare(asked: &[Arc<Asked>], connections: usize) {
    let mut times: Vec<Times> = asked.iter().map(|_| Times::default()).collect();
    // the first round is a warm-up: instances are created, caches are filled
    for round in 0..=ROUNDS {
        for (asked, times) in asked.iter().zip(&mut times) {
            let measured = measure(asked, connections).await;
            if round > 0 {
                times.first_byte.extend(measured.first_byte);
                times.whole.extend(measured.whole);
                times.rates.extend(measured.rates);
                times.failed += measured.failed;
            }
        }
    }
    for (asked, times) in asked.iter().zip(times) {
        println!(
            "  {:<10} {:>11.0} {:>9.2} {:>9.2} {:>9.2} {:>7}",
            asked.way.name,
            at(times.rates, 0.5),
            at(times.whole.clone(), 0.5),
            at(times.whole, 0.99),
            at(times.first_byte, 0.5),
            times.failed,
        );
    }
}

fn at(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    values.get((last as f64 * share) as usize).copied().unwrap_or(f64::NAN)
}

async fn measure(asked: &Arc<Asked>, connections: usize) -> Times {
    let mut clients = Vec::new();
    let start = Instant::now();
    for _ in 0..connections {
        let connection = Connection::open(asked.way.server).await.unwrap();
        let asked = asked.clone();
        clients.push(tokio::spawn(async move { ask(connection, &asked, start + ROUND).await }));
    }
    let mut all = Times::default();
    for client in clients {
        let times = client.await.unwrap();
        all.first_byte.extend(times.first_byte);
        all.whole.extend(times.whole);
        all.failed += times.failed;
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
        let mut request = Request::post(CHAT)
            .header("host", asked.way.server.to_string())
            .header("content-type", "application/json");
        for (name, value) in &asked.way.headers {
            request = request.header(*name, value);
        }
        let request = request.body(Full::new(asked.body.clone())).unwrap();
        let answer = connection.request(request).await.unwrap();
        if answer.status() != StatusCode::OK {
            times.failed += 1;
            let _ = answer.into_body().collect().await;
            continue;
        }
        let mut body = answer.into_body();
        let first = body.frame().await.unwrap().unwrap();
        times.first_byte.push(ms(start));
        let mut text = first.into_data().unwrap_or_default().to_vec();
        text.extend(body.collect().await.unwrap().to_bytes());
        times.whole.push(ms(start));
        // the caller's own values are in it
        times.failed += usize::from(!String::from_utf8_lossy(&text).contains("jan.novak@example.cz"));
    }
    times
}

/// Prints the result of `wrk` for a request, if it is installed.
async fn by_wrk(asked: &Arc<Asked>, connections: usize) {
    let Some(wrk) = std::env::var_os("WRK") else { return };
    let script = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(script.path(), lua(asked)).unwrap();
    let mut command = Command::new(wrk);
    command.args(["--latency", "--threads", "1", "--connections", &connections.to_string()]);
    command.args(["--duration", &format!("{}s", 2 * ROUND.as_secs()), "--script"]).arg(script.path());
    command.arg(format!("http://{}{CHAT}", asked.way.server));
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let figure = |name: &str| {
        let line = said.lines().find_map(|line| line.trim().strip_prefix(name)).unwrap_or("-");
        line.trim().to_owned()
    };
    println!(
        "  {:<10} {:>11} {:>9} {:>9} {:>9} {:>7}",
        asked.way.name,
        figure("Requests/sec:"),
        figure("50%"),
        figure("99%"),
        "by wrk",
        figure("Non-2xx or 3xx responses:"),
    );
}

/// The request as a script of `wrk`.
fn lua(asked: &Asked) -> String {
    let body = String::from_utf8_lossy(&asked.body);
    let mut script = format!("wrk.method = \"POST\"\nwrk.body = [==[{body}]==]\n");
    let own = ("content-type", "application/json".to_owned());
    for (name, value) in asked.way.headers.iter().chain([&own]) {
        script.push_str(&format!("wrk.headers[\"{name}\"] = \"{value}\"\n"));
    }
    script
}

/// Starts the provider; returns its address.
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
    // a token an event; what was said comes back in every letter of a few sentences
    let words: Vec<&str> = PROSE.split_inclusive(' ').collect();
    let piece = |number: usize| match number % LETTER {
        0 => format!("{said} "),
        number => words[number % words.len()].to_owned(),
    };
    let pieces = (0..EVENTS).map(piece);
    let event = |piece: String| {
        let chunk = json!({ "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "echo",
            "choices": [{ "index": 0, "delta": { "content": piece }, "finish_reason": null }] });
        format!("data: {chunk}\n\n")
    };
    let events: String = pieces.map(event).chain(["data: [DONE]\n\n".to_owned()]).collect();
    let response = Response::builder().header("content-type", "text/event-stream");
    Ok(response.body(Full::new(events.into())).unwrap())
}
