//! The bodies of errors, in the formats of their clients.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response};
use serde::Serialize;
use serde_json::Value;

use super::{ApiError, Code, Details};
use crate::{mcp, response};

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

impl ApiError {
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
