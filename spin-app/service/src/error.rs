//! Refusals: one table, code → status → body.
//!
//! A message says what is wrong and what to do. Neither it nor the details carry anything that the
//! caller sent.

use std::borrow::Cow;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use serde::Serialize;
use textveil_engine::TypeCounts;

use crate::{
    auth::Scope,
    host::{Label, Unavailable},
    routes,
};

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Code {
    /// A field is missing, outside its limits or of no known kind; `details.field` names it.
    InvalidRequest,
    /// A value is missing, outside its limits or of no known kind, where Presidio answers so.
    Unprocessable,
    /// The workspace's plan does not include what was asked for.
    PlanRequired,
    /// No API key, or none that is valid.
    Unauthorized,
    /// A policy blocks the text; `details` are findings by type.
    PolicyViolation,
    /// The workspace made all requests of its month.
    QuotaExceeded,
    /// The caller may not do this.
    PermissionDenied,
    /// No such path, or no such thing in this workspace.
    NotFound,
    /// The path has other methods, listed in `Allow`.
    MethodNotAllowed,
    /// The body did not arrive in time.
    RequestTimeout,
    /// What is there already stands against it.
    Conflict,
    /// The body is larger than a full request can be.
    PayloadTooLarge,
    /// The body is declared as something else than JSON.
    UnsupportedMediaType,
    /// Too many requests in this window; `Retry-After` says how long to wait.
    RateLimitExceeded,
    /// A defect of the service, or of its configuration.
    InternalError,
    /// A store does not answer.
    ServiceUnavailable,
    /// The gateway does not do this; nothing was sent.
    NotSupported,
    /// The language model's provider failed, or its answer cannot be passed on.
    UpstreamError,
    /// The provider refused the request; the status is its own.
    UpstreamRefused,
    /// The provider did not answer in time.
    UpstreamTimeout,
    /// The request or the answer could not be looked at, so it was not passed on.
    PrivacyCheckFailed,
    /// There is no provider that the request could go to.
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

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        self.row().0
    }

    /// The status of the answer.
    pub const fn status(self) -> StatusCode {
        self.row().1
    }
}

/// How the body of a refusal is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// That of this API.
    Own,
    /// `{"error": message}`, which Presidio's clients read.
    Presidio,
    /// What clients of OpenAI read.
    OpenAi,
    /// What clients of Anthropic read.
    Anthropic,
}

/// The body of a refusal. The outer two say the same again, for clients that look there.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Error"))]
pub(crate) struct ErrorBody<'a> {
    /// What went wrong.
    error: ErrorObject<'a>,
    /// The message.
    detail: &'a str,
    /// The code.
    #[serde(rename = "type")]
    kind: Code,
}

/// What went wrong.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ErrorObject<'a> {
    /// For programs.
    code: Code,
    /// For people: what is wrong and what to do. It holds nothing of what was sent.
    message: &'a str,
    /// With `invalid_request` and `policy_violation` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a Details>,
}

/// Where to look.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ErrorDetails"))]
enum Details {
    /// Of `invalid_request`.
    Field {
        /// The field at fault, such as `texts[3]`; `body` where it is the whole.
        field: String,
    },
    /// Of `policy_violation`: how many findings are blocked, by type.
    Blocked(TypeCounts),
}

/// The body of the refusal of mode `policy` on another plan than `enterprise`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("additionalProperties" = false)))]
pub(crate) struct PlanRequired<'a> {
    /// The message, which names the other modes.
    detail: &'a str,
}

/// The body of a refusal where Presidio's clients ask.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PresidioError<'a> {
    /// What is wrong and what to do. It holds nothing of what was sent.
    error: &'a str,
}

/// The body of a refusal where clients of OpenAI ask.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct OpenAiError<'a> {
    /// What went wrong.
    error: OpenAiErrorObject<'a>,
}

/// What went wrong.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OpenAiErrorObject<'a> {
    /// For people: what is wrong and what to do. It holds nothing of what was sent.
    message: &'a str,
    /// The kind of error, by OpenAI's names where it has one.
    #[serde(rename = "type")]
    kind: &'a str,
    /// The field at fault, where there is one.
    param: Option<&'a str>,
    /// For programs.
    code: Code,
    /// With `policy_violation` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a Details>,
}

/// The body of a refusal where clients of Anthropic ask.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AnthropicError<'a> {
    /// `error`
    #[serde(rename = "type")]
    kind: &'a str,
    /// What went wrong.
    error: AnthropicErrorObject<'a>,
}

/// What went wrong.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AnthropicErrorObject<'a> {
    /// The kind of error, by Anthropic's names.
    #[serde(rename = "type")]
    kind: &'a str,
    /// For people: what is wrong and what to do. It holds nothing of what was sent.
    message: &'a str,
}

/// A refusal, ready to be answered.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    code: Code,
    /// The provider's, instead of the table's.
    status: Option<StatusCode>,
    message: Cow<'static, str>,
    details: Option<Details>,
    header: Option<(&'static str, Cow<'static, str>)>,
    cause: Option<&'static str>,
}

/// The entry of a refusal in the log; an extension of the answer.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Refusal {
    /// The code on the wire.
    pub error: &'static str,
    /// What is defective, where something of the service is.
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

    /// How many findings are blocked, by type, where a policy blocks.
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

    /// The same refusal, with the status that Presidio's anonymizer gives to a wrong value.
    pub(crate) fn unprocessable(self) -> Self {
        match self.code {
            Code::InvalidRequest => Self { code: Code::Unprocessable, ..self },
            _ => self,
        }
    }

    /// Mode `policy` on another plan than `enterprise`.
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

    /// No key was sent, where Presidio's clients ask.
    pub fn presidio_key_missing() -> Self {
        Self::unauthorized(
            "the API key is missing; send it as Authorization: Bearer <key>, as X-API-Key: <key>, or as the \
             password of a URL such as http://key:<key>@host",
        )
    }

    /// The key opens nothing.
    pub fn key_invalid() -> Self {
        Self::unauthorized("the API key is unknown, expired or revoked; send a valid one")
    }

    /// No user access token was sent.
    pub fn user_token_missing() -> Self {
        Self::unauthorized("the user access token is missing; send it as Authorization: Bearer <token>")
    }

    /// The token stands for nobody.
    pub fn user_token_invalid() -> Self {
        Self::unauthorized("the user access token is invalid or expired; sign in again and send a new one")
    }

    /// No service token was sent.
    pub fn service_token_missing() -> Self {
        Self::unauthorized("the service token is missing; send it as X-Service-Token: <token>")
    }

    /// No service token was sent where clients of language models ask.
    pub(crate) fn gateway_key_missing() -> Self {
        Self::unauthorized(
            "the service token is missing; send it as the API key: Authorization: Bearer <token>, X-API-Key: \
             <token>, or X-Service-Token: <token>",
        )
    }

    /// A route takes the caller's own credential, and the request lacks it.
    pub(crate) fn caller_credential_missing() -> Self {
        Self::unauthorized(
            "the route takes your own credential for its provider; send that as Authorization or X-API-Key, and the service \
             token as X-Service-Token",
        )
    }

    /// The token is not configured.
    pub fn service_token_invalid() -> Self {
        Self::unauthorized("the service token is invalid; send one that is configured")
    }

    /// The credential lacks a scope that the endpoint asks for.
    pub(crate) fn scope_missing(scope: Scope) -> Self {
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

    /// What is there already stands against it, or there is as much of it as there may be; `message` says
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

    /// The path takes only the methods of `allow`, a comma-separated list.
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

    /// The body is declared as something else than JSON.
    pub fn unsupported_media_type() -> Self {
        Self::new(
            Code::UnsupportedMediaType,
            "the body must be JSON; send it with Content-Type: application/json",
        )
    }

    /// The window of `limit` requests is full for so many seconds.
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

    /// Something that the service needs is not there. The cause goes to the log, not to the caller.
    pub fn unavailable(cause: &'static str) -> Self {
        Self {
            cause: Some(cause),
            ..Self::new(
                Code::ServiceUnavailable,
                "the service is temporarily unavailable; retry in a few seconds",
            )
        }
    }

    /// Variables are faulty. Each of `faults` names its variable and holds no value.
    pub(crate) fn misconfigured(faults: &[&'static str]) -> Self {
        let message = format!("the configuration is faulty; correct it: {}", faults.join("; "));
        Self::new(Code::ServiceUnavailable, message)
    }

    /// The gateway does not do this.
    pub(crate) fn not_supported(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::NotSupported, message)
    }

    /// The provider failed; `message` says how, with nothing of what it said.
    pub(crate) fn upstream(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::UpstreamError, message)
    }

    /// The provider did not answer in time.
    pub(crate) fn upstream_timeout() -> Self {
        Self::new(Code::UpstreamTimeout, "the provider did not answer in time; retry, or send less")
    }

    /// The provider refused the request with this status, a 4xx. `message` is the provider's, restored;
    /// `retry_after` its header.
    pub(crate) fn upstream_refused(status: StatusCode, message: String, retry_after: Option<String>) -> Self {
        let error = Self { status: Some(status), ..Self::new(Code::UpstreamRefused, message) };
        match retry_after {
            Some(seconds) => error.with_header("retry-after", seconds),
            None => error,
        }
    }

    /// What the request or the answer holds cannot be looked at; `message` says what and what to do.
    pub(crate) fn privacy_check_failed(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::PrivacyCheckFailed, message)
    }

    /// There is no provider that the request could go to; `message` says what to do.
    pub(crate) fn no_provider(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::NoProvider, message)
    }

    /// The status of the answer.
    pub(crate) fn status(&self) -> StatusCode {
        self.status.unwrap_or(self.code.status())
    }

    /// Its entry in the log.
    pub(crate) fn refusal(&self) -> Refusal {
        Refusal { error: self.code.as_str(), cause: self.cause }
    }

    /// Whether the same request may fare better in a while. Clients of language models retry by the status
    /// alone unless they are told.
    fn is_final(&self) -> bool {
        use Code::{NoProvider, NotSupported, PolicyViolation, PrivacyCheckFailed};
        matches!(self.code, NoProvider | NotSupported | PolicyViolation | PrivacyCheckFailed)
    }

    /// OpenAI's name for the kind of error; ours if OpenAI has no name.
    fn openai_kind(&self) -> &'static str {
        match self.status().as_u16() {
            400 | 404 | 405 | 408 | 409 | 413 | 415 | 422 => "invalid_request_error",
            401 => "authentication_error",
            429 => "rate_limit_error",
            500 => "server_error",
            _ => self.code.as_str(),
        }
    }

    /// The name that Anthropic has for the kind of error.
    fn anthropic_kind(&self) -> &'static str {
        match self.status().as_u16() {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            504 => "timeout_error",
            503 | 529 => "overloaded_error",
            400..=499 => "invalid_request_error",
            _ => "api_error",
        }
    }

    fn field(&self) -> Option<&str> {
        match &self.details {
            Some(Details::Field { field }) => Some(field),
            _ => None,
        }
    }

    /// The row of the table.
    pub fn code(&self) -> Code {
        self.code
    }

    /// What is wrong and what to do; nothing of the caller's is in it.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The body of the answer, as JSON.
    pub(crate) fn body(&self, shape: Shape) -> String {
        let Self { code, message, details, .. } = self;
        let json = match shape {
            Shape::Presidio => serde_json::to_string(&PresidioError { error: message }),
            Shape::Own if *code == Code::PlanRequired => {
                serde_json::to_string(&PlanRequired { detail: message })
            }
            Shape::Own => {
                let error = ErrorObject { code: *code, message, details: details.as_ref() };
                serde_json::to_string(&ErrorBody { error, detail: message, kind: *code })
            }
            Shape::OpenAi => {
                let details = details.as_ref().filter(|details| matches!(details, Details::Blocked(_)));
                let (kind, param) = (self.openai_kind(), self.field());
                let error = OpenAiErrorObject { message, kind, param, code: *code, details };
                serde_json::to_string(&OpenAiError { error })
            }
            Shape::Anthropic => {
                let error = AnthropicErrorObject { kind: self.anthropic_kind(), message };
                serde_json::to_string(&AnthropicError { kind: "error", error })
            }
        };
        // strings and numbers always serialise
        json.unwrap_or_default()
    }

    /// The answer.
    pub fn into_response(self) -> Response<Bytes> {
        self.into_response_as(Shape::Own)
    }

    /// The answer, its body in that shape.
    pub(crate) fn into_response_as(self, shape: Shape) -> Response<Bytes> {
        let mut response = routes::json(self.status(), self.body(shape));
        response.extensions_mut().insert(self.refusal());
        if matches!(shape, Shape::OpenAi | Shape::Anthropic) && self.is_final() {
            response.headers_mut().insert("x-should-retry", HeaderValue::from_static("false"));
        }
        if let Some((name, value)) = self.header
            && let Ok(value) = HeaderValue::from_str(&value)
        {
            response.headers_mut().insert(HeaderName::from_static(name), value);
        }
        response
    }
}

impl From<Unavailable> for ApiError {
    fn from(unavailable: Unavailable) -> Self {
        Self::unavailable(match unavailable.0 {
            Label::Config => "the key-value store `config` does not answer",
            Label::Usage => "the key-value store `usage` does not answer",
            Label::Audit => "the key-value store `audit` does not answer",
        })
    }
}

impl From<textveil_engine::Error> for ApiError {
    fn from(error: textveil_engine::Error) -> Self {
        match error.field() {
            // the keys are the service's own: the caller cannot have got them wrong
            Some("key") => Self::internal("the engine refuses the keys of the workspace"),
            Some(field) => Self::invalid(field, error.to_string()),
            None => {
                let details = error.blocked().cloned().map(Details::Blocked);
                Self { details, ..Self::new(Code::PolicyViolation, error.to_string()) }
            }
        }
    }
}
