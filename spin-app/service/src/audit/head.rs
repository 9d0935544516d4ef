//! The signed head of a workspace's audit: where each of its chains ends.
//!
//! A chain shows every change but one: its end can be cut off, or all of it deleted. The head covers that. It lies in
//! the store `config`, apart from the chains, and is refreshed daily and with each export. An exported head that is
//! kept elsewhere proves more: all records until its export.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    chain::{AuditKeys, Fault, Link, Purpose},
    chains,
    journal::Chain,
};
use crate::{
    calendar::timestamp,
    documents::{self, Prepared},
    error::ApiError,
    host::{Host, KeyValue, Label},
};

/// The end of every chain of a workspace, signed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditHead"))]
pub struct Head {
    /// The signed part.
    pub head: Ends,
    /// HMAC-SHA256 in hex over the bytes of `head` as compact JSON, under the workspace's audit key.
    pub signature: String,
}

/// The end of every chain of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditEnds"))]
pub struct Ends {
    /// The workspace.
    pub workspace_id: String,
    /// ISO 8601: when it was signed.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date-time")))]
    pub at: String,
    /// The version of the key, as in `token_secrets`.
    pub key: u8,
    /// By the number of the chain: its last record. Chains without records are absent.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, Link>"))]
    pub chains: BTreeMap<usize, Link>,
}

impl Head {
    fn sign(ends: Ends, keys: &AuditKeys) -> Result<Self, ApiError> {
        let text = text(&ends)?;
        Ok(Self { signature: keys.sign(Purpose::Head, &text), head: ends })
    }

    /// Checks the signature.
    ///
    /// # Errors
    /// The fault of the signature.
    pub(super) fn verify(&self, keys: &AuditKeys, workspace: &str) -> Result<(), Fault> {
        let text = text(&self.head).map_err(|_| Fault::Unreadable)?;
        keys.verify(self.head.key, Purpose::Head, &text, &self.signature)?;
        if self.head.workspace_id == workspace { Ok(()) } else { Err(Fault::Changed) }
    }
}

fn text(ends: &Ends) -> Result<String, ApiError> {
    serde_json::to_string(ends).map_err(|_| ApiError::internal("an audit head cannot be written as JSON"))
}

pub(super) fn key(workspace: &str) -> String {
    format!("audit-head:{workspace}")
}

/// Reads the stored head of a workspace; `None` before the first export.
///
/// # Errors
/// `service_unavailable`; `internal_error` where it cannot be read.
pub(super) async fn stored(config: &impl KeyValue, workspace: &str) -> Result<Option<Head>, ApiError> {
    documents::read(config, &key(workspace)).await
}

/// Signs the ends of all chains, and stores the head.
///
/// An end that the stored head has further on stays: it was true, so its record must be there.
///
/// # Errors
/// `service_unavailable`; `internal_error` where an index cannot be read or the keys are not configured.
pub async fn export(host: &impl Host, workspace: &str) -> Result<Head, ApiError> {
    let keys = super::keys(host, workspace).await?;
    let (audit, config) = (host.store(Label::Audit), host.store(Label::Config));
    let known = stored(&config, workspace).await?.filter(|head| head.verify(&keys, workspace).is_ok());
    let mut ends = known.map(|head| head.head.chains).unwrap_or_default();
    for number in chains() {
        let chain = Chain { workspace, number };
        let link = chain.last(&audit, &chain.index(&audit).await?).await?;
        let is_further = ends.get(&number).is_none_or(|known| known.sequence <= link.sequence);
        if link.sequence > 0 && is_further {
            ends.insert(number, link);
        }
    }
    let ends = Ends {
        workspace_id: workspace.to_owned(),
        at: timestamp(host.now_ms() / 1_000),
        key: keys.version(),
        chains: ends,
    };
    let head = Head::sign(ends, &keys)?;
    Prepared::new(key(workspace), &Some(&head))?.write_to(&config).await?;
    Ok(head)
}
