//! Asks a provider for its models, the cheapest request that needs the credential.

use std::pin::pin;

use bytes::Bytes;
use futures_util::future::{Either, select};
use http::{
    HeaderMap, HeaderName, HeaderValue, Request, StatusCode,
    header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, USER_AGENT},
};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;
use url::Url;

use super::{
    BaseUrl, Provider, ProviderType, ValidationStatus,
    credential::{self, Credential, Placeholder, Unusable},
};
use crate::{
    limits::{MAX_MODEL_LIST_BYTES, PROBE_SECONDS},
    upstream::{Deadlines, Failure, Upstream},
};

/// The version of Anthropic's protocol that is spoken.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// The version of Azure's interface where the address has none.
const AZURE_API_VERSION: &str = "2024-10-21";

/// What is sent as the caller's name.
const AGENT: &str = concat!("textveil/", env!("CARGO_PKG_VERSION"));

/// What was found out, in a word and in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub status: ValidationStatus,
    pub message: String,
}

impl Verdict {
    fn new(status: ValidationStatus, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    fn error(message: impl Into<String>) -> Self {
        Self::new(ValidationStatus::Error, message)
    }
}

/// Asks the provider. Nothing of what it answers is in the verdict, but for its status.
pub(crate) async fn probe<H: Upstream>(host: &H, provider: &Provider) -> Verdict {
    let request = match request(host, provider).await {
        Ok(request) => request,
        Err(verdict) => return verdict,
    };
    let deadline_ms = PROBE_SECONDS * 1_000;
    let deadlines =
        Deadlines { connect_ms: deadline_ms, first_byte_ms: deadline_ms, between_bytes_ms: deadline_ms };
    let answer = pin!(answer(host, request, deadlines));
    match select(answer, pin!(host.sleep_ms(deadline_ms))).await {
        Either::Left((verdict, _)) => verdict,
        Either::Right(_) => unreachable(Failure::AnswerTimeout),
    }
}

async fn answer<H: Upstream>(host: &H, request: Request<Bytes>, deadlines: Deadlines) -> Verdict {
    let response = match host.send(request, deadlines).await {
        Ok(response) => response,
        Err(failure) => return unreachable(failure),
    };
    let status = response.status();
    if let Some(verdict) = refusal(status) {
        return verdict;
    }
    let body = Limited::new(response.into_body(), MAX_MODEL_LIST_BYTES).collect().await;
    match body.map(|body| body.to_bytes()) {
        Ok(body) if is_model_list(&body) => {
            Verdict::new(ValidationStatus::Valid, "the provider answers, and takes the credential")
        }
        Ok(_) => Verdict::error(
            "the provider answered something else than a list of models; check base_url and provider_type",
        ),
        Err(error) if error.is::<LengthLimitError>() => Verdict::error(format!(
            "the provider's list of models is larger than {MAX_MODEL_LIST_BYTES} bytes; check base_url"
        )),
        Err(_) => unreachable(Failure::Broken),
    }
}

/// What a status says that is no success.
fn refusal(status: StatusCode) -> Option<Verdict> {
    let number = status.as_u16();
    match status {
        _ if status.is_success() => None,
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Some(Verdict::new(
            ValidationStatus::Invalid,
            format!("the provider refuses the credential with status {number}; set another one"),
        )),
        _ if status.is_redirection() => Some(Verdict::error(format!(
            "the provider answered with a redirect, status {number}, which is not followed; check base_url"
        ))),
        StatusCode::NOT_FOUND => Some(Verdict::error(
            "the provider has no list of models, status 404; check base_url and provider_type",
        )),
        _ => Some(Verdict::error(format!("the provider answered with status {number}; try again later"))),
    }
}

fn unreachable(failure: Failure) -> Verdict {
    let seconds = PROBE_SECONDS;
    let message = match failure {
        Failure::Forbidden => {
            "requests to the provider's host or address are not let out; whoever runs the service allows it by \
             the variable provider_hosts"
                .to_owned()
        }
        Failure::Unreachable => "there is no connection to the provider; check base_url".to_owned(),
        Failure::ConnectTimeout | Failure::AnswerTimeout => {
            format!("the provider did not answer within {seconds} seconds; check base_url or try again later")
        }
        Failure::Broken => {
            "the connection to the provider broke off; check base_url or try again later".to_owned()
        }
    };
    Verdict::new(ValidationStatus::Unreachable, message)
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

/// The request to send, or why there is none.
async fn request<H: Upstream>(host: &H, provider: &Provider) -> Result<Request<Bytes>, Verdict> {
    let allowed = credential::provider_hosts(host).await.unwrap_or_default();
    let base = BaseUrl::parse(&provider.record.base_url, &allowed).map_err(|_| {
        Verdict::error(
            "base_url is not allowed any more; whoever runs the service allows it by provider_hosts",
        )
    })?;
    let mut headers = HeaderMap::from_iter([
        (ACCEPT, HeaderValue::from_static("application/json")),
        (ACCEPT_ENCODING, HeaderValue::from_static("identity")),
        (USER_AGENT, HeaderValue::from_static(AGENT)),
    ]);
    if let Some(placeholder) = provider.env_placeholder.as_deref().and_then(Placeholder::parse) {
        let credential = credential::resolve(host, &placeholder, &base).await.map_err(|unusable| {
            Verdict::error(match unusable {
                Unusable::NotSet => {
                    "the credential that env_placeholder names is not set; whoever runs the service sets it, in \
                     the environment or in the variable provider_secrets"
                }
                Unusable::NotForThisHost => {
                    "credentials are not sent to the host of base_url; whoever runs the service vouches for it by \
                     the variable provider_hosts"
                }
            })
        })?;
        let (name, value) = authentication(provider.record.provider_type, &credential)
            .ok_or_else(|| Verdict::error("the credential has characters that no header can hold"))?;
        headers.insert(name, value);
    }
    if provider.record.provider_type == ProviderType::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static(ANTHROPIC_VERSION));
    }
    let mut request = Request::get(models(provider.record.provider_type, &base).as_str())
        .body(Bytes::new())
        .map_err(|_| Verdict::error("base_url cannot be sent; check it"))?;
    *request.headers_mut() = headers;
    Ok(request)
}

/// The header by which a type of provider takes its credential.
fn authentication(kind: ProviderType, credential: &Credential) -> Option<(HeaderName, HeaderValue)> {
    Some(match kind {
        ProviderType::Anthropic => (HeaderName::from_static("x-api-key"), credential.header("")?),
        ProviderType::AzureOpenAi => (HeaderName::from_static("api-key"), credential.header("")?),
        ProviderType::OpenAi
        | ProviderType::OpenAiCompatible
        | ProviderType::Mistral
        | ProviderType::Ollama
        | ProviderType::Vllm => (AUTHORIZATION, credential.header("Bearer ")?),
    })
}

/// Where a type of provider lists its models.
fn models(kind: ProviderType, base: &BaseUrl) -> Url {
    match kind {
        ProviderType::Ollama => base.without("/v1", "/api/tags"),
        // the newer interface has its version in the path, the older one in the query
        ProviderType::AzureOpenAi if !base.segments().any(|segment| segment == "v1") => {
            let mut url = base.without("/openai", "/openai/models");
            url.set_query(Some(&format!("api-version={AZURE_API_VERSION}")));
            url
        }
        _ => base.versioned("/models"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::AllowedHosts;

    #[test]
    fn each_type_lists_its_models_somewhere_else() {
        for (kind, base, want) in [
            (ProviderType::OpenAi, "https://api.openai.com", "https://api.openai.com/v1/models"),
            (ProviderType::OpenAiCompatible, "https://a.example/v1", "https://a.example/v1/models"),
            (ProviderType::Anthropic, "https://api.anthropic.com", "https://api.anthropic.com/v1/models"),
            (ProviderType::Mistral, "https://api.mistral.ai/v1/", "https://api.mistral.ai/v1/models"),
            (ProviderType::Vllm, "https://a.example", "https://a.example/v1/models"),
            (ProviderType::Ollama, "https://a.example/v1", "https://a.example/api/tags"),
            (
                ProviderType::AzureOpenAi,
                "https://x.openai.azure.com",
                "https://x.openai.azure.com/openai/models?api-version=2024-10-21",
            ),
            (
                ProviderType::AzureOpenAi,
                "https://x.openai.azure.com/openai/",
                "https://x.openai.azure.com/openai/models?api-version=2024-10-21",
            ),
            (
                ProviderType::AzureOpenAi,
                "https://x.openai.azure.com/openai/v1",
                "https://x.openai.azure.com/openai/v1/models",
            ),
        ] {
            let base = BaseUrl::parse(base, &AllowedHosts::default()).expect(base);
            assert_eq!(models(kind, &base).as_str(), want);
        }
    }

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
