//! Tests of all surfaces, and of the deployed service. One binary, because each would be linked with wasmtime
//! separately.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may fail"
)]

#[cfg(unix)]
mod cluster;
mod conformance;
mod corpus;
#[cfg(unix)]
mod deploy;
mod documents;
#[cfg(unix)]
#[path = "../../../../host-native/tests/host/support/redis.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod redis;
