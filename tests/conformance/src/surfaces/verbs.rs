//! The verbs of the engine in Rust, and how a REST request is answered by them.

use anyhow::Result;
use serde_json::Value;
use textveil_engine::{
    DetectOptions, Detection, Error, ProtectOptions, Protection, Restored, Validation,
    tree::FromTree,
    wire::{
        DetectBatchResponse, DetectResponse, DetectorInfo, DetectorsResponse, ManyTexts, OneText,
        ProtectResponse, RestoreResponse, ValidateRequest, ValidateResponse, decode,
    },
};

use crate::{Verb, answer};

/// Why a verb gave no answer.
pub(super) enum Failure {
    /// The call is at fault.
    Refused(Error),
    /// The surface is at fault.
    Broken(anyhow::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::Broken(error.into())
    }
}

/// The engine's functions in Rust, however the engine is run.
pub(super) trait Verbs {
    fn detect(&self, text: &str, options: &DetectOptions) -> Result<Detection, Failure>;
    fn detect_batch(&self, texts: &[String], options: &DetectOptions) -> Result<Vec<Detection>, Failure>;
    fn detectors(&self, country: Option<&str>) -> Result<Vec<DetectorInfo>, Failure>;
    fn validate(&self, request: &ValidateRequest) -> Result<Validation, Failure>;
    fn protect(
        &self,
        text: &str,
        detection: &DetectOptions,
        protection: &ProtectOptions,
    ) -> Result<Protection, Failure>;
    fn restore(&self, text: &str) -> Result<Restored, Failure>;
}

/// Whether the engine in Rust has this verb: a batch is protected text by text, and other crates read documents.
pub(super) fn offers(verb: Verb) -> bool {
    !matches!(verb, Verb::ProtectBatch | Verb::ProtectDocument)
}

/// Answers a REST request.
pub(super) fn call(engine: &impl Verbs, verb: Verb, request: &Value) -> Result<Value> {
    match respond(engine, verb, request) {
        Ok(answer) => Ok(answer),
        Err(Failure::Refused(error)) => Ok(answer::refusal(error.code(), error.field())),
        Err(Failure::Broken(error)) => Err(error),
    }
}

fn respond(engine: &impl Verbs, verb: Verb, request: &Value) -> Result<Value, Failure> {
    let answer = match verb {
        Verb::Detect => {
            let (options, OneText { text }) = (read(request)?, read(request)?);
            serde_json::to_value(DetectResponse::new(&text, engine.detect(&text, &options)?, 0.0))
        }
        Verb::DetectBatch => {
            let (options, ManyTexts { texts }) = (read(request)?, read(request)?);
            let found = engine.detect_batch(&texts, &options)?;
            let results = texts.iter().zip(found).map(|(text, one)| DetectResponse::new(text, one, 0.0));
            serde_json::to_value(DetectBatchResponse::new(results.collect(), 0.0))
        }
        Verb::Protect => {
            let (detection, protection) = (read(request)?, read(request)?);
            let OneText { text } = read(request)?;
            let protected = engine.protect(&text, &detection, &protection)?;
            serde_json::to_value(ProtectResponse::new(&text, protected, 0.0))
        }
        Verb::Validate => {
            let request: ValidateRequest = read(request)?;
            serde_json::to_value(ValidateResponse::new(&request.value, engine.validate(&request)?))
        }
        Verb::Restore => {
            let OneText { text } = read(request)?;
            serde_json::to_value(RestoreResponse::new(engine.restore(&text)?))
        }
        Verb::Detectors => {
            let country = request.get("country").and_then(Value::as_str);
            serde_json::to_value(DetectorsResponse::new(engine.detectors(country)?))
        }
        Verb::ProtectBatch | Verb::ProtectDocument => {
            return Err(Failure::Broken(anyhow::anyhow!(
                "the engine has neither protect_batch nor documents"
            )));
        }
    };
    Ok(answer?)
}

fn read<T: FromTree>(request: &Value) -> Result<T, Error> {
    decode(request)
}
