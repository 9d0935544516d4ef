//! Errors: one table from code to status, and the bodies of answers.
//!
//! A message says what is wrong and what to do. Neither it nor the details contain any of the caller's text.

mod body;

use std::{borrow::Cow, fmt};

use http::StatusCode;
use serde::Serialize;
use textveil_engine::TypeCounts;

pub(crate) use body::Shape;
#[cfg(feature = "schema")]
pub(crate) use body::{
    AgentGatewayError, AnthropicError, ErrorBody, JsonRpcError, OpenAiError, OtlpError, PlanRequired,
    PresidioError,
};

/// Why a request was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Code {
    /// A field is missing, outside its limits or of an unknown kind; `details.field` names it.
    InvalidRequest,
    /// A value is missing, outside its limits or of an unknown kind, in the answer of a Presidio endpoint.
    Unprocessable,
    /// The workspace's plan does not include the request.
    PlanRequired,
    /// The API key is missing or invalid.
    Unauthorized,
    /// A policy blocks the text; `details` are findings by type.
    PolicyViolation,
    /// Custom detectors and lists take too long on the texts of the request.
    BudgetExceeded,
    /// The workspace has used its monthly quota.
    QuotaExceeded,
    /// The caller lacks permission.
    PermissionDenied,
    /// The path or the resource does not exist in this workspace.
    NotFound,
    /// The path has other methods, listed in `Allow`.
    MethodNotAllowed,
    /// The body did not arrive in time.
    RequestTimeout,
    /// The request conflicts with the stored state.
    Conflict,
    /// The body is larger than a full request can be.
    PayloadTooLarge,
    /// The content type of the body is not JSON.
    UnsupportedMediaType,
    /// Too many requests in this window; `Retry-After` contains the time to wait.
    RateLimitExceeded,
    /// A defect of the service, or of its configuration.
    InternalError,
    /// A store does not answer.
    ServiceUnavailable,
    /// The gateway does not support this; nothing was sent.
    NotSupported,
    /// The language model's provider failed, or its answer cannot be passed on.
    UpstreamError,
    /// The provider rejected the request; the status is the provider's.
    UpstreamRefused,
    /// The provider did not answer in time.
    UpstreamTimeout,
    /// The request or the answer could not be inspected, so it was not forwarded.
    PrivacyCheckFailed,
    /// No provider can take the request.
    NoProvider,
}

impl Code {
    /// The table.
    const fn row(self) -> (&'static str, StatusCode) {
        match self {
            Self::InvalidRequest => ("invalid_request", StatusCode::BAD_REQUEST),
            Self::Unprocessable => ("unprocessable", StatusCode::UNPROCESSABLE_ENTITY),
            Self::PlanRequired => ("plan_required", StatusCode::BAD_REQUEST),
            Self::Unauthorized => ("unauthorized", StatusCode::UNAUTHORIZED),
            Self::PolicyViolation => ("policy_violation", StatusCode::FORBIDDEN),
            Self::BudgetExceeded => ("budget_exceeded", StatusCode::UNPROCESSABLE_ENTITY),
            Self::QuotaExceeded => ("quota_exceeded", StatusCode::FORBIDDEN),
            Self::PermissionDenied => ("permission_denied", StatusCode::FORBIDDEN),
            Self::NotFound => ("not_found", StatusCode::NOT_FOUND),
            Self::MethodNotAllowed => ("method_not_allowed", StatusCode::METHOD_NOT_ALLOWED),
            Self::RequestTimeout => ("request_timeout", StatusCode::REQUEST_TIMEOUT),
            Self::Conflict => ("conflict", StatusCode::CONFLICT),
            Self::PayloadTooLarge => ("payload_too_large", StatusCode::PAYLOAD_TOO_LARGE),
            Self::UnsupportedMediaType => ("unsupported_media_type", StatusCode::UNSUPPORTED_MEDIA_TYPE),
            Self::RateLimitExceeded => ("rate_limit_exceeded", StatusCode::TOO_MANY_REQUESTS),
            Self::InternalError => ("internal_error", StatusCode::INTERNAL_SERVER_ERROR),
            Self::ServiceUnavailable => ("service_unavailable", StatusCode::SERVICE_UNAVAILABLE),
            Self::NotSupported => ("not_supported", StatusCode::NOT_IMPLEMENTED),
            Self::UpstreamError => ("upstream_error", StatusCode::BAD_GATEWAY),
            Self::UpstreamRefused => ("upstream_refused", StatusCode::BAD_REQUEST),
            Self::UpstreamTimeout => ("upstream_timeout", StatusCode::GATEWAY_TIMEOUT),
            Self::PrivacyCheckFailed => ("privacy_check_failed", StatusCode::SERVICE_UNAVAILABLE),
            Self::NoProvider => ("no_provider", StatusCode::SERVICE_UNAVAILABLE),
        }
    }

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        self.row().0
    }

    /// Returns the status of the answer.
    pub const fn status(self) -> StatusCode {
        self.row().1
    }
}

/// Details of an error.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ErrorDetails"))]
enum Details {
    /// Of `invalid_request`.
    Field {
        /// The field at fault, such as `texts[3]`; `body` for the whole body.
        field: String,
    },
    /// Of `policy_violation`: the number of blocked findings by type.
    Blocked(TypeCounts),
}

/// An error of the service, with its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    code: Code,
    /// The provider's status, instead of the table's.
    status: Option<StatusCode>,
    message: Cow<'static, str>,
    details: Option<Details>,
    header: Option<(&'static str, Cow<'static, str>)>,
    cause: Option<&'static str>,
}

/// The log entry of an error; an extension of the answer.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Refusal {
    /// The code on the wire.
    pub error: &'static str,
    /// The defect of the service, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
}

impl ApiError {
    fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, status: None, message: message.into(), details: None, header: None, cause: None }
    }

    /// `name` is lower case.
    fn with_header(self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        Self { header: Some((name, value.into())), ..self }
    }

    /// Returns the number of blocked findings by type, if a policy blocks.
    pub(crate) fn blocked(&self) -> Option<&TypeCounts> {
        match &self.details {
            Some(Details::Blocked(counts)) => Some(counts),
            _ => None,
        }
    }

    /// `field` is wrong; `message` names it and says what to send.
    pub fn invalid(field: &str, message: impl Into<Cow<'static, str>>) -> Self {
        let details = Details::Field { field: field.to_owned() };
        Self { details: Some(details), ..Self::new(Code::InvalidRequest, message) }
    }

    /// Changes the status to that of Presidio's anonymizer for an invalid value.
    pub(crate) fn unprocessable(self) -> Self {
        match self.code {
            Code::InvalidRequest => Self { code: Code::Unprocessable, ..self },
            _ => self,
        }
    }

    /// Mode `policy` on plans other than `enterprise`.
    pub fn policy_mode_needs_enterprise() -> Self {
        Self::new(
            Code::PlanRequired,
            "mode policy requires the Enterprise plan; use replace, mask, hash or tokenize",
        )
    }

    /// No key was sent.
    pub fn key_missing() -> Self {
        Self::unauthorized(
            "the API key is missing; send it as Authorization: Bearer <key> or as X-API-Key: <key>",
        )
    }

    /// No key was sent to a Presidio endpoint.
    pub fn presidio_key_missing() -> Self {
        Self::unauthorized(
            "the API key is missing; send it as Authorization: Bearer <key>, as X-API-Key: <key>, or as the \
             password of a URL such as http://key:<key>@host",
        )
    }

    /// The key is unknown.
    pub fn key_invalid() -> Self {
        Self::unauthorized("the API key is unknown, expired or revoked; send a valid one")
    }

    /// No user access token was sent.
    pub fn user_token_missing() -> Self {
        Self::unauthorized("the user access token is missing; send it as Authorization: Bearer <token>")
    }

    /// The token is invalid.
    pub fn user_token_invalid() -> Self {
        Self::unauthorized("the user access token is invalid or expired; sign in again and send a new one")
    }

    /// No service token was sent.
    pub fn service_token_missing() -> Self {
        Self::unauthorized("the service token is missing; send it as X-Service-Token: <token>")
    }

    /// No service token was sent to an endpoint for clients of language models.
    pub(crate) fn gateway_key_missing() -> Self {
        Self::unauthorized(
            "the service token is missing; send it as the API key: Authorization: Bearer <token>, X-API-Key: \
             <token>, or X-Service-Token: <token>",
        )
    }

    /// The route requires the caller's own credential, and the request lacks it.
    pub(crate) fn caller_credential_missing() -> Self {
        Self::unauthorized(
            "the route takes your own credential for its provider; send that as Authorization or X-API-Key, and the service \
             token as X-Service-Token",
        )
    }

    /// A caller without a service token did not send its own credential either.
    pub(crate) fn own_credential_missing() -> Self {
        Self::unauthorized(
            "your credential for the provider is missing; send it as Authorization: Bearer <key> or as X-API-Key: <key>",
        )
    }

    /// The token is not configured.
    pub fn service_token_invalid() -> Self {
        Self::unauthorized("the service token is invalid; send one that is configured")
    }

    /// The credential lacks a scope that the endpoint requires.
    pub(crate) fn scope_missing(scope: impl fmt::Display) -> Self {
        Self::permission_denied(format!(
            "the credential lacks the scope {scope}; use one that has it, or ask the operator for it"
        ))
    }

    /// The credential may not act in the workspace that the request names.
    pub(crate) fn workspace_denied() -> Self {
        Self::permission_denied(
            "the credential may not act in this workspace; use one that may, or leave workspace_id out",
        )
    }

    /// Adds the cause for the log, which the caller does not see.
    pub(crate) fn because(self, cause: &'static str) -> Self {
        Self { cause: Some(cause), ..self }
    }

    fn unauthorized(message: &'static str) -> Self {
        Self::new(Code::Unauthorized, message).with_header("www-authenticate", "Bearer")
    }

    /// No such path.
    pub fn not_found() -> Self {
        Self::new(Code::NotFound, "there is no such path; the API lies under /api/v1/")
    }

    /// No such page.
    pub fn no_such_page() -> Self {
        Self::new(Code::NotFound, "there is no such page; see / and /console")
    }

    /// The workspace has no `what` of that id or name.
    pub fn no_such(what: &str) -> Self {
        Self::new(
            Code::NotFound,
            format!("the workspace has no such {what}; list them to see which there are"),
        )
    }

    /// The change conflicts with an existing item, or the maximum number of items is reached; `message` says
    /// what to do.
    pub fn conflict(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::Conflict, message)
    }

    /// The caller may not do this; `message` says who may.
    pub fn permission_denied(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::PermissionDenied, message)
    }

    /// The workspace made the `limit` requests of its month.
    pub fn quota_exceeded(limit: u64) -> Self {
        Self::new(
            Code::QuotaExceeded,
            format!("the monthly quota of {limit} requests is used up; it starts anew next month (UTC)"),
        )
    }

    /// The caller has `limit` requests in flight.
    pub fn too_many_in_flight(limit: u32) -> Self {
        Self::new(
            Code::RateLimitExceeded,
            format!("{limit} requests are in flight, which is the limit; retry in 1 second"),
        )
        .with_header("retry-after", "1")
    }

    /// The body did not arrive in `seconds`.
    pub fn request_timeout(seconds: u64) -> Self {
        Self::new(
            Code::RequestTimeout,
            format!("the body did not arrive within {seconds} seconds; send it faster, or less of it"),
        )
    }

    /// The path supports only the methods of `allow`, a comma-separated list.
    pub fn method_not_allowed(allow: &str) -> Self {
        Self::new(Code::MethodNotAllowed, format!("the method is not allowed here; use {allow}"))
            .with_header("allow", allow.to_owned())
    }

    /// The body exceeds `limit` bytes.
    pub fn payload_too_large(limit: usize) -> Self {
        Self::new(
            Code::PayloadTooLarge,
            format!("the body is larger than {limit} bytes; send fewer or shorter texts"),
        )
    }

    /// The content type of the body is not JSON.
    pub fn unsupported_media_type() -> Self {
        Self::new(
            Code::UnsupportedMediaType,
            "the body must be JSON; send it with Content-Type: application/json",
        )
    }

    /// The body is not telemetry that can be read; `message` says how to set the exporter.
    pub(crate) fn unsupported_telemetry(message: &'static str) -> Self {
        Self::new(Code::UnsupportedMediaType, message)
    }

    /// The window of `limit` requests is full for `seconds`.
    pub fn rate_limit_exceeded(limit: u32, seconds: u64) -> Self {
        Self::new(
            Code::RateLimitExceeded,
            format!("the limit of {limit} requests a minute is reached; retry in {seconds} seconds"),
        )
        .with_header("retry-after", seconds.to_string())
    }

    /// A defect of the service, or of its configuration. The cause goes to the log, not to the caller.
    pub fn internal(cause: &'static str) -> Self {
        Self {
            cause: Some(cause),
            ..Self::new(
                Code::InternalError,
                "the service failed unexpectedly; retry, and report it if it persists",
            )
        }
    }

    /// A dependency of the service is unavailable. The cause goes to the log, not to the caller.
    pub fn unavailable(cause: &'static str) -> Self {
        Self {
            cause: Some(cause),
            ..Self::new(
                Code::ServiceUnavailable,
                "the service is temporarily unavailable; retry in a few seconds",
            )
        }
    }

    /// Variables are invalid. Each of `faults` names its variable and contains no value.
    pub(crate) fn misconfigured(faults: &[&'static str]) -> Self {
        let message = format!("the configuration is faulty; correct it: {}", faults.join("; "));
        Self::new(Code::ServiceUnavailable, message)
    }

    /// The gateway does not support this.
    pub(crate) fn not_supported(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::NotSupported, message)
    }

    /// The provider failed; `message` describes how, without the provider's text.
    pub(crate) fn upstream(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::UpstreamError, message)
    }

    /// The provider did not answer in time.
    pub(crate) fn upstream_timeout() -> Self {
        Self::new(Code::UpstreamTimeout, "the provider did not answer in time; retry, or send less")
    }

    /// The collector of telemetry did not answer in time.
    pub(crate) fn collector_timeout() -> Self {
        Self::new(Code::UpstreamTimeout, "the collector did not answer in time; retry later")
    }

    /// The provider rejected the request with this status, a 4xx. `message` is the provider's, restored;
    /// `retry_after` is its header.
    pub(crate) fn upstream_refused(status: StatusCode, message: String, retry_after: Option<String>) -> Self {
        let error = Self { status: Some(status), ..Self::new(Code::UpstreamRefused, message) };
        match retry_after {
            Some(seconds) => error.with_header("retry-after", seconds),
            None => error,
        }
    }

    /// The request or the answer cannot be inspected; `message` says what is wrong and what to do.
    pub(crate) fn privacy_check_failed(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::PrivacyCheckFailed, message)
    }

    /// No provider can take the request; `message` says what to do.
    pub(crate) fn no_provider(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::NoProvider, message)
    }

    /// Returns the status of the answer.
    pub(crate) fn status(&self) -> StatusCode {
        self.status.unwrap_or(self.code.status())
    }

    /// Returns its log entry.
    pub(crate) fn refusal(&self) -> Refusal {
        Refusal { error: self.code.as_str(), cause: self.cause }
    }

    /// Returns the code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// Returns what is wrong and what to do, without the caller's text.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl From<textveil_engine::Error> for ApiError {
    fn from(error: textveil_engine::Error) -> Self {
        match error.field() {
            // the keys are the service's own, so the caller is not at fault
            Some("key") => Self::internal("the engine rejects the keys of the workspace"),
            Some(field) => Self::invalid(field, error.to_string()),
            None => match error.blocked() {
                Some(counts) => {
                    let details = Some(Details::Blocked(counts.clone()));
                    Self { details, ..Self::new(Code::PolicyViolation, error.to_string()) }
                }
                None => Self::new(Code::BudgetExceeded, error.to_string()),
            },
        }
    }
}
