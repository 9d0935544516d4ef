//! The descriptions of the operations in the document, each by its id.
//!
//! A route names its description. Its caller, and the errors that follow from that, are known from its row, so a
//! description says what the operation takes, what it answers and its other errors.

use serde_json::{Value, json};
use textveil_engine::{
    options::{AllowRule, CustomDetector, DenyRule},
    wire::{
        DetectBatchResponse, DetectResponse, DetectorsResponse, ProtectBatchResponse, ProtectResponse,
        RestoreRequest, RestoreResponse, ValidateRequest, ValidateResponse,
    },
};

use super::requests::{
    ChatRequest, ConfigurationChange, DetectBatchRequest, DetectRequest, DocumentRequest, EmbeddingsRequest,
    ImportRequest, LangfuseSpans, McpRequest, McpResponse, OtlpAnswer, OtlpExport, PolicyChange,
    PolicyRequest, PolicyTestRequest, ProtectBatchRequest, ProtectRequest, ProviderChange, ResponsesRequest,
};
use crate::{
    audit::Head,
    configuration::Configuration,
    error::Code,
    operation::{Operation, Tag, operation},
    policies::PolicyRecord,
    providers::{Draft, ProviderRecord},
    readiness::Probe,
    routes::{
        api_keys::{ApiKey, ApiKeys, CreateRequest, CreatedApiKey},
        gateway::{
            audit::AuditList,
            configuration::{GatewayProviders, GatewayStatus},
            policies::PolicyList,
            policy_test::PolicyTest,
            transfer::{GatewayExport, GatewayImport},
        },
        guardrails::{
            agent_gateway::{AgentGatewayAnswer, AgentGatewayDecision, AgentGatewayRequest},
            litellm::{LiteLlmRequest, LiteLlmResponse},
            portkey::{PortkeyRequest, PortkeyResponse},
        },
        health::HealthResponse,
        llm_providers::{LlmProviders, ValidatedLlmProvider},
        presidio::{
            analyze::{AnalyzeRequest, Findings},
            anonymize::AnonymizeRequest,
            deanonymize::DeanonymizeRequest,
            rewrite::Rewritten,
        },
        protect_document::DocumentResponse,
        settings::{AllowList, CreatedAllowRule, CustomDetectors, DeletedDetector, DeletedEntry, DenyList},
        sign_in::SignInResponse,
    },
    workspace::ListEntry,
};

/// A JSON object of any content.
type JsonObject = serde_json::Map<String, Value>;

const TEXT: &str = "PESEL 44051401359, e-mail jan.novak@example.cz";
const ADDRESSED: &str = "Write to jan.novak@example.cz.";
const TEXTS: [&str; 2] = ["Call +48 22 694 60 00", "IBAN GB82 WEST 1234 5698 7654 32"];

pub(crate) fn detect() -> Operation {
    operation(Tag::Texts, "Find personal data in a text")
        .says(
            "Entities come ordered by start and never overlap. Without `country`, the likely countries \
                 are inferred and listed in `countries_detected`. Fields that are not known are ignored.",
        )
        .takes::<DetectRequest>(json!({ "text": TEXT }))
        .answers::<DetectResponse>()
        .refuses(Code::BudgetExceeded)
}

pub(crate) fn detect_batch() -> Operation {
    operation(Tag::Texts, "Find personal data in several texts")
        .says("One result a text, in the order of the texts. A batch counts as one request.")
        .takes::<DetectBatchRequest>(json!({ "texts": TEXTS, "privacy_preset": "balanced" }))
        .answers::<DetectBatchResponse>()
        .refuses(Code::BudgetExceeded)
}

pub(crate) fn validate() -> Operation {
    operation(Tag::Texts, "Check one value")
        .says(
            "Whether a value is well-formed and its check digits hold. `metadata.reason` says why a value \
                 was rejected: `format`, `length`, `checksum` or `component`.",
        )
        .takes::<ValidateRequest>(json!({ "value": "44051401359", "entity_type": "pesel", "country": "PL" }))
        .answers::<ValidateResponse>()
}

pub(crate) fn detectors() -> Operation {
    operation(Tag::Texts, "List what can be found")
        .asks(
            "country",
            "ISO 3166-1 alpha-2 code, `EU` or `GLOBAL`: only the detectors of that region.",
            "PL",
        )
        .answers::<DetectorsResponse>()
}

pub(crate) fn protect() -> Operation {
    operation(Tag::Texts, "Replace personal data in a text")
        .says(
            "`replace` writes `[REDACTED]`, `mask` an asterisk for each character, `hash` 16 hex digits \
                 that are the same for the same value, `tokenize` a token that `/api/v1/restore` restores. \
                 `policy` asks the workspace's policies and needs the plan `enterprise`. `operators` say \
                 otherwise for single types. Offsets are in `original_text`; countries are lower case here, \
                 and `phone_number` is written `phone`.",
        )
        .takes::<ProtectRequest>(json!({
            "text": TEXT,
            "mode": "mask",
            "operators": { "email": { "mode": "tokenize" } },
        }))
        .answers::<ProtectResponse>()
        .refuses(Code::PlanRequired)
        .refuses(Code::PolicyViolation)
        .refuses(Code::BudgetExceeded)
}

pub(crate) fn protect_batch() -> Operation {
    operation(Tag::Texts, "Replace personal data in several texts")
        .says("One result a text, in the order of the texts. A batch counts as one request.")
        .takes::<ProtectBatchRequest>(json!({ "texts": TEXTS, "mode": "replace" }))
        .answers::<ProtectBatchResponse>()
        .refuses(Code::PlanRequired)
        .refuses(Code::PolicyViolation)
        .refuses(Code::BudgetExceeded)
}

pub(crate) fn protect_document() -> Operation {
    operation(Tag::Texts, "Replace personal data in a document")
                .says(
                    "Only values change: cells of CSV, keys, strings and numbers of JSON, text and attributes of HTML \
                     and XML, fields and parts of a message (`eml`). Columns, keys and elements label their values. \
                     Of Office documents (`docx`, `pptx`, `odf`), the text comes out, of a workbook (`xlsx`) CSV. Send text as `document`, and other bytes as \
                     `document_base64`; text in it is in `charset`, or in UTF-8, or else in the likely encoding. \
                     A document counts as one request.",
                )
                .takes::<DocumentRequest>(json!({
                    "document": "name,pesel\nAnna,44051401359\n",
                    "format": "csv",
                    "mode": "tokenize",
                }))
                .answers::<DocumentResponse>()
                .refuses(Code::PlanRequired)
                .refuses(Code::PolicyViolation)
                .refuses(Code::BudgetExceeded)
}

pub(crate) fn restore() -> Operation {
    operation(Tag::Texts, "Restore tokens")
        .says(
            "Tokens of the caller's workspace become their original values. Other tokens, and changed ones, \
                 stay as they are and are counted.",
        )
        .takes::<RestoreRequest>(json!({ "text": "Write to tok_xx_email_0000abc" }))
        .answers::<RestoreResponse>()
}

pub(crate) fn mcp() -> Operation {
    operation(Tag::Texts, "Answer the Model Context Protocol")
        .says(
            "Streamable HTTP with one message a request, without sessions and streams. The tools are `detect`, `protect`, \
             `validate` and `list_detectors`; the key needs the scope of each, as for the other routes. A notification \
             is answered with 202. Errors of the protocol are JSON-RPC errors: 400 if a header says something else than \
             the message, 404 for an unknown method.",
        )
        .takes::<McpRequest>(json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": { "name": "detect", "arguments": { "text": TEXT } },
        }))
        .answers::<McpResponse>()
        .takes_notifications()
        .refuses(Code::NotFound)
}

pub(crate) fn health() -> Operation {
    operation(Tag::Operation, "Is the service healthy?").answers::<HealthResponse>()
}

pub(crate) fn custom_detectors() -> Operation {
    operation(Tag::Settings, "List the workspace's own detectors").answers::<CustomDetectors>()
}

pub(crate) fn create_custom_detector() -> Operation {
    operation(Tag::Settings, "Add a detector")
        .says(
            "Every request of the workspace uses it from now on. A pattern that matches the empty text, or \
                 much of ordinary text, is rejected; so is a name of the catalogue.",
        )
        .takes::<CustomDetector>(json!({
            "name": "employee_id",
            "pattern": "EMP-[0-9]{6}",
            "context": ["employee", "staff number"],
            "confidence": 0.8,
            "category": "business",
        }))
        .creates::<CustomDetector>()
}

pub(crate) fn delete_custom_detector() -> Operation {
    operation(Tag::Settings, "Remove a detector")
        .of("name", "The name of the detector.")
        .answers::<DeletedDetector>()
}

pub(crate) fn allow_list() -> Operation {
    operation(Tag::Settings, "List what is never reported").answers::<AllowList>()
}

pub(crate) fn create_allow_rule() -> Operation {
    operation(Tag::Settings, "Add what is never reported")
        .takes::<AllowRule>(json!({ "domain": "example.com" }))
        .creates::<CreatedAllowRule>()
}

pub(crate) fn delete_allow_rule() -> Operation {
    operation(Tag::Settings, "Remove an entry of the allow list")
        .of("id", "The id of the entry.")
        .answers::<DeletedEntry>()
}

pub(crate) fn deny_list() -> Operation {
    operation(Tag::Settings, "List what is always reported").answers::<DenyList>()
}

pub(crate) fn create_deny_rule() -> Operation {
    operation(Tag::Settings, "Add what is always reported")
        .takes::<DenyRule>(json!({ "value": "Project Bluebird", "type": "code_name" }))
        .creates::<ListEntry<DenyRule>>()
}

pub(crate) fn delete_deny_rule() -> Operation {
    operation(Tag::Settings, "Remove an entry of the deny list")
        .of("id", "The id of the entry.")
        .answers::<DeletedEntry>()
}

pub(crate) fn litellm_guardrail() -> Operation {
    operation(Tag::Guardrails, "Answer LiteLLM's guardrail")
        .says(
            "For `guardrail: generic_guardrail_api`. A text of a streamed answer is sent again and again, each time \
             longer; `stream_holdback_chars` says how many characters of it may still change.",
        )
        .takes::<LiteLlmRequest>(json!({
            "input_type": "request",
            "texts": ["Write to jan.novak@example.cz"],
            "structured_messages": user_message("Write to jan.novak@example.cz"),
            "model": "gpt-4o-mini",
        }))
        .answers::<LiteLlmResponse>()
        .refuses(Code::BudgetExceeded)
}

pub(crate) fn agentgateway_request() -> Operation {
    operation(Tag::Guardrails, "Answer agentgateway about a request")
        .says("For the webhook of `promptGuard.request`, in both of its formats.")
        .takes::<AgentGatewayRequest>(
            json!({ "body": { "messages": user_message("Write to jan.novak@example.cz") } }),
        )
        .answers::<AgentGatewayDecision>()
        .refuses(Code::PolicyViolation)
        .refuses(Code::PrivacyCheckFailed)
        .refuses(Code::BudgetExceeded)
}

pub(crate) fn agentgateway_response() -> Operation {
    operation(Tag::Guardrails, "Answer agentgateway about an answer")
        .says("For the webhook of `promptGuard.response`.")
        .takes::<AgentGatewayAnswer>(json!({
            "body": { "choices": [{ "message": { "role": "assistant", "content": "Done." } }] },
        }))
        .answers::<AgentGatewayDecision>()
        .refuses(Code::BudgetExceeded)
}

pub(crate) fn portkey_guardrail() -> Operation {
    operation(Tag::Guardrails, "Answer Portkey's webhook")
        .says("For a webhook among the guardrails of a configuration, before a request or after its answer.")
        .takes::<PortkeyRequest>(json!({
            "request": {
                "json": { "model": "gpt-4o-mini", "messages": user_message("Write to jan.novak@example.cz") },
                "text": "Write to jan.novak@example.cz",
            },
            "requestType": "chatComplete",
            "eventType": "beforeRequestHook",
        }))
        .answers::<PortkeyResponse>()
        .refuses(Code::BudgetExceeded)
}

pub(crate) fn langfuse_masking() -> Operation {
    operation(Tag::Guardrails, "Mask spans for Langfuse")
        .with_options()
        .says(
            "For `LANGFUSE_INGESTION_MASKING_CALLBACK_URL`: an object with `resourceSpans` in OTLP/JSON, or the list \
             of them alone, is answered in the same form. The query has the options: `mode`, `country`, `language` and \
             `privacy_preset`, as for `/api/v1/protect`.",
        )
        .takes::<LangfuseSpans>(json!({ "resourceSpans": [{
            "scopeSpans": [{ "spans": [{
                "name": "chat",
                "attributes": [{ "key": "input.value", "value": { "stringValue": "Write to jan.novak@example.cz" } }],
            }] }],
        }] }))
        .answers::<LangfuseSpans>()
        .refuses(Code::PlanRequired)
        .refuses(Code::PolicyViolation)
        .refuses(Code::BudgetExceeded)
}

pub(crate) fn presidio_analyze() -> Operation {
    operation(Tag::Presidio, "Find personal data, as Presidio does")
        .says(
            "Findings never overlap, the surest come first, and types have Presidio's names where Presidio \
                 has them. The settings of the workspace count as in every call.",
        )
        .takes::<AnalyzeRequest>(json!({ "text": TEXT, "language": "en" }))
        .answers::<Findings>()
        .refuses(Code::BudgetExceeded)
}

pub(crate) fn presidio_recognizers() -> Operation {
    presidio_list("List the recognisers, by our names of types")
}

pub(crate) fn presidio_entities() -> Operation {
    presidio_list("List the types that are found, by their names here")
}

pub(crate) fn presidio_anonymize() -> Operation {
    operation(Tag::Presidio, "Change the findings in a text")
        .says(
            "Findings of one type that overlap, or have only spaces between them, become one; one \
                 inside another goes.",
        )
        .takes::<AnonymizeRequest>(json!({
            "text": "Write to jan.novak@example.cz",
            "analyzer_results": [{ "start": 9, "end": 29, "entity_type": "EMAIL_ADDRESS", "score": 0.99 }],
            "anonymizers": {
                "DEFAULT": { "type": "mask", "masking_char": "*", "chars_to_mask": 9, "from_end": false },
            },
        }))
        .answers::<Rewritten>()
        .refuses(Code::Unprocessable)
}

pub(crate) fn presidio_anonymizers() -> Operation {
    presidio_list("List the ways to change findings")
}

pub(crate) fn presidio_deanonymize() -> Operation {
    operation(Tag::Presidio, "Decrypt encrypted values")
        .takes::<DeanonymizeRequest>(json!({
            "text": "e6HnOMnIxbd4a8Qea44LshQDnjvxwzBIaAz-YqHNnMW2mC5r3AWoay8Spsoajyyy",
            "anonymizer_results": [{ "start": 0, "end": 64, "entity_type": "NUMBER" }],
            "deanonymizers": { "NUMBER": { "type": "decrypt", "key": "1111111111111111" } },
        }))
        .answers::<Rewritten>()
        .refuses(Code::Unprocessable)
}

pub(crate) fn presidio_deanonymizers() -> Operation {
    presidio_list("List the ways to decrypt them")
}

pub(crate) fn api_keys() -> Operation {
    operation(Tag::Keys, "List the workspace's keys")
        .says("Without the keys themselves: each is shown once, when it is made.")
        .answers::<ApiKeys>()
}

pub(crate) fn create_api_key() -> Operation {
    operation(Tag::Keys, "Make a key")
        .says("The key is in this answer and in no other; the service stores its hash only.")
        .takes::<CreateRequest>(json!({
            "name": "checkout",
            "limits": { "requests_per_minute": 600, "concurrent_requests": 20 },
            "expires_at": "2100-01-01T00:00:00Z",
        }))
        .creates::<CreatedApiKey>()
        .refuses(Code::PermissionDenied)
}

pub(crate) fn api_key() -> Operation {
    operation(Tag::Keys, "Show a key").of("id", "The id of the key.").answers::<ApiKey>()
}

pub(crate) fn revoke_api_key() -> Operation {
    operation(Tag::Keys, "Revoke a key")
        .says("The key opens nothing from now on; its record stays in the list.")
        .of("id", "The id of the key.")
        .answers::<ApiKey>()
}

pub(crate) fn llm_providers() -> Operation {
    operation(Tag::Providers, "List the workspace's providers")
        .asks("page", "The page, from 1.", "1")
        .asks("page_size", "Most providers on a page, 1 to 100.", "20")
        .answers::<LlmProviders>()
        .refuses(Code::InvalidRequest)
}

pub(crate) fn create_llm_provider() -> Operation {
    operation(Tag::Providers, "Add a provider")
        .says(
            "The credential is named and never sent: `${OPENAI_API_KEY}` names a secret of \
                 the operator of the service.",
        )
        .takes::<Draft>(provider())
        .creates::<ProviderRecord>()
}

pub(crate) fn llm_provider() -> Operation {
    operation(Tag::Providers, "Show a provider")
        .of("id", "The id of the provider.")
        .answers::<ProviderRecord>()
}

pub(crate) fn replace_llm_provider() -> Operation {
    operation(Tag::Providers, "Replace a provider")
        .says("An absent field becomes its default.")
        .of("id", "The id of the provider.")
        .takes::<Draft>(provider())
        .answers::<ProviderRecord>()
        .refuses(Code::Conflict)
}

pub(crate) fn change_llm_provider() -> Operation {
    operation(Tag::Providers, "Change a provider")
        .says("An absent field stays as it is.")
        .of("id", "The id of the provider.")
        .takes::<ProviderChange>(json!({ "priority": 5, "is_active": false }))
        .answers::<ProviderRecord>()
        .refuses(Code::Conflict)
}

pub(crate) fn delete_llm_provider() -> Operation {
    operation(Tag::Providers, "Remove a provider")
        .says("One that the gateway's configuration names cannot be removed.")
        .of("id", "The id of the provider.")
        .answers::<DeletedEntry>()
        .refuses(Code::Conflict)
}

pub(crate) fn validate_llm_provider() -> Operation {
    operation(Tag::Providers, "Ask a provider")
        .says(
            "Whether it answers and takes the credential; `validation_status` says so from then on. That it \
                 does not is no error of this request.",
        )
        .of("id", "The id of the provider.")
        .answers::<ValidatedLlmProvider>()
}

pub(crate) fn export_logs() -> Operation {
    operation(Tag::Telemetry, "Protect and forward logs")
        .takes::<OtlpExport>(json!({ "resourceLogs": [{ "scopeLogs": [{ "logRecords": [{
                "timeUnixNano": "1795428020250000000",
                "severityText": "INFO",
                "body": exported_text(),
                "attributes": [{ "key": "user.email", "value": { "stringValue": "jan.novak@example.cz" } }],
            }] }] }] }))
        .exported()
}

pub(crate) fn export_traces() -> Operation {
    operation(Tag::Telemetry, "Protect and forward traces")
        .takes::<OtlpExport>(json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": [{
                "traceId": "5b8efff798038103d269b633813fc60c",
                "spanId": "eee19b7ec3c1b174",
                "name": "chat",
                "attributes": [{ "key": "input.value", "value": exported_text() }],
            }] }] }] }))
        .exported()
}

pub(crate) fn gateway_status() -> Operation {
    operation(Tag::Gateway, "Is the gateway well?").answers::<GatewayStatus>()
}

pub(crate) fn gateway_config() -> Operation {
    operation(Tag::Gateway, "Show the configuration")
        .says("A workspace without a configuration has the defaults.")
        .of_a_workspace()
        .answers::<Configuration>()
}

pub(crate) fn change_gateway_config() -> Operation {
    operation(Tag::Gateway,
            "Change the configuration",
        )
        .says(
            "An absent field stays as it is, in maps and objects too. A null takes an entry out of a map and clears \
                 `region` and `streaming.fail_closed`; elsewhere it counts as absent. The names of some \
                 fields differ from those of the answer.",
        )
        .of_a_workspace_or_body()
        .takes::<ConfigurationChange>(json!({
            "providers": { "primary": { "provider": "openai", "model": "gpt-4o-mini" } },
            "risk_levels": { "EMAIL": "MEDIUM", "CREDIT_CARD": "CRITICAL" },
            "default_action": "MASK",
            "rate_limits": { "requests_per_minute": 600, "burst": 20 },
            "streaming": { "enabled": true, "buffer_tokens": 50, "fail_closed": true },
            "auth_cache_ttl": 300,
            "provider_config_cache_ttl": 300,
            "policy_cache_ttl": 60,
            "audit_retention_days": 90,
            "audit_level": "standard",
            "region": "eu",
        }))
        .answers::<Configuration>()
        .refuses(Code::Conflict)
}

pub(crate) fn gateway_providers() -> Operation {
    operation(Tag::Gateway, "List where requests go")
        .says(
            "The models of the routes whose provider is there and active; without any route, the default \
                 models of the active LLM providers.",
        )
        .of_a_workspace()
        .answers::<GatewayProviders>()
}

pub(crate) fn export_gateway_config() -> Operation {
    operation(Tag::Gateway, "Export configuration and policies")
        .says("One document, which can be imported here or elsewhere. Credentials are not in it.")
        .of_a_workspace()
        .answers::<GatewayExport>()
}

pub(crate) fn import_gateway_config() -> Operation {
    operation(Tag::Gateway, "Import configuration and policies")
        .says(
            "An export as it is, or parts of one: a part that is not in the document stays. Policies are \
             the same by their id. Nothing is written where anything is wrong, and the LLM providers that \
             routes name must be there.",
        )
        .of_a_workspace_or_body()
        .asks(
            "mode",
            "`replace`: what is there and not in a part of the document goes. `merge`, which is the default: it stays.",
            "merge",
        )
        .takes::<ImportRequest>(json!({
            "mode": "merge",
            "configuration": { "default_action": "MASK", "audit": { "level": "standard" } },
            "policies": [policy()],
        }))
        .answers::<GatewayImport>()
        .refuses(Code::Conflict)
}

pub(crate) fn gateway_audit_head() -> Operation {
    operation(Tag::Gateway, "Export the signed audit head")
        .says(
            "The end of every audit chain of the workspace, signed under its audit key. Keep it elsewhere: \
                 `textveil audit verify --head` reports records that were removed since, even whole chains.",
        )
        .of_a_workspace()
        .answers::<Head>()
}

pub(crate) fn gateway_audit() -> Operation {
    operation(Tag::Gateway, "List audit records")
        .says(
            "Records of requests and of administrative changes, the newest first, with their actors. Values that \
             were found are never in them. `hash` is the HMAC-SHA256 of a record as it is stored, under a key of \
             the workspace; each record holds the hash of the one before it in its chain.",
        )
        .of_a_workspace()
        .asks("from", "Not before this ISO 8601 timestamp.", "2026-01-01T00:00:00Z")
        .asks("to", "Not after this ISO 8601 timestamp.", "2026-12-31T23:59:59Z")
        .may_ask("event", "Only records of this event, such as `request` or `config_update`.")
        .may_ask("actor", "Only records of this actor, such as `user:u-1` or `service:chat`.")
        .may_ask("action", "Only those of which this was the strictest decision, such as `MASK`.")
        .may_ask(
            "entity_type",
            "Only those in which this type was found. Records of level `minimal` tell no types and are never among them.",
        )
        .may_ask("request_id", "Only that of this request.")
        .may_ask(
            "cursor",
            "The `next_cursor` of an answer that was not complete: the records that were not searched for it.",
        )
        .asks("page", "The page, from 1.", "1")
        .asks("page_size", "Most records on a page, 1 to 100.", "20")
        .answers::<AuditList>()
}

pub(crate) fn gateway_policies() -> Operation {
    operation(Tag::Gateway, "List the policies")
        .of_a_workspace()
        .asks("page", "The page, from 1.", "1")
        .asks("page_size", "Most policies on a page, 1 to 100.", "20")
        .answers::<PolicyList>()
}

pub(crate) fn create_gateway_policy() -> Operation {
    operation(Tag::Gateway, "Add a policy")
        .says(
            "Conditions in the list are alternatives; all keys of one must hold. An unknown key is rejected: \
             dropped silently, it would let values through that the policy must stop. The highest `priority` decides, \
             ties go to the stricter action; a policy that `is_default` decides where no other one applies, \
             and the configuration's `default_action` where none does. Text of the model itself passes \
             through and is counted as `FLAG`, unless a condition with `direction` `output` decides otherwise.",
        )
        .of_a_workspace_or_body()
        .takes::<PolicyRequest>(policy())
        .creates::<PolicyRecord>()
}

pub(crate) fn gateway_policy() -> Operation {
    operation(Tag::Gateway, "Show a policy")
        .of("id", "The id of the policy.")
        .of_a_workspace()
        .answers::<PolicyRecord>()
}

pub(crate) fn replace_gateway_policy() -> Operation {
    operation(Tag::Gateway, "Replace a policy")
        .says("An absent field becomes its default.")
        .of("id", "The id of the policy.")
        .of_a_workspace_or_body()
        .takes::<PolicyRequest>(policy())
        .answers::<PolicyRecord>()
        .refuses(Code::Conflict)
}

pub(crate) fn change_gateway_policy() -> Operation {
    operation(Tag::Gateway, "Change a policy")
        .says("An absent field stays as it is; a field that is null becomes its default.")
        .of("id", "The id of the policy.")
        .of_a_workspace_or_body()
        .takes::<PolicyChange>(json!({ "priority": 20, "action": "REDACT" }))
        .answers::<PolicyRecord>()
        .refuses(Code::Conflict)
}

pub(crate) fn delete_gateway_policy() -> Operation {
    operation(Tag::Gateway, "Remove a policy")
        .of("id", "The id of the policy.")
        .of_a_workspace()
        .answers::<DeletedEntry>()
        .refuses(Code::Conflict)
}

pub(crate) fn test_gateway_policies() -> Operation {
    operation(Tag::Gateway, "Try policies on a text")
        .says(
            "The decision of a draft, or without one of the stored policies, about `text` or `messages`. \
             Nothing is stored and nothing is sent. A masked finding of a request has the placeholder that a \
             model would see.",
        )
        .of_a_workspace_or_body()
        .takes::<PolicyTestRequest>(json!({
            "text": TEXT,
            "policies": [
                { "name": "Mail is masked", "action": "MASK", "conditions": [{ "entity_types": ["EMAIL"] }] },
                { "name": "Identities are redacted", "action": "REDACT", "conditions": [{ "categories": ["identity"] }] },
            ],
        }))
        .answers::<PolicyTest>()
        .refuses(Code::BudgetExceeded)
}

pub(crate) fn chat_completions() -> Operation {
    operation(Tag::Models, "OpenAI's chat completions")
        .says(
            "`model` is a route of the configuration, a model, or a model behind its LLM provider and a slash. \
             Every string of the body is looked at, and the answer is OpenAI's, in parts with `stream`.",
        )
        .takes::<ChatRequest>(json!({ "model": "primary", "messages": user_message(ADDRESSED) }))
        .answers::<JsonObject>()
        .through_a_model()
}

pub(crate) fn messages() -> Operation {
    operation(Tag::Models, "Anthropic's messages")
        .says("For routes to Anthropic.")
        .takes::<ChatRequest>(
            json!({ "model": "primary", "max_tokens": 100, "messages": user_message(ADDRESSED) }),
        )
        .answers::<JsonObject>()
        .through_a_model()
}

pub(crate) fn count_tokens() -> Operation {
    operation(Tag::Models, "Anthropic's count of tokens")
        .says("Of the messages as the model would see them.")
        .takes::<ChatRequest>(json!({ "model": "primary", "messages": user_message(ADDRESSED) }))
        .answers::<JsonObject>()
        .through_a_model()
}

pub(crate) fn responses() -> Operation {
    operation(Tag::Models, "OpenAI's responses")
        .says(
            "As chat completions, in OpenAI's newer protocol, in events with `stream`. `previous_response_id`, \
             `conversation` and `background` need `sessions.enabled` of the workspace's configuration: the gateway \
             then keeps the values of responses that the provider stores, sealed.",
        )
        .takes::<ResponsesRequest>(json!({ "model": "primary", "input": ADDRESSED }))
        .answers::<JsonObject>()
        .through_a_model()
}

pub(crate) fn embeddings() -> Operation {
    operation(Tag::Models, "OpenAI's embeddings")
        .says("Of texts, not of tokens, which cannot be inspected.")
        .takes::<EmbeddingsRequest>(json!({ "model": "primary", "input": ADDRESSED }))
        .answers::<JsonObject>()
        .through_a_model()
}

pub(crate) fn models() -> Operation {
    operation(Tag::Models, "OpenAI's list of models")
        .says("The names that requests may have for a model.")
        .answers::<JsonObject>()
        .refuses(Code::InvalidRequest)
}

pub(crate) fn response() -> Operation {
    operation(Tag::Models, "Show a stored response").says(
            "Of the same caller, while its session is kept; such as one that was made in the background. In events with \
             `stream=true`, without `starting_after`.",
        ).stored()
}

pub(crate) fn delete_response() -> Operation {
    operation(Tag::Models, "Delete a stored response").says("At its provider, with its session.").stored()
}

pub(crate) fn cancel_response() -> Operation {
    operation(Tag::Models, "Stop a response that is made in the background").stored()
}

pub(crate) fn response_input_items() -> Operation {
    operation(Tag::Models, "List the items that a response was made of").stored()
}

pub(crate) fn alive() -> Operation {
    operation(Tag::Operation, "Does the service run?").says("For load balancers.").answers::<Probe>()
}

pub(crate) fn ready() -> Operation {
    operation(Tag::Operation, "Can the service answer?")
        .says("For load balancers: its stores answer and its secrets are set.")
        .answers::<Probe>()
        .refuses(Code::ServiceUnavailable)
}

pub(crate) fn metrics() -> Operation {
    operation(Tag::Operation, "Counts, in Prometheus' text format")
        .answers::<String>()
        .in_format("text/plain; version=0.0.4; charset=utf-8")
        .refuses(Code::ServiceUnavailable)
}

pub(crate) fn openapi() -> Operation {
    operation(Tag::Operation, "This description, for programs").answers::<JsonObject>().cached()
}

pub(crate) fn docs() -> Operation {
    operation(Tag::Operation, "This description, for people")
        .answers::<String>()
        .in_format("text/html; charset=utf-8")
        .cached()
}

pub(crate) fn sign_in() -> Operation {
    operation(Tag::Operation, "How do people sign in?")
        .says("For the console: the operator's identity provider, which issues user access tokens.")
        .answers::<SignInResponse>()
}

/// A list that Presidio's clients ask for.
fn presidio_list(summary: &'static str) -> Operation {
    operation(Tag::Presidio, summary).answers::<Vec<String>>().asks(
        "language",
        "Ignored: every recogniser works in every language.",
        "en",
    )
}

impl Operation {
    /// An export of telemetry, which the collector answers.
    fn exported(self) -> Self {
        let operation = self
            .with_options()
            .says(
                "Nothing is forwarded unprotected. The statuses 429, 502, 503 and 504 of the collector are passed on with \
                 `Retry-After`, as are those that reject the export.",
            )
            .answers::<OtlpAnswer>()
            .refuses(Code::PlanRequired);
        let codes = [
            Code::PolicyViolation,
            Code::BudgetExceeded,
            Code::NotSupported,
            Code::UpstreamError,
            Code::UpstreamRefused,
            Code::UpstreamTimeout,
        ];
        codes.into_iter().fold(operation, Self::refuses)
    }

    /// A request that the gateway sends to a language model's provider.
    fn through_a_model(self) -> Self {
        let codes = [
            Code::PolicyViolation,
            Code::BudgetExceeded,
            Code::NotFound,
            Code::NotSupported,
            Code::UpstreamError,
            Code::UpstreamRefused,
            Code::PrivacyCheckFailed,
            Code::NoProvider,
            Code::UpstreamTimeout,
        ];
        codes.into_iter().fold(self, Self::refuses)
    }

    /// An operation on a response that the provider stored.
    fn stored(self) -> Self {
        self.of("id", "The id of the response.").through_a_model().answers::<JsonObject>()
    }

    /// Adds the options in the query of a protected export.
    fn with_options(self) -> Self {
        self.may_ask("mode", "`replace`, `mask`, `hash`, `tokenize` or `policy`; `replace` when absent.")
            .may_ask("country", "ISO 3166-1 alpha-2 code of the country that the texts are about.")
            .may_ask("language", "Language of the texts.")
            .may_ask("privacy_preset", "`conservative`, `balanced` or `aggressive`; `balanced` when absent.")
    }
}

fn user_message(text: &str) -> Value {
    json!([{ "role": "user", "content": text }])
}

fn exported_text() -> Value {
    json!({ "stringValue": "Write to jan.novak@example.cz" })
}

fn provider() -> Value {
    json!({
        "provider_type": "openai",
        "display_name": "OpenAI",
        "credential_source": "env_placeholder",
        "env_placeholder": "${OPENAI_API_KEY}",
        "base_url": "https://api.openai.com/v1",
        "default_model": "gpt-4o-mini",
        "allowed_models": ["gpt-4o-mini", "gpt-4o"],
        "supports_streaming": true,
        "priority": 10,
        "is_platform_default": true,
    })
}

fn policy() -> Value {
    json!({
        "name": "Cards stay here",
        "description": "No card number leaves the company.",
        "priority": 10,
        "action": "BLOCK",
        "conditions": [{ "entity_types": ["CREDIT_CARD"], "confidence_min": 0.8, "direction": "input" }],
        "is_default": false,
    })
}
