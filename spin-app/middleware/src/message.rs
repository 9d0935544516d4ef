//! Requests and answers with a body that may break off.
//!
//! The SDK's conversions write a body's error before they close its stream, and wait for a reader that waits for the
//! end of the stream. Here the stream is closed first.

use http::{Request, Response};
use http_body_util::BodyExt;
use spin_sdk::{
    http::BoxBody,
    wasip3::{
        http::types::{ErrorCode, Request as WasiRequest, Response as WasiResponse},
        http_compat::BodyWriter,
        spawn,
    },
};

/// Creates the request for the next component, whose body is written while it is read.
///
/// # Errors
/// If the request is invalid for the next component.
pub(crate) fn request(request: Request<BoxBody>) -> Result<WasiRequest, ErrorCode> {
    let (head, body) = request.into_parts();
    let invalid = |()| ErrorCode::HttpRequestUriInvalid;
    let headers = head.headers.try_into().map_err(|_| ErrorCode::InternalError(None))?;
    let (writer, reader, end) = BodyWriter::new();
    let (request, _sent) = WasiRequest::new(headers, Some(reader), end, None);
    request.set_method(&head.method.into()).map_err(|()| ErrorCode::HttpRequestMethodInvalid)?;
    request.set_scheme(head.uri.scheme().map(Into::into).as_ref()).map_err(invalid)?;
    request.set_authority(head.uri.authority().map(http::uri::Authority::as_str)).map_err(invalid)?;
    let path = head.uri.path_and_query().map(http::uri::PathAndQuery::as_str);
    request.set_path_with_query(path).map_err(invalid)?;
    spawn(write(writer, body));
    Ok(request)
}

/// Makes the answer, whose body is written while it is read.
///
/// # Errors
/// If the status or a header is not one.
pub(crate) fn response(response: Response<BoxBody>) -> Result<WasiResponse, ErrorCode> {
    let (head, body) = response.into_parts();
    let headers = head.headers.try_into().map_err(|_| ErrorCode::InternalError(None))?;
    let (writer, reader, end) = BodyWriter::new();
    let (response, _sent) = WasiResponse::new(headers, Some(reader), end);
    response.set_status_code(head.status.as_u16()).map_err(|()| ErrorCode::InternalError(None))?;
    spawn(write(writer, body));
    Ok(response)
}

/// Writes a body until it ends, is aborted, or its reader is gone.
async fn write(mut writer: BodyWriter, mut body: BoxBody) {
    let end = loop {
        match body.frame().await {
            Some(Ok(frame)) => {
                if writer.send_frame(frame).await.is_err() {
                    return;
                }
            }
            Some(Err(_)) => break Err(ErrorCode::HttpProtocolError),
            None => break Ok(None),
        }
    };
    let BodyWriter { stream_writer, result_writer, .. } = writer;
    drop(stream_writer);
    // the reader is gone if the body is no longer wanted
    let _ = result_writer.write(end).await;
}
