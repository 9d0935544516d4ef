//! The service over HTTP, against a host in memory: the exchanges of `tests/exchanges/*.json`, and
//! what a table cannot say.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

mod access_log;
mod bodies;
mod detectors;
mod exchanges;
mod host;
mod outages;
mod presidio;
mod rate_limit;
mod tokens;
