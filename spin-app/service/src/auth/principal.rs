//! The principal: who acts, in which workspace, with which rights.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{keyless::KeylessCaller, service_token::ServiceToken, user_token::User};
use crate::{
    cache::Stamp,
    credentials::{ApiKeyRecord, Plan},
    error::ApiError,
    scope::{Scope, Scopes},
};

/// Longest name of an actor, in characters.
const MAX_ACTOR_CHARS: usize = 128;

/// The actor, as audit records name it: `key:<id>`, `user:<subject>`, `service:<name>`, `keyless:<hash>` or `operator`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Actor(String);

impl Actor {
    /// The person at the machine of the service, who uses its command line.
    pub fn operator() -> Self {
        Self("operator".to_owned())
    }

    /// A name of this kind. Control characters are dropped and long names are cut.
    fn new(kind: &str, name: &str) -> Self {
        let name = name.chars().filter(|one| !one.is_control()).take(MAX_ACTOR_CHARS);
        Self(format!("{kind}:{}", name.collect::<String>()))
    }

    /// The name in audit records.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The subject of a user may be a person's address, so it stays out.
impl fmt::Debug for Actor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.0.split(':').next().unwrap_or_default();
        write!(out, "Actor({kind})")
    }
}

/// An authenticated caller, with its workspace and its rights.
#[derive(Clone, Debug)]
pub struct Principal {
    /// The actor, for the audit.
    pub actor: Actor,
    /// The workspace in which it acts; empty at the endpoints that belong to no workspace.
    pub workspace: String,
    /// The plan of the workspace.
    pub plan: Plan,
    /// The scopes of the credential.
    pub scopes: Scopes,
    /// The team that a user acts for.
    pub team_id: Option<String>,
    /// The tenant that a user's workspace belongs to.
    pub tenant_id: Option<String>,
}

impl Principal {
    /// The caller of an endpoint that asks for no credential. It has no rights.
    pub(crate) fn anonymous() -> Self {
        Self {
            actor: Actor("anonymous".to_owned()),
            workspace: String::new(),
            plan: Plan::Free,
            scopes: Scopes::NONE,
            team_id: None,
            tenant_id: None,
        }
    }

    /// The operator of the service, who may do everything in a workspace.
    pub fn operator(workspace: &str) -> Self {
        Self {
            actor: Actor::operator(),
            workspace: workspace.to_owned(),
            plan: Plan::Enterprise,
            scopes: Scopes::ALL,
            team_id: None,
            tenant_id: None,
        }
    }
}

/// A credential that was accepted.
#[derive(Clone, Debug)]
pub(crate) enum Credential {
    /// An API key, which belongs to a workspace, with the stamp of that.
    Key(ApiKeyRecord, Option<Stamp>),
    /// The access token of a user, who belongs to a workspace.
    User(User),
    /// A service token, which may act in some workspaces or in all.
    Service(ServiceToken),
    /// The caller's own credential for the provider, which may chat in one workspace.
    Keyless(KeylessCaller),
}

impl Credential {
    /// Returns the scopes of the credential.
    pub(crate) fn scopes(&self) -> Scopes {
        match self {
            Self::Key(key, _) => key.scopes(),
            Self::User(user) => user.role.scopes(),
            Self::Service(token) => token.scopes,
            Self::Keyless(_) => Scopes::of(&[Scope::GatewayChat]),
        }
    }

    /// Checks that the credential has one of these scopes; an empty list requires none.
    ///
    /// # Errors
    /// `permission_denied` naming the scope.
    pub(crate) fn require(&self, any_of: &[Scope]) -> Result<(), ApiError> {
        let scopes = self.scopes();
        match any_of.first() {
            Some(first) if !any_of.iter().any(|scope| scopes.has(*scope)) => {
                Err(ApiError::scope_missing(*first))
            }
            _ => Ok(()),
        }
    }

    /// The workspace that the credential belongs to, if it belongs to one.
    pub(crate) fn own_workspace(&self) -> Option<&str> {
        match self {
            Self::Key(key, _) => Some(&key.workspace),
            Self::User(user) => Some(&user.workspace),
            Self::Keyless(caller) => Some(&caller.workspace),
            Self::Service(_) => None,
        }
    }

    /// Returns the stamp of the workspace, if authentication read it.
    pub(crate) fn stamp(&self) -> Option<&Stamp> {
        match self {
            Self::Key(_, stamp) => stamp.as_ref(),
            Self::User(_) | Self::Service(_) | Self::Keyless(_) => None,
        }
    }

    /// The only workspace that the credential may act in, if there is just one.
    pub(crate) fn only_workspace(&self) -> Option<&str> {
        match self {
            Self::Service(token) => token.only_workspace(),
            Self::Key(..) | Self::User(_) | Self::Keyless(_) => self.own_workspace(),
        }
    }

    /// Returns the principal of this credential in a workspace.
    ///
    /// # Errors
    /// `permission_denied` if the credential is not valid in that workspace.
    pub(crate) fn principal_in(&self, workspace: &str) -> Result<Principal, ApiError> {
        let may_act = match self {
            Self::Service(token) => token.reaches(workspace),
            Self::Key(..) | Self::User(_) | Self::Keyless(_) => self.own_workspace() == Some(workspace),
        };
        if !may_act {
            return Err(ApiError::workspace_denied());
        }
        Ok(Principal { workspace: workspace.to_owned(), ..self.principal() })
    }

    /// The principal of this credential in its own workspace, or in none.
    pub(crate) fn principal(&self) -> Principal {
        let (actor, plan) = match self {
            Self::Key(key, _) => (Actor::new("key", &key.id), key.plan),
            Self::User(user) => (Actor::new("user", &user.subject), user.plan),
            Self::Service(token) => (Actor::new("service", &token.name), Plan::Enterprise),
            Self::Keyless(caller) => (Actor::new("keyless", &caller.name), Plan::Enterprise),
        };
        let (team_id, tenant_id) = match self {
            Self::User(user) => (user.team_id.clone(), user.tenant_id.clone()),
            Self::Key(..) | Self::Service(_) | Self::Keyless(_) => (None, None),
        };
        Principal {
            actor,
            workspace: self.own_workspace().unwrap_or_default().to_owned(),
            plan,
            scopes: self.scopes(),
            team_id,
            tenant_id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_actor_is_bounded_and_printable() {
        let actor = Actor::new("user", &format!("a\nb{}", "x".repeat(500)));
        assert!(actor.as_str().starts_with("user:abx") && actor.as_str().chars().count() == 133);
        assert_eq!(format!("{actor:?}"), "Actor(user)");
    }
}
