//! A route: the row from which everything about an endpoint follows.

use http::Method;

#[cfg(feature = "schema")]
use crate::operation::Operation;
use crate::{
    auth::CredentialKind,
    body::BodyKind,
    error::{ApiError, Shape},
    limits::MAX_CHAT_BODY_BYTES,
    scope::Scope,
};

/// One method of a path. The table of them is in `router`, with their handlers.
#[derive(Debug)]
pub struct Route {
    /// The name of the operation in the OpenAPI document, and that of its handler in the table.
    pub id: &'static str,
    /// The method; GET includes HEAD.
    pub method: Method,
    /// The pattern, such as `/api/v1/api-keys/{id}`.
    pub path: &'static str,
    /// Its callers, their limits, and its body.
    pub access: Access,
    /// The group of its handler.
    pub group: Group,
    /// Its description.
    #[cfg(feature = "schema")]
    pub(crate) operation: fn() -> Operation,
}

/// A group of handlers. A component answers some groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Handlers that need no store.
    Core,
    /// The other handlers of the component of {base_url}.
    Api,
    /// The administration of the gateway, and exports of telemetry.
    Gateway,
    /// The interfaces of language models.
    Chat,
}

/// The rights that a route asks for, the limits that count, and the body that it reads.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The required kind of credential.
    pub credential: CredentialKind,
    /// The scopes of which the credential must have one; empty if none is required.
    pub any_of: &'static [Scope],
    /// The rule that determines the workspace.
    pub workspace: WorkspaceRule,
    /// The limits that count.
    pub limit: Limit,
    /// The body.
    pub body: BodyKind,
    /// The format of its errors.
    pub(crate) shape: Shape,
    /// Whether it is asked by probes and scrapers, which are not counted.
    pub(crate) is_probe: bool,
}

/// The limits that a request counts against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Those of its credential, if it has one.
    OfCredential,
    /// Those of the workspace's gateway.
    OfWorkspace,
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
    /// The workspace in the query or in the header `X-Workspace-Id`; else the only one of the credential, or `default`.
    OfClient,
}

impl Access {
    const fn of(credential: CredentialKind, any_of: &'static [Scope], workspace: WorkspaceRule) -> Self {
        Self {
            credential,
            any_of,
            workspace,
            limit: Limit::OfCredential,
            body: BodyKind::None,
            shape: Shape::Own,
            is_probe: false,
        }
    }

    /// Whether a request counts against the limits of an API key.
    pub(crate) fn is_of_key(&self) -> bool {
        matches!(self.credential, CredentialKind::ApiKey | CredentialKind::PresidioKey)
    }

    /// Reads an object of at most `limit` bytes.
    pub(crate) const fn reads(self, limit: usize) -> Self {
        Self { body: BodyKind::Object(limit), ..self }
    }

    /// Reads an object or a list of at most `limit` bytes.
    pub(crate) const fn reads_json(self, limit: usize) -> Self {
        Self { body: BodyKind::Json(limit), ..self }
    }

    /// Has errors of this format.
    pub(crate) const fn fails_as(self, shape: Shape) -> Self {
        Self { shape, ..self }
    }

    /// Is about no workspace.
    pub(crate) const fn without_workspace(self) -> Self {
        Self { workspace: WorkspaceRule::None, ..self }
    }

    /// Prefers the workspace in the query to that in the body.
    pub(crate) const fn named_by_query_first(self) -> Self {
        Self { workspace: WorkspaceRule::NamedByQueryFirst, ..self }
    }
}

/// For everybody: health, documentation and the ways to sign in.
pub(crate) const fn open() -> Access {
    Access { is_probe: true, ..Access::of(CredentialKind::None, &[], WorkspaceRule::None) }
}

/// For the scraper of metrics.
pub(crate) const fn scraper() -> Access {
    let access = Access::of(CredentialKind::ServiceAsKey, &[Scope::Metrics], WorkspaceRule::None);
    Access { is_probe: true, ..access }
}

/// For the holder of an API key.
pub(crate) const fn key(any_of: &'static [Scope]) -> Access {
    Access::of(CredentialKind::ApiKey, any_of, WorkspaceRule::OfCredential)
}

/// For Presidio's clients; see [`crate::auth::presidio`] for the ways to send the key.
pub(crate) const fn presidio(any_of: &'static [Scope]) -> Access {
    Access::of(CredentialKind::PresidioKey, any_of, WorkspaceRule::OfCredential).fails_as(Shape::Presidio)
}

/// For other gateways, which ask about requests and answers.
pub(crate) const fn guardrail() -> Access {
    key(&[Scope::Protect]).reads(MAX_CHAT_BODY_BYTES)
}

/// For exporters of telemetry.
pub(crate) const fn telemetry() -> Access {
    Access { body: BodyKind::Telemetry(MAX_CHAT_BODY_BYTES), ..key(&[Scope::Protect]).fails_as(Shape::Otlp) }
}

/// For a signed-in user.
pub(crate) const fn user(any_of: &'static [Scope]) -> Access {
    Access::of(CredentialKind::User, any_of, WorkspaceRule::OfCredential)
}

/// For a service that administers the gateway.
pub(crate) const fn admin(any_of: &'static [Scope]) -> Access {
    Access::of(CredentialKind::Service, any_of, WorkspaceRule::Named)
}

/// For clients of language models.
pub(crate) const fn chat(shape: Shape) -> Access {
    let access = Access::of(CredentialKind::Client, &[Scope::GatewayChat], WorkspaceRule::OfClient);
    Access { limit: Limit::OfWorkspace, ..access.fails_as(shape) }
}

/// The routes of a requested path.
pub(crate) struct Found {
    /// The path's pattern.
    pub path: &'static str,
    /// The value of the pattern's parameter; empty without one.
    pub parameter: String,
    /// The routes, one for each method.
    pub methods: &'static [&'static Route],
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
        self.methods.first().map_or(Shape::Own, |route| route.access.shape)
    }

    fn allow(&self) -> String {
        let names = self.methods.iter().map(|route| match route.method {
            Method::GET => "GET, HEAD",
            ref method => method.as_str(),
        });
        names.collect::<Vec<_>>().join(", ")
    }
}
