//! The API keys of a workspace: creation, lists, revocation.

use serde::{Deserialize, Serialize};

use crate::{
    audit::Event,
    auth::Principal,
    changes::{self, Change, Origin},
    credentials::{ApiKeyRecord, KeyLimits, Plan, generate, place, record},
    documents::{Document, Prepared},
    error::ApiError,
    host::Host,
    ids::uuid,
    scope::Scopes,
};

/// The maximum number of keys per workspace, including revoked ones.
pub const MAX_KEYS: usize = 1_000;

/// The settings of a new key.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Its plan.
    pub plan: Plan,
    /// Its purpose, for people.
    pub name: String,
    /// Its limits.
    pub limits: KeyLimits,
    /// Its scopes; [`Scopes::OF_KEY`] when absent.
    pub scopes: Option<Scopes>,
    /// Unix time in seconds from which it is rejected.
    pub expires_at: Option<u64>,
}

/// The keys of a workspace, as a document of the positions of their records.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
struct KeyIndex(Vec<IndexEntry>);

#[derive(Serialize, Deserialize)]
struct IndexEntry {
    id: String,
    sha256: String,
}

impl Document for KeyIndex {
    fn key(workspace: &str) -> String {
        format!("apikeys:{workspace}")
    }
}

impl KeyIndex {
    fn find(&self, id: &str) -> Result<&IndexEntry, ApiError> {
        self.0.iter().find(|entry| entry.id == id).ok_or_else(|| ApiError::no_such("API key"))
    }
}

/// Creates a key in the workspace of a principal, and stores its record. Only the answer contains the key.
///
/// # Errors
/// `service_unavailable`; `conflict` if the workspace has [`MAX_KEYS`] keys.
pub async fn create(
    host: &impl Host,
    principal: &Principal,
    request_id: &str,
    new: NewKey,
) -> Result<(String, ApiKeyRecord), ApiError> {
    let mut random = [0; 32];
    let (high, low) = random.split_at_mut(16);
    high.copy_from_slice(&host.random().to_be_bytes());
    low.copy_from_slice(&host.random().to_be_bytes());
    let key = generate(random);
    let record = ApiKeyRecord {
        id: uuid(host),
        name: new.name,
        limits: new.limits,
        scopes: new.scopes,
        created_at: host.now_ms() / 1_000,
        expires_at: new.expires_at,
        ..ApiKeyRecord::new(&key, principal.workspace.as_str(), new.plan)
    };
    let origin = Origin { principal, request_id };
    let record = changes::change(host, origin, async |(index,): &mut (KeyIndex,)| {
        if index.0.len() >= MAX_KEYS {
            return Err(ApiError::conflict("the workspace has 1000 API keys; delete those not in use"));
        }
        index.0.push(IndexEntry { id: record.id.clone(), sha256: record.sha256.clone() });
        let stored = Prepared::new(place(&record.sha256), &record)?;
        // the record is written after the index, so that every working key can be listed and revoked
        Ok(Change::of(Event::KeyCreate, record.id.clone(), record).with_record(stored))
    })
    .await?;
    Ok((key, record))
}

/// Returns the records of a workspace's keys, oldest first, including revoked and expired ones.
///
/// # Errors
/// `service_unavailable`; `internal_error` if a record cannot be read.
pub async fn list(host: &impl Host, workspace: &str) -> Result<Vec<ApiKeyRecord>, ApiError> {
    let index = KeyIndex::of_workspace(host, workspace).await?;
    let mut records = Vec::with_capacity(index.0.len());
    for entry in &index.0 {
        records.extend(record(host, &entry.sha256).await?);
    }
    Ok(records)
}

/// Returns the record of a key of a workspace.
///
/// # Errors
/// `not_found`; as [`list`].
pub async fn find(host: &impl Host, workspace: &str, id: &str) -> Result<ApiKeyRecord, ApiError> {
    let index = KeyIndex::of_workspace(host, workspace).await?;
    record(host, &index.find(id)?.sha256).await?.ok_or_else(|| ApiError::no_such("API key"))
}

/// Revokes a key of a principal's workspace: it is rejected from now on.
///
/// Its record stays in the list. Revoking it again changes nothing.
///
/// # Errors
/// As [`find`]; as `changes::change`.
pub async fn revoke(
    host: &impl Host,
    principal: &Principal,
    request_id: &str,
    id: &str,
) -> Result<ApiKeyRecord, ApiError> {
    let origin = Origin { principal, request_id };
    changes::change(host, origin, async |(index,): &mut (KeyIndex,)| {
        let found = record(host, &index.find(id)?.sha256).await?;
        let mut record = found.ok_or_else(|| ApiError::no_such("API key"))?;
        if record.revoked_at.is_some() {
            return Ok(Change::nothing(record));
        }
        record.revoked_at = Some(host.now_ms() / 1_000);
        let stored = Prepared::new(place(&record.sha256), &record)?;
        Ok(Change::of(Event::KeyRevoke, id, record).with_record(stored))
    })
    .await
}
