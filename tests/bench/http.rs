//! Requests per second and latency of the service, compared with an unknown path in the same host.
//!
//! `cargo xtask bench --only http` builds the service and runs this. All requests are sent in turns by the
//! same client over connections that are kept open, so that the load of the machine affects them equally:
//! over 1, 16 and 32 connections, with the stores on SQLite and, if there is a Redis server, on Redis. An unknown path
//! reads no store, so it costs what the host and the start of the component cost. Answers that say that the service is
//! too busy are counted. The memory of the service is printed before and after. `-- --soak 500000` instead sends one of the requests
//! that often, and prints the memory in between.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a program for developers"
)]

#[path = "../../host-native/tests/host/support/redis.rs"]
#[allow(dead_code, missing_docs, reason = "tests use the rest")]
mod redis;

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use textveil_tests::{
    http_client::Connection,
    service::{Options, Service},
};

/// Connections of a soak.
const SOAK_CONNECTIONS: usize = 16;
/// Connections of a comparison.
const CONNECTIONS: [usize; 3] = [1, 16, 32];
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(2);

/// A letter of 1,000 characters with [`FINDINGS`] findings.
const TEXT: &str = "Please check the following seven parcels before the end of the week. The first one goes to \
    jan.novak@example.cz, telephone +420 601 123 456, and was paid from CZ65 0800 0000 1920 0014 5399. The second \
    one goes to anna.nowak@example.pl, telephone +48 601 123 456, PESEL 44051401359. The third one goes to \
    max.muster@example.de, telephone +49 151 23456789, and was paid from DE89 3704 0044 0532 0130 00. The fourth \
    one was paid with the card 4111 1111 1111 1111 from 192.0.2.44, and the receipt went to billing@example.com. \
    The fifth one goes to eva.kovacova@example.sk, telephone +421 905 123 456. The sixth one was paid with the card \
    5555 5555 5555 4444 from 2001:db8::44, and the receipt went to office@example.org. The last one was paid from \
    FR14 2004 1010 0505 0001 3M02 606, and the receipt went to marie@example.fr, telephone +33 6 12 34 56 78. \
    Nobody has complained about any of them so far, but two of them arrived late, and one of them was opened on \
    the way. Thank you for your help, and good luck with it.";

/// A service finds as many in [`TEXT`].
const FINDINGS: usize = 20;

/// A request to measure.
struct Request {
    name: &'static str,
    method: Method,
    path: &'static str,
    api_key: Option<String>,
    body: Bytes,
    status: StatusCode,
}

impl Request {
    fn post(service: &Service, name: &'static str, path: &'static str, body: &Value) -> Self {
        let api_key = Some(service.api_key().to_owned());
        Self {
            name,
            method: Method::POST,
            path,
            api_key,
            body: Bytes::from(body.to_string()),
            status: StatusCode::OK,
        }
    }

    /// Detection in [`TEXT`].
    fn detect(service: &Service) -> Arc<Self> {
        let body = json!({ "text": TEXT });
        Arc::new(Self::post(service, "POST detect, 1 kB, 20 findings", "/api/v1/detect", &body))
    }

    /// The unknown path first, then what is compared with it.
    fn compared(service: &Service) -> [Arc<Self>; 4] {
        let unknown = Self {
            name: "GET an unknown path",
            method: Method::GET,
            path: "/api/v1/unknown",
            api_key: None,
            body: Bytes::new(),
            status: StatusCode::NOT_FOUND,
        };
        let protect = json!({ "text": TEXT, "mode": "tokenize" });
        let protect = Self::post(service, "POST protect, the same text", "/api/v1/protect", &protect);
        let batch = json!({ "texts": vec![TEXT; 50] });
        let batch = Self::post(service, "POST detect/batch, 50 of them", "/api/v1/detect/batch", &batch);
        [Arc::new(unknown), Self::detect(service), Arc::new(protect), Arc::new(batch)]
    }
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--soak") {
        let service = Service::start().unwrap();
        soak(&service, &Request::detect(&service), arguments[at + 1].parse().unwrap()).await;
        return;
    }
    measure_stores("SQLite", &Options::default()).await;
    if std::env::var_os("REDIS_SERVER").is_none() {
        println!("There is no Redis server (REDIS_SERVER): the stores were not measured there.");
        return;
    }
    let redis = redis::Redis::start();
    let folder = tempfile::tempdir().unwrap();
    measure_stores("Redis", &on(&redis, folder.path())).await;
}

/// Options of a service whose stores are all in this Redis.
fn on(redis: &redis::Redis, folder: &Path) -> Options {
    let file = folder.join("runtime-config.toml");
    let url = redis.url();
    let stores = ["config", "usage", "audit"]
        .map(|label| format!("[key_value_store.{label}]\ntype = \"redis\"\nurl = \"{url}\"\n"));
    std::fs::write(&file, stores.concat()).unwrap();
    Options { runtime_config_file: Some(file), ..Options::default() }
}

/// Measures a service with these stores and prints the figures.
async fn measure_stores(stores: &str, options: &Options) {
    let mut service = Service::start_with(options).unwrap();
    // the first start compiles the components, and keeps some of the memory that it took
    service.kill_and_restart(options).unwrap();
    let requests = Request::compared(&service);
    let idle = service.memory_mb("VmRSS:");
    check_findings(&service, &requests[1]).await;
    for connections in CONNECTIONS {
        println!("\nStores on {stores}, {connections} connection{}", if connections == 1 { "" } else { "s" });
        compare(&service, &requests, connections).await;
    }
    let after = service.memory_mb("VmRSS:");
    println!("Memory of the service: {idle} MB idle, {after} MB after the run");
}

/// Checks that the number of findings is the one in the name of the benchmark.
async fn check_findings(service: &Service, detect: &Request) {
    let mut connection = Connection::open(service.address()).await.unwrap();
    let Request { method, path, api_key, body, .. } = detect;
    let (_, body) = connection.send(method.clone(), path, api_key.as_deref(), body.clone()).await.unwrap();
    let answer: Value = serde_json::from_slice(&body).unwrap();
    let entities = answer["entities"].as_array().unwrap();
    assert_eq!(entities.len(), FINDINGS, "{answer:#}");
}

/// Sends each request in turns and prints the medians.
async fn compare(service: &Service, requests: &[Arc<Request>], connections: usize) {
    let mut rates = vec![Vec::new(); requests.len()];
    let mut times = vec![Vec::new(); requests.len()];
    let mut busy = vec![0; requests.len()];
    // the first round does not count: instances are made, caches are filled
    for round in 0..=ROUNDS {
        for (index, request) in requests.iter().enumerate() {
            let (rate, answers) = measure(service, request, connections, ROUND).await;
            busy[index] += answers.busy;
            if round > 0 {
                rates[index].push(rate);
                times[index].extend(answers.times);
            }
        }
    }
    println!("{:<34} {:>11} {:>7} {:>9} {:>9} {:>7}", "", "requests/s", "ratio", "p50 ms", "p99 ms", "busy");
    let rates: Vec<f64> = rates.into_iter().map(median).collect();
    for (((request, mut times), rate), busy) in requests.iter().zip(times).zip(&rates).zip(busy) {
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        println!(
            "{:<34} {rate:>11.0} {:>7.2} {:>9.2} {:>9.2} {busy:>7}",
            request.name,
            rate / rates[0],
            at(0.5),
            at(0.99)
        );
    }
}

/// The answers to a request.
#[derive(Default)]
struct Answers {
    /// The latency of each, in milliseconds.
    times: Vec<f64>,
    /// The number with status 503.
    busy: usize,
}

/// Measures requests a second over all connections, without answers that the service is busy.
async fn measure(
    service: &Service,
    request: &Arc<Request>,
    connections: usize,
    time: Duration,
) -> (f64, Answers) {
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(Connection::open(service.address()).await.unwrap());
    }
    let start = Instant::now();
    let clients = open.into_iter().map(|connection| {
        let request = request.clone();
        tokio::spawn(async move { ask(connection, &request, |_| Instant::now() < start + time).await })
    });
    let mut all = Answers::default();
    for client in clients.collect::<Vec<_>>() {
        let answers = client.await.unwrap();
        all.times.extend(answers.times);
        all.busy += answers.busy;
    }
    (all.times.len() as f64 / start.elapsed().as_secs_f64(), all)
}

/// Asks `total` times and prints the memory of the service after each tenth.
async fn soak(service: &Service, request: &Arc<Request>, total: usize) {
    for tenth in 0..=10 {
        println!("after {:>9} requests: {:>6} MB", total / 10 * tenth, service.memory_mb("VmRSS:"));
        if tenth == 10 {
            return;
        }
        let mut clients = Vec::new();
        for _ in 0..SOAK_CONNECTIONS {
            let connection = Connection::open(service.address()).await.unwrap();
            let request = request.clone();
            let share = total / 10 / SOAK_CONNECTIONS;
            clients.push(tokio::spawn(async move { ask(connection, &request, |asked| asked < share).await }));
        }
        for client in clients {
            client.await.unwrap();
        }
    }
}

/// Sends requests while `goes_on` returns true for their number. Each answer must be the expected one, or that the service
/// is busy.
async fn ask(mut connection: Connection, request: &Request, goes_on: impl Fn(usize) -> bool) -> Answers {
    let mut answers = Answers::default();
    while goes_on(answers.times.len() + answers.busy) {
        let Request { method, path, api_key, body, status: expected, .. } = request;
        let start = Instant::now();
        let sent = connection.send(method.clone(), path, api_key.as_deref(), body.clone()).await;
        let took = start.elapsed().as_secs_f64() * 1_000.0;
        let (status, body) = sent.unwrap();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            answers.busy += 1;
            continue;
        }
        assert_eq!(status, *expected, "{}", String::from_utf8_lossy(&body));
        answers.times.push(took);
    }
    answers
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
