//! The HTTP behaviour of Textveil's service: the routes of {base_url} and {gateway_url} in the OpenAPI document.
//!
//! Everything is a function over the traits of [`host`] and [`upstream`], so that one body of code runs
//! as Spin components, and under a test with a store in memory. The whole of it is [`handle`] for the
//! component of {base_url} and [`handle_gateway`] for the one that sends requests to LLM providers:
//!
//! ```text
//! request ─ router ─ auth ─ usage ─ body ─ routes/* ─ answer
//!           404,405  401    429,403 413,415,400       and one line in the log
//! ```
//!
//! An instance serves many requests at once and lives on after them. So nothing here may panic, and
//! no static holds anything of a request. Texts of a request are never stored and never logged.

pub mod api_keys;
pub mod audit;
pub mod auth;
pub mod body;
pub mod bounded;
pub mod cache;
pub mod chat;
pub mod config;
pub mod credentials;
pub mod error;
pub mod gateway;
pub mod host;
pub mod ids;
pub mod limits;
pub mod mcp;
pub mod network;
#[cfg(feature = "schema")]
pub mod openapi;
pub mod policies;
pub mod providers;
pub mod proxy;
pub mod request_id;
pub mod revalidation;
pub mod route;
pub mod router;
pub mod scope;
pub mod secrets;
pub mod sessions;
pub mod stateless;
pub mod system;
pub mod trace_context;
pub mod upstream;

mod admission;
mod calendar;
mod call;
mod changes;
mod configuration;
mod documents;
mod exchange;
mod lease;
mod log;
#[cfg(feature = "schema")]
mod operation;
mod order;
mod profile;
mod query;
mod readiness;
mod response;
mod routes;
mod sent;
mod service;
mod setup;
mod types;
mod usage;
mod workspace;

pub use calendar::{parse_timestamp, timestamp};
pub use error::ApiError;
pub use host::{Host, KeyValue, Label, PerStore, Unavailable};
pub use readiness::alive;
pub use service::{handle, handle_gateway, handle_stateless};
pub use system::System;
