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
