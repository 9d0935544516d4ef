//! Settings of a workspace that every call of it uses: its own detectors, and lists of what is never and
//! what is always a finding.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use textveil_engine::{DetectOptions, wire};

use crate::{documents, error::ApiError, host::Host};

/// The document of a workspace. Entries are kept as they were sent, and read as a request's are.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    pub custom_detectors: Vec<Value>,
    pub allow_list: Vec<Entry>,
    pub deny_list: Vec<Entry>,
}

/// An entry of a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub id: String,
    /// ISO 8601.
    pub created_at: String,
    #[serde(flatten)]
    pub rule: Value,
}

/// The type of what a deny list finds, where its entry names none.
pub(crate) const DENY_LIST: &str = "deny_list";

/// Where the settings of a workspace lie in the store `config`.
pub(crate) fn key(workspace: &str) -> String {
    format!("settings:{workspace}")
}

impl Settings {
    /// The settings of a workspace.
    ///
    /// # Errors
    /// As [`documents::read`].
    pub(crate) async fn of(host: &impl Host, workspace: &str) -> Result<Self, ApiError> {
        documents::read(host, &key(workspace)).await
    }

    /// The types that the workspace has of its own.
    pub(crate) fn types(&self) -> impl Iterator<Item = &str> {
        let custom = self.custom_detectors.iter().filter_map(|detector| detector.get("name")?.as_str());
        let denied = self.deny_list.iter().map(|entry| entry.rule.get("type").and_then(Value::as_str));
        custom.chain(denied.map(|kind| kind.unwrap_or(DENY_LIST)))
    }

    /// Adds the workspace's settings to what a request asks for; the request's own come first.
    ///
    /// # Errors
    /// `internal_error` where a stored entry is none.
    pub(crate) fn add_to(self, options: &mut DetectOptions) -> Result<(), ApiError> {
        let rules = |entries: Vec<Entry>| entries.into_iter().map(|entry| entry.rule);
        options.custom_detectors.extend(stored(self.custom_detectors)?);
        options.allow_list.extend(stored(rules(self.allow_list))?);
        options.deny_list.extend(stored(rules(self.deny_list))?);
        Ok(())
    }
}

fn stored<T: DeserializeOwned>(values: impl IntoIterator<Item = Value>) -> Result<Vec<T>, ApiError> {
    let read = values.into_iter().map(wire::decode);
    read.collect::<Result<_, _>>().map_err(|_| ApiError::internal("a stored setting cannot be read"))
}
