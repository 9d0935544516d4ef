//! The contents of a record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use textveil_engine::Action;

use super::settings::AuditLevel;
use crate::{
    auth::Actor,
    limits::{MAX_AUDIT_POLICIES, MAX_MASKED_CHARS},
};

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditEvent"))]
pub enum Event {
    /// A request to a language model.
    Request,
    /// The configuration was changed.
    ConfigUpdate,
    /// A policy was added.
    PolicyCreate,
    /// A policy was changed.
    PolicyUpdate,
    /// A policy was removed.
    PolicyDelete,
    /// Configuration and policies were imported.
    Import,
    /// An API key was created.
    KeyCreate,
    /// An API key was revoked.
    KeyRevoke,
    /// An LLM provider was added.
    ProviderCreate,
    /// An LLM provider was changed.
    ProviderUpdate,
    /// An LLM provider was removed.
    ProviderDelete,
    /// A custom detector was added.
    DetectorCreate,
    /// A custom detector was removed.
    DetectorDelete,
    /// An entry was added to the allow list.
    AllowListCreate,
    /// An entry was removed from the allow list.
    AllowListDelete,
    /// An entry was added to the deny list.
    DenyListCreate,
    /// An entry was removed from the deny list.
    DenyListDelete,
}

impl Event {
    /// The names on the wire, for messages.
    pub(crate) const NAMES: &str = "request, config_update, policy_create, policy_update, policy_delete, import, \
        key_create, key_revoke, provider_create, provider_update, provider_delete, detector_create, \
        detector_delete, allow_list_create, allow_list_delete, deny_list_create or deny_list_delete";
}

/// The record of an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditEntry"))]
pub struct Entry {
    /// ISO 8601.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date-time")))]
    pub at: String,
    /// The kind of the event.
    pub event: Event,
    /// The id of the request.
    pub request_id: String,
    /// The actor: `key:<id>`, `user:<subject>`, `service:<name>` or `operator`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub actor: Option<Actor>,
    /// The strictest action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// The status of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The route used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<String>,
    /// The LLM provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The number of findings by type.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub entities: BTreeMap<String, usize>,
    /// The policies that decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<String>,
    /// It was forwarded with uninspected or unrecorded parts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bypassed: bool,
    /// The number of placeholders withheld in the answer because their values would leave through a URL or a
    /// tool.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub withheld: usize,
    /// The id of the changed object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The names of the changed fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// The text with every finding masked, possibly truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub masked_text: Option<String>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A record in its chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditRecord {
    /// The number of its chain. Concurrent requests have different chains.
    pub chain: usize,
    /// Its number in the chain, from 1.
    pub sequence: u64,
    /// The MAC of the record before it in the chain; zeros for the first one.
    pub previous: String,
    /// The version of the key of its own MAC, as in `token_secrets`.
    pub key: u8,
    /// The contents.
    #[serde(flatten)]
    pub entry: Entry,
}

impl Entry {
    /// Creates an entry without optional fields.
    pub fn new(at: String, event: Event, request_id: &str) -> Self {
        Self {
            at,
            event,
            request_id: request_id.to_owned(),
            actor: None,
            action: None,
            status: None,
            route: None,
            provider: None,
            model: None,
            entities: BTreeMap::new(),
            policies: Vec::new(),
            bypassed: false,
            withheld: 0,
            subject: None,
            fields: Vec::new(),
            masked_text: None,
        }
    }

    /// Reduces the entry to the fields that `level` allows; `None` if nothing is recorded.
    pub(crate) fn at_level(mut self, level: AuditLevel) -> Option<Self> {
        if level == AuditLevel::None {
            return None;
        }
        if level < AuditLevel::Standard {
            self.entities.clear();
            self.policies.clear();
            self.fields.clear();
        }
        self.policies.truncate(MAX_AUDIT_POLICIES);
        let whole = self.masked_text.filter(|_| level >= AuditLevel::Full);
        self.masked_text = whole.map(|text| text.chars().take(MAX_MASKED_CHARS).collect());
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_says_how_much() {
        let entry = Entry {
            action: Some(Action::Mask),
            entities: BTreeMap::from([("email".to_owned(), 2)]),
            policies: vec!["mail".to_owned(); 100],
            fields: vec!["region".to_owned()],
            masked_text: Some("é".repeat(MAX_MASKED_CHARS + 1)),
            ..Entry::new("2026-11-23T10:00:20Z".to_owned(), Event::Request, "id")
        };
        for (level, want) in [
            (AuditLevel::None, None),
            (AuditLevel::Minimal, Some((0, 0, 0, 0))),
            (AuditLevel::Standard, Some((1, MAX_AUDIT_POLICIES, 1, 0))),
            (AuditLevel::Full, Some((1, MAX_AUDIT_POLICIES, 1, MAX_MASKED_CHARS))),
        ] {
            let got = entry.clone().at_level(level);
            let text = |entry: &Entry| entry.masked_text.as_ref().map_or(0, |text| text.chars().count());
            let got = got.map(|one| {
                assert_eq!(one.action, Some(Action::Mask));
                (one.entities.len(), one.policies.len(), one.fields.len(), text(&one))
            });
            assert_eq!(got, want, "{level:?}");
        }
    }
}
