//! The engine as a WebAssembly component: the exports of `wit/`, each handed to the engine.
//!
//! Glue only. Built for `wasm32-unknown-unknown`, so that the component imports nothing.

mod convert;

#[allow(unsafe_code, missing_docs, reason = "generated from wit/")]
mod generated {
    wit_bindgen::generate!({ path: "../../wit", world: "engine" });
    export!(Component with_types_in self);

    use super::Component;
}

use std::cell::RefCell;

use generated::exports::textveil::engine::{
    detection::{Detection, DetectorInfo, Guest as DetectionGuest},
    protection::{Guest as ProtectionGuest, Key, ProtectOptions, Protection, Restoration},
    streaming::{Guest as StreamingGuest, GuestTextStream, TextStream},
    types::{DetectOptions, Error},
    validation::{Guest as ValidationGuest, Validation},
};

struct Component;

impl DetectionGuest for Component {
    fn detect(text: String, options: Option<DetectOptions>) -> Result<Detection, Error> {
        Ok(textveil_engine::detect(&text, &convert::detect_options(options)?)?.into())
    }

    fn detect_batch(texts: Vec<String>, options: Option<DetectOptions>) -> Result<Vec<Detection>, Error> {
        let found = textveil_engine::detect_batch(&texts, &convert::detect_options(options)?)?;
        Ok(found.into_iter().map(Detection::from).collect())
    }

    fn detectors(country: Option<String>) -> Vec<DetectorInfo> {
        textveil_engine::detectors(country.as_deref()).into_iter().map(DetectorInfo::from).collect()
    }
}

impl ValidationGuest for Component {
    fn validate(value: String, entity_type: String, country: Option<String>) -> Result<Validation, Error> {
        Ok(textveil_engine::validate(&value, &entity_type, country.as_deref())?.into())
    }
}

impl ProtectionGuest for Component {
    fn protect(
        text: String,
        detection: Option<DetectOptions>,
        protection: Option<ProtectOptions>,
        keys: Vec<Key>,
    ) -> Result<Protection, Error> {
        let keys = convert::keyring(keys)?;
        let detection = convert::detect_options(detection)?;
        let protection = convert::protect_options(protection);
        Ok(textveil_engine::protect(&text, &detection, &protection, keys.as_ref())?.into())
    }

    fn restore(text: String, keys: Vec<Key>) -> Result<Restoration, Error> {
        let keys = convert::keyring(keys)?.ok_or_else(|| {
            textveil_engine::Error::invalid("key", "is missing; give the key that the tokens were made with")
        })?;
        Ok(textveil_engine::restore(&text, &keys)?.into())
    }
}

impl StreamingGuest for Component {
    type TextStream = Stream;
}

/// A stream behind a handle; the component model gives shared access only, one call at a time.
struct Stream(RefCell<textveil_engine::Stream>);

impl GuestTextStream for Stream {
    fn open(
        detection: Option<DetectOptions>,
        protection: Option<ProtectOptions>,
        keys: Vec<Key>,
    ) -> Result<TextStream, Error> {
        let keys = convert::keyring(keys)?;
        let detection = convert::detect_options(detection)?;
        let protection = convert::protect_options(protection);
        let stream = textveil_engine::Stream::new(detection, protection, keys)?;
        Ok(TextStream::new(Self(RefCell::new(stream))))
    }

    fn push(&self, chunk: String) -> Result<String, Error> {
        Ok(self.0.borrow_mut().push(&chunk)?)
    }

    fn finish(&self) -> Result<String, Error> {
        Ok(self.0.borrow_mut().finish()?)
    }
}
