//! Requests and answers with a body that may break off.
//!
//! The SDK's conversions write a body's error before they close its stream, and wait for a reader that waits for the
//! end of the stream. Here the stream is closed first.

use std::{pin::pin, time::Duration};

use bytes::Bytes;
use futures_util::future::{Either, select};
use http::{HeaderName, HeaderValue, Request, Response, StatusCode, header};
use http_body::Frame;
use http_body_util::BodyExt;
use spin_sdk::{
    http::BoxBody,
    time::sleep,
    wasip3::{
        http::types::{ErrorCode, Request as WasiRequest, Response as WasiResponse},
        http_compat::BodyWriter,
        spawn,
    },
    wit_bindgen::yield_async,
};

/// Headers about the connection over which a request came. Spin leaves most of them in a request, and WASI rejects a
/// new request that has one.
const OF_CONNECTION: [HeaderName; 10] = [
    header::CONNECTION,
    header::HOST,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("http2-settings"),
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
];

/// Bytes of an answer that are collected before its head leaves.
const BEGINNING: usize = 64 << 10;

/// The time for which the head of an answer waits for its body. An application that has its answer ready needs less;
/// one that streams loses no more than this.
const PATIENCE: Duration = Duration::from_millis(5);

/// Creates the request for the next component, whose body is written while it is read.
///
/// # Errors
/// If the request is invalid for the next component.
pub(crate) fn request(request: Request<BoxBody>) -> Result<WasiRequest, ErrorCode> {
    let (mut head, body) = request.into_parts();
    for name in OF_CONNECTION {
        head.headers.remove(name);
    }
    let invalid = |()| ErrorCode::HttpRequestUriInvalid;
    let headers = head.headers.try_into().map_err(|_| ErrorCode::InternalError(None))?;
    let (writer, reader, end) = BodyWriter::new();
    let (request, _sent) = WasiRequest::new(headers, Some(reader), end, None);
    request.set_method(&head.method.into()).map_err(|()| ErrorCode::HttpRequestMethodInvalid)?;
    request.set_scheme(head.uri.scheme().map(Into::into).as_ref()).map_err(invalid)?;
    request.set_authority(head.uri.authority().map(http::uri::Authority::as_str)).map_err(invalid)?;
    let path = head.uri.path_and_query().map(http::uri::PathAndQuery::as_str);
    request.set_path_with_query(path).map_err(invalid)?;
    spawn(write(writer, Begun::nothing(body)));
    Ok(request)
}

/// Makes the answer, whose body is written while it is read.
///
/// Spin does not set TCP_NODELAY, so every part of an answer that leaves after another one waits some 40 ms for the
/// client's acknowledgement. Here a short answer leaves as a whole: its body is read before, and has its length in the
/// head, since chunks end with a part of their own.
///
/// # Errors
/// If the status or a header is not one.
pub(crate) async fn response(response: Response<BoxBody>, is_head: bool) -> Result<WasiResponse, ErrorCode> {
    let (mut head, body) = response.into_parts();
    let body = Begun::read(body).await;
    let has_body = !is_head && !matches!(head.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    if let Some(length) = body.length().filter(|_| has_body) {
        head.headers.entry(header::CONTENT_LENGTH).or_insert_with(|| HeaderValue::from(length));
    }
    let headers = head.headers.try_into().map_err(|_| ErrorCode::InternalError(None))?;
    let (writer, reader, end) = BodyWriter::new();
    let (response, _sent) = WasiResponse::new(headers, Some(reader), end);
    response.set_status_code(head.status.as_u16()).map_err(|()| ErrorCode::InternalError(None))?;
    spawn(write(writer, body));
    // the writer runs first, so that the body waits when the host takes the head
    yield_async().await;
    Ok(response)
}

/// A body of which a part was read.
struct Begun {
    /// Bytes that were read.
    first: Vec<u8>,
    rest: Rest,
}

enum Rest {
    Unread(BoxBody),
    Ended,
    BrokenOff,
}

impl Begun {
    /// A body of which nothing was read.
    fn nothing(body: BoxBody) -> Self {
        Self { first: Vec::new(), rest: Rest::Unread(body) }
    }

    /// Reads at least [`BEGINNING`] bytes of a body, or what of it comes within [`PATIENCE`].
    async fn read(body: BoxBody) -> Self {
        let mut begun = Self::nothing(body);
        let mut patience = pin!(sleep(PATIENCE));
        while begun.first.len() < BEGINNING {
            let Rest::Unread(body) = &mut begun.rest else { break };
            match select(body.frame(), patience.as_mut()).await {
                // trailers do not pass
                Either::Left((Some(Ok(frame)), _)) => {
                    begun.first.extend_from_slice(frame.data_ref().map_or(&[], Bytes::as_ref));
                }
                Either::Left((Some(Err(_)), _)) => begun.rest = Rest::BrokenOff,
                Either::Left((None, _)) => begun.rest = Rest::Ended,
                Either::Right(_) => break,
            }
        }
        begun
    }

    /// The length of a body that was read whole.
    fn length(&self) -> Option<usize> {
        matches!(self.rest, Rest::Ended).then_some(self.first.len())
    }
}

/// Writes a body until it ends, is aborted, or its reader is gone.
async fn write(mut writer: BodyWriter, body: Begun) {
    let Begun { first, rest } = body;
    if !first.is_empty() && writer.send_frame(Frame::data(first)).await.is_err() {
        return;
    }
    let end = match rest {
        Rest::Ended => Ok(None),
        Rest::BrokenOff => Err(ErrorCode::HttpProtocolError),
        Rest::Unread(mut body) => loop {
            match body.frame().await {
                Some(Ok(frame)) => {
                    if writer.send_frame(frame).await.is_err() {
                        return;
                    }
                }
                Some(Err(_)) => break Err(ErrorCode::HttpProtocolError),
                None => break Ok(None),
            }
        },
    };
    let BodyWriter { stream_writer, result_writer, .. } = writer;
    drop(stream_writer);
    // the reader is gone if the body is no longer wanted
    let _ = result_writer.write(end).await;
}
