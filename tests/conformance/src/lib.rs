//! One corpus, every surface: the cases of `vectors/` and of the catalogue, the surfaces that answer
//! them, and what makes an answer right. The format of a case is in this folder's `README.md`.
//!
//! A [`Surface`] takes requests as the REST API does and gives its answers in the same shape, so that
//! one expectation holds for all of them, and any two can be compared word by word.

pub mod answer;
pub mod corpus;
pub mod expectation;
pub mod http_client;
pub mod offsets;
pub mod run;
pub mod service;
pub mod surfaces;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

/// A verb of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// One text: what is found in it.
    Detect,
    /// 1 to 50 texts.
    DetectBatch,
    /// One text: the replacements of its findings.
    Protect,
    /// 1 to 50 texts.
    ProtectBatch,
    /// One value of one type.
    Validate,
    /// A text with its tokens restored.
    Restore,
    /// The list of detectors.
    Detectors,
    /// A document with its findings replaced.
    ProtectDocument,
}

/// A way to call the engine.
pub trait Surface {
    /// For people.
    fn name(&self) -> &'static str;

    /// Whether it has this verb; a batch is for those who pay for a round trip.
    fn offers(&self, verb: Verb) -> bool;

    /// Returns the answer in the format of the REST API, without times; an error as [`answer::refusal`].
    /// Offsets are in code points unless the request sets another unit.
    ///
    /// # Errors
    /// If the surface itself fails, which no request may cause.
    fn call(&mut self, verb: Verb, request: &Value) -> anyhow::Result<Value>;
}

/// A path inside the workspace.
pub fn workspace(path: impl AsRef<Path>) -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).unwrap_or(manifest).join(path)
}

/// Returns the program: the one that the variable `TEXTVEIL` names, or the one in `dist/`.
///
/// # Errors
/// If there is no such variable and the program was not built.
pub fn program() -> anyhow::Result<PathBuf> {
    match std::env::var_os("TEXTVEIL") {
        Some(path) => Ok(path.into()),
        None => dist(&format!("textveil{}", std::env::consts::EXE_SUFFIX)),
    }
}

/// Returns a file or folder of `dist/`.
///
/// # Errors
/// If it was not built; the message says how to build it.
pub fn dist(name: &str) -> anyhow::Result<PathBuf> {
    let path = workspace("dist").join(name);
    anyhow::ensure!(path.exists(), "dist/{name} is not there; run `cargo xtask build` first");
    Ok(path)
}
