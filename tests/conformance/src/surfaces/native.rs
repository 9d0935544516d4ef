//! The engine as a Rust library.

use anyhow::Result;
use serde_json::Value;
use textveil_engine::{
    DetectOptions, Detection, Keyring, ProtectOptions, Protection, Restored, Validation,
    wire::{DetectorInfo, ValidateRequest},
};

use super::{
    KEY_VERSION, key,
    verbs::{self, Failure, Verbs},
};
use crate::{Surface, Verb};

/// The engine as a Rust library.
#[derive(Debug)]
pub struct Native {
    keys: Keyring,
}

impl Native {
    /// The engine with the key of the corpus.
    ///
    /// # Errors
    /// If the engine rejects the key.
    pub fn new() -> Result<Self> {
        Ok(Self { keys: Keyring::new(KEY_VERSION, &key()?)? })
    }
}

impl Surface for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn offers(&self, verb: Verb) -> bool {
        verbs::offers(verb)
    }

    fn call(&mut self, verb: Verb, request: &Value) -> Result<Value> {
        verbs::call(self, verb, request)
    }
}

impl Verbs for Native {
    fn detect(&self, text: &str, options: &DetectOptions) -> Result<Detection, Failure> {
        Ok(textveil_engine::detect(text, options)?)
    }

    fn detect_batch(&self, texts: &[String], options: &DetectOptions) -> Result<Vec<Detection>, Failure> {
        Ok(textveil_engine::detect_batch(texts, options)?)
    }

    fn detectors(&self, country: Option<&str>) -> Result<Vec<DetectorInfo>, Failure> {
        Ok(textveil_engine::detectors(country))
    }

    fn validate(&self, request: &ValidateRequest) -> Result<Validation, Failure> {
        let ValidateRequest { value, entity_type, country } = request;
        Ok(textveil_engine::validate(value, entity_type, country.as_deref())?)
    }

    fn protect(
        &self,
        text: &str,
        detection: &DetectOptions,
        protection: &ProtectOptions,
    ) -> Result<Protection, Failure> {
        Ok(textveil_engine::protect(text, detection, protection, Some(&self.keys))?)
    }

    fn restore(&self, text: &str) -> Result<Restored, Failure> {
        Ok(textveil_engine::restore(text, &self.keys)?)
    }
}
