//! The service without stores, as a Spin component of WASI 0.2: [`textveil_service::stateless`].
//!
//! For hosts without WASI 0.3. They make an instance for each request, so that counters and the cache last for one
//! request, and no limit is ever reached.

#![allow(unsafe_code, reason = "the macro of the SDK exports the handler with it")]

use std::{
    io::Write,
    sync::LazyLock,
    thread,
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use http::Request;
use http_body::Frame;
use http_body_util::StreamBody;
use spin_sdk::{
    http::{Fields, IncomingRequest, Method, OutgoingResponse, ResponseOutparam},
    http_component, variables,
};
use textveil_service::{
    System,
    host::unix_ms,
    stateless::{self, Memory, Stateless},
};

/// The state that this instance keeps from one request to the next, if there is a next one.
static MEMORY: Memory = Memory::new();

/// The time on the clock at which this instance began.
static BEGINNING: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Answers one request.
#[http_component]
async fn serve(request: IncomingRequest, out: ResponseOutparam) {
    let Some(request) = converted(request) else { return refuse(out) };
    let (response, settlement) = stateless::handle(Stateless::new(Platform, &MEMORY), request).await;
    let headers: Vec<(String, Vec<u8>)> = response
        .headers()
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()))
        .collect();
    let Ok(fields) = Fields::from_list(&headers) else { return refuse(out) };
    let answer = OutgoingResponse::new(fields);
    if answer.set_status_code(response.status().as_u16()).is_err() {
        return refuse(out);
    }
    let mut body = answer.take_body();
    out.set(answer);
    // the caller has left where this fails
    let _ = body.send(response.into_body().to_vec()).await;
    drop(body);
    settlement.run().await;
}

/// Answers with a bare 500 where the conversion of a request or an answer fails.
fn refuse(out: ResponseOutparam) {
    let answer = OutgoingResponse::new(Fields::new());
    // 500 is a status
    let _ = answer.set_status_code(500);
    out.set(answer);
}

/// The request in the types of the service, with its body as it comes in.
fn converted(
    request: IncomingRequest,
) -> Option<Request<impl http_body::Body<Data = Bytes, Error = std::io::Error>>> {
    let method = match request.method() {
        Method::Get => http::Method::GET,
        Method::Post => http::Method::POST,
        Method::Put => http::Method::PUT,
        Method::Delete => http::Method::DELETE,
        Method::Patch => http::Method::PATCH,
        Method::Head => http::Method::HEAD,
        Method::Options => http::Method::OPTIONS,
        _ => http::Method::TRACE,
    };
    let mut converted =
        Request::builder().method(method).uri(request.path_with_query().unwrap_or_else(|| "/".to_owned()));
    for (name, value) in request.headers().entries() {
        converted = converted.header(name, value);
    }
    let chunks = request.into_body_stream().map(|chunk| match chunk {
        Ok(chunk) => Ok(Frame::data(Bytes::from(chunk))),
        Err(_) => Err(std::io::Error::other("the body broke off")),
    });
    converted.body(StreamBody::new(chunks)).ok()
}

/// The platform of the component.
#[derive(Clone, Copy, Debug)]
struct Platform;

impl System for Platform {
    async fn variable(&self, name: &str) -> Option<String> {
        variables::get(name).ok()
    }

    fn now_ms(&self) -> u64 {
        unix_ms()
    }

    fn ticks_us(&self) -> u64 {
        u64::try_from(BEGINNING.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Blocks: nothing else runs in this instance.
    async fn sleep_ms(&self, duration: u64) {
        thread::sleep(Duration::from_millis(duration));
    }

    async fn yield_now(&self) {}

    fn random(&self) -> u128 {
        let mut bytes = [0; 16];
        match getrandom::fill(&mut bytes) {
            Ok(()) => u128::from_ne_bytes(bytes),
            // WASI has no such error; what is not random must not become a token
            Err(_) => std::process::abort(),
        }
    }

    fn log(&self, line: &str) {
        // not println, which panics where the output is closed
        let _ = writeln!(std::io::stdout().lock(), "{line}");
    }
}
