//! A Spin component that runs the operation in its path, so that the host's tests can check what a component
//! can access.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a trap is what the tests want to see where the host is wrong"
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Response, StatusCode, Uri};
use serde_json::{Value, json};
use spin_sdk::experimental::wasi::keyvalue::{atomics, store as buckets};
use spin_sdk::http::body::{IncomingBodyExt as _, stream};
use spin_sdk::http::{BoxBody, FullBody, IntoResponse, Request, box_body, get};
use spin_sdk::key_value::Store;
use spin_sdk::{http_service, time, variables};

static REQUESTS: AtomicUsize = AtomicUsize::new(0);
static IN_WORK: AtomicUsize = AtomicUsize::new(0);
static WORKING: AtomicUsize = AtomicUsize::new(0);

#[http_service]
async fn serve(request: Request) -> impl IntoResponse {
    let others = IN_WORK.fetch_add(1, Ordering::Relaxed);
    let path = request.uri().path().to_owned();
    let words: Vec<&str> = path.split('/').skip(1).collect();
    let answer = match words.as_slice() {
        [_, "empty"] => text(""),
        [_, "echo"] => Response::new(box_body(request.into_body())),
        [_, "count"] => match request.into_body().bytes().await {
            Ok(body) => text(body.len().to_string()),
            Err(error) => failed(error),
        },
        ["metrics"] | [_, "head", ..] => head(&request),
        [_, "instance"] => {
            let served = REQUESTS.fetch_add(1, Ordering::Relaxed);
            text(format!("{served} {others}"))
        }
        [_, "sleep", ms] => {
            time::sleep(Duration::from_millis(ms.parse().unwrap())).await;
            text(format!("slept {others}"))
        }
        [_, "trap"] => panic!("as asked"),
        [_, "compute", ms] => {
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(ms.parse().unwrap()) {}
            text("computed")
        }
        // continues to run after its answer
        [_, "after", ms] => {
            let ms = ms.parse().unwrap();
            WORKING.fetch_add(1, Ordering::Relaxed);
            spin_sdk::wasip3::spawn(async move {
                time::sleep(Duration::from_millis(ms)).await;
                WORKING.fetch_sub(1, Ordering::Relaxed);
            });
            text("answered")
        }
        [_, "working"] => text(WORKING.load(Ordering::Relaxed).to_string()),
        [_, "compute"] => {
            let mut number = 1_u64;
            while std::hint::black_box(number) != 0 {
                number |= 1;
            }
            text("never")
        }
        [_, "allocate", megabytes] => {
            let bytes = vec![1_u8; megabytes.parse::<usize>().unwrap() << 20];
            text(std::hint::black_box(bytes).len().to_string())
        }
        // linear memory never shrinks: it is held until the body ends
        [_, "allocate", megabytes, "echo"] => {
            let bytes = vec![1_u8; megabytes.parse::<usize>().unwrap() << 20];
            std::hint::black_box(bytes);
            Response::new(box_body(request.into_body()))
        }
        [_, "large", megabytes] => text("x".repeat(megabytes.parse::<usize>().unwrap() << 20)),
        [_, "stream", chunks, "every", ms, then] => chunked(chunks, ms, then),
        [_, "stream", chunks, "computed", ms] => computed(chunks.parse().unwrap(), ms.parse().unwrap()),
        [_, "get", label, key] => match open(label).await {
            Ok(store) => match store.get(key).await {
                Ok(Some(value)) => Response::new(whole(value)),
                Ok(None) => status(StatusCode::NOT_FOUND),
                Err(error) => failed(error),
            },
            Err(error) => failed(error),
        },
        [_, "set", label, key] => {
            let value = request.into_body().bytes().await.unwrap();
            answer(async { open(label).await?.set(key, value).await }.await)
        }
        [_, "delete", label, key] => answer(async { open(label).await?.delete(key).await }.await),
        [_, "exists", label, key] => answer(async { open(label).await?.exists(key).await }.await),
        [_, "keys", label] => answer(async { open(label).await?.get_keys().await.collect().await }.await),
        [_, "increment", label, key, delta] => answer(
            buckets::open(label).and_then(|bucket| atomics::increment(&bucket, key, delta.parse().unwrap())),
        ),
        [_, "swap", label, key] => {
            let value = request.into_body().bytes().await.unwrap();
            let swap = buckets::open(label).and_then(|bucket| atomics::Cas::new(&bucket, key)).unwrap();
            // a racer that begins after another one has won would replace its value, and win as well
            if swap.current().unwrap().is_some() {
                return text("late");
            }
            time::sleep(Duration::from_millis(20)).await;
            text(if atomics::swap(swap, &value).is_ok() { "swapped" } else { "failed" })
        }
        [_, "variable", name] => answer(variables::get(name).await),
        [_, "environment", name] => text(std::env::var(name).unwrap_or_default()),
        [_, "environment"] => text(std::env::vars().count().to_string()),
        [_, "read", name] => {
            answer(std::fs::read_to_string(format!("/{name}")).map_err(|error| error.kind()))
        }
        [_, "write", name] => answer(std::fs::write(format!("/{name}"), "x").map_err(|error| error.kind())),
        [_, "connect"] => answer(
            std::net::TcpStream::connect(request.uri().query().unwrap())
                .map(drop)
                .map_err(|error| error.kind()),
        ),
        [_, "send"] => match get(request.uri().query().unwrap()).await {
            Ok(response) => {
                let status = response.status();
                let mut response = Response::new(box_body(response.into_body()));
                *response.status_mut() = status;
                response
            }
            Err(error) => failed(error),
        },
        _ => status(StatusCode::NOT_FOUND),
    };
    IN_WORK.fetch_sub(1, Ordering::Relaxed);
    answer
}

async fn open(label: &str) -> Result<Store, spin_sdk::key_value::Error> {
    Store::open(label).await
}

/// Chunks one by one, then the end or a trap.
fn chunked(chunks: &str, ms: &str, then: &str) -> Response<BoxBody> {
    let (chunks, ms): (u64, u64) = (chunks.parse().unwrap(), ms.parse().unwrap());
    let trap = then == "trap";
    let (mut sender, body) = stream::<String>();
    spin_sdk::wasip3::spawn(async move {
        for number in 0..chunks {
            if sender.try_send(format!("chunk {number}\n")).is_err() {
                return;
            }
            time::sleep(Duration::from_millis(ms)).await;
        }
        assert!(!trap, "as asked");
    });
    Response::new(box_body(body))
}

/// Chunks; after the first one each takes some milliseconds to compute.
fn computed(chunks: u64, ms: u64) -> Response<BoxBody> {
    let (mut sender, body) = stream::<String>();
    spin_sdk::wasip3::spawn(async move {
        for number in 0..chunks {
            let start = Instant::now();
            while number > 0 && start.elapsed() < Duration::from_millis(ms) {}
            if sender.try_send(format!("chunk {number}\n")).is_err() {
                return;
            }
            time::sleep(Duration::from_millis(10)).await;
        }
    });
    Response::new(box_body(body))
}

/// The request's head, as JSON.
fn head(request: &Request) -> Response<BoxBody> {
    let headers: Vec<Value> = request
        .headers()
        .iter()
        .map(|(name, value)| json!([name.as_str(), String::from_utf8_lossy(value.as_bytes())]))
        .collect();
    let uri: &Uri = request.uri();
    text(
        json!({ "method": request.method().as_str(), "uri": uri.to_string(), "headers": headers })
            .to_string(),
    )
}

fn answer<T: std::fmt::Debug, E: std::fmt::Debug>(outcome: Result<T, E>) -> Response<BoxBody> {
    match outcome {
        Ok(value) => text(format!("{value:?}")),
        Err(error) => failed(error),
    }
}

fn failed(error: impl std::fmt::Debug) -> Response<BoxBody> {
    let mut answer = text(format!("{error:?}"));
    *answer.status_mut() = StatusCode::BAD_GATEWAY;
    answer
}

fn status(status: StatusCode) -> Response<BoxBody> {
    let mut answer = text("");
    *answer.status_mut() = status;
    answer
}

fn text(text: impl Into<String>) -> Response<BoxBody> {
    Response::new(whole(text.into()))
}

fn whole(body: impl Into<Bytes>) -> BoxBody {
    box_body(FullBody::new(body.into()))
}
