//! The engine component under wasmtime.

use anyhow::Result;
use serde_json::Value;
use textveil::{Engine, Error, Key, Limits};
use textveil_engine::{
    DetectOptions, Detection, ProtectOptions, Protection, Restored, Validation,
    wire::{DetectorInfo, ValidateRequest},
};

use super::{
    KEY_VERSION, key,
    verbs::{self, Failure, Verbs},
};
use crate::{Surface, Verb, dist};

/// `dist/textveil-engine.wasm` under wasmtime.
#[derive(Debug)]
pub struct Component {
    engine: Engine,
    keys: Vec<Key>,
}

impl Component {
    /// The component with the key of the corpus.
    ///
    /// # Errors
    /// If it was not built or cannot be loaded.
    pub fn new() -> Result<Self> {
        let engine = Engine::load(dist("textveil-engine.wasm")?, Limits::default())?;
        Ok(Self { engine, keys: vec![Key { version: KEY_VERSION, secret: key()?.to_vec() }] })
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Refused(error) => Self::Refused(error),
            failed => Self::Broken(failed.into()),
        }
    }
}

impl Surface for Component {
    fn name(&self) -> &'static str {
        "component"
    }

    fn offers(&self, verb: Verb) -> bool {
        verbs::offers(verb)
    }

    fn call(&mut self, verb: Verb, request: &Value) -> Result<Value> {
        verbs::call(self, verb, request)
    }
}

impl Verbs for Component {
    fn detect(&self, text: &str, options: &DetectOptions) -> Result<Detection, Failure> {
        Ok(self.engine.detect(text, options)?)
    }

    fn detect_batch(&self, texts: &[String], options: &DetectOptions) -> Result<Vec<Detection>, Failure> {
        Ok(self.engine.detect_batch(texts, options)?)
    }

    fn detectors(&self, country: Option<&str>) -> Result<Vec<DetectorInfo>, Failure> {
        Ok(self.engine.detectors(country)?)
    }

    fn validate(&self, request: &ValidateRequest) -> Result<Validation, Failure> {
        let ValidateRequest { value, entity_type, country } = request;
        Ok(self.engine.validate(value, entity_type, country.as_deref())?)
    }

    fn protect(
        &self,
        text: &str,
        detection: &DetectOptions,
        protection: &ProtectOptions,
    ) -> Result<Protection, Failure> {
        Ok(self.engine.protect(text, detection, protection, &self.keys)?)
    }

    fn restore(&self, text: &str) -> Result<Restored, Failure> {
        Ok(self.engine.restore(text, &self.keys)?)
    }
}
