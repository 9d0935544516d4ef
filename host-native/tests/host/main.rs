//! The native host and its program. One binary: each would be linked with wasmtime anew.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests may fail"
)]

mod app;
#[cfg(unix)]
mod app_serve;
#[cfg(target_os = "linux")]
mod attacks;
mod cli;
mod engine;
#[cfg(target_os = "linux")]
mod faults;
mod gateway;
mod h2c;
mod like_spin;
#[cfg(unix)]
mod mcp;
mod middleware;
#[cfg(target_os = "linux")]
mod proxy;
#[cfg(unix)]
mod redis;
mod repositories;
mod stateless;
mod stores;
mod support;
mod tls;
mod wasi02;
