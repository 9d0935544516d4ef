//! The types of providers, and everything in which they differ.

use http::{HeaderName, header::AUTHORIZATION};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{BaseUrl, wire_name};
use crate::chat::protocol::{ApiCall, StoredResponse};

/// The version of Azure's interface for an address without a version.
const AZURE_API_VERSION: &str = "2024-10-21";

/// The first version of Azure's older interface that has responses.
const AZURE_RESPONSES_VERSION: &str = "2025-03-01-preview";

/// The header with a key of Anthropic, as a client sends it, too.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// The protocol of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ProviderType {
    /// OpenAI.
    #[serde(rename = "openai")]
    OpenAi,
    /// A service with OpenAI's protocol.
    #[serde(rename = "openai_compatible")]
    OpenAiCompatible,
    /// OpenAI's models at Azure.
    #[serde(rename = "azure_openai")]
    AzureOpenAi,
    /// Anthropic.
    Anthropic,
    /// Mistral.
    Mistral,
    /// A server of Ollama.
    Ollama,
    /// A server of vLLM.
    Vllm,
}

impl ProviderType {
    /// Every type, in the order of messages.
    const ALL: &[Self] = &[
        Self::OpenAi,
        Self::OpenAiCompatible,
        Self::AzureOpenAi,
        Self::Anthropic,
        Self::Mistral,
        Self::Ollama,
        Self::Vllm,
    ];

    /// Returns the names of these types as a list for a message, with `last` before the last one.
    pub(super) fn names(is: impl Fn(Self) -> bool, last: &str) -> String {
        let mut names: Vec<String> = Self::ALL.iter().filter(|kind| is(**kind)).map(wire_name).collect();
        let end = names.pop().unwrap_or_default();
        format!("{} {last} {end}", names.join(", "))
    }

    /// Whether providers of this type need no credential.
    pub fn may_lack_credential(self) -> bool {
        matches!(self, Self::OpenAiCompatible | Self::Ollama | Self::Vllm)
    }

    /// Whether providers of this type speak Anthropic's protocol rather than OpenAI's.
    pub(crate) fn speaks_anthropic(self) -> bool {
        self == Self::Anthropic
    }

    /// Returns the header with the credential, and the text before it.
    pub(super) fn credential_header(self) -> (HeaderName, &'static str) {
        match self {
            Self::Anthropic => (API_KEY, ""),
            Self::AzureOpenAi => (HeaderName::from_static("api-key"), ""),
            Self::OpenAi | Self::OpenAiCompatible | Self::Mistral | Self::Ollama | Self::Vllm => {
                (AUTHORIZATION, "Bearer ")
            }
        }
    }

    /// Whether a caller's own credential stays in this header.
    ///
    /// Anthropic accepts two, which distinguish keys from tokens of subscriptions.
    pub(super) fn takes(self, header: &HeaderName) -> bool {
        self.credential_header().0 == *header || self.speaks_anthropic() && *header == AUTHORIZATION
    }

    /// Returns the URL of a call.
    pub(super) fn address(self, base: &BaseUrl, call: ApiCall<'_>) -> Url {
        let (mut url, query) = match call {
            ApiCall::Stored { what, id, query } => {
                let mut url = self.address_of_api(base, ApiCall::Responses);
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
            ApiCall::Models { query } => (self.address_of_api(base, call), query),
            _ => return self.address_of_api(base, call),
        };
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }

    fn address_of_api(self, base: &BaseUrl, call: ApiCall<'_>) -> Url {
        match (self, call) {
            // the newer interface has its version in the path, the older one in the query
            (Self::AzureOpenAi, _) if !base.segments().any(|segment| segment == "v1") => {
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
            (Self::Ollama, ApiCall::Models { .. }) => base.without("/v1", "/api/tags"),
            (_, ApiCall::Models { .. }) => base.versioned("/models"),
            (Self::Anthropic, ApiCall::Chat { .. }) => base.versioned("/messages"),
            (_, ApiCall::Chat { .. }) => base.versioned("/chat/completions"),
            (_, ApiCall::Embeddings { .. }) => base.versioned("/embeddings"),
            (_, ApiCall::Responses | ApiCall::Stored { .. }) => base.versioned("/responses"),
            (_, ApiCall::CountTokens) => base.versioned("/messages/count_tokens"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::AllowedHosts;

    #[test]
    fn every_type_has_a_name_and_a_place_in_messages() {
        assert_eq!(
            ProviderType::names(|_| true, "or"),
            "openai, openai_compatible, azure_openai, anthropic, mistral, ollama or vllm"
        );
        for kind in ProviderType::ALL {
            assert!(wire_name(kind).bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'));
        }
    }

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
            assert_eq!(kind.address(&parsed, call).as_str(), format!("{base}{want}"));
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
            assert_eq!(kind.address(&parsed, ApiCall::Models { query: &[] }).as_str(), want);
        }
    }
}
