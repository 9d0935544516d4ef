//! The table of routes: the endpoint of a method and a path, its credential, and its body limit.

use std::sync::LazyLock;

use http::Method;

use crate::{
    auth::CredentialKind,
    chat::protocol::StoredResponse,
    error::{ApiError, Shape},
    limits::{
        MAX_BATCH_BODY_BYTES, MAX_BODY_BYTES, MAX_CHAT_BODY_BYTES, MAX_DOCUMENT_BODY_BYTES,
        MAX_IMPORT_BODY_BYTES, MAX_RECORD_BODY_BYTES,
    },
    scope::Scope,
};

/// The function of a route, by its group; the handlers are in the modules `routes` and `gateway`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// Health, metrics, documentation and the ways to sign in.
    Open(Open),
    /// Detection, protection and settings, by API key.
    Keyed(Keyed),
    /// API keys and LLM providers, by user access token.
    User(SignedIn),
    /// Endpoints of the gateway component, the only one that may send requests to providers.
    Gateway(Gateway),
}

impl Endpoint {
    /// The shape of its error bodies.
    pub(crate) fn shape(self) -> Shape {
        match self {
            Self::Keyed(Keyed::Presidio(_)) => Shape::Presidio,
            Self::Keyed(Keyed::Guardrail(
                Guardrail::AgentGatewayRequest | Guardrail::AgentGatewayResponse,
            )) => Shape::AgentGateway,
            Self::Keyed(Keyed::Mcp) => Shape::JsonRpc,
            Self::Gateway(Gateway::Chat(chat)) => chat.shape(),
            Self::Gateway(Gateway::Telemetry(_)) => Shape::Otlp,
            Self::Open(_) | Self::Keyed(_) | Self::User(_) | Self::Gateway(_) => Shape::Own,
        }
    }
}

/// Endpoints of operation, of documentation and of the page where people sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// For load balancers: the service runs.
    Alive,
    /// For load balancers: the service can answer.
    Ready,
    /// Counts for Prometheus.
    Metrics,
    /// The OpenAPI document.
    OpenApi,
    /// The documentation of the API.
    Docs,
    /// The identity provider of the console.
    SignIn,
}

/// Endpoints by API key. They count against the limits of the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyed {
    /// Finds personal data in a text.
    Detect,
    /// Finds personal data in several texts.
    DetectBatch,
    /// Checks one value.
    Validate,
    /// Lists the detectors.
    Detectors,
    /// Replaces personal data in a text.
    Protect,
    /// Replaces personal data in several texts.
    ProtectBatch,
    /// Replaces personal data in a document of a known format.
    ProtectDocument,
    /// Restores tokens.
    Restore,
    /// Answers the Model Context Protocol.
    Mcp,
    /// Reports the health of the service to a client.
    Health,
    /// Lists the workspace's own detectors.
    CustomDetectors,
    /// Adds a detector to the workspace.
    CreateCustomDetector,
    /// Removes a detector from the workspace.
    DeleteCustomDetector,
    /// Lists the entries of the allow list.
    AllowList,
    /// Adds an entry to the allow list.
    CreateAllowRule,
    /// Removes an entry from the allow list.
    DeleteAllowRule,
    /// Lists the entries of the deny list.
    DenyList,
    /// Adds an entry to the deny list.
    CreateDenyRule,
    /// Removes an entry from the deny list.
    DeleteDenyRule,
    /// Presidio's protocol; see [`crate::auth::presidio`] for the ways to send the key.
    Presidio(Presidio),
    /// A guardrail of another gateway.
    Guardrail(Guardrail),
}

/// Endpoints that other gateways ask about requests and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guardrail {
    /// LiteLLM, about both.
    LiteLlm,
    /// agentgateway, about a request.
    AgentGatewayRequest,
    /// agentgateway, about an answer.
    AgentGatewayResponse,
    /// Portkey, about both.
    Portkey,
    /// Langfuse, about spans that it stores.
    Langfuse,
}

/// Endpoints of Presidio's protocol: those of its analyzer and of its anonymizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presidio {
    /// Finds personal data in a text, or in several.
    Analyze,
    /// Lists the recognizers.
    Recognizers,
    /// Lists the types that can be found.
    SupportedEntities,
    /// Applies operators to the findings of a text.
    Anonymize,
    /// Lists the operators.
    Anonymizers,
    /// Decrypts encrypted findings.
    Deanonymize,
    /// Lists the operators that decrypt.
    Deanonymizers,
}

/// Endpoints of a signed-in user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedIn {
    /// Lists the workspace's API keys.
    ApiKeys,
    /// Makes an API key.
    CreateApiKey,
    /// Shows the record of an API key.
    ApiKey,
    /// Revokes an API key.
    RevokeApiKey,
    /// Lists the workspace's LLM providers.
    LlmProviders,
    /// Adds an LLM provider.
    CreateLlmProvider,
    /// Shows an LLM provider.
    LlmProvider,
    /// Replaces the settings of an LLM provider.
    ReplaceLlmProvider,
    /// Changes some settings of an LLM provider.
    ChangeLlmProvider,
    /// Removes an LLM provider.
    DeleteLlmProvider,
}

/// Endpoints of the gateway component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gateway {
    /// Checks that an LLM provider answers and accepts the credential; for a signed-in user.
    ValidateLlmProvider,
    /// The administration of the gateway, by service token.
    Admin(Admin),
    /// The protocols of language models, by service token.
    Chat(Chat),
    /// Exports of telemetry, by API key.
    Telemetry(Telemetry),
}

/// Endpoints that replace those of a collector of telemetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telemetry {
    /// Log records.
    Logs,
    /// Spans.
    Traces,
}

/// Endpoints that replace those of a language model's provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chat {
    /// OpenAI's chat completions.
    Completions,
    /// OpenAI's embeddings.
    Embeddings,
    /// OpenAI's list of models.
    Models,
    /// Anthropic's messages.
    Messages,
    /// Anthropic's count of the tokens of messages.
    CountTokens,
    /// OpenAI's responses.
    Responses,
    /// A response that the provider stored.
    Stored(StoredResponse),
}

impl Chat {
    /// The shape of its error bodies.
    pub(crate) fn shape(self) -> Shape {
        match self {
            Self::Completions | Self::Embeddings | Self::Models | Self::Responses | Self::Stored(_) => {
                Shape::OpenAi
            }
            Self::Messages | Self::CountTokens => Shape::Anthropic,
        }
    }

    /// The name in metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Completions => "chat_completions",
            Self::Embeddings => "embeddings",
            Self::Models => "models",
            Self::Messages => "messages",
            Self::CountTokens => "count_tokens",
            Self::Responses => "responses",
            Self::Stored(StoredResponse::Show) => "responses_show",
            Self::Stored(StoredResponse::Delete) => "responses_delete",
            Self::Stored(StoredResponse::Cancel) => "responses_cancel",
            Self::Stored(StoredResponse::Input) => "responses_input_items",
        }
    }
}

/// Endpoints of the gateway's administration, by service token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admin {
    /// Reports the status of the gateway.
    Status,
    /// Shows the configuration of a workspace.
    Configuration,
    /// Changes some of the configuration of a workspace.
    ChangeConfiguration,
    /// Lists the destinations of a workspace's requests.
    Providers,
    /// Exports configuration and policies as one document.
    Export,
    /// Imports configuration and policies from one document.
    Import,
    /// Lists the policies of a workspace.
    Policies,
    /// Adds a policy.
    CreatePolicy,
    /// Shows a policy.
    Policy,
    /// Replaces a policy.
    ReplacePolicy,
    /// Changes some fields of a policy.
    ChangePolicy,
    /// Removes a policy.
    DeletePolicy,
    /// Reports what policies would decide about texts.
    TestPolicies,
    /// Lists the audit records of a workspace.
    Audit,
    /// Exports the signed head of the audit chains of a workspace.
    AuditHead,
}

/// The rule that determines the workspace of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkspaceRule {
    /// The request has no workspace.
    None,
    /// The workspace of the credential.
    OfCredential,
    /// The `workspace_id` in the query or in the body.
    Named,
    /// The same, but the query has priority over the body: an export may be imported into another workspace.
    NamedByQueryFirst,
}

/// One method of a path: its endpoint, its credential, and its body limit.
#[derive(Debug)]
pub struct Route {
    /// The pattern, such as `/api/v1/api-keys/{id}`.
    pub path: &'static str,
    /// The method; GET includes HEAD.
    pub method: Method,
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The required kind of credential.
    pub credential: CredentialKind,
    /// The scopes of which the credential must have one; empty if none is required.
    pub any_of: &'static [Scope],
    /// The rule that determines the workspace.
    pub workspace: WorkspaceRule,
    /// The maximum size of a body in bytes; 0 if no body is read.
    pub max_body: usize,
}

use Scope as S;

const TEXT: usize = MAX_BODY_BYTES;
const TEXTS: usize = MAX_BATCH_BODY_BYTES;
const DOCUMENT: usize = MAX_DOCUMENT_BODY_BYTES;
const RECORD: usize = MAX_RECORD_BODY_BYTES;
const IMPORT: usize = MAX_IMPORT_BODY_BYTES;
const CHAT: usize = MAX_CHAT_BODY_BYTES;

/// To take an entry from the allow list, which strengthens protection.
const CHANGE_ALLOWED: &[Scope] = &[S::SettingsWrite, S::SettingsAllow];
const READ_SETTINGS: &[Scope] = &[S::SettingsRead, S::SettingsWrite, S::SettingsAllow];
const READ_KEYS: &[Scope] = &[S::SettingsRead, S::Keys];
const READ_PROVIDERS: &[Scope] = &[S::SettingsRead, S::Providers];
const READ_GATEWAY: &[Scope] = &[S::SettingsRead, S::GatewayAdmin];
const WRITE_GATEWAY: &[Scope] = &[S::GatewayAdmin];

/// Every route, with its access in the same row.
pub static ROUTES: [Route; 85] = [
    key(Method::POST, "/api/v1/detect", Keyed::Detect, &[S::Detect], TEXT),
    key(Method::POST, "/api/v1/detect/batch", Keyed::DetectBatch, &[S::Detect], TEXTS),
    key(Method::POST, "/api/v1/validate", Keyed::Validate, &[S::Detect], TEXT),
    key(Method::GET, "/api/v1/detectors", Keyed::Detectors, &[], 0),
    key(Method::POST, "/api/v1/protect", Keyed::Protect, &[S::Protect], TEXT),
    key(Method::POST, "/api/v1/protect/batch", Keyed::ProtectBatch, &[S::Protect], TEXTS),
    key(Method::POST, "/api/v1/documents", Keyed::ProtectDocument, &[S::Protect], DOCUMENT),
    key(Method::POST, "/api/v1/restore", Keyed::Restore, &[S::Restore], TEXT),
    key(Method::POST, "/mcp", Keyed::Mcp, &[S::Detect, S::Protect], TEXT),
    key(Method::GET, "/api/v1/health", Keyed::Health, &[], 0),
    key(Method::GET, "/api/v1/custom-detectors", Keyed::CustomDetectors, READ_SETTINGS, 0),
    key(Method::POST, "/api/v1/custom-detectors", Keyed::CreateCustomDetector, &[S::SettingsWrite], RECORD),
    key(
        Method::DELETE,
        "/api/v1/custom-detectors/{name}",
        Keyed::DeleteCustomDetector,
        &[S::SettingsWrite],
        0,
    ),
    key(Method::GET, "/api/v1/allow-list", Keyed::AllowList, READ_SETTINGS, 0),
    key(Method::POST, "/api/v1/allow-list", Keyed::CreateAllowRule, &[S::SettingsAllow], RECORD),
    key(Method::DELETE, "/api/v1/allow-list/{id}", Keyed::DeleteAllowRule, CHANGE_ALLOWED, 0),
    key(Method::GET, "/api/v1/deny-list", Keyed::DenyList, READ_SETTINGS, 0),
    key(Method::POST, "/api/v1/deny-list", Keyed::CreateDenyRule, &[S::SettingsWrite], RECORD),
    key(Method::DELETE, "/api/v1/deny-list/{id}", Keyed::DeleteDenyRule, &[S::SettingsWrite], 0),
    user(Method::GET, "/api/v1/api-keys", SignedIn::ApiKeys, READ_KEYS, 0),
    user(Method::POST, "/api/v1/api-keys", SignedIn::CreateApiKey, &[S::Keys], RECORD),
    user(Method::GET, "/api/v1/api-keys/{id}", SignedIn::ApiKey, READ_KEYS, 0),
    user(Method::DELETE, "/api/v1/api-keys/{id}", SignedIn::RevokeApiKey, &[S::Keys], 0),
    user(Method::GET, "/api/v1/llm-providers", SignedIn::LlmProviders, READ_PROVIDERS, 0),
    user(Method::POST, "/api/v1/llm-providers", SignedIn::CreateLlmProvider, &[S::Providers], RECORD),
    user(Method::GET, "/api/v1/llm-providers/{id}", SignedIn::LlmProvider, READ_PROVIDERS, 0),
    user(Method::PUT, "/api/v1/llm-providers/{id}", SignedIn::ReplaceLlmProvider, &[S::Providers], RECORD),
    user(Method::PATCH, "/api/v1/llm-providers/{id}", SignedIn::ChangeLlmProvider, &[S::Providers], RECORD),
    user(Method::DELETE, "/api/v1/llm-providers/{id}", SignedIn::DeleteLlmProvider, &[S::Providers], 0),
    Route {
        path: "/api/v1/llm-providers/{id}/validate",
        method: Method::POST,
        endpoint: Endpoint::Gateway(Gateway::ValidateLlmProvider),
        credential: CredentialKind::User,
        any_of: &[S::Providers],
        workspace: WorkspaceRule::OfCredential,
        max_body: 0,
    },
    Route {
        path: "/api/v1/gateway/status",
        method: Method::GET,
        endpoint: Endpoint::Gateway(Gateway::Admin(Admin::Status)),
        credential: CredentialKind::Service,
        any_of: &[],
        workspace: WorkspaceRule::None,
        max_body: 0,
    },
    admin(Method::GET, "/api/v1/gateway/config", Admin::Configuration, READ_GATEWAY, 0),
    admin(Method::PUT, "/api/v1/gateway/config", Admin::ChangeConfiguration, WRITE_GATEWAY, RECORD),
    admin(Method::GET, "/api/v1/gateway/config/export", Admin::Export, READ_GATEWAY, 0),
    Route {
        path: "/api/v1/gateway/config/import",
        method: Method::POST,
        endpoint: Endpoint::Gateway(Gateway::Admin(Admin::Import)),
        credential: CredentialKind::Service,
        any_of: WRITE_GATEWAY,
        workspace: WorkspaceRule::NamedByQueryFirst,
        max_body: IMPORT,
    },
    admin(Method::GET, "/api/v1/gateway/providers", Admin::Providers, READ_GATEWAY, 0),
    admin(Method::GET, "/api/v1/gateway/audit", Admin::Audit, &[S::AuditRead], 0),
    admin(Method::GET, "/api/v1/gateway/audit/head", Admin::AuditHead, &[S::AuditRead], 0),
    admin(Method::GET, "/api/v1/gateway/policies", Admin::Policies, READ_GATEWAY, 0),
    admin(Method::POST, "/api/v1/gateway/policies", Admin::CreatePolicy, WRITE_GATEWAY, RECORD),
    admin(Method::POST, "/api/v1/gateway/policies/test", Admin::TestPolicies, READ_GATEWAY, TEXTS),
    admin(Method::GET, "/api/v1/gateway/policies/{id}", Admin::Policy, READ_GATEWAY, 0),
    admin(Method::PUT, "/api/v1/gateway/policies/{id}", Admin::ReplacePolicy, WRITE_GATEWAY, RECORD),
    admin(Method::PATCH, "/api/v1/gateway/policies/{id}", Admin::ChangePolicy, WRITE_GATEWAY, RECORD),
    admin(Method::DELETE, "/api/v1/gateway/policies/{id}", Admin::DeletePolicy, WRITE_GATEWAY, 0),
    chat(Method::POST, "/api/v1/gateway/chat/completions", Chat::Completions, CHAT),
    chat(Method::POST, "/v1/chat/completions", Chat::Completions, CHAT),
    chat(Method::POST, "/api/v1/gateway/embeddings", Chat::Embeddings, CHAT),
    chat(Method::POST, "/v1/embeddings", Chat::Embeddings, CHAT),
    chat(Method::GET, "/api/v1/gateway/models", Chat::Models, 0),
    chat(Method::GET, "/v1/models", Chat::Models, 0),
    chat(Method::POST, "/api/v1/gateway/messages", Chat::Messages, CHAT),
    chat(Method::POST, "/v1/messages", Chat::Messages, CHAT),
    chat(Method::POST, "/api/v1/gateway/messages/count_tokens", Chat::CountTokens, CHAT),
    chat(Method::POST, "/v1/messages/count_tokens", Chat::CountTokens, CHAT),
    chat(Method::POST, "/api/v1/gateway/responses", Chat::Responses, CHAT),
    chat(Method::POST, "/v1/responses", Chat::Responses, CHAT),
    chat(Method::GET, "/api/v1/gateway/responses/{id}", Chat::Stored(StoredResponse::Show), 0),
    chat(Method::GET, "/v1/responses/{id}", Chat::Stored(StoredResponse::Show), 0),
    chat(Method::DELETE, "/api/v1/gateway/responses/{id}", Chat::Stored(StoredResponse::Delete), 0),
    chat(Method::DELETE, "/v1/responses/{id}", Chat::Stored(StoredResponse::Delete), 0),
    chat(Method::POST, "/api/v1/gateway/responses/{id}/cancel", Chat::Stored(StoredResponse::Cancel), 0),
    chat(Method::POST, "/v1/responses/{id}/cancel", Chat::Stored(StoredResponse::Cancel), 0),
    chat(Method::GET, "/api/v1/gateway/responses/{id}/input_items", Chat::Stored(StoredResponse::Input), 0),
    chat(Method::GET, "/v1/responses/{id}/input_items", Chat::Stored(StoredResponse::Input), 0),
    presidio(Method::POST, "/analyze", Presidio::Analyze, &[S::Detect], TEXTS),
    presidio(Method::GET, "/recognizers", Presidio::Recognizers, &[], 0),
    presidio(Method::GET, "/supportedentities", Presidio::SupportedEntities, &[], 0),
    presidio(Method::POST, "/anonymize", Presidio::Anonymize, &[S::Protect], TEXT),
    presidio(Method::GET, "/anonymizers", Presidio::Anonymizers, &[], 0),
    presidio(Method::POST, "/deanonymize", Presidio::Deanonymize, &[S::Restore], TEXT),
    presidio(Method::GET, "/deanonymizers", Presidio::Deanonymizers, &[], 0),
    guardrail("/beta/litellm_basic_guardrail_api", Guardrail::LiteLlm),
    guardrail("/request", Guardrail::AgentGatewayRequest),
    guardrail("/response", Guardrail::AgentGatewayResponse),
    guardrail("/api/v1/guardrails/portkey", Guardrail::Portkey),
    guardrail("/api/v1/guardrails/langfuse", Guardrail::Langfuse),
    telemetry("/api/v1/otlp/v1/logs", Telemetry::Logs),
    telemetry("/api/v1/otlp/v1/traces", Telemetry::Traces),
    open(Method::GET, "/healthz", Open::Alive),
    open(Method::GET, "/readyz", Open::Ready),
    Route {
        path: "/metrics",
        method: Method::GET,
        endpoint: Endpoint::Open(Open::Metrics),
        credential: CredentialKind::ServiceAsKey,
        any_of: &[S::Metrics],
        workspace: WorkspaceRule::None,
        max_body: 0,
    },
    open(Method::GET, "/api/v1/openapi.json", Open::OpenApi),
    open(Method::GET, "/docs/api", Open::Docs),
    open(Method::GET, "/api/v1/sign-in", Open::SignIn),
];

impl Route {
    /// Whether the body may be a list, as Langfuse sends spans.
    pub(crate) fn takes_list(&self) -> bool {
        self.endpoint == Endpoint::Keyed(Keyed::Guardrail(Guardrail::Langfuse))
    }

    /// Whether the body is an export of telemetry.
    pub(crate) fn takes_telemetry(&self) -> bool {
        matches!(self.endpoint, Endpoint::Gateway(Gateway::Telemetry(_)))
    }

    /// Whether a request counts against the limits of an API key.
    pub(crate) fn is_of_key(&self) -> bool {
        matches!(self.credential, CredentialKind::ApiKey | CredentialKind::PresidioKey)
    }

    /// Whether the path is an alias, for clients that append their own path to the origin.
    pub fn is_alias(&self) -> bool {
        self.path.starts_with("/v1/")
    }
}

const fn open(method: Method, path: &'static str, endpoint: Open) -> Route {
    Route {
        path,
        method,
        endpoint: Endpoint::Open(endpoint),
        credential: CredentialKind::None,
        any_of: &[],
        workspace: WorkspaceRule::None,
        max_body: 0,
    }
}

const fn key(
    method: Method,
    path: &'static str,
    endpoint: Keyed,
    any_of: &'static [Scope],
    max_body: usize,
) -> Route {
    Route {
        path,
        method,
        endpoint: Endpoint::Keyed(endpoint),
        credential: CredentialKind::ApiKey,
        any_of,
        workspace: WorkspaceRule::OfCredential,
        max_body,
    }
}

const fn presidio(
    method: Method,
    path: &'static str,
    endpoint: Presidio,
    any_of: &'static [Scope],
    max_body: usize,
) -> Route {
    Route {
        path,
        method,
        endpoint: Endpoint::Keyed(Keyed::Presidio(endpoint)),
        credential: CredentialKind::PresidioKey,
        any_of,
        workspace: WorkspaceRule::OfCredential,
        max_body,
    }
}

const fn guardrail(path: &'static str, endpoint: Guardrail) -> Route {
    key(Method::POST, path, Keyed::Guardrail(endpoint), &[S::Protect], CHAT)
}

const fn telemetry(path: &'static str, endpoint: Telemetry) -> Route {
    Route {
        path,
        method: Method::POST,
        endpoint: Endpoint::Gateway(Gateway::Telemetry(endpoint)),
        credential: CredentialKind::ApiKey,
        any_of: &[S::Protect],
        workspace: WorkspaceRule::OfCredential,
        max_body: CHAT,
    }
}

const fn user(
    method: Method,
    path: &'static str,
    endpoint: SignedIn,
    any_of: &'static [Scope],
    max_body: usize,
) -> Route {
    Route {
        path,
        method,
        endpoint: Endpoint::User(endpoint),
        credential: CredentialKind::User,
        any_of,
        workspace: WorkspaceRule::OfCredential,
        max_body,
    }
}

const fn admin(
    method: Method,
    path: &'static str,
    endpoint: Admin,
    any_of: &'static [Scope],
    max_body: usize,
) -> Route {
    Route {
        path,
        method,
        endpoint: Endpoint::Gateway(Gateway::Admin(endpoint)),
        credential: CredentialKind::Service,
        any_of,
        workspace: WorkspaceRule::Named,
        max_body,
    }
}

const fn chat(method: Method, path: &'static str, endpoint: Chat, max_body: usize) -> Route {
    Route {
        path,
        method,
        endpoint: Endpoint::Gateway(Gateway::Chat(endpoint)),
        credential: CredentialKind::ServiceAsKey,
        any_of: &[S::GatewayChat],
        workspace: WorkspaceRule::Named,
        max_body,
    }
}

/// The routes of one path.
type Methods = Vec<&'static Route>;

static PATHS: LazyLock<matchit::Router<Methods>> = LazyLock::new(|| {
    let mut paths = matchit::Router::new();
    for path in self::paths() {
        let methods = ROUTES.iter().filter(|route| route.path == path).collect();
        // the tests call every path, so they would find two that conflict
        let _ = paths.insert(path, methods);
    }
    paths
});

/// Returns every path of the table, once.
pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
    let first = |index: &usize| {
        let path = |at: usize| ROUTES.get(at).map(|route| route.path);
        !(0..*index).any(|earlier| path(earlier) == path(*index))
    };
    (0..ROUTES.len()).filter(first).filter_map(|index| ROUTES.get(index)).map(|route| route.path)
}

/// The routes of a requested path.
pub(crate) struct Found {
    /// The path's pattern.
    pub path: &'static str,
    /// The value of the pattern's parameter; empty without one.
    pub parameter: String,
    methods: &'static Methods,
}

/// Returns the routes of a path, for all methods.
pub(crate) fn at(path: &str) -> Option<Found> {
    let found = PATHS.at(path).ok()?;
    let parameter = found.params.iter().next().map(|(_, value)| value.to_owned()).unwrap_or_default();
    Some(Found { path: found.value.first()?.path, parameter, methods: found.value })
}

impl Found {
    /// Returns the route of a method.
    ///
    /// # Errors
    /// `method_not_allowed`
    pub(crate) fn route(&self, method: &Method) -> Result<&'static Route, ApiError> {
        let asked = if method == Method::HEAD { &Method::GET } else { method };
        let route = self.methods.iter().find(|route| route.method == *asked).copied();
        route.ok_or_else(|| ApiError::method_not_allowed(&self.allow()))
    }

    /// Returns the format of error bodies of this path.
    pub(crate) fn shape(&self) -> Shape {
        self.methods.first().map_or(Shape::Own, |route| route.endpoint.shape())
    }

    fn allow(&self) -> String {
        let names = self.methods.iter().map(|route| match route.method {
            Method::GET => "GET, HEAD",
            ref method => method.as_str(),
        });
        names.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_is_reached() {
        for route in &ROUTES {
            let path = route.path.replace("{id}", "x").replace("{name}", "x");
            let found = at(&path).unwrap();
            let reached = found.route(&route.method).unwrap();
            assert_eq!((found.path, reached.endpoint), (route.path, route.endpoint), "{}", route.method);
        }
    }

    #[test]
    fn every_change_asks_for_a_credential_and_a_scope() {
        for route in &ROUTES {
            let what = format!("{} {}", route.method, route.path);
            if route.method != Method::GET {
                assert!(!route.any_of.is_empty(), "{what} asks for no scope");
            }
            let is_open = route.credential == CredentialKind::None;
            assert!(!is_open || route.any_of.is_empty(), "{what} asks for a scope and for no credential");
            // by design: liveness, readiness, the documentation and the ways to sign in
            assert_eq!(
                is_open,
                matches!(route.endpoint, Endpoint::Open(open) if open != Open::Metrics),
                "{what}"
            );
            let has_workspace = route.workspace != WorkspaceRule::None;
            let may_lack_one = matches!(route.endpoint, Endpoint::Open(_))
                || route.endpoint == Endpoint::Gateway(Gateway::Admin(Admin::Status));
            assert!(has_workspace || may_lack_one, "{what} is about no workspace");
        }
    }
}
