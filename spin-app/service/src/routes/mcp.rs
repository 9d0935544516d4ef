//! `POST /mcp`: the Model Context Protocol over Streamable HTTP, without sessions and streams.

use base64ct::{Base64, Encoding as _};
use bytes::Bytes;
use http::{
    HeaderMap, Response, StatusCode,
    header::{HOST, ORIGIN},
};
use serde_json::{Map, Value};
use textveil_engine::{
    detectors, validate,
    wire::{self, OneText, ValidateRequest},
};

use super::{detection, protect};
use crate::{
    call::{Call, RouteResult, answer as with_status},
    error::{ApiError, Code},
    host::Host,
    mcp::{self, Detectors, REVISIONS, Received, Tool, code},
    scope::Scope,
};

/// The header with the revision of a request.
const REVISION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";

pub(crate) async fn answer<H: Host>(mut call: Call<'_, H>, message: &Value) -> RouteResult {
    check_origin(call.headers)?;
    if let Err(why) = check_headers(call.headers, message) {
        let id = message.get("id").unwrap_or(&Value::Null);
        return with_status(StatusCode::BAD_REQUEST, &mcp::failure(id, code::HEADER_MISMATCH, why));
    }
    match mcp::receive(message, false) {
        Received::Nothing => {
            let mut accepted = Response::new(Bytes::new());
            *accepted.status_mut() = StatusCode::ACCEPTED;
            Ok(accepted)
        }
        Received::Answer(answer) => with_status(status(message, &answer), &answer),
        Received::Call(mut called) => {
            let arguments = std::mem::take(&mut called.arguments);
            let result = match run(&mut call, called.tool, arguments).await {
                Ok(result) => Ok(result),
                // a model can correct it
                Err(error) if is_of_arguments(error.code()) => Err(error.message().to_owned()),
                Err(error) => return Err(error),
            };
            with_status(StatusCode::OK, &called.answer(result))
        }
    }
}

/// Runs a tool.
///
/// # Errors
/// Those of the corresponding route: `permission_denied` without its scope, and `invalid_request` for an argument.
async fn run<H: Host>(
    call: &mut Call<'_, H>,
    tool: Tool,
    mut arguments: Map<String, Value>,
) -> Result<Value, ApiError> {
    tool.check(&arguments).map_err(|why| ApiError::invalid("arguments", why))?;
    let scope = if tool == Tool::Protect { Scope::Protect } else { Scope::Detect };
    if !call.principal.scopes.has(scope) {
        return Err(ApiError::scope_missing(scope));
    }
    Ok(match tool {
        Tool::Detect => {
            let has_values = match arguments.shift_remove("values") {
                None | Some(Value::Null) => false,
                Some(Value::Bool(has_values)) => has_values,
                Some(_) => return Err(ApiError::invalid("values", "values must be true or false")),
            };
            let (OneText { text }, finder) = detection(call, &Value::Object(arguments)).await?;
            let found = finder.detect(&text)?;
            found.entities.iter().for_each(|entity| call.counts.add(entity));
            mcp::detection(&found, has_values)
        }
        Tool::Protect => {
            let (OneText { text }, protector) = protect::read(call, &Value::Object(arguments)).await?;
            let protection = protector.finder.protect(&text, &protector.protection, Some(&protector.keys))?;
            protect::count(call.counts, &protection);
            mcp::protection(&protection)
        }
        Tool::Validate => {
            if let Some(kind) = arguments.shift_remove("type") {
                arguments.insert("entity_type".to_owned(), kind);
            }
            let ValidateRequest { value, entity_type, country } = wire::decode(Value::Object(arguments))?;
            mcp::validation(&validate(&value, &entity_type, country.as_deref())?)
        }
        Tool::ListDetectors => {
            let wanted = Detectors::read(&arguments).map_err(|why| ApiError::invalid("arguments", why))?;
            wanted.page(&detectors(wanted.country.as_deref()))
        }
        // `mcp::receive` does not offer it
        Tool::Restore => return Err(ApiError::scope_missing(Scope::Restore)),
    })
}

/// Whether an error is one of the arguments of a tool.
fn is_of_arguments(code: Code) -> bool {
    matches!(code, Code::InvalidRequest | Code::PlanRequired | Code::PolicyViolation | Code::BudgetExceeded)
}

/// The status of an answer. Older clients take 404 for an expired session.
fn status(message: &Value, answer: &Value) -> StatusCode {
    let code = answer.pointer("/error/code").and_then(Value::as_i64);
    match code {
        Some(code::METHOD_NOT_FOUND) if revision(message).is_some() => StatusCode::NOT_FOUND,
        Some(code::INVALID_REQUEST | code::UNSUPPORTED_REVISION) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

/// The revision that a message names.
fn revision(message: &Value) -> Option<&str> {
    message.pointer("/params/_meta")?.get(mcp::PROTOCOL_VERSION)?.as_str()
}

/// Checks that a page of another host does not ask: a browser sends the origin of a page along.
///
/// # Errors
/// `permission_denied`.
fn check_origin(headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let of_origin = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
    if of_origin.is_some() && of_origin == host {
        return Ok(());
    }
    Err(ApiError::permission_denied(
        "pages of other hosts may not call this; call it from a server or a program",
    ))
}

/// Checks that the headers say what the message says.
///
/// # Errors
/// Says which header is wrong.
fn check_headers(headers: &HeaderMap, message: &Value) -> Result<(), &'static str> {
    let header = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let Some(revision) = revision(message) else {
        // that of an older client, which may leave it out
        return match header(REVISION) {
            Some(named) if !REVISIONS.contains(&named) => {
                Err("MCP-Protocol-Version must be a supported revision")
            }
            _ => Ok(()),
        };
    };
    if header(REVISION) != Some(revision) {
        return Err("MCP-Protocol-Version must be the revision in `params._meta`");
    }
    let method = message.get("method").and_then(Value::as_str);
    if header(METHOD) != method {
        return Err("Mcp-Method must be the method of the message");
    }
    let name = message.pointer("/params/name").and_then(Value::as_str);
    if method == Some("tools/call") && header(NAME).and_then(decoded).as_deref() != name {
        return Err("Mcp-Name must be the name of the tool");
    }
    Ok(())
}

/// The text of a header, which may be in base64.
fn decoded(header: &str) -> Option<String> {
    match header.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(base64) => String::from_utf8(Base64::decode_vec(base64).ok()?).ok(),
        None => Some(header.to_owned()),
    }
}
