//! The latency of a client beside slow readers of large answers, and the memory of the service.
//!
//! `cargo xtask bench --only slow-readers` builds the service and runs this. One client opens connections, requests an answer of
//! some 8 MB on each, and takes 1 kB a second of it. Another client, with another key, keeps asking for detection in a short text.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a program for developers"
)]

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{Method, StatusCode};
use serde_json::json;
use textveil_tests::{http_client::Connection, service::Service};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpSocket,
    time::sleep,
};

const READERS: usize = 80;
/// The time for which the other client asks.
const TIME: Duration = Duration::from_secs(60);
/// A text whose answer is about five times as long.
const TEXT: &str = "Please write to jan.novak@example.cz or call +420 601 123 456 before Friday. ";
const TEXTS: usize = 50;
const PATH: &str = "/api/v1/detect/batch";

/// The progress of the slow readers.
#[derive(Default)]
struct Progress {
    /// Those whose answer has begun.
    begun: AtomicUsize,
    /// Those whose connection has ended.
    ended: AtomicUsize,
}

#[tokio::main]
async fn main() {
    let service = Service::start().unwrap();
    let body = Bytes::from(json!({ "texts": vec![TEXT.repeat(420); TEXTS] }).to_string());
    let mut connection = Connection::open(service.address()).await.unwrap();
    let answer = connection.send(Method::POST, PATH, Some(service.api_key()), body.clone()).await.unwrap().1;
    println!("an answer has {} bytes; the service has {} MB", answer.len(), service.memory_mb("VmRSS:"));

    let other = service.another_key("other").unwrap();
    let short = Bytes::from(json!({ "text": TEXT }).to_string());
    print_latency("alone", &ask(&service, &other, &short, Duration::from_secs(5)).await);

    let progress = Arc::new(Progress::default());
    for _ in 0..READERS {
        let request = [head(&service, body.len()).as_bytes(), &body].concat();
        tokio::spawn(read_slowly(service.address(), request, progress.clone()));
    }
    let answers = ask(&service, &other, &short, TIME).await;
    print_latency(&format!("beside {READERS} slow readers"), &answers);
    let (begun, ended) = (progress.begun.load(Ordering::Relaxed), progress.ended.load(Ordering::Relaxed));
    println!("{begun} answers have begun, {ended} connections have ended");
    let (now, peak) = (service.memory_mb("VmRSS:"), service.memory_mb("VmHWM:"));
    println!("memory of the service: {now} MB, at most {peak} MB");
}

fn head(service: &Service, length: usize) -> String {
    let (key, host) = (service.api_key(), service.address());
    format!(
        "POST {PATH} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n"
    )
}

/// Sends a request from an address of its own, and takes 1 kB a second of the answer until the connection ends.
async fn read_slowly(server: SocketAddr, request: Vec<u8>, progress: Arc<Progress>) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4 << 10).unwrap();
    socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
    let mut stream = socket.connect(server).await.unwrap();
    // a service that has no room may answer before it has read everything
    let _ = stream.write_all(&request).await;
    let (mut chunk, mut has_begun) = ([0; 1 << 10], false);
    while stream.read(&mut chunk).await.is_ok_and(|read| read > 0) {
        if !std::mem::replace(&mut has_begun, true) {
            progress.begun.fetch_add(1, Ordering::Relaxed);
        }
        sleep(Duration::from_secs(1)).await;
    }
    progress.ended.fetch_add(1, Ordering::Relaxed);
}

/// Asks one request after another, and returns the latency of each in milliseconds and its status.
async fn ask(service: &Service, key: &str, body: &Bytes, time: Duration) -> Vec<(f64, StatusCode)> {
    let mut connection = Connection::open(service.address()).await.unwrap();
    let (mut answers, end) = (Vec::new(), Instant::now() + time);
    while Instant::now() < end {
        let start = Instant::now();
        let sent = connection.send(Method::POST, "/api/v1/detect", Some(key), body.clone()).await;
        answers.push((start.elapsed().as_secs_f64() * 1_000.0, sent.unwrap().0));
        sleep(Duration::from_millis(20)).await;
    }
    answers
}

fn print_latency(what: &str, answers: &[(f64, StatusCode)]) {
    let mut times: Vec<f64> = answers.iter().map(|(time, _)| *time).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let failed = answers.iter().filter(|(_, status)| *status != StatusCode::OK).count();
    println!(
        "{what}: {} requests, {failed} not answered with 200, p50 {:.1} ms, p99 {:.1} ms, longest {:.0} ms",
        times.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
}
