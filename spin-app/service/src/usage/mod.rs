//! Limits and metrics: counters in the store `usage`, touched only by `increment`. So they hold over all instances of
//! a host and over all hosts that share the store.

pub(crate) mod breaker;
mod failure;
pub(crate) mod in_flight;
pub(crate) mod metrics;
pub(crate) mod quota;
pub(crate) mod rate;

pub(crate) use failure::FailureClass;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    auth::Credential,
    credentials::ApiKeyRecord,
    limits::{
        ADMIN_CONCURRENT_REQUESTS, ADMIN_REQUESTS_PER_MINUTE, CONCURRENT_REQUESTS, REQUESTS_PER_MINUTE,
    },
};

/// Limits of a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GatewayRateLimits"))]
pub(crate) struct RateLimits {
    /// Requests per minute.
    pub requests_per_minute: u32,
    /// Requests in flight.
    pub burst: u32,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self { requests_per_minute: REQUESTS_PER_MINUTE, burst: CONCURRENT_REQUESTS }
    }
}

/// The limits of a caller.
pub(crate) struct Allowance {
    /// The caller; it becomes part of keys of the store.
    id: String,
    requests_per_minute: u32,
    concurrent_requests: u32,
}

impl Allowance {
    /// Returns the limits of a credential.
    pub(crate) fn of(credential: &Credential) -> Self {
        match credential {
            Credential::Key(key, _) => Self::of_key(key),
            Credential::User(user) => Self::of_actor(&["user", &user.workspace, &user.subject]),
            Credential::Service(token) => Self::of_actor(&["service", &token.name]),
            Credential::Keyless(caller) => Self::of_actor(&["keyless", &caller.name]),
        }
    }

    /// The limits of an API key.
    fn of_key(key: &ApiKeyRecord) -> Self {
        Self {
            id: key.sha256.clone(),
            requests_per_minute: key.limits.requests_per_minute.unwrap_or(REQUESTS_PER_MINUTE),
            concurrent_requests: key.limits.concurrent_requests.unwrap_or(CONCURRENT_REQUESTS),
        }
    }

    /// The limits of the gateway of a workspace.
    pub(crate) fn of_workspace(workspace: &str, limits: RateLimits) -> Self {
        Self {
            id: format!("workspace.{workspace}"),
            requests_per_minute: limits.requests_per_minute,
            concurrent_requests: limits.burst,
        }
    }

    /// Returns the limits of a credential in all workspaces together that are only names.
    ///
    /// Otherwise a token for every workspace would have the limits of a new one with each new name.
    pub(crate) fn of_credential(actor: &str, limits: RateLimits) -> Self {
        Self {
            id: format!("credential.{}", short_hash(actor)),
            requests_per_minute: limits.requests_per_minute,
            concurrent_requests: limits.burst,
        }
    }

    /// Returns the limits of a user or of a service token at the administration. `name` identifies the actor.
    fn of_actor(name: &[&str]) -> Self {
        Self {
            id: format!("actor.{}", short_hash(&name.join("\n"))),
            requests_per_minute: ADMIN_REQUESTS_PER_MINUTE,
            concurrent_requests: ADMIN_CONCURRENT_REQUESTS,
        }
    }
}

fn short_hash(name: &str) -> String {
    base16ct::lower::encode_string(Sha256::digest(name).get(..16).unwrap_or_default())
}
