//! Which endpoint answers a method and a path, and what its caller must show.

use std::sync::LazyLock;

use http::Method;

use crate::error::{ApiError, Shape};

/// What a route does, by who may ask for it; the functions are in [`crate::routes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// For everybody.
    Open(Open),
    /// For those who show an API key.
    Keyed(Keyed),
    /// For those who show a user access token.
    User(User),
    /// Answered by the gateway component, which alone may send requests to providers; who may ask is said
    /// there.
    Gateway(Gateway),
}

impl Endpoint {
    /// How its refusals are written.
    pub(crate) fn shape(self) -> Shape {
        match self {
            Self::Keyed(Keyed::Presidio(_)) => Shape::Presidio,
            Self::Gateway(Gateway::Chat(chat)) => chat.shape(),
            Self::Open(_) | Self::Keyed(_) | Self::User(_) | Self::Gateway(_) => Shape::Own,
        }
    }
}

/// Endpoints that ask for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// For load balancers: the service runs.
    Alive,
    /// For load balancers: the service can answer.
    Ready,
    /// Counts for Prometheus.
    Metrics,
    /// The description of the API, for programs.
    OpenApi,
    /// The description of the API, for people.
    Docs,
}

/// Endpoints of the holder of an API key. They count against its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyed {
    /// Finds personal data in a text.
    Detect,
    /// Finds personal data in several texts.
    DetectBatch,
    /// Checks one value.
    Validate,
    /// Lists what can be found.
    Detectors,
    /// Replaces personal data in a text.
    Protect,
    /// Replaces personal data in several texts.
    ProtectBatch,
    /// Turns tokens back.
    Restore,
    /// Says that all is well, to a client.
    Health,
    /// Lists the workspace's own detectors.
    CustomDetectors,
    /// Adds a detector to the workspace.
    CreateCustomDetector,
    /// Removes a detector from the workspace.
    DeleteCustomDetector,
    /// Lists what the workspace never reports.
    AllowList,
    /// Adds to what the workspace never reports.
    CreateAllowRule,
    /// Removes from what the workspace never reports.
    DeleteAllowRule,
    /// Lists what the workspace always reports.
    DenyList,
    /// Adds to what the workspace always reports.
    CreateDenyRule,
    /// Removes from what the workspace always reports.
    DeleteDenyRule,
    /// What Presidio's clients ask for; see [`crate::auth::presidio`] for the ways to show the key.
    Presidio(Presidio),
}

/// Endpoints of Presidio's protocol: those of its analyzer and of its anonymizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presidio {
    /// Finds personal data in a text, or in several.
    Analyze,
    /// Lists what finds it.
    Recognizers,
    /// Lists the types that can be found.
    SupportedEntities,
    /// Changes what was found in a text.
    Anonymize,
    /// Lists the ways to change it.
    Anonymizers,
    /// Turns encrypted findings back.
    Deanonymize,
    /// Lists the ways to turn findings back.
    Deanonymizers,
}

/// Endpoints of a signed-in user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
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
    /// Replaces what a user says of an LLM provider.
    ReplaceLlmProvider,
    /// Changes some of what a user says of an LLM provider.
    ChangeLlmProvider,
    /// Removes an LLM provider.
    DeleteLlmProvider,
}

/// Endpoints of the gateway component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gateway {
    /// Asks an LLM provider whether it answers and takes the credential; for a signed-in user.
    ValidateLlmProvider,
    /// For those who show a service token.
    Admin(Admin),
    /// For applications, which show a service token as their key of a language model.
    Chat(Chat),
}

/// Endpoints in the place of a language model's own, by service token.
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
}

impl Chat {
    /// How its refusals are written.
    pub(crate) fn shape(self) -> Shape {
        match self {
            Self::Completions | Self::Embeddings | Self::Models | Self::Responses => Shape::OpenAi,
            Self::Messages | Self::CountTokens => Shape::Anthropic,
        }
    }

    /// What the metrics call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Completions => "chat_completions",
            Self::Embeddings => "embeddings",
            Self::Models => "models",
            Self::Messages => "messages",
            Self::CountTokens => "count_tokens",
            Self::Responses => "responses",
        }
    }
}

/// Endpoints of the gateway's administration, by service token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admin {
    /// Says that all is well.
    Status,
    /// Shows the configuration of a workspace.
    Configuration,
    /// Changes some of the configuration of a workspace.
    ChangeConfiguration,
    /// Lists where the requests of a workspace go.
    Providers,
    /// Gives out configuration and policies as one document.
    Export,
    /// Takes configuration and policies from one document.
    Import,
    /// Lists the policies of a workspace.
    Policies,
    /// Adds a policy.
    CreatePolicy,
    /// Shows a policy.
    Policy,
    /// Replaces what is said of a policy.
    ReplacePolicy,
    /// Changes some of what is said of a policy.
    ChangePolicy,
    /// Removes a policy.
    DeletePolicy,
    /// Says what policies would decide about texts.
    TestPolicies,
    /// Lists what was done in a workspace.
    Audit,
}

/// One method of a path.
#[derive(Debug)]
pub struct Route {
    /// The pattern, such as `/api/v1/api-keys/{id}`.
    pub path: &'static str,
    /// The method; where there is GET there is HEAD.
    pub method: Method,
    /// What it does.
    pub endpoint: Endpoint,
}

/// Every route of {base_url} and of {gateway_url} (spec §4, design §6).
pub static ROUTES: [Route; 66] = [
    route(Method::POST, "/api/v1/detect", Endpoint::Keyed(Keyed::Detect)),
    route(Method::POST, "/api/v1/detect/batch", Endpoint::Keyed(Keyed::DetectBatch)),
    route(Method::POST, "/api/v1/validate", Endpoint::Keyed(Keyed::Validate)),
    route(Method::GET, "/api/v1/detectors", Endpoint::Keyed(Keyed::Detectors)),
    route(Method::POST, "/api/v1/protect", Endpoint::Keyed(Keyed::Protect)),
    route(Method::POST, "/api/v1/protect/batch", Endpoint::Keyed(Keyed::ProtectBatch)),
    route(Method::POST, "/api/v1/restore", Endpoint::Keyed(Keyed::Restore)),
    route(Method::GET, "/api/v1/health", Endpoint::Keyed(Keyed::Health)),
    route(Method::GET, "/api/v1/custom-detectors", Endpoint::Keyed(Keyed::CustomDetectors)),
    route(Method::POST, "/api/v1/custom-detectors", Endpoint::Keyed(Keyed::CreateCustomDetector)),
    route(Method::DELETE, "/api/v1/custom-detectors/{name}", Endpoint::Keyed(Keyed::DeleteCustomDetector)),
    route(Method::GET, "/api/v1/allow-list", Endpoint::Keyed(Keyed::AllowList)),
    route(Method::POST, "/api/v1/allow-list", Endpoint::Keyed(Keyed::CreateAllowRule)),
    route(Method::DELETE, "/api/v1/allow-list/{id}", Endpoint::Keyed(Keyed::DeleteAllowRule)),
    route(Method::GET, "/api/v1/deny-list", Endpoint::Keyed(Keyed::DenyList)),
    route(Method::POST, "/api/v1/deny-list", Endpoint::Keyed(Keyed::CreateDenyRule)),
    route(Method::DELETE, "/api/v1/deny-list/{id}", Endpoint::Keyed(Keyed::DeleteDenyRule)),
    route(Method::GET, "/api/v1/api-keys", Endpoint::User(User::ApiKeys)),
    route(Method::POST, "/api/v1/api-keys", Endpoint::User(User::CreateApiKey)),
    route(Method::GET, "/api/v1/api-keys/{id}", Endpoint::User(User::ApiKey)),
    route(Method::DELETE, "/api/v1/api-keys/{id}", Endpoint::User(User::RevokeApiKey)),
    route(Method::GET, "/api/v1/llm-providers", Endpoint::User(User::LlmProviders)),
    route(Method::POST, "/api/v1/llm-providers", Endpoint::User(User::CreateLlmProvider)),
    route(Method::GET, "/api/v1/llm-providers/{id}", Endpoint::User(User::LlmProvider)),
    route(Method::PUT, "/api/v1/llm-providers/{id}", Endpoint::User(User::ReplaceLlmProvider)),
    route(Method::PATCH, "/api/v1/llm-providers/{id}", Endpoint::User(User::ChangeLlmProvider)),
    route(Method::DELETE, "/api/v1/llm-providers/{id}", Endpoint::User(User::DeleteLlmProvider)),
    route(
        Method::POST,
        "/api/v1/llm-providers/{id}/validate",
        Endpoint::Gateway(Gateway::ValidateLlmProvider),
    ),
    admin(Method::GET, "/api/v1/gateway/status", Admin::Status),
    admin(Method::GET, "/api/v1/gateway/config", Admin::Configuration),
    admin(Method::PUT, "/api/v1/gateway/config", Admin::ChangeConfiguration),
    admin(Method::GET, "/api/v1/gateway/config/export", Admin::Export),
    admin(Method::POST, "/api/v1/gateway/config/import", Admin::Import),
    admin(Method::GET, "/api/v1/gateway/providers", Admin::Providers),
    admin(Method::GET, "/api/v1/gateway/audit", Admin::Audit),
    admin(Method::GET, "/api/v1/gateway/policies", Admin::Policies),
    admin(Method::POST, "/api/v1/gateway/policies", Admin::CreatePolicy),
    admin(Method::POST, "/api/v1/gateway/policies/test", Admin::TestPolicies),
    admin(Method::GET, "/api/v1/gateway/policies/{id}", Admin::Policy),
    admin(Method::PUT, "/api/v1/gateway/policies/{id}", Admin::ReplacePolicy),
    admin(Method::PATCH, "/api/v1/gateway/policies/{id}", Admin::ChangePolicy),
    admin(Method::DELETE, "/api/v1/gateway/policies/{id}", Admin::DeletePolicy),
    chat(Method::POST, "/api/v1/gateway/chat/completions", Chat::Completions),
    chat(Method::POST, "/v1/chat/completions", Chat::Completions),
    chat(Method::POST, "/api/v1/gateway/embeddings", Chat::Embeddings),
    chat(Method::POST, "/v1/embeddings", Chat::Embeddings),
    chat(Method::GET, "/api/v1/gateway/models", Chat::Models),
    chat(Method::GET, "/v1/models", Chat::Models),
    chat(Method::POST, "/api/v1/gateway/messages", Chat::Messages),
    chat(Method::POST, "/v1/messages", Chat::Messages),
    chat(Method::POST, "/api/v1/gateway/messages/count_tokens", Chat::CountTokens),
    chat(Method::POST, "/v1/messages/count_tokens", Chat::CountTokens),
    chat(Method::POST, "/api/v1/gateway/responses", Chat::Responses),
    chat(Method::POST, "/v1/responses", Chat::Responses),
    presidio(Method::POST, "/analyze", Presidio::Analyze),
    presidio(Method::GET, "/recognizers", Presidio::Recognizers),
    presidio(Method::GET, "/supportedentities", Presidio::SupportedEntities),
    presidio(Method::POST, "/anonymize", Presidio::Anonymize),
    presidio(Method::GET, "/anonymizers", Presidio::Anonymizers),
    presidio(Method::POST, "/deanonymize", Presidio::Deanonymize),
    presidio(Method::GET, "/deanonymizers", Presidio::Deanonymizers),
    route(Method::GET, "/healthz", Endpoint::Open(Open::Alive)),
    route(Method::GET, "/readyz", Endpoint::Open(Open::Ready)),
    route(Method::GET, "/metrics", Endpoint::Open(Open::Metrics)),
    route(Method::GET, "/api/v1/openapi.json", Endpoint::Open(Open::OpenApi)),
    route(Method::GET, "/docs", Endpoint::Open(Open::Docs)),
];

impl Route {
    /// Whether it is another route's other path, for clients that put their own behind the origin.
    pub fn is_alias(&self) -> bool {
        self.path.starts_with("/v1/")
    }
}

const fn route(method: Method, path: &'static str, endpoint: Endpoint) -> Route {
    Route { path, method, endpoint }
}

const fn presidio(method: Method, path: &'static str, endpoint: Presidio) -> Route {
    route(method, path, Endpoint::Keyed(Keyed::Presidio(endpoint)))
}

const fn chat(method: Method, path: &'static str, endpoint: Chat) -> Route {
    route(method, path, Endpoint::Gateway(Gateway::Chat(endpoint)))
}

const fn admin(method: Method, path: &'static str, endpoint: Admin) -> Route {
    route(method, path, Endpoint::Gateway(Gateway::Admin(endpoint)))
}

/// A path of the table, and its routes.
type Methods = Vec<&'static Route>;

static PATHS: LazyLock<matchit::Router<Methods>> = LazyLock::new(|| {
    let mut paths = matchit::Router::new();
    for path in self::paths() {
        let methods = ROUTES.iter().filter(|route| route.path == path).collect();
        // two paths in each other's way would be found by the tests, which reach every one
        let _ = paths.insert(path, methods);
    }
    paths
});

/// Every path of the table, once.
pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
    let first = |index: &usize| {
        let path = |at: usize| ROUTES.get(at).map(|route| route.path);
        !(0..*index).any(|earlier| path(earlier) == path(*index))
    };
    (0..ROUTES.len()).filter(first).filter_map(|index| ROUTES.get(index)).map(|route| route.path)
}

/// What a path leads to.
pub(crate) struct Found {
    /// The path's pattern.
    pub path: &'static str,
    /// What stands in the place of the pattern's one parameter; empty where it has none.
    pub parameter: String,
    methods: &'static Methods,
}

/// The routes of a path, whatever the method.
pub(crate) fn at(path: &str) -> Option<Found> {
    let found = PATHS.at(path).ok()?;
    let parameter = found.params.iter().next().map(|(_, value)| value.to_owned()).unwrap_or_default();
    Some(Found { path: found.value.first()?.path, parameter, methods: found.value })
}

impl Found {
    /// The endpoint of a method.
    ///
    /// # Errors
    /// `method_not_allowed`
    pub(crate) fn endpoint(&self, method: &Method) -> Result<Endpoint, ApiError> {
        let asked = if method == Method::HEAD { &Method::GET } else { method };
        let route = self.methods.iter().find(|route| route.method == *asked);
        route.map(|route| route.endpoint).ok_or_else(|| ApiError::method_not_allowed(&self.allow()))
    }

    /// How refusals of this path are written.
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
            let found = at(&path).map(|found| (found.path, found.endpoint(&route.method)));
            assert_eq!(found, Some((route.path, Ok(route.endpoint))), "{} {}", route.method, route.path);
        }
    }
}
