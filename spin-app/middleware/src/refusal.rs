//! [`Refusal`]: why a request or an answer does not pass.

use http::{Response, StatusCode, header};
use serde_json::json;
use spin_sdk::http::{BoxBody, FullBody, box_body};

/// Why a request or an answer does not pass. Messages name what is wrong and never quote a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// A variable is faulty; its name and what it must be.
    Misconfigured(String),
    /// The body cannot be inspected.
    Unsupported(&'static str),
    /// The body is longer than this many bytes.
    TooLarge(usize),
    /// The body is not of its media type.
    Malformed(&'static str),
    /// A policy blocks the body.
    Blocked,
    /// The body broke off.
    BrokenOff,
    /// The application gave no answer.
    ApplicationFailed,
    /// The answer of the application cannot be inspected.
    Answer(Box<Refusal>),
}

impl Refusal {
    /// Converts the error to that of an answer: the caller is not at fault.
    pub(crate) fn of_answer(self) -> Self {
        Self::Answer(Box::new(self))
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Misconfigured(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Unsupported(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Malformed(_) | Self::BrokenOff => StatusCode::BAD_REQUEST,
            Self::Blocked => StatusCode::UNPROCESSABLE_ENTITY,
            Self::ApplicationFailed | Self::Answer(_) => StatusCode::BAD_GATEWAY,
        }
    }

    fn detail(&self) -> String {
        match self {
            Self::Misconfigured(fault) => fault.clone(),
            Self::Unsupported(what) => {
                format!(
                    "{what}, so personal data in it cannot be found; send text, JSON, NDJSON or a form in UTF-8"
                )
            }
            Self::TooLarge(limit) => format!("the body is longer than {limit} bytes; send less at a time"),
            Self::Malformed(what) => format!("{what}; correct it"),
            Self::Blocked => "a policy blocks personal data in the body; take it out".to_owned(),
            Self::BrokenOff => "the body broke off; send it again".to_owned(),
            Self::ApplicationFailed => "the application gave no answer; try again later".to_owned(),
            Self::Answer(refusal) => {
                format!("the answer of the application was withheld: {}", refusal.detail())
            }
        }
    }

    /// The problem document (RFC 9457) that the caller gets.
    pub(crate) fn into_answer(self) -> Response<BoxBody> {
        let status = self.status();
        let title = status.canonical_reason().unwrap_or_default();
        let problem = json!({ "title": title, "status": status.as_u16(), "detail": self.detail() });
        let mut answer = Response::new(box_body(FullBody::new(bytes::Bytes::from(problem.to_string()))));
        *answer.status_mut() = status;
        let media = header::HeaderValue::from_static("application/problem+json");
        answer.headers_mut().insert(header::CONTENT_TYPE, media);
        answer
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.detail())
    }
}

impl std::error::Error for Refusal {}

impl From<textveil_engine::Error> for Refusal {
    fn from(error: textveil_engine::Error) -> Self {
        match error.blocked() {
            Some(_) => Self::Blocked,
            None => Self::Misconfigured(format!("textveil_options: {error}")),
        }
    }
}
