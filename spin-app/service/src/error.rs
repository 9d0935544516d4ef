//! Errors: one table from code to status and body.
//!
//! A message says what is wrong and what to do. Neither it nor the details contain any of the caller's text.

use std::{borrow::Cow, fmt};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use serde::Serialize;
use serde_json::Value;
use textveil_engine::TypeCounts;

use crate::{mcp, response};

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

/// The format of an error body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The format of this API.
    Own,
    /// `{"error": message}`, as Presidio's clients expect.
    Presidio,
    /// The format for clients of OpenAI.
    OpenAi,
    /// The format for clients of Anthropic.
    Anthropic,
    /// The format of this API, with what makes agentgateway stop.
    AgentGateway,
    /// An error of JSON-RPC, for clients of the Model Context Protocol.
    JsonRpc,
    /// The format for exporters of telemetry: `google.rpc.Status`.
    Otlp,
}

/// The body of an error. `detail` and `type` repeat its content for clients that read them.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Error"))]
pub(crate) struct ErrorBody<'a> {
    /// The error.
    error: ErrorObject<'a>,
    /// The message.
    detail: &'a str,
    /// The code.
    #[serde(rename = "type")]
    kind: Code,
}

/// The error.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ErrorObject<'a> {
    /// The code, for programs.
    code: Code,
    /// The fault and what to do about it. It contains none of the caller's text.
    message: &'a str,
    /// With `invalid_request` and `policy_violation` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a Details>,
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

/// The body of the error for mode `policy` on plans other than `enterprise`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("additionalProperties" = false)))]
pub(crate) struct PlanRequired<'a> {
    /// The message, which names the other modes.
    detail: &'a str,
}

/// The body of an error of a Presidio endpoint.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PresidioError<'a> {
    /// The fault and what to do about it. It contains none of the caller's text.
    error: &'a str,
}

/// The body of an error for agentgateway, whose raw format passes a text if an answer has no messages.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AgentGatewayError<'a> {
    #[serde(flatten)]
    body: ErrorBody<'a>,
    /// Always empty, which agentgateway takes for a fault.
    messages: [(); 0],
}

/// The body of an error for clients of the Model Context Protocol.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct JsonRpcError<'a> {
    /// Always `2.0`.
    jsonrpc: &'a str,
    /// That of the message, if it could be read.
    id: Option<&'a Value>,
    /// The error.
    error: JsonRpcErrorObject<'a>,
}

/// The error.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct JsonRpcErrorObject<'a> {
    /// The code of JSON-RPC or of the protocol.
    code: i64,
    /// The fault and what to do about it. It contains none of the caller's text.
    message: &'a str,
}

/// The body of an error for clients of OpenAI.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct OpenAiError<'a> {
    /// The error.
    error: OpenAiErrorObject<'a>,
}

/// The error.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OpenAiErrorObject<'a> {
    /// The fault and what to do about it. It contains none of the caller's text.
    message: &'a str,
    /// The kind of error, by OpenAI's names if it has one.
    #[serde(rename = "type")]
    kind: &'a str,
    /// The field at fault, if there is one.
    param: Option<&'a str>,
    /// The code, for programs.
    code: Code,
    /// With `policy_violation` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a Details>,
}

/// The body of an error for clients of Anthropic.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AnthropicError<'a> {
    /// `error`
    #[serde(rename = "type")]
    kind: &'a str,
    /// The error.
    error: AnthropicErrorObject<'a>,
}

/// The error.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AnthropicErrorObject<'a> {
    /// The kind of error, by Anthropic's names.
    #[serde(rename = "type")]
    kind: &'a str,
    /// The fault and what to do about it. It contains none of the caller's text.
    message: &'a str,
}

/// The body of an error for an exporter of telemetry: a `google.rpc.Status` in JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct OtlpError<'a> {
    /// The code of gRPC, such as 3 for an invalid request. Exporters decide by the status of HTTP.
    code: u8,
    /// The fault and what to do about it. It contains none of the caller's text.
    message: &'a str,
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

    /// Whether a retry of the same request cannot succeed.
    ///
    /// Clients of language models otherwise retry by the status alone.
    fn is_final(&self) -> bool {
        use Code::{BudgetExceeded, NoProvider, NotSupported, PolicyViolation, PrivacyCheckFailed};
        matches!(self.code, BudgetExceeded | NoProvider | NotSupported | PolicyViolation | PrivacyCheckFailed)
    }

    /// Returns OpenAI's name of the kind of error, or the service's own.
    fn openai_kind(&self) -> &'static str {
        match self.status().as_u16() {
            400 | 404 | 405 | 408 | 409 | 413 | 415 | 422 => "invalid_request_error",
            401 => "authentication_error",
            429 => "rate_limit_error",
            500 => "server_error",
            _ => self.code.as_str(),
        }
    }

    /// Returns Anthropic's name of the kind of error.
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

    /// Returns the code of gRPC (`google.rpc.Code`).
    fn grpc_code(&self) -> u8 {
        match self.status().as_u16() {
            400 | 413 | 415 | 422 => 3,
            401 => 16,
            403 => 7,
            404 => 5,
            408 | 504 => 4,
            405 | 501 => 12,
            409 => 10,
            429 => 8,
            502 | 503 => 14,
            _ => 13,
        }
    }

    fn field(&self) -> Option<&str> {
        match &self.details {
            Some(Details::Field { field }) => Some(field),
            _ => None,
        }
    }

    /// Returns the code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// Returns what is wrong and what to do, without the caller's text.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the body of the answer, as JSON.
    pub(crate) fn body(&self, shape: Shape) -> String {
        let Self { code, message, details, .. } = self;
        let json = match shape {
            Shape::Presidio => serde_json::to_string(&PresidioError { error: message }),
            Shape::Own if *code == Code::PlanRequired => {
                serde_json::to_string(&PlanRequired { detail: message })
            }
            Shape::Own | Shape::AgentGateway => {
                let error = ErrorObject { code: *code, message, details: details.as_ref() };
                let body = ErrorBody { error, detail: message, kind: *code };
                match shape {
                    Shape::AgentGateway => serde_json::to_string(&AgentGatewayError { body, messages: [] }),
                    _ => serde_json::to_string(&body),
                }
            }
            Shape::Otlp => serde_json::to_string(&OtlpError { code: self.grpc_code(), message }),
            Shape::OpenAi => {
                let details = details.as_ref().filter(|details| matches!(details, Details::Blocked(_)));
                let (kind, param) = (self.openai_kind(), self.field());
                let error = OpenAiErrorObject { message, kind, param, code: *code, details };
                serde_json::to_string(&OpenAiError { error })
            }
            Shape::JsonRpc => {
                let code = match code {
                    Code::InvalidRequest if self.field() == Some("body") => mcp::code::PARSE,
                    Code::InvalidRequest => mcp::code::INVALID_REQUEST,
                    Code::NotFound => mcp::code::METHOD_NOT_FOUND,
                    _ => mcp::code::SERVER,
                };
                let error = JsonRpcErrorObject { code, message };
                serde_json::to_string(&JsonRpcError { jsonrpc: "2.0", id: None, error })
            }
            Shape::Anthropic => {
                let error = AnthropicErrorObject { kind: self.anthropic_kind(), message };
                serde_json::to_string(&AnthropicError { kind: "error", error })
            }
        };
        // strings and numbers always serialise
        json.unwrap_or_default()
    }

    /// Returns the answer.
    pub fn into_response(self) -> Response<Bytes> {
        self.into_response_as(Shape::Own)
    }

    /// Returns the answer with a body in that format.
    pub(crate) fn into_response_as(self, shape: Shape) -> Response<Bytes> {
        let mut response = response::json(self.status(), self.body(shape));
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
