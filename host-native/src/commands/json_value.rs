//! Protects and restores the strings within a JSON value, as those of a JSON document.

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use textveil::{DetectOptions, Engine, Key, ProtectOptions, Protection, Restored};
use textveil_documents::{Edit, Format, Reading, Record, Records, UTF_8, analyse};
use textveil_engine::{
    OffsetUnit, TypeCounts,
    options::{Action, DenyRule},
};

use super::{flags::for_passage, restore::restored_values};

/// The key of the value in its document: the reader of JSON documents takes a list or an object.
const CONTENT: &str = "content";

/// The engine with its options, for values.
pub struct JsonProtector {
    pub engine: Engine,
    pub detection: DetectOptions,
    pub protection: ProtectOptions,
    /// The current one first.
    pub keys: Vec<Key>,
}

impl JsonProtector {
    /// Protects every string and number within a value, labelled with its keys, and counts the findings that are not allowed.
    ///
    /// # Errors
    /// If the value cannot be read, or the engine rejects it.
    pub fn protected(&self, value: &Value) -> Result<(Value, TypeCounts)> {
        self.protected_with(value, Vec::new())
    }

    /// The same with texts that are findings wherever they are.
    ///
    /// # Errors
    /// As [`Self::protected`].
    pub fn protected_with(&self, value: &Value, deny: Vec<DenyRule>) -> Result<(Value, TypeCounts)> {
        let mut detection = self.detection.clone();
        detection.deny_list.extend(deny);
        let mut counts = TypeCounts::default();
        let protected = rewritten(value, |record| {
            let analysis = analyse(&record.values, |passage| {
                let detection = for_passage(&detection, OffsetUnit::Byte, passage)?;
                let Protection { entities, countries, .. } =
                    self.engine.protect(passage.text(), &detection, &self.protection, &self.keys)?;
                Ok((entities, countries))
            })?;
            for found in analysis.findings.iter().flatten() {
                if !matches!(found.action, Some(Action::Allow | Action::Flag)) {
                    *counts.entry(found.entity.kind.clone()).or_default() += 1;
                }
            }
            Ok(analysis.edits(str::to_owned))
        })?;
        Ok((protected, counts))
    }

    /// Restores the tokens within a value.
    ///
    /// # Errors
    /// If the value cannot be read.
    pub fn restored(&self, value: &Value) -> Result<Value> {
        let mut total = Restored { text: String::new(), restored: 0, unknown: 0 };
        rewritten(value, |record| restored_values(&self.engine, &self.keys, record, &mut total))
    }
}

/// Returns the value with the edits of its strings and numbers.
fn rewritten(value: &Value, mut edits: impl FnMut(&Record) -> Result<Vec<Vec<Edit>>>) -> Result<Value> {
    let document = json!({ CONTENT: value }).to_string();
    let reading = Reading { format: Format::Json, is_whole: true, delimiter: None, encoding: Some(UTF_8) };
    let mut records = Records::open(document.as_bytes(), reading);
    let mut written = String::with_capacity(document.len());
    while let Some(record) = records.next_record()? {
        let edits = edits(&record)?;
        written.push_str(&record.rewritten(&edits));
    }
    let mut document: Map<String, Value> = serde_json::from_str(&written)?;
    document.remove(CONTENT).context("the changed value is not JSON; please report this defect")
}
