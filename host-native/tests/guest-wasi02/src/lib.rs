//! An HTTP handler of WASI 0.2 that runs the operation in its path.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a trap is what the tests want to see"
)]

use wasip2::clocks::monotonic_clock::subscribe_duration;
use wasip2::exports::http::incoming_handler::Guest;
use wasip2::http::outgoing_handler;
use wasip2::http::types::{
    Fields, IncomingBody, IncomingRequest, OutgoingBody, OutgoingRequest, OutgoingResponse, ResponseOutparam,
    Scheme,
};
use wasip2::io::streams::InputStream;

struct Handler;

wasip2::http::proxy::export!(Handler);

impl Guest for Handler {
    fn handle(request: IncomingRequest, out: ResponseOutparam) {
        let path = request.path_with_query().unwrap();
        let words: Vec<&str> = path.split(['/', '?']).skip(2).collect();
        match words.as_slice() {
            ["echo"] => {
                let body = request.consume().unwrap();
                answer(out, 200, chunks(&body.stream().unwrap()));
            }
            ["sleep", ms] => {
                sleep(ms);
                answer(out, 200, [b"slept".to_vec()]);
            }
            ["stream", chunks, "every", ms] => {
                let chunks = 0..chunks.parse::<usize>().unwrap();
                answer(
                    out,
                    200,
                    chunks.map(|number| {
                        if number > 0 {
                            sleep(ms);
                        }
                        format!("chunk {number}\n").into_bytes()
                    }),
                );
            }
            ["large", megabytes] => {
                let megabytes = 0..megabytes.parse::<usize>().unwrap();
                answer(out, 200, megabytes.map(|_| vec![b'x'; 1 << 20]));
            }
            ["send", authority] => match send(authority) {
                Some(body) => answer(out, 200, [body]),
                None => answer(out, 502, []),
            },
            ["compute"] => loop {
                std::hint::black_box(());
            },
            ["trap"] => panic!("as asked"),
            _ => answer(out, 404, []),
        }
    }
}

fn sleep(ms: &str) {
    subscribe_duration(ms.parse::<u64>().unwrap() * 1_000_000).block();
}

/// Sends an answer; what remains of it when the client has left is not made.
fn answer(out: ResponseOutparam, status: u16, chunks: impl IntoIterator<Item = Vec<u8>>) {
    let answer = OutgoingResponse::new(Fields::new());
    answer.set_status_code(status).unwrap();
    let body = answer.body().unwrap();
    ResponseOutparam::set(out, Ok(answer));
    let stream = body.write().unwrap();
    for chunk in chunks {
        for part in chunk.chunks(4096) {
            if stream.blocking_write_and_flush(part).is_err() {
                return;
            }
        }
    }
    drop(stream);
    OutgoingBody::finish(body, None).unwrap();
}

fn chunks(stream: &InputStream) -> impl Iterator<Item = Vec<u8>> {
    std::iter::from_fn(|| stream.blocking_read(4096).ok())
}

/// Returns the body of the answer to `GET /`; `None` if the host does not let the request out.
fn send(authority: &str) -> Option<Vec<u8>> {
    let request = OutgoingRequest::new(Fields::new());
    request.set_scheme(Some(&Scheme::Http)).unwrap();
    request.set_authority(Some(authority)).unwrap();
    request.set_path_with_query(Some("/")).unwrap();
    let response = outgoing_handler::handle(request, None).ok()?;
    response.subscribe().block();
    let body: IncomingBody = response.get()?.ok()?.ok()?.consume().ok()?;
    let stream = body.stream().ok()?;
    Some(chunks(&stream).flatten().collect())
}
