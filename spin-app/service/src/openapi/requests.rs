//! The bodies of requests that the service reads in parts, put together from the parts.
#![allow(dead_code, reason = "only their schemas are wanted")]

use schemars::JsonSchema;
use textveil_engine::{
    DetectOptions, ProtectOptions,
    wire::{ManyTexts, OneText},
};

/// A text in which to find personal data.
#[derive(JsonSchema)]
pub(super) struct DetectRequest {
    #[serde(flatten)]
    text: OneText,
    #[serde(flatten)]
    options: DetectOptions,
}

/// Texts in which to find personal data; the options hold for all of them.
#[derive(JsonSchema)]
pub(super) struct DetectBatchRequest {
    #[serde(flatten)]
    texts: ManyTexts,
    #[serde(flatten)]
    options: DetectOptions,
}

/// A text in which to replace personal data.
#[derive(JsonSchema)]
pub(super) struct ProtectRequest {
    #[serde(flatten)]
    text: OneText,
    #[serde(flatten)]
    detection: DetectOptions,
    #[serde(flatten)]
    protection: ProtectOptions,
}

/// Texts in which to replace personal data; the options hold for all of them.
#[derive(JsonSchema)]
pub(super) struct ProtectBatchRequest {
    #[serde(flatten)]
    texts: ManyTexts,
    #[serde(flatten)]
    detection: DetectOptions,
    #[serde(flatten)]
    protection: ProtectOptions,
}

/// What is to change of an LLM provider; what is absent or null stays.
#[derive(JsonSchema)]
pub(super) struct ProviderChange {
    /// `openai`, `openai_compatible`, `azure_openai`, `anthropic`, `mistral`, `ollama` or `vllm`.
    provider_type: Option<String>,
    /// 1 to 200 characters.
    display_name: Option<String>,
    /// `env_placeholder`, or `none` for types that may do without a credential.
    credential_source: Option<String>,
    /// `${NAME}`, where the source is `env_placeholder`.
    env_placeholder: Option<String>,
    /// https, on the public internet, unless whoever runs the service allows another host.
    base_url: Option<String>,
    /// 1 to 128 characters.
    default_model: Option<String>,
    /// At most 50; none for any.
    allowed_models: Option<Vec<String>>,
    /// Whether it can send an answer in parts.
    supports_streaming: Option<bool>,
    /// Which of several goes first: the highest.
    priority: Option<i64>,
    /// The workspace's provider that was it before is it no longer.
    is_platform_default: Option<bool>,
    /// Whether it may be used.
    is_active: Option<bool>,
}
