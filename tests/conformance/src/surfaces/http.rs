//! The REST API of the service under the native host.

use anyhow::{Context, Result, bail};
use bytes::Bytes;
use http::{Method, StatusCode};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::{Surface, Verb, answer, http_client::Connection, service::Service};

/// `dist/textveil serve` with the service, over one connection.
#[derive(Debug)]
pub struct Http {
    connection: Connection,
    runtime: Runtime,
    service: Service,
}

impl Http {
    /// Starts the service.
    ///
    /// # Errors
    /// If it was not built or cannot be started.
    pub fn new() -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let service = Service::start()?;
        let connection = runtime.block_on(Connection::open(service.address()))?;
        Ok(Self { connection, runtime, service })
    }
}

impl Surface for Http {
    fn name(&self) -> &'static str {
        "http"
    }

    fn offers(&self, _: Verb) -> bool {
        true
    }

    fn call(&mut self, verb: Verb, request: &Value) -> Result<Value> {
        let (method, path) = route(verb, request);
        let body = if method == Method::GET { Bytes::new() } else { Bytes::from(request.to_string()) };
        let sent = self.connection.send(method, &path, Some(self.service.api_key()), body);
        let (status, body) = self.runtime.block_on(sent)?;
        let body: Value =
            serde_json::from_slice(&body).with_context(|| format!("{status} without a JSON body"))?;
        match status {
            StatusCode::OK => Ok(body),
            status => refusal(status, &body),
        }
    }
}

fn route(verb: Verb, request: &Value) -> (Method, String) {
    let path = match verb {
        Verb::Detect => "/api/v1/detect",
        Verb::DetectBatch => "/api/v1/detect/batch",
        Verb::Protect => "/api/v1/protect",
        Verb::ProtectBatch => "/api/v1/protect/batch",
        Verb::Validate => "/api/v1/validate",
        Verb::Restore => "/api/v1/restore",
        Verb::ProtectDocument => "/api/v1/documents",
        Verb::Detectors => {
            let country = request.get("country").and_then(Value::as_str);
            let query = country.map(|code| format!("?country={code}")).unwrap_or_default();
            return (Method::GET, format!("/api/v1/detectors{query}"));
        }
    };
    (Method::POST, path.to_owned())
}

/// The refusal in an error body; its status must be that of its code.
fn refusal(status: StatusCode, body: &Value) -> Result<Value> {
    let code = body.pointer("/error/code").and_then(Value::as_str);
    let expected = match code {
        Some("invalid_request") => StatusCode::BAD_REQUEST,
        Some("policy_violation") => StatusCode::FORBIDDEN,
        Some("budget_exceeded") => StatusCode::UNPROCESSABLE_ENTITY,
        _ => bail!("{status} with {body}"),
    };
    if status != expected {
        bail!("{status} with {body}; expected {expected}");
    }
    Ok(answer::refusal(
        code.unwrap_or_default(),
        body.pointer("/error/details/field").and_then(Value::as_str),
    ))
}
