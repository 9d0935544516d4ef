//! Asks a provider for its models, the cheapest request that needs the credential.

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;

use super::{Provider, ValidationStatus, credential, request};
use crate::{
    chat::protocol::ApiCall,
    host::Host,
    limits::{MAX_MODEL_LIST_BYTES, PROBE_SECONDS},
    system::within,
    upstream::{Deadlines, Failure, Upstream},
};

/// The result of the probe, in a word and in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProbeResult {
    pub status: ValidationStatus,
    pub message: String,
}

impl ProbeResult {
    fn new(status: ValidationStatus, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    fn error(message: impl Into<String>) -> Self {
        Self::new(ValidationStatus::Error, message)
    }
}

/// Asks the provider. Of its answer, only the status is in the result.
pub(crate) async fn probe<H: Upstream>(host: &H, provider: &Provider) -> ProbeResult {
    let request =
        match request::prepare(host, provider, ApiCall::Models { query: &[] }, None, request::From::Gateway)
            .await
        {
            Ok(request) => request,
            Err(reason) => return ProbeResult::error(reason),
        };
    let deadline_ms = PROBE_SECONDS * 1_000;
    let deadlines =
        Deadlines { connect_ms: deadline_ms, first_byte_ms: deadline_ms, between_bytes_ms: deadline_ms };
    let verdict = within(host, deadline_ms, answer(host, request, deadlines)).await;
    match verdict {
        Some(verdict) => verdict,
        None => unreachable(host, Failure::AnswerTimeout).await,
    }
}

async fn answer<H: Upstream>(host: &H, request: Request<Bytes>, deadlines: Deadlines) -> ProbeResult {
    let response = match host.send(request, deadlines).await {
        Ok(response) => response,
        Err(failure) => return unreachable(host, failure).await,
    };
    let status = response.status();
    if let Some(verdict) = refusal(status) {
        return verdict;
    }
    let body = Limited::new(response.into_body(), MAX_MODEL_LIST_BYTES).collect().await;
    match body.map(|body| body.to_bytes()) {
        Ok(body) if is_model_list(&body) => {
            ProbeResult::new(ValidationStatus::Valid, "the provider answers, and takes the credential")
        }
        Ok(_) => ProbeResult::error(
            "the provider answered something else than a list of models; check base_url and provider_type",
        ),
        Err(error) if error.is::<LengthLimitError>() => ProbeResult::error(format!(
            "the provider's list of models is larger than {MAX_MODEL_LIST_BYTES} bytes; check base_url"
        )),
        Err(_) => unreachable(host, Failure::Broken).await,
    }
}

/// Returns the result for an error status.
fn refusal(status: StatusCode) -> Option<ProbeResult> {
    let number = status.as_u16();
    match status {
        _ if status.is_success() => None,
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Some(ProbeResult::new(
            ValidationStatus::Invalid,
            format!("the provider rejects the credential with status {number}; set another one"),
        )),
        _ if status.is_redirection() => Some(ProbeResult::error(format!(
            "the provider answered with a redirect, status {number}, which is not followed; check base_url"
        ))),
        StatusCode::NOT_FOUND => Some(ProbeResult::error(
            "the provider has no list of models, status 404; check base_url and provider_type",
        )),
        _ => Some(ProbeResult::error(format!("the provider answered with status {number}; try again later"))),
    }
}

async fn unreachable(host: &impl Host, failure: Failure) -> ProbeResult {
    let message = match failure {
        Failure::HostForbidden => credential::why_host_is_forbidden(host).await.into(),
        Failure::AddressForbidden => credential::ADDRESS_FORBIDDEN.into(),
        Failure::Unreachable => "there is no connection to the provider; check base_url".into(),
        Failure::ConnectTimeout | Failure::AnswerTimeout => format!(
            "the provider did not answer within {PROBE_SECONDS} seconds; check base_url or try again later"
        ),
        Failure::Broken => {
            "the connection to the provider broke off; check base_url or try again later".into()
        }
    };
    ProbeResult::new(ValidationStatus::Unreachable, message)
}

/// A list, or an object with one in `data` (OpenAI, Anthropic, Mistral, vLLM) or `models` (Ollama).
fn is_model_list(body: &[u8]) -> bool {
    match serde_json::from_slice(body) {
        Ok(Value::Array(_)) => true,
        Ok(Value::Object(fields)) => {
            ["data", "models"].iter().any(|name| fields.get(*name).is_some_and(Value::is_array))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_models_have_a_list() {
        for (body, want) in [
            (r#"{"object":"list","data":[]}"#, true),
            (r#"{"models":[{"name":"m"}]}"#, true),
            (r#"[{"id":"m"}]"#, true),
            (r#"{"data":{}}"#, false),
            ("{}", false),
            ("<html></html>", false),
            ("", false),
        ] {
            assert_eq!(is_model_list(body.as_bytes()), want, "{body}");
        }
    }
}
