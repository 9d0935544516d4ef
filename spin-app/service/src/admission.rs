//! The admission of a request: its credential, the limits that count, and the workspace in which it acts.
//!
//! A route says in its row what it asks for; every request goes through [`Admission::admit`].

use http::{HeaderMap, Uri};
use serde_json::Value;

use crate::{
    auth::{self, Credential, Principal},
    error::ApiError,
    host::Host,
    query::Query,
    route::{Access, Limit, WorkspaceRule},
    setup::Setup,
    usage::{
        Allowance,
        in_flight::{self, Permit},
        quota,
        rate::{self, Window},
    },
};

/// The header with the workspace of a client, if the query does not contain it.
const WORKSPACE_HEADER: &str = "x-workspace-id";

/// The workspace of a client that names none.
const DEFAULT_WORKSPACE: &str = "default";

/// The rights that a request has shown, before its body is read.
///
/// After an error, the fields are those of the steps that succeeded: an answer has the headers of a limit that it exceeds.
#[derive(Default)]
pub(crate) struct Admission<'h> {
    pub credential: Option<Credential>,
    /// The workspace, if its limits count.
    pub entered: Option<Entered>,
    pub window: Option<Window>,
    pub permit: Option<Permit<'h>>,
}

/// A workspace that a request has entered, with its setup.
#[derive(Clone)]
pub(crate) struct Entered {
    pub principal: Principal,
    pub setup: Setup,
}

impl Admission<'_> {
    /// Authenticates a request, and applies the limits that its route names.
    ///
    /// # Errors
    /// `unauthorized`; `permission_denied`; `invalid_request` for a malformed workspace; `rate_limit_exceeded`;
    /// `quota_exceeded`; `service_unavailable`.
    pub(crate) async fn admit(
        &mut self,
        host: &impl Host,
        access: &Access,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), ApiError> {
        let Some(credential) = auth::authenticate(host, access.credential, uri, headers).await? else {
            return Ok(());
        };
        let credential = self.credential.insert(credential);
        let allowance = match access.limit {
            Limit::OfCredential => Allowance::of(credential),
            Limit::OfWorkspace => {
                credential.require(access.any_of)?;
                self.entered.insert(Entered::by(host, credential, uri, headers).await?).allowance()
            }
        };
        self.window.insert(rate::count(host, &allowance).await?).check()?;
        credential.require(access.any_of)?;
        if let Credential::Key(key, _) = credential {
            quota::count(host, key).await?;
        }
        self.permit = Some(in_flight::enter(host, &allowance).await?);
        Ok(())
    }

    /// Checks the workspace in the query, before anything is read.
    ///
    /// # Errors
    /// `permission_denied`; `invalid_request` for a malformed workspace.
    pub(crate) fn check_query(&self, access: &Access, query: &Query) -> Result<(), ApiError> {
        let is_named = matches!(access.workspace, WorkspaceRule::Named | WorkspaceRule::NamedByQueryFirst);
        if let Some(credential) = self.credential.as_ref().filter(|_| is_named && query.names_workspace()) {
            credential.principal_in(&query.workspace()?)?;
        }
        Ok(())
    }

    /// Returns the principal in the workspace that a request is about.
    ///
    /// # Errors
    /// As [`Admission::check_query`], of the workspace in the body, too.
    pub(crate) fn principal(
        &self,
        access: &Access,
        query: &Query,
        request: &Value,
    ) -> Result<Principal, ApiError> {
        let Some(credential) = &self.credential else { return Ok(Principal::anonymous()) };
        if let Some(entered) = &self.entered {
            return Ok(entered.principal.clone());
        }
        let workspace = match access.workspace {
            WorkspaceRule::None | WorkspaceRule::OfCredential | WorkspaceRule::OfClient => {
                return Ok(credential.principal());
            }
            WorkspaceRule::NamedByQueryFirst if query.names_workspace() => query.workspace()?,
            WorkspaceRule::Named | WorkspaceRule::NamedByQueryFirst => {
                match query.names_workspace() || !request["workspace_id"].is_null() {
                    true => query.workspace_or(request)?,
                    false => credential
                        .only_workspace()
                        .map_or_else(|| query.workspace_or(request), |workspace| Ok(workspace.to_owned()))?,
                }
            }
        };
        credential.principal_in(&workspace)
    }
}

impl Entered {
    async fn by(
        host: &impl Host,
        credential: &Credential,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Self, ApiError> {
        let principal = credential.principal_in(&client_workspace(uri, headers, credential)?)?;
        let setup = Setup::of(host, &principal.workspace).await?;
        Ok(Self { principal, setup })
    }

    /// The limits of the workspace, or of the credential in a workspace that is only a name.
    fn allowance(&self) -> Allowance {
        let limits = self.setup.routing.configuration.rate_limits;
        match self.setup.is_known {
            true => Allowance::of_workspace(&self.principal.workspace, limits),
            false => Allowance::of_credential(self.principal.actor.as_str(), limits),
        }
    }
}

/// Returns the workspace in the query or a header of a request; otherwise the only one of its token, or the
/// default one.
fn client_workspace(uri: &Uri, headers: &HeaderMap, credential: &Credential) -> Result<String, ApiError> {
    let query = Query::of(uri);
    if query.names_workspace() {
        return query.workspace();
    }
    match headers.get(WORKSPACE_HEADER) {
        None => Ok(credential.only_workspace().unwrap_or(DEFAULT_WORKSPACE).to_owned()),
        Some(name) => Query::checked(name.to_str().unwrap_or_default()),
    }
}
