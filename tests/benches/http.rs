//! Requests a second, and how long they take, against an empty handler in the same host:
//! `cargo bench --package textveil-tests --bench http`, after `cargo xtask build`.
//!
//! All are asked in turns by the same client over 16 connections that are kept open, so that they
//! share what the machine does meanwhile. `-- --soak 500000` asks that often instead, and prints the
//! memory of the service on the way.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a program for developers"
)]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{Method, StatusCode};
use serde_json::json;
use textveil_tests::{http_client::Connection, service::Service};

const CONNECTIONS: usize = 16;
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(2);

/// A support ticket: prose with a few findings in it.
const TEXT: &str = "Dobrý den, píšu kvůli reklamaci objednávky z minulého týdne. Balík dorazil v pořádku, \
    ale jedna položka chyběla a druhá byla poškozená. Prosím o vrácení peněz na účet DE89 3704 0044 0532 0130 00, \
    nebo o zaslání náhrady na stejnou adresu. Nejlépe mě zastihnete na čísle +420 601 123 456 nebo na adrese \
    jan.novak@example.cz, odpoledne po čtvrté hodině. ";

/// What is asked.
struct Request {
    name: &'static str,
    method: Method,
    path: &'static str,
    api_key: Option<String>,
    body: Bytes,
}

impl Request {
    fn post(service: &Service, name: &'static str, path: &'static str, body: &serde_json::Value) -> Self {
        let api_key = Some(service.api_key().to_owned());
        Self { name, method: Method::POST, path, api_key, body: Bytes::from(body.to_string()) }
    }
}

#[tokio::main]
async fn main() {
    let service = Service::start().unwrap();
    let text: String = TEXT.chars().cycle().take(1_000).collect();
    let empty = Request {
        name: "GET /healthz, an empty handler",
        method: Method::GET,
        path: "/healthz",
        api_key: None,
        body: Bytes::new(),
    };
    let detect =
        Request::post(&service, "POST detect, 1,000 characters", "/api/v1/detect", &json!({ "text": text }));
    let protect = json!({ "text": text, "mode": "tokenize" });
    let protect = Request::post(&service, "POST protect, 1,000 characters", "/api/v1/protect", &protect);
    let batch = json!({ "texts": vec![&text; 50] });
    let batch = Request::post(&service, "POST detect/batch, 50 of them", "/api/v1/detect/batch", &batch);
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--soak") {
        soak(&service, &Arc::new(detect), arguments[at + 1].parse().unwrap()).await;
        return;
    }
    compare(&service, &[empty, detect, protect, batch].map(Arc::new)).await;
}

/// Asks for each in turns and prints the medians.
async fn compare(service: &Service, requests: &[Arc<Request>]) {
    let mut rates = vec![Vec::new(); requests.len()];
    let mut times = vec![Vec::new(); requests.len()];
    // the first round is for nothing: instances are made, caches are filled
    for round in 0..=ROUNDS {
        for (index, request) in requests.iter().enumerate() {
            let (rate, took) = measure(service, request, ROUND).await;
            if round > 0 {
                rates[index].push(rate);
                times[index].extend(took);
            }
        }
    }
    println!("{:<34} {:>11} {:>7} {:>9} {:>9}", "", "requests/s", "ratio", "p50 ms", "p99 ms");
    let rates: Vec<f64> = rates.into_iter().map(median).collect();
    for ((request, mut times), rate) in requests.iter().zip(times).zip(&rates) {
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        println!(
            "{:<34} {rate:>11.0} {:>7.2} {:>9.2} {:>9.2}",
            request.name,
            rate / rates[0],
            at(0.5),
            at(0.99)
        );
    }
}

/// Requests a second over all connections, and how long each took in milliseconds.
async fn measure(service: &Service, request: &Arc<Request>, time: Duration) -> (f64, Vec<f64>) {
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(Connection::open(service.address()).await.unwrap());
    }
    let start = Instant::now();
    let clients = connections.into_iter().map(|connection| {
        let request = request.clone();
        tokio::spawn(async move { ask(connection, &request, |_| Instant::now() < start + time).await })
    });
    let mut times = Vec::new();
    for client in clients.collect::<Vec<_>>() {
        times.extend(client.await.unwrap());
    }
    (times.len() as f64 / start.elapsed().as_secs_f64(), times)
}

/// Asks `total` times and prints the memory of the service after each tenth.
async fn soak(service: &Service, request: &Arc<Request>, total: usize) {
    for tenth in 0..=10 {
        println!("after {:>9} requests: {:>6} MB", total / 10 * tenth, resident_mb(service.process_id()));
        if tenth == 10 {
            return;
        }
        let mut clients = Vec::new();
        for _ in 0..CONNECTIONS {
            let connection = Connection::open(service.address()).await.unwrap();
            let request = request.clone();
            let share = total / 10 / CONNECTIONS;
            clients.push(tokio::spawn(async move { ask(connection, &request, |asked| asked < share).await }));
        }
        for client in clients {
            client.await.unwrap();
        }
    }
}

/// Resident memory of a process, as Linux says it.
fn resident_mb(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or_default() / 1_024
}

/// Asks again and again while `goes_on` says so of the number asked; every answer must be a success. How
/// long each took, in milliseconds.
async fn ask(mut connection: Connection, request: &Request, goes_on: impl Fn(usize) -> bool) -> Vec<f64> {
    let mut times = Vec::new();
    while goes_on(times.len()) {
        let Request { method, path, api_key, body, .. } = request;
        let start = Instant::now();
        let sent = connection.send(method.clone(), path, api_key.as_deref(), body.clone()).await;
        times.push(start.elapsed().as_secs_f64() * 1_000.0);
        let (status, body) = sent.unwrap();
        assert_eq!(status, StatusCode::OK, "{}", String::from_utf8_lossy(&body));
    }
    times
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
