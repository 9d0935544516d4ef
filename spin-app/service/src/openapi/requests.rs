//! The schemas of request bodies that the service reads in parts.
#![allow(dead_code, reason = "only their schemas are wanted")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use textveil_documents::Format;
use textveil_engine::{
    Action, DetectOptions, Preset, ProtectOptions,
    limits::{MAX_BATCH, MAX_TEXT_CHARS},
    wire::{ManyTexts, OneText},
};

use crate::{
    audit::AuditLevel,
    configuration::{ModelRoute, RiskLevel},
    limits::{
        MAX_BUFFER_TOKENS, MAX_CACHE_SECONDS, MAX_CONDITION_NAME_BYTES, MAX_CONDITIONS,
        MAX_DESCRIPTION_CHARS, MAX_GATEWAY_RATE, MAX_MODEL_BYTES, MAX_NAME_CHARS, MAX_PRIORITY,
        MAX_REGION_CHARS, MAX_RESPONSE_ID_BYTES, MAX_RESTORE_HOSTS, MAX_RETENTION_DAYS,
        MAX_WORKSPACE_POLICIES, SESSION_SECONDS,
    },
    policies::{Direction, PolicyCondition},
    providers::ProviderType,
    routes::gateway::transfer::ImportMode,
};

/// A text in which to find personal data.
#[derive(JsonSchema)]
pub(super) struct DetectRequest {
    #[serde(flatten)]
    text: OneText,
    #[serde(flatten)]
    options: DetectOptions,
}

/// Texts in which to find personal data; the options apply to all of them.
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

/// Texts in which to replace personal data; the options apply to all of them.
#[derive(JsonSchema)]
pub(super) struct ProtectBatchRequest {
    #[serde(flatten)]
    texts: ManyTexts,
    #[serde(flatten)]
    detection: DetectOptions,
    #[serde(flatten)]
    protection: ProtectOptions,
}

/// A document in which to replace personal data.
#[derive(JsonSchema)]
pub(super) struct DocumentRequest {
    /// The document as text; either this or `document_base64`.
    document: Option<String>,
    /// The document's bytes in base64.
    document_base64: Option<String>,
    /// The format in which it is read. Without it, SQL if the document begins as a dump or a script of SQL, else plain text.
    format: Option<Format>,
    /// Encoding of the text in `document_base64`, such as `windows-1250`.
    charset: Option<String>,
    #[serde(flatten)]
    detection: DetectOptions,
    #[serde(flatten)]
    protection: ProtectOptions,
}

/// A change of an LLM provider; absent and null fields stay unchanged.
#[derive(JsonSchema)]
pub(super) struct ProviderChange {
    /// Its protocol.
    provider_type: Option<ProviderType>,
    /// 1 to 200 characters.
    display_name: Option<String>,
    /// `env_placeholder`, or `none` for types without a required credential.
    credential_source: Option<String>,
    /// `${NAME}`, if the source is `env_placeholder`.
    env_placeholder: Option<String>,
    /// https, on the public internet, unless the operator allows another host.
    base_url: Option<String>,
    /// 1 to 128 characters.
    default_model: Option<String>,
    /// At most 50; absent for all models.
    allowed_models: Option<Vec<String>>,
    /// Whether it supports streaming.
    supports_streaming: Option<bool>,
    /// The priority among several; the highest comes first.
    priority: Option<i64>,
    /// Whether it is the default; the previous default of the workspace no longer is.
    is_platform_default: Option<bool>,
    /// Whether it may be used.
    is_active: Option<bool>,
}

/// A change of a gateway configuration; absent fields stay unchanged.
#[derive(JsonSchema)]
pub(super) struct ConfigurationChange {
    /// Routes by their name, 50 at most; null removes one. Name an LLM provider by its id, or by its type if
    /// it is the only one of that type.
    providers: Option<BTreeMap<String, Option<ModelRoute>>>,
    /// The risk of findings, by their type; null removes one.
    risk_levels: Option<BTreeMap<String, Option<RiskLevel>>>,
    /// The action for a finding in a request without a policy.
    default_action: Option<Action>,
    /// Limits of the workspace.
    rate_limits: Option<RateLimitsChange>,
    /// Options of streamed answers.
    streaming: Option<StreamingChange>,
    /// Seconds for which keys derived from the application's secrets are cached.
    #[schemars(range(max = MAX_CACHE_SECONDS))]
    auth_cache_ttl: Option<u32>,
    /// Seconds for which the configuration and its providers are cached.
    #[schemars(range(max = MAX_CACHE_SECONDS))]
    provider_config_cache_ttl: Option<u32>,
    /// Seconds for which the policies are cached.
    #[schemars(range(max = MAX_CACHE_SECONDS))]
    policy_cache_ttl: Option<u32>,
    /// Retention of audit records in days.
    #[schemars(range(min = 1, max = MAX_RETENTION_DAYS))]
    audit_retention_days: Option<u32>,
    /// The level of detail of an audit record.
    audit_level: Option<AuditLevel>,
    /// A label of the permitted data region; null for none.
    #[schemars(length(min = 1, max = MAX_REGION_CHARS))]
    region: Option<String>,
    /// Hosts whose URLs may contain restored values; `*.example.com` for all subdomains.
    #[schemars(length(max = MAX_RESTORE_HOSTS))]
    restore_hosts: Option<Vec<String>>,
    /// Retention of responses, so that later requests can continue them.
    sessions: Option<SessionsChange>,
    /// The workspace, if the query does not contain it.
    workspace_id: Option<String>,
}

/// A change of the limits of a workspace.
#[derive(JsonSchema)]
struct RateLimitsChange {
    /// Requests per minute.
    #[schemars(range(min = 1, max = MAX_GATEWAY_RATE))]
    requests_per_minute: Option<u32>,
    /// Requests in flight.
    #[schemars(range(min = 1, max = MAX_GATEWAY_RATE))]
    burst: Option<u32>,
}

/// A change of the options of streamed answers.
#[derive(JsonSchema)]
struct StreamingChange {
    /// Whether streaming is allowed.
    enabled: Option<bool>,
    /// The number of tokens that are held back to find personal data.
    #[schemars(range(min = 1, max = MAX_BUFFER_TOKENS))]
    buffer_tokens: Option<u32>,
    /// Whether an answer that cannot be checked is aborted; null is true.
    fail_closed: Option<bool>,
}

/// A change of the retention of responses.
#[derive(JsonSchema)]
struct SessionsChange {
    /// Whether responses are kept; otherwise `previous_response_id`, `conversation` and `background` are
    /// rejected.
    enabled: Option<bool>,
    /// Seconds for which the values of a response are kept.
    #[schemars(range(min = *SESSION_SECONDS.start(), max = *SESSION_SECONDS.end()))]
    ttl: Option<u32>,
}

/// A policy in a request.
#[derive(JsonSchema)]
pub(super) struct PolicyRequest {
    /// Reported with each finding that it decides on.
    #[schemars(length(min = 1, max = MAX_NAME_CHARS))]
    name: String,
    /// A description.
    #[schemars(length(max = MAX_DESCRIPTION_CHARS))]
    description: Option<String>,
    /// The highest wins; ties go to the stricter action. 0 when absent.
    #[schemars(range(min = -MAX_PRIORITY, max = MAX_PRIORITY))]
    priority: Option<i64>,
    /// The action.
    action: Action,
    /// Alternative conditions; empty for every finding.
    #[schemars(length(max = MAX_CONDITIONS))]
    conditions: Option<Vec<PolicyCondition>>,
    /// Applies only if no other policy does.
    is_default: Option<bool>,
    /// Whether the values that it decides on are restored in the arguments of tools. Absent: they are
    /// restored, except that a value only found in the result of a tool is not passed to another tool.
    restore: Option<bool>,
    /// The workspace, if the query does not contain it.
    workspace_id: Option<String>,
}

/// A change of a policy.
#[derive(JsonSchema)]
pub(super) struct PolicyChange {
    /// Reported with each finding that it decides on.
    #[schemars(length(min = 1, max = MAX_NAME_CHARS))]
    name: Option<String>,
    /// A description.
    #[schemars(length(max = MAX_DESCRIPTION_CHARS))]
    description: Option<String>,
    /// The highest wins; ties go to the stricter action.
    #[schemars(range(min = -MAX_PRIORITY, max = MAX_PRIORITY))]
    priority: Option<i64>,
    /// The action.
    action: Option<Action>,
    /// Alternative conditions; empty for every finding.
    #[schemars(length(max = MAX_CONDITIONS))]
    conditions: Option<Vec<PolicyCondition>>,
    /// Applies only if no other policy does.
    is_default: Option<bool>,
    /// Whether the values that it decides on are restored in the arguments of tools. Absent: they are
    /// restored, except that a value only found in the result of a tool is not passed to another tool.
    restore: Option<bool>,
    /// The workspace, if the query does not contain it.
    workspace_id: Option<String>,
}

/// Texts for testing policies: `text` or `messages`.
#[derive(JsonSchema)]
pub(super) struct PolicyTestRequest {
    /// 1 to 50000 characters.
    #[schemars(length(min = 1, max = MAX_TEXT_CHARS))]
    text: Option<String>,
    /// The messages of a conversation, with 50 texts at most.
    #[schemars(length(min = 1, max = MAX_BATCH))]
    messages: Option<Vec<TestMessage>>,
    /// A policy to test, instead of the stored ones.
    policy: Option<PolicyRequest>,
    /// Policies to test, instead of the stored ones.
    #[schemars(length(max = MAX_WORKSPACE_POLICIES))]
    policies: Option<Vec<PolicyRequest>>,
    /// The action for input without a policy, instead of the configuration's; output is only counted.
    default_action: Option<Action>,
    /// The direction of the texts; `input` when absent.
    direction: Option<Direction>,
    /// The role of the text.
    role: Option<String>,
    /// The LLM provider: its id, or its type if it is the only one of that type.
    provider: Option<String>,
    /// The model.
    model: Option<String>,
    /// The workspace, if the query does not contain it.
    workspace_id: Option<String>,
    #[serde(flatten)]
    detection: DetectOptions,
}

/// A message; only its texts are used.
#[derive(JsonSchema)]
struct TestMessage {
    /// Its role.
    #[schemars(length(min = 1, max = MAX_CONDITION_NAME_BYTES))]
    role: String,
    /// A string, parts with a `text`, or null.
    content: serde_json::Value,
}

/// An export, as sent for an import.
#[derive(JsonSchema)]
pub(super) struct ImportRequest {
    /// The version of the document's format: 1.
    #[schemars(range(min = 1, max = 1))]
    version: Option<i64>,
    /// The treatment of existing records that are not in the document, if the query does not contain it.
    mode: Option<ImportMode>,
    /// The configuration, with the field names of its export; absent fields stay unchanged, or get their
    /// defaults.
    configuration: Option<serde_json::Map<String, serde_json::Value>>,
    /// The policies.
    #[schemars(length(max = MAX_WORKSPACE_POLICIES))]
    policies: Option<Vec<PolicyEntry>>,
    /// The workspace, if the query does not contain it.
    workspace_id: Option<String>,
}

/// A policy of an export.
#[derive(JsonSchema)]
struct PolicyEntry {
    /// The UUID of the policy that it replaces; a new one when absent.
    id: Option<String>,
    /// ISO 8601; the current time when absent.
    #[schemars(extend("format" = "date-time"))]
    created_at: Option<String>,
    #[serde(flatten)]
    policy: PolicyRequest,
}

/// A conversation, in the model's own format. Only the gateway's own fields are described here.
#[derive(JsonSchema)]
pub(super) struct ChatRequest {
    /// A route of the configuration, a model, or an LLM provider and a model separated by a slash; the route
    /// `primary` when absent.
    #[schemars(length(min = 1, max = MAX_MODEL_BYTES))]
    model: Option<String>,
    /// The conversation.
    messages: Vec<serde_json::Value>,
    /// Whether the answer is streamed.
    stream: Option<bool>,
    /// Options of the gateway.
    privacy: Option<PrivacyRequest>,
}

/// A request for a response, in OpenAI's newer protocol; other fields are forwarded.
#[derive(JsonSchema)]
pub(super) struct ResponsesRequest {
    /// As in a conversation.
    #[schemars(length(min = 1, max = MAX_MODEL_BYTES))]
    model: Option<String>,
    /// A text, or a list of items.
    input: serde_json::Value,
    /// Whether the answer is streamed.
    stream: Option<bool>,
    /// The response that this one continues; needs `sessions.enabled`.
    #[schemars(length(min = 1, max = MAX_RESPONSE_ID_BYTES))]
    previous_response_id: Option<String>,
    /// The conversation that the response belongs to, by its id or as an object with it; needs `sessions.enabled`.
    conversation: Option<serde_json::Value>,
    /// Whether the response is generated in the background, to be fetched later; needs `sessions.enabled`.
    background: Option<bool>,
    /// Whether the provider stores the response; absent is true.
    store: Option<bool>,
    /// Options of the gateway.
    privacy: Option<PrivacyRequest>,
}

/// Texts to embed.
#[derive(JsonSchema)]
pub(super) struct EmbeddingsRequest {
    /// As in a conversation.
    #[schemars(length(min = 1, max = MAX_MODEL_BYTES))]
    model: Option<String>,
    /// A text, or a list of texts.
    input: serde_json::Value,
    /// Options of the gateway.
    privacy: Option<PrivacyRequest>,
}

/// Options of the gateway; not forwarded.
#[derive(JsonSchema)]
struct PrivacyRequest {
    /// Country of the texts, ISO 3166-1 alpha-2; it is inferred when absent.
    country: Option<String>,
    /// Language of the texts, ISO 639-1.
    language: Option<String>,
    /// The preset of detection.
    privacy_preset: Option<Preset>,
    /// Whether placeholders in the answer are restored; true when absent.
    restore: Option<bool>,
    /// Hosts whose URLs may contain restored values, in addition to those of the workspace.
    #[schemars(length(max = MAX_RESTORE_HOSTS))]
    restore_hosts: Option<Vec<String>>,
    /// Whether the answer reports the findings in `privacy`.
    report: Option<bool>,
    /// Whether to answer with the request that would be sent, without sending it.
    dry_run: Option<bool>,
}

/// A message of JSON-RPC 2.0.
#[derive(JsonSchema)]
pub(super) struct McpRequest {
    /// Always `2.0`.
    jsonrpc: String,
    /// A string or a number; absent in a notification.
    id: Option<serde_json::Value>,
    /// The method, such as `tools/call`.
    method: String,
    /// The parameters of the method.
    params: Option<serde_json::Map<String, serde_json::Value>>,
}

/// The answer to a message: a result, or an error.
#[derive(JsonSchema)]
pub(super) struct McpResponse {
    /// Always `2.0`.
    jsonrpc: String,
    /// That of the message.
    id: serde_json::Value,
    /// The result of the method.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<serde_json::Map<String, serde_json::Value>>,
    /// The error of the method, with `code` and `message`.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<serde_json::Map<String, serde_json::Value>>,
}

/// Resource spans of OTLP/JSON: an object with `resourceSpans`, or the list of them.
#[derive(JsonSchema)]
#[serde(untagged)]
pub(super) enum LangfuseSpans {
    /// An object with `resourceSpans`.
    Batch(serde_json::Map<String, serde_json::Value>),
    /// The list alone.
    List(Vec<serde_json::Value>),
}

/// An export of OTLP/JSON: an object with `resourceLogs` or `resourceSpans`.
#[derive(JsonSchema)]
pub(super) struct OtlpExport(serde_json::Map<String, serde_json::Value>);

/// The collector's answer: an empty object, or one with `partialSuccess`.
#[derive(JsonSchema)]
pub(super) struct OtlpAnswer(serde_json::Map<String, serde_json::Value>);
