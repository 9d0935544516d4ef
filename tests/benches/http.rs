//! Requests a second of `POST /api/v1/detect` with 1 kB of text, against an empty handler in the same
//! host: `cargo bench --package textveil-tests --bench http`, after `cargo xtask build`.
//!
//! Both are asked in turns by the same client over 16 connections that are kept open, so that both
//! share what the machine does meanwhile.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a program for developers")]

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
    method: Method,
    path: &'static str,
    api_key: Option<String>,
    body: Bytes,
}

#[tokio::main]
async fn main() {
    let service = Service::start().unwrap();
    let text: String = TEXT.chars().cycle().take(1_000).collect();
    let empty =
        Arc::new(Request { method: Method::GET, path: "/healthz", api_key: None, body: Bytes::new() });
    let detect = Arc::new(Request {
        method: Method::POST,
        path: "/api/v1/detect",
        api_key: Some(service.api_key().to_owned()),
        body: Bytes::from(json!({ "text": text }).to_string()),
    });

    // once for nothing: instances are made, caches are filled
    for request in [&empty, &detect] {
        rate(&service, request, ROUND / 2).await;
    }
    let (mut empty_rates, mut detect_rates) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        empty_rates.push(rate(&service, &empty, ROUND).await);
        detect_rates.push(rate(&service, &detect, ROUND).await);
        println!(
            "round {round}: empty handler {:.0}/s, detect {:.0}/s",
            empty_rates[round - 1],
            detect_rates[round - 1]
        );
    }
    let (empty, detect) = (median(empty_rates), median(detect_rates));
    println!("GET  /healthz, an empty handler      {empty:>10.0} requests/s");
    println!("POST /api/v1/detect, 1000 characters {detect:>10.0} requests/s");
    println!("ratio                                {:>10.2}", detect / empty);
}

/// Requests a second over all connections.
async fn rate(service: &Service, request: &Arc<Request>, time: Duration) -> f64 {
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(Connection::open(service.address()).await.unwrap());
    }
    let start = Instant::now();
    let clients = connections
        .into_iter()
        .map(|connection| tokio::spawn(ask(connection, request.clone(), start + time)));
    let mut answers = 0;
    for client in clients.collect::<Vec<_>>() {
        answers += client.await.unwrap();
    }
    f64::from(answers) / start.elapsed().as_secs_f64()
}

/// Asks again and again until the time is over; every answer must be a success.
async fn ask(mut connection: Connection, request: Arc<Request>, until: Instant) -> u32 {
    let mut answers = 0;
    while Instant::now() < until {
        let Request { method, path, api_key, body } = request.as_ref();
        let sent = connection.send(method.clone(), path, api_key.as_deref(), body.clone()).await;
        let (status, body) = sent.unwrap();
        assert_eq!(status, StatusCode::OK, "{}", String::from_utf8_lossy(&body));
        answers += 1;
    }
    answers
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
