//! The weights of the evidence, in log-odds, one module for each stage of the engine.
//!
//! `weights.toml` has their values, with meaning, provenance and an example. The build makes constants of them, so a reader of the
//! code sees a name, and a run reads no file.

include!(concat!(env!("OUT_DIR"), "/weights.rs"));
