//! Ids of records.

use crate::host::Host;

/// A random UUID (RFC 9562, version 4).
pub fn uuid(host: &impl Host) -> String {
    uuid::Builder::from_random_bytes(host.random().to_be_bytes()).into_uuid().to_string()
}
