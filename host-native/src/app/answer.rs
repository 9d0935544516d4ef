//! The answers that the host gives itself, in the shape of the service's errors.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use serde_json::json;
use wasmtime_wasi_http::WasiBody;

use super::manifest::StaticResponse;

/// Why the host answers instead of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    NotFound,
    BadRequest,
    HeadTooLarge,
    PayloadTooLarge,
    RequestTimeout,
    InternalError,
    Overloaded,
    TooManyConnections,
    Timeout,
}

impl Refusal {
    fn describe(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::NotFound => {
                (StatusCode::NOT_FOUND, "not_found", "there is nothing at this path; check the path")
            }
            Self::BadRequest => (
                StatusCode::BAD_REQUEST,
                "invalid_request",
                "the request's address is malformed; send a path and one Host header",
            ),
            Self::HeadTooLarge => (
                StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
                "request_header_fields_too_large",
                "the request has too many or too long headers; send fewer, or shorter ones",
            ),
            Self::PayloadTooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "payload_too_large",
                "the request's body is too large; send less at a time",
            ),
            Self::RequestTimeout => (
                StatusCode::REQUEST_TIMEOUT,
                "request_timeout",
                "the request's body stopped arriving; send it again without pauses",
            ),
            Self::InternalError => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal_error",
                "the service failed on this request; if it happens again, report the request id",
            ),
            Self::Overloaded => (
                StatusCode::SERVICE_UNAVAILABLE,
                "service_unavailable",
                "the service is busy; try again in a moment",
            ),
            Self::TooManyConnections => (
                StatusCode::SERVICE_UNAVAILABLE,
                "service_unavailable",
                "too many connections from this address; open fewer and use them again",
            ),
            Self::Timeout => (
                StatusCode::GATEWAY_TIMEOUT,
                "timeout",
                "the service took too long; try again, with less at a time",
            ),
        }
    }

    /// The error's code on the wire.
    pub(crate) fn code(self) -> &'static str {
        self.describe().1
    }

    /// The JSON answer.
    pub(crate) fn answer(self) -> Response<WasiBody> {
        let (status, code, message) = self.describe();
        let mut answer = Response::new(whole(body(code, message)));
        *answer.status_mut() = status;
        answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self == Self::Overloaded {
            answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        answer
    }

    /// The same as the last bytes of a connection over HTTP/1.1.
    pub(crate) fn farewell(self) -> String {
        let (status, code, message) = self.describe();
        let body = body(code, message);
        format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nretry-after: 1\r\n\
             connection: close\r\n\r\n{body}",
            body.len()
        )
    }
}

fn body(code: &str, message: &str) -> String {
    json!({ "error": { "code": code, "message": message }, "detail": message, "type": code }).to_string()
}

impl StaticResponse {
    /// The answer that the manifest describes.
    ///
    /// # Errors
    /// If its status or a header cannot be sent.
    pub(crate) fn answer(&self) -> anyhow::Result<Response<Bytes>> {
        let mut answer = Response::new(Bytes::from(self.body.clone()));
        *answer.status_mut() = StatusCode::from_u16(self.status_code)?;
        for (name, value) in &self.headers {
            answer.headers_mut().insert(name.parse::<HeaderName>()?, value.parse()?);
        }
        Ok(answer)
    }
}

/// A body that is all there.
pub(crate) fn whole(body: impl Into<Bytes>) -> WasiBody {
    Full::new(body.into()).map_err(|never| match never {}).boxed_unsync()
}
