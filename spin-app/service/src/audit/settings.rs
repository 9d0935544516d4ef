//! The content and the retention of a workspace's audit records.

use serde::{Deserialize, Serialize};

/// The content and the retention of audit records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GatewayAudit"))]
pub(crate) struct AuditSettings {
    /// Retention in days.
    pub retention_days: u32,
    /// The level of detail of a record.
    pub level: AuditLevel,
}

impl AuditSettings {
    /// Whether records have the masked text.
    pub(crate) fn records_text(self) -> bool {
        self.level >= AuditLevel::Full
    }
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self { retention_days: 90, level: AuditLevel::Standard }
    }
}

/// The level of detail of audit records. Findings themselves are never recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) enum AuditLevel {
    /// Nothing.
    None,
    /// The request and the decision.
    Minimal,
    /// In addition, the findings by type, and the policies that decided.
    Standard,
    /// In addition, the text with every finding masked.
    Full,
}
