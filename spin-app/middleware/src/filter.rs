//! [`Filter`]: protects or restores the values of one document.

use std::sync::Arc;

use textveil_documents::{Documents, Record, Records as _, Value, analyse, replaced};
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
        let value = Value { text: text.to_owned(), ..Value::default() };
        Ok(self.values(&[value])?.pop().flatten().unwrap_or_else(|| text.to_owned()))
    }

    /// Filters a JSON document: only keys, strings and numbers change.
    pub(crate) fn json(&self, document: &str) -> Result<String, Refusal> {
        let mut documents = Documents::whole(document.as_bytes());
        let record = documents.next().map_err(|_| Refusal::Malformed("the body is not valid JSON"))?;
        let Some(Record { raw, values, .. }) = record else { return Ok(String::new()) };
        let mut new = String::with_capacity(raw.len());
        let mut done = 0;
        for (value, changed) in values.iter().zip(self.values(&values)?) {
            let Some(changed) = changed else { continue };
            let old = raw.get(value.place.clone()).unwrap_or_default();
            new.push_str(raw.get(done..value.place.start).unwrap_or_default());
            new.push_str(&documents.encode(old, &changed));
            done = value.place.end;
        }
        new.push_str(raw.get(done..).unwrap_or_default());
        Ok(new)
    }

    /// Returns the new text of each value; `None` without a change.
    pub(crate) fn values(&self, values: &[Value]) -> Result<Vec<Option<String>>, Refusal> {
        match self.task {
            Task::Protect => self.protected(values),
            Task::Restore => Ok(values.iter().map(|value| self.restored(&value.text)).collect()),
        }
    }

    fn protected(&self, values: &[Value]) -> Result<Vec<Option<String>>, Refusal> {
        let Config { finder, protection, keys, .. } = &*self.config;
        let mut refusal = None;
        let analysis = analyse(values, |passage| {
            let protection = finder.protect(passage, protection, keys.as_ref()).map_err(|error| {
                refusal = Some(Refusal::from(error));
                Refusal::Blocked
            })?;
            Ok((protection.entities, protection.countries))
        });
        let Ok(analysis) = analysis else {
            return Err(refusal.unwrap_or(Refusal::Malformed("the body cannot be inspected")));
        };
        let changed = values.iter().zip(&analysis.findings).map(|(value, findings)| {
            (!findings.is_empty()).then(|| replaced(&value.text, findings, str::to_owned))
        });
        Ok(changed.collect())
    }

    fn restored(&self, text: &str) -> Option<String> {
        let keys: &Keyring = self.config.keys.as_ref()?;
        if !text.contains("tok_") {
            return None;
        }
        restore(text, keys).ok().filter(|restored| restored.restored > 0).map(|restored| restored.text)
    }
}
