//! The descriptions of the endpoints in the document.
//!
//! A new endpoint is described here: its caller, and the errors that follow from that, are known, so
//! an entry says what it takes, what it answers and its other errors.

use http::StatusCode;
use schemars::{JsonSchema, Schema, SchemaGenerator};
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
    chat::protocol::StoredResponse,
    configuration::Configuration,
    error::Code,
    policies::PolicyRecord,
    providers::{Draft, ProviderRecord},
    readiness::Probe,
    router::{Admin, Chat, Endpoint, Gateway, Guardrail, Keyed, Open, Presidio, SignedIn, Telemetry},
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

/// Makes the schema of a type, as a reference to it where it has a name.
pub(super) type MakeSchema = fn(&mut SchemaGenerator) -> Schema;

/// A group of operations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Texts,
    Settings,
    Keys,
    Providers,
    Gateway,
    Models,
    Presidio,
    Guardrails,
    Telemetry,
    Operation,
}

impl Tag {
    /// Every group, in the order in which they are shown.
    pub const ALL: [Self; 10] = [
        Self::Texts,
        Self::Settings,
        Self::Keys,
        Self::Providers,
        Self::Gateway,
        Self::Models,
        Self::Presidio,
        Self::Guardrails,
        Self::Telemetry,
        Self::Operation,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Texts => "Texts",
            Self::Settings => "Settings of a workspace",
            Self::Keys => "API keys",
            Self::Providers => "LLM providers",
            Self::Gateway => "Gateway",
            Self::Models => "Language models",
            Self::Presidio => "Presidio's protocol",
            Self::Guardrails => "Guardrails of other gateways",
            Self::Telemetry => "Telemetry",
            Self::Operation => "Operation",
        }
    }

    pub fn description(self) -> &'static str {
        match self {
            Self::Texts => "Find, check, replace and restore personal data.",
            Self::Settings => "Detectors and lists that every request of a workspace uses.",
            Self::Keys => "The keys of a workspace, managed by its users.",
            Self::Providers => {
                "The language models that a workspace's gateway may send to, managed by its users."
            }
            Self::Gateway => {
                "The routes and policies for the requests of a workspace, for services with a service token."
            }
            Self::Models => {
                "Requests of applications to language models, by their usual client with this host as its base URL \
                 (`https://host/v1`, or `https://host/api/v1/gateway`) and a service token as its key. The model \
                 sees placeholders, the application the real values. The workspace is `workspace_id` in the query, \
                 or the header `X-Workspace-Id`, else `default`. Every other path below either base, \
                 except the administration's, is answered with 501."
            }
            Self::Presidio => {
                "For clients of Presidio's analyzer and anonymizer. The API key may be the password of the URL, \
                 whatever the user: `http://key:fpk_…@host`. Errors are `{\"error\": message}`."
            }
            Self::Guardrails => {
                "For LiteLLM, agentgateway and Portkey, which ask about each request and each answer. The policies, lists \
                 and audit of the key's workspace apply; the action `MASK` makes a token, since a placeholder could not be \
                 restored without its request. Tokens of an answer are restored where the key has the scope `restore`, \
                 except in the arguments of tools."
            }
            Self::Telemetry => {
                "For exporters of OpenTelemetry, in OTLP over HTTP in JSON, with `https://host/api/v1/otlp` as their \
                 endpoint. Texts are protected, with the key of an attribute as its label; then the operator's collector \
                 gets the export, and its answer becomes the answer. A body may be compressed with gzip. Errors are \
                 `{\"code\": number, \"message\": message}`."
            }
            Self::Operation => "Health, metrics, and this description.",
        }
    }
}

/// A parameter of the path or of the query; a string.
pub(super) struct Parameter {
    pub name: &'static str,
    pub required: bool,
    pub description: &'static str,
    pub example: Option<&'static str>,
}

/// The body that an operation takes.
pub(super) struct Body {
    pub schema: MakeSchema,
    pub example: Value,
}

/// The content that an operation answers with.
pub(super) struct Content {
    pub media_type: &'static str,
    pub schema: MakeSchema,
}

/// The description of one operation.
pub(super) struct Operation {
    pub id: &'static str,
    pub tag: Tag,
    pub summary: &'static str,
    pub description: &'static str,
    pub path: Option<Parameter>,
    pub query: Vec<Parameter>,
    pub body: Option<Body>,
    pub status: StatusCode,
    pub content: Content,
    /// May be answered with 304.
    pub cached: bool,
    /// May be answered with 202 and no body.
    pub takes_notifications: bool,
    /// Its errors, in addition to those of every operation of its kind.
    pub refuses: Vec<Code>,
}

/// The description of an endpoint.
pub(super) fn describe(endpoint: Endpoint) -> Operation {
    match endpoint {
        Endpoint::Open(open) => self::open(open),
        Endpoint::Keyed(keyed) => self::keyed(keyed),
        Endpoint::User(user) => self::user(user),
        Endpoint::Gateway(gateway) => self::gateway(gateway),
    }
}

/// Starts a description.
fn operation(id: &'static str, tag: Tag, summary: &'static str) -> Operation {
    Operation {
        id,
        tag,
        summary,
        description: "",
        path: None,
        query: Vec::new(),
        body: None,
        status: StatusCode::OK,
        content: Content { media_type: "application/json", schema: SchemaGenerator::subschema_for::<Value> },
        cached: false,
        takes_notifications: false,
        refuses: Vec::new(),
    }
}

impl Operation {
    fn says(self, description: &'static str) -> Self {
        Self { description, ..self }
    }

    /// The parameter of the path.
    fn of(self, name: &'static str, description: &'static str) -> Self {
        Self { path: Some(Parameter { name, required: true, description, example: None }), ..self }
            .refuses(Code::NotFound)
    }

    fn asks(mut self, name: &'static str, description: &'static str, example: &'static str) -> Self {
        self.query.push(Parameter { name, required: false, description, example: Some(example) });
        self
    }

    /// A parameter of the query without which the example is sent.
    fn may_ask(mut self, name: &'static str, description: &'static str) -> Self {
        self.query.push(Parameter { name, required: false, description, example: None });
        self
    }

    /// Of the workspace that the query names.
    fn of_a_workspace(self) -> Self {
        self.workspace(true, "The workspace.")
    }

    /// Of the workspace that the query or the body names.
    fn of_a_workspace_or_body(self) -> Self {
        self.workspace(false, "The workspace, where the body does not name it.")
    }

    fn workspace(mut self, required: bool, description: &'static str) -> Self {
        let example = Some("initech");
        self.query.push(Parameter { name: "workspace_id", required, description, example });
        self.refuses(Code::InvalidRequest)
    }

    /// The body is a `T`; the example is sent in a test, whose answer becomes the example of the answer.
    fn takes<T: JsonSchema>(self, example: Value) -> Self {
        let body = Body { schema: SchemaGenerator::subschema_for::<T>, example };
        let read =
            [Code::InvalidRequest, Code::RequestTimeout, Code::PayloadTooLarge, Code::UnsupportedMediaType];
        read.into_iter().fold(Self { body: Some(body), ..self }, Self::refuses)
    }

    fn answers<T: JsonSchema>(self) -> Self {
        let content = Content { schema: SchemaGenerator::subschema_for::<T>, ..self.content };
        Self { content, ..self }
    }

    fn creates<T: JsonSchema>(self) -> Self {
        Self { status: StatusCode::CREATED, ..self.answers::<T>() }.refuses(Code::Conflict)
    }

    fn takes_notifications(self) -> Self {
        Self { takes_notifications: true, ..self }
    }

    fn in_format(self, media_type: &'static str) -> Self {
        Self { content: Content { media_type, ..self.content }, ..self }
    }

    fn cached(self) -> Self {
        Self { cached: true, ..self }
    }

    fn refuses(mut self, code: Code) -> Self {
        self.refuses.push(code);
        self
    }
}

const TEXT: &str = "PESEL 44051401359, e-mail jan.novak@example.cz";
const TEXTS: [&str; 2] = ["Call +48 22 694 60 00", "IBAN GB82 WEST 1234 5698 7654 32"];

fn keyed(endpoint: Keyed) -> Operation {
    match endpoint {
        Keyed::Detect => operation("detect", Tag::Texts, "Find personal data in a text")
            .says(
                "Entities come ordered by start and never overlap. Without `country`, the likely countries \
                 are inferred and listed in `countries_detected`. Fields that are not known are ignored.",
            )
            .takes::<DetectRequest>(json!({ "text": TEXT }))
            .answers::<DetectResponse>()
            .refuses(Code::BudgetExceeded),
        Keyed::DetectBatch => operation("detect_batch", Tag::Texts, "Find personal data in several texts")
            .says("One result a text, in the order of the texts. A batch counts as one request.")
            .takes::<DetectBatchRequest>(json!({ "texts": TEXTS, "privacy_preset": "balanced" }))
            .answers::<DetectBatchResponse>()
            .refuses(Code::BudgetExceeded),
        Keyed::Validate => operation("validate", Tag::Texts, "Check one value")
            .says(
                "Whether a value is well-formed and its check digits hold. `metadata.reason` says why a value \
                 was rejected: `format`, `length`, `checksum` or `component`.",
            )
            .takes::<ValidateRequest>(json!({ "value": "44051401359", "entity_type": "pesel", "country": "PL" }))
            .answers::<ValidateResponse>(),
        Keyed::Detectors => operation("detectors", Tag::Texts, "List what can be found")
            .asks("country", "ISO 3166-1 alpha-2 code, `EU` or `GLOBAL`: only the detectors of that region.", "PL")
            .answers::<DetectorsResponse>(),
        Keyed::Protect => operation("protect", Tag::Texts, "Replace personal data in a text")
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
            .refuses(Code::BudgetExceeded),
        Keyed::ProtectBatch => operation("protect_batch", Tag::Texts, "Replace personal data in several texts")
            .says("One result a text, in the order of the texts. A batch counts as one request.")
            .takes::<ProtectBatchRequest>(json!({ "texts": TEXTS, "mode": "replace" }))
            .answers::<ProtectBatchResponse>()
            .refuses(Code::PlanRequired)
            .refuses(Code::PolicyViolation)
            .refuses(Code::BudgetExceeded),
        Keyed::ProtectDocument => {
            operation("protect_document", Tag::Texts, "Replace personal data in a document")
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
        Keyed::Restore => operation("restore", Tag::Texts, "Restore tokens")
            .says(
                "Tokens of the caller's workspace become their original values. Other tokens, and changed ones, \
                 stay as they are and are counted.",
            )
            .takes::<RestoreRequest>(json!({ "text": "Write to tok_xx_email_0000abc" }))
            .answers::<RestoreResponse>(),
        Keyed::Mcp => operation("mcp", Tag::Texts, "Answer the Model Context Protocol")
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
            .refuses(Code::NotFound),
        Keyed::Health => operation("health", Tag::Operation, "Is the service healthy?").answers::<HealthResponse>(),
        Keyed::CustomDetectors => operation("custom_detectors", Tag::Settings, "List the workspace's own detectors")
            .answers::<CustomDetectors>(),
        Keyed::CreateCustomDetector => operation("create_custom_detector", Tag::Settings, "Add a detector")
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
            .creates::<CustomDetector>(),
        Keyed::DeleteCustomDetector => operation("delete_custom_detector", Tag::Settings, "Remove a detector")
            .of("name", "The name of the detector.")
            .answers::<DeletedDetector>(),
        Keyed::AllowList => operation("allow_list", Tag::Settings, "List what is never reported")
            .answers::<AllowList>(),
        Keyed::CreateAllowRule => operation("create_allow_rule", Tag::Settings, "Add what is never reported")
            .takes::<AllowRule>(json!({ "domain": "example.com" }))
            .creates::<CreatedAllowRule>(),
        Keyed::DeleteAllowRule => operation("delete_allow_rule", Tag::Settings, "Remove an entry of the allow list")
            .of("id", "The id of the entry.")
            .answers::<DeletedEntry>(),
        Keyed::DenyList => operation("deny_list", Tag::Settings, "List what is always reported")
            .answers::<DenyList>(),
        Keyed::CreateDenyRule => operation("create_deny_rule", Tag::Settings, "Add what is always reported")
            .takes::<DenyRule>(json!({ "value": "Project Bluebird", "type": "code_name" }))
            .creates::<ListEntry<DenyRule>>(),
        Keyed::DeleteDenyRule => operation("delete_deny_rule", Tag::Settings, "Remove an entry of the deny list")
            .of("id", "The id of the entry.")
            .answers::<DeletedEntry>(),
        Keyed::Presidio(endpoint) => presidio(endpoint),
        Keyed::Guardrail(endpoint) => guardrail(endpoint),
    }
}

fn guardrail(endpoint: Guardrail) -> Operation {
    let messages = json!([{ "role": "user", "content": "Write to jan.novak@example.cz" }]);
    match endpoint {
        Guardrail::LiteLlm => operation("litellm_guardrail", Tag::Guardrails, "Answer LiteLLM's guardrail")
            .says(
                "For `guardrail: generic_guardrail_api`. A text of a streamed answer is sent again and again, each time \
                 longer; `stream_holdback_chars` says how many characters of it may still change.",
            )
            .takes::<LiteLlmRequest>(json!({
                "input_type": "request",
                "texts": ["Write to jan.novak@example.cz"],
                "structured_messages": messages,
                "model": "gpt-4o-mini",
            }))
            .answers::<LiteLlmResponse>(),
        Guardrail::AgentGatewayRequest => operation(
            "agentgateway_request",
            Tag::Guardrails,
            "Answer agentgateway about a request",
        )
        .says("For the webhook of `promptGuard.request`, in both of its formats.")
        .takes::<AgentGatewayRequest>(json!({ "body": { "messages": messages } }))
        .answers::<AgentGatewayDecision>()
        .refuses(Code::PolicyViolation)
        .refuses(Code::PrivacyCheckFailed),
        Guardrail::AgentGatewayResponse => operation(
            "agentgateway_response",
            Tag::Guardrails,
            "Answer agentgateway about an answer",
        )
        .says("For the webhook of `promptGuard.response`.")
        .takes::<AgentGatewayAnswer>(json!({
            "body": { "choices": [{ "message": { "role": "assistant", "content": "Done." } }] },
        }))
        .answers::<AgentGatewayDecision>(),
        Guardrail::Portkey => operation("portkey_guardrail", Tag::Guardrails, "Answer Portkey's webhook")
            .says("For a webhook among the guardrails of a configuration, before a request or after its answer.")
            .takes::<PortkeyRequest>(json!({
                "request": {
                    "json": { "model": "gpt-4o-mini", "messages": messages },
                    "text": "Write to jan.novak@example.cz",
                },
                "requestType": "chatComplete",
                "eventType": "beforeRequestHook",
            }))
            .answers::<PortkeyResponse>(),
        Guardrail::Langfuse => protecting(operation("langfuse_masking", Tag::Guardrails, "Mask spans for Langfuse"))
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
            .refuses(Code::PolicyViolation),
    }
    .refuses(Code::BudgetExceeded)
}

fn presidio(endpoint: Presidio) -> Operation {
    let list = |id, summary| {
        operation(id, Tag::Presidio, summary).answers::<Vec<String>>().asks(
            "language",
            "Ignored: every recogniser works in every language.",
            "en",
        )
    };
    match endpoint {
        Presidio::Analyze => operation(
            "presidio_analyze",
            Tag::Presidio,
            "Find personal data, as Presidio does",
        )
        .says(
            "Findings never overlap, the surest come first, and types have Presidio's names where Presidio \
                 has them. The settings of the workspace count as in every call.",
        )
        .takes::<AnalyzeRequest>(json!({ "text": TEXT, "language": "en" }))
        .answers::<Findings>()
        .refuses(Code::BudgetExceeded),
        Presidio::Recognizers => list("presidio_recognizers", "List the recognisers, by our names of types"),
        Presidio::SupportedEntities => {
            list("presidio_entities", "List the types that are found, by their names here")
        }
        Presidio::Anonymize => operation(
            "presidio_anonymize",
            Tag::Presidio,
            "Change the findings in a text",
        )
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
        .refuses(Code::Unprocessable),
        Presidio::Anonymizers => list("presidio_anonymizers", "List the ways to change findings"),
        Presidio::Deanonymize => operation("presidio_deanonymize", Tag::Presidio, "Decrypt encrypted values")
            .takes::<DeanonymizeRequest>(json!({
                "text": "e6HnOMnIxbd4a8Qea44LshQDnjvxwzBIaAz-YqHNnMW2mC5r3AWoay8Spsoajyyy",
                "anonymizer_results": [{ "start": 0, "end": 64, "entity_type": "NUMBER" }],
                "deanonymizers": { "NUMBER": { "type": "decrypt", "key": "1111111111111111" } },
            }))
            .answers::<Rewritten>()
            .refuses(Code::Unprocessable),
        Presidio::Deanonymizers => list("presidio_deanonymizers", "List the ways to decrypt them"),
    }
}

fn user(endpoint: SignedIn) -> Operation {
    match endpoint {
        SignedIn::ApiKeys => operation("api_keys", Tag::Keys, "List the workspace's keys")
            .says("Without the keys themselves: each is shown once, when it is made.")
            .answers::<ApiKeys>(),
        SignedIn::CreateApiKey => operation("create_api_key", Tag::Keys, "Make a key")
            .says("The key is in this answer and in no other; the service stores its hash only.")
            .takes::<CreateRequest>(json!({
                "name": "checkout",
                "limits": { "requests_per_minute": 600, "concurrent_requests": 20 },
                "expires_at": "2100-01-01T00:00:00Z",
            }))
            .creates::<CreatedApiKey>()
            .refuses(Code::PermissionDenied),
        SignedIn::ApiKey => {
            operation("api_key", Tag::Keys, "Show a key").of("id", "The id of the key.").answers::<ApiKey>()
        }
        SignedIn::RevokeApiKey => operation("revoke_api_key", Tag::Keys, "Revoke a key")
            .says("The key opens nothing from now on; its record stays in the list.")
            .of("id", "The id of the key.")
            .answers::<ApiKey>(),
        SignedIn::LlmProviders => {
            operation("llm_providers", Tag::Providers, "List the workspace's providers")
                .asks("page", "The page, from 1.", "1")
                .asks("page_size", "Most providers on a page, 1 to 100.", "20")
                .answers::<LlmProviders>()
                .refuses(Code::InvalidRequest)
        }
        SignedIn::CreateLlmProvider => operation("create_llm_provider", Tag::Providers, "Add a provider")
            .says(
                "The credential is named and never sent: `${OPENAI_API_KEY}` names a secret of \
                 the operator of the service.",
            )
            .takes::<Draft>(provider())
            .creates::<ProviderRecord>(),
        SignedIn::LlmProvider => operation("llm_provider", Tag::Providers, "Show a provider")
            .of("id", "The id of the provider.")
            .answers::<ProviderRecord>(),
        SignedIn::ReplaceLlmProvider => {
            operation("replace_llm_provider", Tag::Providers, "Replace a provider")
                .says("An absent field becomes its default.")
                .of("id", "The id of the provider.")
                .takes::<Draft>(provider())
                .answers::<ProviderRecord>()
                .refuses(Code::Conflict)
        }
        SignedIn::ChangeLlmProvider => operation("change_llm_provider", Tag::Providers, "Change a provider")
            .says("An absent field stays as it is.")
            .of("id", "The id of the provider.")
            .takes::<ProviderChange>(json!({ "priority": 5, "is_active": false }))
            .answers::<ProviderRecord>()
            .refuses(Code::Conflict),
        SignedIn::DeleteLlmProvider => operation("delete_llm_provider", Tag::Providers, "Remove a provider")
            .says("One that the gateway's configuration names cannot be removed.")
            .of("id", "The id of the provider.")
            .answers::<DeletedEntry>()
            .refuses(Code::Conflict),
    }
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

fn gateway(endpoint: Gateway) -> Operation {
    match endpoint {
        Gateway::ValidateLlmProvider => operation("validate_llm_provider", Tag::Providers, "Ask a provider")
            .says(
                "Whether it answers and takes the credential; `validation_status` says so from then on. That it \
                 does not is no error of this request.",
            )
            .of("id", "The id of the provider.")
            .answers::<ValidatedLlmProvider>(),
        Gateway::Admin(endpoint) => admin(endpoint),
        Gateway::Chat(endpoint) => chat(endpoint),
        Gateway::Telemetry(endpoint) => telemetry(endpoint),
    }
}

fn telemetry(endpoint: Telemetry) -> Operation {
    let text = json!({ "stringValue": "Write to jan.novak@example.cz" });
    let operation = match endpoint {
        Telemetry::Logs => operation("export_logs", Tag::Telemetry, "Protect and forward logs")
            .takes::<OtlpExport>(json!({ "resourceLogs": [{ "scopeLogs": [{ "logRecords": [{
                "timeUnixNano": "1795428020250000000",
                "severityText": "INFO",
                "body": text,
                "attributes": [{ "key": "user.email", "value": { "stringValue": "jan.novak@example.cz" } }],
            }] }] }] })),
        Telemetry::Traces => operation("export_traces", Tag::Telemetry, "Protect and forward traces")
            .takes::<OtlpExport>(json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": [{
                "traceId": "5b8efff798038103d269b633813fc60c",
                "spanId": "eee19b7ec3c1b174",
                "name": "chat",
                "attributes": [{ "key": "input.value", "value": text }],
            }] }] }] })),
    };
    protecting(operation)
        .says(
            "Nothing is forwarded unprotected. The statuses 429, 502, 503 and 504 of the collector are passed on with \
             `Retry-After`, as are those that reject the export.",
        )
        .answers::<OtlpAnswer>()
        .refuses(Code::PlanRequired)
}

/// Adds the options in the query of a protected export.
fn protecting(operation: Operation) -> Operation {
    operation
        .may_ask("mode", "`replace`, `mask`, `hash`, `tokenize` or `policy`; `replace` when absent.")
        .may_ask("country", "ISO 3166-1 alpha-2 code of the country that the texts are about.")
        .may_ask("language", "Language of the texts.")
        .may_ask("privacy_preset", "`conservative`, `balanced` or `aggressive`; `balanced` when absent.")
}

fn admin(endpoint: Admin) -> Operation {
    match endpoint {
        Admin::Status => {
            operation("gateway_status", Tag::Gateway, "Is the gateway well?").answers::<GatewayStatus>()
        }
        Admin::Configuration => operation("gateway_config", Tag::Gateway, "Show the configuration")
            .says("A workspace without a configuration has the defaults.")
            .of_a_workspace()
            .answers::<Configuration>(),
        Admin::ChangeConfiguration => operation(
            "change_gateway_config",
            Tag::Gateway,
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
        .refuses(Code::Conflict),
        Admin::Providers => operation("gateway_providers", Tag::Gateway, "List where requests go")
            .says(
                "The models of the routes whose provider is there and active; without any route, the default \
                 models of the active LLM providers.",
            )
            .of_a_workspace()
            .answers::<GatewayProviders>(),
        Admin::Export => operation("export_gateway_config", Tag::Gateway, "Export configuration and policies")
            .says("One document, which can be imported here or elsewhere. Credentials are not in it.")
            .of_a_workspace()
            .answers::<GatewayExport>(),
        Admin::Import => operation("import_gateway_config", Tag::Gateway, "Import configuration and policies")
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
            .refuses(Code::Conflict),
        Admin::AuditHead => operation("gateway_audit_head", Tag::Gateway, "Export the signed audit head")
            .says(
                "The end of every audit chain of the workspace, signed under its audit key. Keep it elsewhere: \
                 `textveil audit verify --head` reports records that were removed since, even whole chains.",
            )
            .of_a_workspace()
            .answers::<Head>(),
        Admin::Audit => operation("gateway_audit", Tag::Gateway, "List audit records")
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
            .answers::<AuditList>(),
        Admin::Policies => operation("gateway_policies", Tag::Gateway, "List the policies")
            .of_a_workspace()
            .asks("page", "The page, from 1.", "1")
            .asks("page_size", "Most policies on a page, 1 to 100.", "20")
            .answers::<PolicyList>(),
        Admin::CreatePolicy => operation("create_gateway_policy", Tag::Gateway, "Add a policy")
            .says(
                "Conditions in the list are alternatives; all keys of one must hold. An unknown key is rejected: \
                 dropped silently, it would let values through that the policy must stop. The highest `priority` decides, \
                 ties go to the stricter action; a policy that `is_default` decides where no other one applies, \
                 and the configuration's `default_action` where none does. Text of the model itself passes \
                 through and is counted as `FLAG`, unless a condition with `direction` `output` decides otherwise.",
            )
            .of_a_workspace_or_body()
            .takes::<PolicyRequest>(policy())
            .creates::<PolicyRecord>(),
        Admin::Policy => operation("gateway_policy", Tag::Gateway, "Show a policy")
            .of("id", "The id of the policy.")
            .of_a_workspace()
            .answers::<PolicyRecord>(),
        Admin::ReplacePolicy => operation("replace_gateway_policy", Tag::Gateway, "Replace a policy")
            .says("An absent field becomes its default.")
            .of("id", "The id of the policy.")
            .of_a_workspace_or_body()
            .takes::<PolicyRequest>(policy())
            .answers::<PolicyRecord>()
            .refuses(Code::Conflict),
        Admin::ChangePolicy => operation("change_gateway_policy", Tag::Gateway, "Change a policy")
            .says("An absent field stays as it is; a field that is null becomes its default.")
            .of("id", "The id of the policy.")
            .of_a_workspace_or_body()
            .takes::<PolicyChange>(json!({ "priority": 20, "action": "REDACT" }))
            .answers::<PolicyRecord>()
            .refuses(Code::Conflict),
        Admin::DeletePolicy => operation("delete_gateway_policy", Tag::Gateway, "Remove a policy")
            .of("id", "The id of the policy.")
            .of_a_workspace()
            .answers::<DeletedEntry>()
            .refuses(Code::Conflict),
        Admin::TestPolicies => operation("test_gateway_policies", Tag::Gateway, "Try policies on a text")
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
            .refuses(Code::BudgetExceeded),
    }
}

fn chat(endpoint: Chat) -> Operation {
    let message = json!([{ "role": "user", "content": "Write to jan.novak@example.cz." }]);
    match endpoint {
        Chat::Completions => operation("chat_completions", Tag::Models, "OpenAI's chat completions")
            .says(
                "`model` is a route of the configuration, a model, or a model behind its LLM provider and a slash. \
                 Every string of the body is looked at, and the answer is OpenAI's, in parts with `stream`. Also at \
                 `/v1/chat/completions`.",
            )
            .takes::<ChatRequest>(json!({ "model": "primary", "messages": message })),
        Chat::Messages => operation("messages", Tag::Models, "Anthropic's messages")
            .says("For routes to Anthropic. Also at `/v1/messages`.")
            .takes::<ChatRequest>(json!({ "model": "primary", "max_tokens": 100, "messages": message })),
        Chat::CountTokens => operation("count_tokens", Tag::Models, "Anthropic's count of tokens")
            .says("Of the messages as the model would see them. Also at `/v1/messages/count_tokens`.")
            .takes::<ChatRequest>(json!({ "model": "primary", "messages": message })),
        Chat::Responses => operation("responses", Tag::Models, "OpenAI's responses")
            .says(
                "As chat completions, in OpenAI's newer protocol, in events with `stream`. `previous_response_id`, \
                 `conversation` and `background` need `sessions.enabled` of the workspace's configuration: the gateway \
                 then keeps the values of responses that the provider stores, sealed. Also at `/v1/responses`.",
            )
            .takes::<ResponsesRequest>(json!({ "model": "primary", "input": "Write to jan.novak@example.cz." })),
        Chat::Stored(what) => stored(what),
        Chat::Embeddings => operation("embeddings", Tag::Models, "OpenAI's embeddings")
            .says("Of texts, not of tokens, which cannot be inspected. Also at `/v1/embeddings`.")
            .takes::<EmbeddingsRequest>(json!({ "model": "primary", "input": "Write to jan.novak@example.cz." })),
        Chat::Models => operation("models", Tag::Models, "OpenAI's list of models")
            .says("The names that requests may have for a model. Also at `/v1/models`."),
    }
    .answers::<serde_json::Map<String, Value>>()
}

fn stored(what: StoredResponse) -> Operation {
    match what {
        StoredResponse::Show => operation("response", Tag::Models, "Show a stored response").says(
            "Of the same caller, while its session is kept; such as one that was made in the background. In events with \
             `stream=true`, without `starting_after`.",
        ),
        StoredResponse::Delete => operation("delete_response", Tag::Models, "Delete a stored response")
            .says("At its provider, with its session."),
        StoredResponse::Cancel => {
            operation("cancel_response", Tag::Models, "Stop a response that is made in the background")
        }
        StoredResponse::Input => {
            operation("response_input_items", Tag::Models, "List the items that a response was made of")
        }
    }
    .of("id", "The id of the response.")
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

fn open(endpoint: Open) -> Operation {
    match endpoint {
        Open::Alive => operation("alive", Tag::Operation, "Does the service run?")
            .says("For load balancers.")
            .answers::<Probe>(),
        Open::Ready => operation("ready", Tag::Operation, "Can the service answer?")
            .says("For load balancers: its stores answer and its secrets are set.")
            .answers::<Probe>()
            .refuses(Code::ServiceUnavailable),
        Open::Metrics => operation("metrics", Tag::Operation, "Counts, in Prometheus' text format")
            .answers::<String>()
            .in_format("text/plain; version=0.0.4; charset=utf-8")
            .refuses(Code::ServiceUnavailable),
        Open::OpenApi => operation("openapi", Tag::Operation, "This description, for programs")
            .answers::<serde_json::Map<String, Value>>()
            .cached(),
        Open::Docs => operation("docs", Tag::Operation, "This description, for people")
            .answers::<String>()
            .in_format("text/html; charset=utf-8")
            .cached(),
        Open::SignIn => operation("sign_in", Tag::Operation, "How do people sign in?")
            .says("For the console: the operator's identity provider, which issues user access tokens.")
            .answers::<SignInResponse>(),
    }
}
