//! Requests to a provider: destination, headers and credential.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request,
    header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, USER_AGENT},
};
use url::Url;

use super::{
    BaseUrl, CallersHeaders, Provider, ProviderType,
    credential::{self, Placeholder, ProviderCredential, Unusable},
};
use crate::{
    chat::protocol::{ApiCall, StoredResponse},
    host::Host,
};

/// The version of Anthropic's protocol that is spoken.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// The version of Azure's interface for an address without a version.
const AZURE_API_VERSION: &str = "2024-10-21";

/// The first version of Azure's older interface that has responses.
const AZURE_RESPONSES_VERSION: &str = "2025-03-01-preview";

/// The user agent.
const AGENT: &str = concat!("textveil/", env!("CARGO_PKG_VERSION"));

/// The caller on whose behalf a request is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum From<'c> {
    /// The gateway's own.
    Gateway,
    /// That of a caller with these headers.
    Caller {
        /// Those that the provider may get.
        headers: &'c CallersHeaders,
        /// The credential is the caller's, not the provider's that is configured.
        has_credential: bool,
    },
}

impl ApiCall<'_> {
    fn method(self) -> Method {
        match self {
            Self::Models { .. } | Self::Stored { what: StoredResponse::Show | StoredResponse::Input, .. } => {
                Method::GET
            }
            Self::Stored { what: StoredResponse::Delete, .. } => Method::DELETE,
            Self::Chat { .. }
            | Self::Embeddings { .. }
            | Self::Responses
            | Self::CountTokens
            | Self::Stored { what: StoredResponse::Cancel, .. } => Method::POST,
        }
    }
}

/// Returns the request to send. Of the caller's own headers it contains only these.
///
/// # Errors
/// Why there is no credential, in a sentence that says what to do.
pub(crate) async fn prepare(
    host: &impl Host,
    provider: &Provider,
    call: ApiCall<'_>,
    body: Option<Bytes>,
    from: From<'_>,
) -> Result<Request<Bytes>, &'static str> {
    let listed = credential::provider_hosts(host).await;
    let not_allowed = match &listed {
        Ok(_) => "base_url is no longer allowed; the operator allows it by the variable provider_hosts",
        Err(_) => credential::HOSTS_FAULT,
    };
    let base =
        BaseUrl::parse(&provider.record.base_url, &listed.unwrap_or_default()).map_err(|_| not_allowed)?;
    let mut headers = HeaderMap::from_iter([
        (ACCEPT, HeaderValue::from_static("application/json, text/event-stream")),
        // a compressed answer cannot be inspected
        (ACCEPT_ENCODING, HeaderValue::from_static("identity")),
        (USER_AGENT, HeaderValue::from_static(AGENT)),
    ]);
    let credential = match from {
        From::Gateway | From::Caller { has_credential: false, .. } => {
            authentication(host, provider, &base).await?
        }
        From::Caller { headers, .. } => callers_authentication(provider, headers)?,
    };
    if let Some((name, value)) = credential {
        headers.insert(name, value);
    }
    let kind = provider.record.provider_type;
    if kind == ProviderType::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static(ANTHROPIC_VERSION));
        if let From::Caller { headers: callers, .. } = from {
            callers.write_protocol(&mut headers);
        }
    }
    if let Some(body) = &body {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // else it would be sent in chunks, which some servers do not read
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    }
    let mut request = Request::builder()
        .method(call.method())
        .uri(address(kind, &base, call).as_str())
        .body(body.unwrap_or_default())
        .map_err(|_| "base_url cannot be sent; check it")?;
    *request.headers_mut() = headers;
    Ok(request)
}

/// The header with the caller's own credential.
fn callers_authentication(
    provider: &Provider,
    headers: &CallersHeaders,
) -> Result<Option<(HeaderName, HeaderValue)>, &'static str> {
    match headers.authentication(provider.record.provider_type) {
        Some(Ok(header)) => Ok(Some(header)),
        Some(Err(_)) => Err("the credential has characters that no header can hold"),
        None => Err("the route takes the caller's own credential, and the request lacks it"),
    }
}

/// Returns the header with the credential, if the provider has one.
async fn authentication(
    host: &impl Host,
    provider: &Provider,
    base: &BaseUrl,
) -> Result<Option<(HeaderName, HeaderValue)>, &'static str> {
    let Some(placeholder) = provider.env_placeholder.as_deref().and_then(Placeholder::parse) else {
        return Ok(None);
    };
    let credential = credential::resolve(host, &placeholder, base, &provider.workspace).await;
    let credential = credential.map_err(|unusable| match unusable {
        Unusable::Malformed => credential::SECRETS_FAULT,
        Unusable::NotSet => {
            "the credential that env_placeholder names is not set; the operator sets it, in the environment or in \
             the variable provider_secrets"
        }
        Unusable::NotForThisHost => {
            "the credential is bound to other hosts than that of base_url; the operator widens it by hosts in the \
             variable provider_secrets"
        }
        Unusable::NotForThisWorkspace => {
            "the credential is bound to other workspaces; the operator widens it by workspaces in the variable \
             provider_secrets"
        }
    })?;
    let header = header(provider.record.provider_type, &credential);
    header.map(Some).ok_or("the credential has characters that no header can hold")
}

/// The header by which a type of provider takes its credential.
fn header(kind: ProviderType, credential: &ProviderCredential) -> Option<(HeaderName, HeaderValue)> {
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

/// Returns the URL of a call, by the type of provider.
fn address(kind: ProviderType, base: &BaseUrl, call: ApiCall<'_>) -> Url {
    let (mut url, query) = match call {
        ApiCall::Stored { what, id, query } => {
            let mut url = address_of_api(kind, base, ApiCall::Responses);
            if let Ok(mut path) = url.path_segments_mut() {
                path.push(id);
                match what {
                    StoredResponse::Cancel => path.push("cancel"),
                    StoredResponse::Input => path.push("input_items"),
                    StoredResponse::Show | StoredResponse::Delete => &mut path,
                };
            }
            (url, query)
        }
        ApiCall::Models { query } => (address_of_api(kind, base, call), query),
        _ => return address_of_api(kind, base, call),
    };
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    url
}

fn address_of_api(kind: ProviderType, base: &BaseUrl, call: ApiCall<'_>) -> Url {
    match (kind, call) {
        // the newer interface has its version in the path, the older one in the query
        (ProviderType::AzureOpenAi, _) if !base.segments().any(|segment| segment == "v1") => {
            let mut url = base.without("/openai", "/openai");
            if let Ok(mut path) = url.path_segments_mut() {
                match call {
                    ApiCall::Models { .. } => path.push("models"),
                    ApiCall::Chat { model } => path.extend(["deployments", model, "chat", "completions"]),
                    ApiCall::Embeddings { model } => path.extend(["deployments", model, "embeddings"]),
                    ApiCall::Responses | ApiCall::Stored { .. } => path.push("responses"),
                    ApiCall::CountTokens => path.extend(["messages", "count_tokens"]),
                };
            }
            let version =
                if call == ApiCall::Responses { AZURE_RESPONSES_VERSION } else { AZURE_API_VERSION };
            url.set_query(Some(&format!("api-version={version}")));
            url
        }
        (ProviderType::Ollama, ApiCall::Models { .. }) => base.without("/v1", "/api/tags"),
        (_, ApiCall::Models { .. }) => base.versioned("/models"),
        (ProviderType::Anthropic, ApiCall::Chat { .. }) => base.versioned("/messages"),
        (_, ApiCall::Chat { .. }) => base.versioned("/chat/completions"),
        (_, ApiCall::Embeddings { .. }) => base.versioned("/embeddings"),
        (_, ApiCall::Responses | ApiCall::Stored { .. }) => base.versioned("/responses"),
        (_, ApiCall::CountTokens) => base.versioned("/messages/count_tokens"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::AllowedHosts;

    #[test]
    fn each_type_has_its_addresses() {
        let query = [("stream".to_owned(), "true".to_owned())];
        let stored = |what| ApiCall::Stored { what, id: "r/1", query: &query };
        let (chat, embeddings) = (ApiCall::Chat { model: "m/1" }, ApiCall::Embeddings { model: "e" });
        let azure = "https://x.openai.azure.com";
        for (kind, base, call, want) in [
            (ProviderType::OpenAi, "https://api.openai.com", ApiCall::Models { query: &[] }, "/v1/models"),
            (ProviderType::OpenAi, "https://api.openai.com", chat, "/v1/chat/completions"),
            (
                ProviderType::OpenAiCompatible,
                "https://a.example/v1",
                ApiCall::Models { query: &[] },
                "/models",
            ),
            (ProviderType::OpenAiCompatible, "https://a.example/v1", chat, "/chat/completions"),
            (ProviderType::OpenAiCompatible, "https://a.example/v1", embeddings, "/embeddings"),
            (
                ProviderType::Anthropic,
                "https://api.anthropic.com",
                ApiCall::Models { query: &[] },
                "/v1/models",
            ),
            (
                ProviderType::Anthropic,
                "https://api.anthropic.com",
                ApiCall::CountTokens,
                "/v1/messages/count_tokens",
            ),
            (ProviderType::OpenAi, "https://api.openai.com", ApiCall::Responses, "/v1/responses"),
            (
                ProviderType::AzureOpenAi,
                azure,
                ApiCall::Responses,
                "/openai/responses?api-version=2025-03-01-preview",
            ),
            (
                ProviderType::OpenAi,
                "https://api.openai.com",
                stored(StoredResponse::Show),
                "/v1/responses/r%2F1?stream=true",
            ),
            (
                ProviderType::AzureOpenAi,
                azure,
                stored(StoredResponse::Cancel),
                "/openai/responses/r%2F1/cancel?api-version=2025-03-01-preview&stream=true",
            ),
            (ProviderType::Anthropic, "https://api.anthropic.com", chat, "/v1/messages"),
            (ProviderType::Mistral, "https://api.mistral.ai/v1", chat, "/chat/completions"),
            (ProviderType::Vllm, "https://a.example", chat, "/v1/chat/completions"),
            (ProviderType::Ollama, "https://a.example", ApiCall::Models { query: &[] }, "/api/tags"),
            (ProviderType::Ollama, "https://a.example", chat, "/v1/chat/completions"),
            (
                ProviderType::AzureOpenAi,
                azure,
                ApiCall::Models { query: &[] },
                "/openai/models?api-version=2024-10-21",
            ),
            (
                ProviderType::AzureOpenAi,
                azure,
                chat,
                "/openai/deployments/m%2F1/chat/completions?api-version=2024-10-21",
            ),
            (
                ProviderType::AzureOpenAi,
                azure,
                embeddings,
                "/openai/deployments/e/embeddings?api-version=2024-10-21",
            ),
        ] {
            let parsed = BaseUrl::parse(base, &AllowedHosts::default()).expect(base);
            assert_eq!(address(kind, &parsed, call).as_str(), format!("{base}{want}"));
        }
    }

    #[test]
    fn addresses_may_end_in_what_is_put_behind_them() {
        for (kind, base, want) in [
            (ProviderType::Mistral, "https://api.mistral.ai/v1/", "https://api.mistral.ai/v1/models"),
            (ProviderType::Ollama, "https://a.example/v1", "https://a.example/api/tags"),
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
            let parsed = BaseUrl::parse(base, &AllowedHosts::default()).expect(base);
            assert_eq!(address(kind, &parsed, ApiCall::Models { query: &[] }).as_str(), want);
        }
    }
}
