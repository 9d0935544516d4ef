//! What callers use: the limits of spec §8, and the counts that `/metrics` shows.
//!
//! Everything is counters in the store `usage`, touched only by `increment`: so limits hold over all
//! instances of a host and over all hosts that share the store.

pub(crate) mod in_flight;
pub(crate) mod metrics;
pub(crate) mod quota;
pub(crate) mod rate;

use crate::{
    configuration::RateLimits,
    credentials::ApiKeyRecord,
    limits::{CONCURRENT_REQUESTS, REQUESTS_PER_MINUTE},
};

/// How much somebody may ask.
pub(crate) struct Allowance {
    /// Who: becomes part of keys of the store.
    id: String,
    requests_per_minute: u32,
    concurrent_requests: u32,
}

impl Allowance {
    /// What the holder of a key may ask.
    pub(crate) fn of_key(key: &ApiKeyRecord) -> Self {
        Self {
            id: key.sha256.clone(),
            requests_per_minute: key.limits.requests_per_minute.unwrap_or(REQUESTS_PER_MINUTE),
            concurrent_requests: key.limits.concurrent_requests.unwrap_or(CONCURRENT_REQUESTS),
        }
    }

    /// What the gateway of a workspace may be asked.
    pub(crate) fn of_workspace(workspace: &str, limits: RateLimits) -> Self {
        Self {
            id: format!("workspace.{workspace}"),
            requests_per_minute: limits.requests_per_minute,
            concurrent_requests: limits.burst,
        }
    }
}
