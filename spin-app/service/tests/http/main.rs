//! The service over HTTP, against a host in memory: the exchanges of `tests/exchanges/*.json`, and tests that
//! a table cannot express.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

mod access_log;
mod api_keys;
mod attacks;
mod bodies;
mod budget;
mod detectors;
mod documents;
mod exchanges;
mod gateway;
mod gateway_audit;
mod gateway_breaker;
mod gateway_cache;
mod gateway_chat;
mod gateway_config;
mod gateway_deadlines;
mod gateway_disguises;
mod gateway_failover;
mod gateway_keyless;
mod gateway_limits;
mod gateway_policies;
mod gateway_policy_test;
mod gateway_responses;
mod gateway_restore;
mod gateway_sessions;
mod gateway_streams;
mod gateway_transfer;
mod guardrails;
mod host;
mod hostile;
mod limits;
mod llm_providers;
mod mcp;
mod openapi;
mod outages;
mod policies;
mod presidio;
mod rate_limit;
mod red_team;
mod schema;
mod settings;
mod sign_in;
mod telemetry;
mod tokens;
mod turns;
mod users;
