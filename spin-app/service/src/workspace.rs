//! Workspaces: their ids, and the settings that every call of one uses: custom detectors, allow list, deny list.

use serde::{Deserialize, Serialize};
use textveil_engine::options::{AllowRule, CustomDetector, DenyRule, DetectOptions};

use crate::documents::Document;

/// Longest id of a workspace: it becomes part of keys of the stores.
const MAX_WORKSPACE_BYTES: usize = 64;

/// Whether `id` can be a workspace: it becomes part of keys of the stores.
pub fn is_workspace(id: &str) -> bool {
    (1..=MAX_WORKSPACE_BYTES).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// The settings of a workspace, as a document.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    pub custom_detectors: Vec<CustomDetector>,
    pub allow_list: Vec<Entry<AllowRule>>,
    pub deny_list: Vec<Entry<DenyRule>>,
}

/// An entry of a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "{Rule}Entry"))]
pub(crate) struct Entry<Rule> {
    /// A UUID.
    pub id: String,
    /// ISO 8601.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date-time")))]
    pub created_at: String,
    /// The rule.
    #[serde(flatten)]
    pub rule: Rule,
}

/// The type of what a deny list finds, where its entry names none.
pub(crate) const DENY_LIST: &str = "deny_list";

impl Document for Settings {
    fn key(workspace: &str) -> String {
        format!("settings:{workspace}")
    }
}

impl Settings {
    /// The types that the workspace has of its own.
    pub(crate) fn types(&self) -> impl Iterator<Item = &str> {
        let custom = self.custom_detectors.iter().map(|detector| detector.name.as_str());
        let denied = self.deny_list.iter().map(|entry| entry.rule.kind.as_deref());
        custom.chain(denied.map(|kind| kind.unwrap_or(DENY_LIST)))
    }

    /// Adds the workspace's settings to what a request asks for; the request's own come first.
    pub(crate) fn add_to(&self, options: &mut DetectOptions) {
        options.custom_detectors.extend_from_slice(&self.custom_detectors);
        options.allow_list.extend(self.allow_list.iter().map(|entry| entry.rule.clone()));
        options.deny_list.extend(self.deny_list.iter().map(|entry| entry.rule.clone()));
    }
}
