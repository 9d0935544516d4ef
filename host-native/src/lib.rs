//! Runs Textveil natively, under wasmtime.
//!
//! - [`Engine`] calls the engine component: find, validate, protect, restore.
//! - [`app`] serves the Spin application of `spin-app/` over HTTP.

pub mod app;
pub mod engine;

pub use engine::{Engine, Error, Key, Limits, TextStream};
pub use textveil_engine::{
    DetectOptions, Detection, Entity, Mode, Preset, ProtectOptions, Protected, Protection, Restored,
    Validation,
};
