//! Ids of records and of workspaces.

use crate::system::System;

/// A random UUID (RFC 9562, version 4).
pub fn uuid(system: &impl System) -> String {
    uuid::Builder::from_random_bytes(system.random().to_be_bytes()).into_uuid().to_string()
}

/// Longest id of a workspace: it becomes part of keys of the stores.
const MAX_WORKSPACE_BYTES: usize = 64;

/// Whether `id` can be a workspace: it becomes part of keys of the stores.
pub fn is_workspace(id: &str) -> bool {
    (1..=MAX_WORKSPACE_BYTES).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}
