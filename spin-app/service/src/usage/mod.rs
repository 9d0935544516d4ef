//! Limits and metrics: counters in the store `usage`, touched only by `increment`. So they hold over all instances of
//! a host and over all hosts that share the store.

pub(crate) mod in_flight;
pub(crate) mod metrics;
pub(crate) mod quota;
pub(crate) mod rate;

use sha2::{Digest, Sha256};

use crate::{
    configuration::RateLimits,
    credentials::ApiKeyRecord,
    limits::{
        ADMIN_CONCURRENT_REQUESTS, ADMIN_REQUESTS_PER_MINUTE, CONCURRENT_REQUESTS, REQUESTS_PER_MINUTE,
    },
};

/// The limits of a caller.
pub(crate) struct Allowance {
    /// The caller; it becomes part of keys of the store.
    id: String,
    requests_per_minute: u32,
    concurrent_requests: u32,
}

impl Allowance {
    /// The limits of an API key.
    pub(crate) fn of_key(key: &ApiKeyRecord) -> Self {
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
    pub(crate) fn of_actor(name: &[&str]) -> Self {
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
