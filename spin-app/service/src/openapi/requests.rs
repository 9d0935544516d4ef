//! The bodies of requests that the service reads in parts, put together from the parts.
#![allow(dead_code, reason = "only their schemas are wanted")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use textveil_engine::{
    Action, DetectOptions, Preset, ProtectOptions,
    limits::{MAX_BATCH, MAX_TEXT_CHARS},
    wire::{ManyTexts, OneText},
};

use crate::{
    configuration::{AuditLevel, ModelRoute},
    limits::{
        MAX_BUFFER_TOKENS, MAX_CACHE_SECONDS, MAX_CONDITION_NAME_BYTES, MAX_CONDITIONS,
        MAX_DESCRIPTION_CHARS, MAX_GATEWAY_RATE, MAX_MODEL_BYTES, MAX_NAME_CHARS, MAX_PRIORITY,
        MAX_REGION_CHARS, MAX_RESPONSE_ID_BYTES, MAX_RESTORE_HOSTS, MAX_RETENTION_DAYS,
        MAX_WORKSPACE_POLICIES, SESSION_SECONDS,
    },
    policies::{Direction, PolicyCondition, RiskLevel},
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
    /// https, on the public internet, unless the operator allows another host.
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

/// What is to change of a gateway configuration; what is absent stays.
#[derive(JsonSchema)]
pub(super) struct ConfigurationChange {
    /// Routes by their name, 50 at most; null takes one away. An LLM provider is named by its id, or by its
    /// type where it is the only one of it.
    providers: Option<BTreeMap<String, Option<ModelRoute>>>,
    /// How much harm findings can do, by their type; null takes one away.
    risk_levels: Option<BTreeMap<String, Option<RiskLevel>>>,
    /// The action for a finding in a request that no policy decides about.
    default_action: Option<Action>,
    /// How much the workspace may ask.
    rate_limits: Option<RateLimitsChange>,
    /// How answers are sent in parts.
    streaming: Option<StreamingChange>,
    /// Seconds for which keys are remembered that are derived from the application's secrets.
    #[schemars(range(max = MAX_CACHE_SECONDS))]
    auth_cache_ttl: Option<u32>,
    /// Seconds for which the configuration and its providers are remembered.
    #[schemars(range(max = MAX_CACHE_SECONDS))]
    provider_config_cache_ttl: Option<u32>,
    /// Seconds for which the policies are remembered.
    #[schemars(range(max = MAX_CACHE_SECONDS))]
    policy_cache_ttl: Option<u32>,
    /// Days that audit records are kept.
    #[schemars(range(min = 1, max = MAX_RETENTION_DAYS))]
    audit_retention_days: Option<u32>,
    /// How much an audit record tells.
    audit_level: Option<AuditLevel>,
    /// A label of where the data may go; null for none.
    #[schemars(length(min = 1, max = MAX_REGION_CHARS))]
    region: Option<String>,
    /// Hosts whose URLs may hold restored values, beside those that the caller wrote; `*.example.com` for all below one.
    #[schemars(length(max = MAX_RESTORE_HOSTS))]
    restore_hosts: Option<Vec<String>>,
    /// What is kept of responses, so that later requests can go on from them.
    sessions: Option<SessionsChange>,
    /// The workspace, where the query does not name it.
    workspace_id: Option<String>,
}

/// What is to change of how much a workspace may ask.
#[derive(JsonSchema)]
struct RateLimitsChange {
    /// Requests a minute.
    #[schemars(range(min = 1, max = MAX_GATEWAY_RATE))]
    requests_per_minute: Option<u32>,
    /// Requests at once.
    #[schemars(range(min = 1, max = MAX_GATEWAY_RATE))]
    burst: Option<u32>,
}

/// What is to change of how answers are sent in parts.
#[derive(JsonSchema)]
struct StreamingChange {
    /// Whether they may be.
    enabled: Option<bool>,
    /// How many tokens are held back, in which findings are looked for.
    #[schemars(range(min = 1, max = MAX_BUFFER_TOKENS))]
    buffer_tokens: Option<u32>,
    /// Whether an answer ends where it cannot be checked; null is true.
    fail_closed: Option<bool>,
}

/// What is to change of what is kept of responses.
#[derive(JsonSchema)]
struct SessionsChange {
    /// Whether anything is kept; otherwise `previous_response_id`, `conversation` and `background` are rejected.
    enabled: Option<bool>,
    /// Seconds for which the values of a response are kept.
    #[schemars(range(min = *SESSION_SECONDS.start(), max = *SESSION_SECONDS.end()))]
    ttl: Option<u32>,
}

/// A policy, as it is sent.
#[derive(JsonSchema)]
pub(super) struct PolicyRequest {
    /// Reported with each finding that it decides about.
    #[schemars(length(min = 1, max = MAX_NAME_CHARS))]
    name: String,
    /// For people.
    #[schemars(length(max = MAX_DESCRIPTION_CHARS))]
    description: Option<String>,
    /// The highest wins; ties go to the stricter action. 0 when absent.
    #[schemars(range(min = -MAX_PRIORITY, max = MAX_PRIORITY))]
    priority: Option<i64>,
    /// What to do.
    action: Action,
    /// Alternatives; none for every finding.
    #[schemars(length(max = MAX_CONDITIONS))]
    conditions: Option<Vec<PolicyCondition>>,
    /// Decides only where no other policy applies.
    is_default: Option<bool>,
    /// Whether the values that it decides about are restored in the arguments of tools. Absent: they are, but a value that
    /// only the result of a tool says is not passed on to another one.
    restore: Option<bool>,
    /// The workspace, where the query does not name it.
    workspace_id: Option<String>,
}

/// What is to change of a policy.
#[derive(JsonSchema)]
pub(super) struct PolicyChange {
    /// Reported with each finding that it decides about.
    #[schemars(length(min = 1, max = MAX_NAME_CHARS))]
    name: Option<String>,
    /// For people.
    #[schemars(length(max = MAX_DESCRIPTION_CHARS))]
    description: Option<String>,
    /// The highest wins; ties go to the stricter action.
    #[schemars(range(min = -MAX_PRIORITY, max = MAX_PRIORITY))]
    priority: Option<i64>,
    /// What to do.
    action: Option<Action>,
    /// Alternatives; none for every finding.
    #[schemars(length(max = MAX_CONDITIONS))]
    conditions: Option<Vec<PolicyCondition>>,
    /// Decides only where no other policy applies.
    is_default: Option<bool>,
    /// Whether the values that it decides about are restored in the arguments of tools. Absent: they are, but a value that
    /// only the result of a tool says is not passed on to another one.
    restore: Option<bool>,
    /// The workspace, where the query does not name it.
    workspace_id: Option<String>,
}

/// Texts on which to try policies: `text` or `messages`.
#[derive(JsonSchema)]
pub(super) struct PolicyTestRequest {
    /// 1 to 50000 characters.
    #[schemars(length(min = 1, max = MAX_TEXT_CHARS))]
    text: Option<String>,
    /// The messages of a conversation, with 50 texts at most.
    #[schemars(length(min = 1, max = MAX_BATCH))]
    messages: Option<Vec<TestMessage>>,
    /// A policy to try, in place of the stored ones.
    policy: Option<PolicyRequest>,
    /// Policies to try, in place of the stored ones.
    #[schemars(length(max = MAX_WORKSPACE_POLICIES))]
    policies: Option<Vec<PolicyRequest>>,
    /// The action for input that no policy decides about, in place of the configuration's; output is only counted.
    default_action: Option<Action>,
    /// Which way the texts go; `input` when absent.
    direction: Option<Direction>,
    /// In which role the text is said.
    role: Option<String>,
    /// The LLM provider: its id, or its type where it is the only one of it.
    provider: Option<String>,
    /// The model.
    model: Option<String>,
    /// The workspace, where the query does not name it.
    workspace_id: Option<String>,
    #[serde(flatten)]
    detection: DetectOptions,
}

/// A message, of which the texts count.
#[derive(JsonSchema)]
struct TestMessage {
    /// Who says it.
    #[schemars(length(min = 1, max = MAX_CONDITION_NAME_BYTES))]
    role: String,
    /// A string, parts with a `text`, or null.
    content: serde_json::Value,
}

/// An export, as it is sent again.
#[derive(JsonSchema)]
pub(super) struct ImportRequest {
    /// Of the form of the document: 1.
    #[schemars(range(min = 1, max = 1))]
    version: Option<i64>,
    /// What becomes of what is there and not in the document, where the query does not say.
    mode: Option<ImportMode>,
    /// The configuration, with the names that it is read with; what is absent stays, or gets its default.
    configuration: Option<serde_json::Map<String, serde_json::Value>>,
    /// The policies.
    #[schemars(length(max = MAX_WORKSPACE_POLICIES))]
    policies: Option<Vec<PolicyEntry>>,
    /// The workspace, where the query does not name it.
    workspace_id: Option<String>,
}

/// A policy of an export.
#[derive(JsonSchema)]
struct PolicyEntry {
    /// Of the policy that it replaces, a UUID; a new one where it is absent.
    id: Option<String>,
    /// ISO 8601; now where it is absent.
    #[schemars(extend("format" = "date-time"))]
    created_at: Option<String>,
    #[serde(flatten)]
    policy: PolicyRequest,
}

/// A conversation, as the model's own interface has it. Only what is this gateway's own is described here.
#[derive(JsonSchema)]
pub(super) struct ChatRequest {
    /// A route of the configuration, a model, or a model behind its LLM provider and a slash; the route
    /// `primary` when absent.
    #[schemars(length(min = 1, max = MAX_MODEL_BYTES))]
    model: Option<String>,
    /// The conversation.
    messages: Vec<serde_json::Value>,
    /// Whether the answer comes in parts.
    stream: Option<bool>,
    /// What the caller wants of the gateway.
    privacy: Option<PrivacyRequest>,
}

/// A request for a response, in OpenAI's newer protocol; what else it has is sent on.
#[derive(JsonSchema)]
pub(super) struct ResponsesRequest {
    /// As in a conversation.
    #[schemars(length(min = 1, max = MAX_MODEL_BYTES))]
    model: Option<String>,
    /// A text, or a list of items.
    input: serde_json::Value,
    /// Whether the answer comes in events.
    stream: Option<bool>,
    /// The response that this one goes on from; needs `sessions.enabled`.
    #[schemars(length(min = 1, max = MAX_RESPONSE_ID_BYTES))]
    previous_response_id: Option<String>,
    /// The conversation that the response belongs to, by its id or as an object with it; needs `sessions.enabled`.
    conversation: Option<serde_json::Value>,
    /// Whether the response is made in the background, to be fetched later; needs `sessions.enabled`.
    background: Option<bool>,
    /// Whether the provider stores the response; absent is true.
    store: Option<bool>,
    /// What the caller wants of the gateway.
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
    /// What the caller wants of the gateway.
    privacy: Option<PrivacyRequest>,
}

/// What the caller wants of the gateway; it is not sent on.
#[derive(JsonSchema)]
struct PrivacyRequest {
    /// Country of the texts, ISO 3166-1 alpha-2; it is inferred when absent.
    country: Option<String>,
    /// Language of the texts, ISO 639-1.
    language: Option<String>,
    /// How much is found.
    privacy_preset: Option<Preset>,
    /// Whether placeholders in the answer are restored; true when absent.
    restore: Option<bool>,
    /// Whether the answer reports the findings in `privacy`.
    report: Option<bool>,
    /// Whether to answer with what would be sent, and to send nothing.
    dry_run: Option<bool>,
}
