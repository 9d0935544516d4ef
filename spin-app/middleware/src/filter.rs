//! [`Filter`]: protects or restores the values of one document.

use std::sync::Arc;

use textveil_documents::{Document, Edit, Format, Record, Value, analyse, edited};
use textveil_engine::{Keyring, restore};

use crate::{config::Config, refusal::Refusal};

/// The operation on a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Personal data is replaced.
    Protect,
    /// Restores tokens.
    Restore,
}

/// Does a task with texts and documents.
pub(crate) struct Filter {
    config: Arc<Config>,
    task: Task,
}

impl Filter {
    pub(crate) fn new(config: &Arc<Config>, task: Task) -> Self {
        Self { config: Arc::clone(config), task }
    }

    pub(crate) fn task(&self) -> Task {
        self.task
    }

    /// Filters a text without a structure.
    pub(crate) fn text(&self, text: &str) -> Result<String, Refusal> {
        let value = Value::plain(None, text.to_owned());
        Ok(self.values(&[value])?.pop().flatten().unwrap_or_else(|| text.to_owned()))
    }

    /// Filters a document of which only values change.
    pub(crate) fn document(&self, document: &str, format: Format) -> Result<String, Refusal> {
        let mut reader = Document::open_text(format).ok_or(NOT_TEXT)?;
        let mut records = reader.push(document).map_err(malformed)?;
        records.extend(reader.finish().map_err(malformed)?);
        records.iter().map(|record| self.record(record)).collect()
    }

    /// Filters a record of a document.
    pub(crate) fn record(&self, record: &Record) -> Result<String, Refusal> {
        Ok(record.rewritten(&self.edits(&record.values)?))
    }

    /// Returns the new text of each value; `None` without a change.
    pub(crate) fn values(&self, values: &[Value]) -> Result<Vec<Option<String>>, Refusal> {
        let edits = self.edits(values)?;
        let changed = values.iter().zip(&edits);
        Ok(changed.map(|(value, edits)| (!edits.is_empty()).then(|| edited(&value.text, edits))).collect())
    }

    fn edits(&self, values: &[Value]) -> Result<Vec<Vec<Edit>>, Refusal> {
        match self.task {
            Task::Protect => self.protected(values),
            Task::Restore => {
                let restored = |value: &Value| {
                    let restored = self.restored(&value.text)?;
                    Edit::between(&value.text, &restored)
                };
                Ok(values.iter().map(|value| restored(value).into_iter().collect()).collect())
            }
        }
    }

    fn protected(&self, values: &[Value]) -> Result<Vec<Vec<Edit>>, Refusal> {
        let Config { finder, protection, keys, .. } = &*self.config;
        let mut refusal = None;
        let analysis = analyse(values, |passage| {
            let protection = finder.protect(passage, protection, keys.as_ref()).map_err(|error| {
                refusal = Some(Refusal::from(error));
                Refusal::Blocked
            })?;
            Ok((protection.entities, protection.countries))
        });
        match analysis {
            Ok(analysis) => Ok(analysis.edits(str::to_owned)),
            Err(_) => Err(refusal.unwrap_or(Refusal::Malformed("the body cannot be inspected"))),
        }
    }

    fn restored(&self, text: &str) -> Option<String> {
        let keys: &Keyring = self.config.keys.as_ref()?;
        if !text.contains("tok_") {
            return None;
        }
        restore(text, keys).ok().filter(|restored| restored.restored > 0).map(|restored| restored.text)
    }
}

/// Why a document of a format that is no text is rejected.
pub(crate) const NOT_TEXT: Refusal = Refusal::Unsupported("documents of this type are not read");

/// Rejects a body that is not valid for its content type. A refusal has a fixed text, so the reader's message is dropped.
pub(crate) fn malformed(_: anyhow::Error) -> Refusal {
    Refusal::Malformed("the body is not valid for its content type")
}
