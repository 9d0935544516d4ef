//! The HTTP behaviour of Textveil's service: the routes of {base_url} and {gateway_url} in the OpenAPI document.
//!
//! Everything is a function over the traits of [`host`] and [`upstream`], so that one body of code runs
//! as Spin components, and under a test with a store in memory. The whole of it is [`handle`] for the
//! component of {base_url} and [`gateway::handle`] for the one that sends requests to LLM providers:
//!
//! ```text
//! request ─ router ─ auth ─ usage ─ body ─ routes/* ─ answer
//!           404,405  401    429,403 413,415,400       and one line in the log
//! ```
//!
//! An instance serves many requests at once and lives on after them. So nothing here may panic, and
//! no static holds anything of a request. Texts of a request are never stored and never logged.

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
pub mod router;
pub mod secrets;
pub mod sessions;
pub mod stateless;
pub mod trace_context;
pub mod upstream;
pub mod workspace;

mod calendar;
mod configuration;
mod documents;
mod lease;
mod log;
mod order;
mod query;
mod routes;
mod sent;
mod service;
mod usage;

pub use calendar::{parse_timestamp, timestamp};
pub use error::ApiError;
pub use host::{Host, KeyValue, Label, System, Unavailable};
pub use routes::alive;
pub use service::handle;
