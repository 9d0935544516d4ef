//! A middleware for Spin: it protects the body of each request before the application receives it, and
//! restores or protects answers if configured.
//!
//! It exports and imports `wasi:http/handler`, and reads variables; it has no store and no network. It
//! rejects uninspectable content, unless the operator allows it.
//!
//! ```text
//! request ─ media ─┬─ whole (JSON, forms): read, protected, sent on ─────────┐
//!                  └─ streamed (text, NDJSON): protected chunk by chunk ─────┴─► application
//! answer ◄──────── the same way back: passed, restored or protected ◄───────────── application
//! ```

mod config;
mod filter;
mod form;
mod media;
mod message;
mod multipart;
mod refusal;
mod stream;

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{Either, poll_fn, select};
use http::{HeaderMap, HeaderName, Request, Response, header};
use http_body::Body;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use spin_sdk::{
    http::{BoxBody, FullBody, Request as Incoming, box_body, next},
    http_service, variables,
    wasip3::http::types::{ErrorCode, Response as WasiResponse},
};

use config::{Config, Responses, Unreadable};
use filter::{Filter, Task, Withheld};
use media::Media;
use refusal::Refusal;
use stream::{Faults, Filtered, Guarded};

/// A body of at most this many bytes is read before the application is called, so that an error can have its
/// own answer.
const SHORT_BODY: u64 = 64 << 10;

/// Answers one request, by way of the application.
#[http_service]
async fn serve(request: Incoming) -> Result<WasiResponse, ErrorCode> {
    let is_head = request.method() == http::Method::HEAD;
    message::response(pass(request).await.unwrap_or_else(Refusal::into_answer), is_head).await
}

async fn pass(request: Incoming) -> Result<Response<BoxBody>, Refusal> {
    let config = Config::read(variable).await?;
    let (mut head, body) = request.into_parts();
    if config.responses != Responses::Pass {
        // a compressed answer could not be read
        head.headers.remove(header::ACCEPT_ENCODING);
    }
    let is_head = head.method == http::Method::HEAD;
    let faults = Faults::default();
    let body = outgoing(&config, Task::Protect, &mut head.headers, body, &faults).await?;
    let request =
        message::request(Request::from_parts(head, body)).map_err(|_| Refusal::ApplicationFailed)?;
    let answer = std::pin::pin!(next(request));
    let answer = match select(answer, poll_fn(|context| faults.poll(context))).await {
        Either::Left((answer, _)) => answer.map_err(|_| Refusal::ApplicationFailed)?,
        Either::Right((refusal, _)) => return Err(refusal),
    };
    let task = match config.responses {
        Responses::Pass => None,
        Responses::Restore => Some(Task::Restore),
        Responses::Protect => Some(Task::Protect),
    };
    let (mut head, body) = answer.into_parts();
    // an application that passes on what it reads would not notice that it broke off
    let body = Guarded::new(body, faults);
    let has_body = !is_head && !matches!(head.status.as_u16(), 204 | 304);
    let body = match task.filter(|_| has_body) {
        None => box_body(body),
        Some(task) => {
            let filtered = outgoing(&config, task, &mut head.headers, body, &Faults::default()).await;
            filtered.map_err(Refusal::of_answer)?
        }
    };
    Ok(Response::from_parts(head, body))
}

async fn variable(name: &str) -> Result<Option<String>, Unreadable> {
    match variables::get(name).await {
        Ok(value) => Ok(Some(value)),
        Err(variables::Error::Undefined(_)) => Ok(None),
        Err(_) => Err(Unreadable),
    }
}

/// The number of withheld tokens of an answer. Absent if it is 0, and where the answer passes while it is read.
const WITHHELD: HeaderName = HeaderName::from_static("x-privacy-withheld");

/// The body with its task done, whole or as a stream. Headers that spoke of the body before are removed.
async fn outgoing<B>(
    config: &Arc<Config>,
    task: Task,
    headers: &mut HeaderMap,
    body: B,
    faults: &Faults,
) -> Result<BoxBody, Refusal>
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: std::error::Error + Send + Sync,
{
    if body.is_end_stream() {
        return Ok(box_body(body));
    }
    let media = match Media::of(headers) {
        Ok(media) => media,
        // an image has no tokens to restore
        Err(_) if task == Task::Restore || config.passes_unsupported => return Ok(box_body(body)),
        Err(refusal) => {
            // a request without a body need not have a content type
            let whole = read(body, config).await?;
            return if whole.is_empty() { Ok(box_body(FullBody::new(whole))) } else { Err(refusal) };
        }
    };
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    let is_short = length.is_some_and(|length: u64| length <= SHORT_BODY);
    for header in [
        header::CONTENT_LENGTH,
        header::ETAG,
        HeaderName::from_static("content-digest"),
        HeaderName::from_static("content-md5"),
        HeaderName::from_static("digest"),
        HeaderName::from_static("repr-digest"),
        WITHHELD,
    ] {
        headers.remove(header);
    }
    let filter = Filter::new(config, task);
    let withheld = filter.withheld();
    if !media.is_streamed() {
        let whole = read(body, config).await?;
        let filtered = if whole.is_empty() { whole } else { media.whole(&filter, config, &whole)?.into() };
        write_withheld(headers, &withheld);
        return Ok(box_body(FullBody::new(filtered)));
    }
    let mut chunks = media.stream(filter, config)?;
    if !is_short {
        return Ok(box_body(Filtered::new(body, chunks, faults.clone())));
    }
    let mut filtered = chunks.push(&read(body, config).await?)?;
    filtered.extend(chunks.finish()?);
    write_withheld(headers, &withheld);
    Ok(box_body(FullBody::new(Bytes::from(filtered))))
}

fn write_withheld(headers: &mut HeaderMap, withheld: &Withheld) {
    match withheld.count() {
        0 => {}
        count => {
            headers.insert(WITHHELD, count.into());
        }
    }
}

async fn read<B>(body: B, config: &Config) -> Result<Bytes, Refusal>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    match Limited::new(body, config.max_body).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge(config.max_body)),
        Err(_) => Err(Refusal::BrokenOff),
    }
}
