//! Hands answers with findings to JavaScript: a list of numbers, and one text with all strings in their order.
//!
//! `js/answers.ts` reads them, in the same order, and makes the objects that JSON text would be parsed to, in less time.

use std::ptr;

use textveil_engine::{
    Evidence, Fact, Metadata,
    wire::{
        DetectBatchResponse, DetectResponse, DetectedEntity, LikelyCountry, ProtectResponse, ProtectedEntity,
    },
};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The reader of answers, `js/answers.ts`.
    pub type Reader;

    /// Reads a DetectResponse.
    #[wasm_bindgen(method)]
    fn detected(this: &Reader, numbers: &[u32], texts: &str) -> JsValue;

    /// Reads a DetectBatchResponse.
    #[wasm_bindgen(method)]
    fn batch(this: &Reader, numbers: &[u32], texts: &str) -> JsValue;

    /// Reads a ProtectResponse.
    #[wasm_bindgen(method)]
    fn protection(this: &Reader, numbers: &[u32], texts: &str) -> JsValue;

    /// Reads a ProtectedEntity.
    #[wasm_bindgen(method)]
    fn entity(this: &Reader, numbers: &[u32], texts: &str) -> JsValue;
}

/// An answer that the reader of JavaScript has a function for.
pub(crate) trait Answer {
    /// Returns the object of JavaScript.
    fn read_by(&self, reader: &Reader) -> JsValue;
}

impl Answer for DetectResponse<'_> {
    fn read_by(&self, reader: &Reader) -> JsValue {
        let mut out = Writer::new(self.entities.len());
        out.detected(self);
        reader.detected(&out.numbers, &out.texts)
    }
}

impl Answer for DetectBatchResponse<'_> {
    fn read_by(&self, reader: &Reader) -> JsValue {
        let mut out = Writer::new(self.total_entities);
        out.number(self.total_entities);
        out.number(self.total_processing_time_ms as usize);
        out.list(&self.results, Writer::detected);
        reader.batch(&out.numbers, &out.texts)
    }
}

impl Answer for ProtectResponse<'_> {
    fn read_by(&self, reader: &Reader) -> JsValue {
        let mut out = Writer::new(self.entities.len());
        out.name(self.protection_mode);
        out.name(self.api_version);
        out.float(self.processing_time_ms);
        out.text(&self.protected_text);
        out.list(&self.countries_detected, Writer::country);
        out.list(&self.entities, Writer::replaced);
        reader.protection(&out.numbers, &out.texts)
    }
}

impl Answer for ProtectedEntity {
    fn read_by(&self, reader: &Reader) -> JsValue {
        let mut out = Writer::new(1);
        out.replaced(self);
        reader.entity(&out.numbers, &out.texts)
    }
}

/// The capacity for one finding: its numbers, and the bytes of its texts.
const NUMBERS: usize = 12;
const BYTES: usize = 48;

/// The properties that a finding has, one bit each.
mod has {
    pub(super) const VALIDATED: usize = 1;
    pub(super) const COUNTRY: usize = 2;
    pub(super) const METADATA: usize = 4;
    pub(super) const EVIDENCE: usize = 8;
    pub(super) const ACTION: usize = 16;
    pub(super) const POLICY: usize = 32;
}

/// Writes an answer.
struct Writer<'a> {
    numbers: Vec<u32>,
    texts: String,
    /// Texts that occur often, such as types. The first use of one has its text, the others have its index.
    names: Vec<&'a str>,
}

impl<'a> Writer<'a> {
    fn new(entities: usize) -> Self {
        Self {
            numbers: Vec::with_capacity((1 + entities) * NUMBERS),
            texts: String::with_capacity((1 + entities) * BYTES),
            names: Vec::new(),
        }
    }

    fn number(&mut self, number: usize) {
        self.numbers.push(number as u32);
    }

    fn float(&mut self, number: f64) {
        let bits = number.to_bits();
        self.numbers.extend([bits as u32, (bits >> 32) as u32]);
    }

    fn list<T>(&mut self, list: &'a [T], write: impl Fn(&mut Self, &'a T)) {
        self.number(list.len());
        list.iter().for_each(|one| write(self, one));
    }

    /// Writes a text and its length.
    fn text(&mut self, text: &str) {
        self.number(length(text));
        self.texts.push_str(text);
    }

    fn name(&mut self, name: &'a str) {
        let known = self.names.iter().position(|known| ptr::eq(*known, name) || *known == name);
        self.number(known.unwrap_or(self.names.len()));
        if known.is_none() {
            self.names.push(name);
            self.text(name);
        }
    }

    fn detected(&mut self, response: &'a DetectResponse<'_>) {
        self.name(response.privacy_preset);
        self.name(response.api_version);
        self.number(response.processing_time_ms as usize);
        self.list(&response.countries_detected, Self::country);
        self.list(&response.entities, |out, entity| out.found(entity, 0));
    }

    fn country(&mut self, country: &'a LikelyCountry) {
        self.name(&country.code);
        self.float(country.confidence);
        self.list(&country.evidence, Self::evidence);
    }

    fn evidence(&mut self, evidence: &'a Evidence) {
        self.name(evidence.signal);
        self.float(evidence.weight);
        self.number(usize::from(evidence.span.is_some()));
        if let Some(span) = evidence.span {
            self.number(span.start);
            self.number(span.end);
        }
    }

    /// Writes a finding; `more` are further properties of [`has`], which the caller writes.
    fn found(&mut self, entity: &'a DetectedEntity, more: usize) {
        self.name(&entity.kind);
        self.number(
            more | flag(entity.validated, has::VALIDATED)
                | flag(entity.country.is_some(), has::COUNTRY)
                | flag(entity.metadata.is_some(), has::METADATA)
                | flag(!entity.evidence.is_empty(), has::EVIDENCE),
        );
        self.float(entity.confidence);
        self.number(entity.start);
        self.number(entity.end);
        self.text(&entity.original);
        if let Some(country) = &entity.country {
            self.name(country);
        }
        if let Some(metadata) = &entity.metadata {
            self.metadata(metadata);
        }
        if !entity.evidence.is_empty() {
            self.list(&entity.evidence, Self::evidence);
        }
    }

    /// Writes facts: a flag is 0 or 1, a text its length plus 2.
    fn metadata(&mut self, metadata: &'a Metadata) {
        self.number(metadata.iter().count());
        for (name, fact) in metadata.iter() {
            self.name(name);
            match fact {
                Fact::Flag(flag) => self.number(usize::from(*flag)),
                Fact::Text(text) => {
                    self.number(2 + length(text));
                    self.texts.push_str(text);
                }
            }
        }
    }

    fn replaced(&mut self, entity: &'a ProtectedEntity) {
        let more = flag(entity.action.is_some(), has::ACTION) | flag(entity.policy.is_some(), has::POLICY);
        self.found(&entity.entity, more);
        self.text(&entity.protected);
        if let Some(action) = entity.action {
            self.name(action.as_str());
        }
        if let Some(policy) = &entity.policy {
            self.name(policy);
        }
    }
}

/// Returns the bit of a property if the finding has it.
fn flag(is_there: bool, bit: usize) -> usize {
    if is_there { bit } else { 0 }
}

/// Returns the length of a text in JavaScript, in units of UTF-16.
fn length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}
