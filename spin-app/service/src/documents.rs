//! The documents of workspaces: JSON in the store `config`.
//!
//! Every change replaces the stamp of its workspace. A cache of workspace data compares the stamp, which
//! costs one read.

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    cache::Stamp,
    error::ApiError,
    host::{Host, KeyValue, Label},
};

/// Largest document in bytes: some backends take no more.
const MAX_BYTES: usize = 1_000_000;

/// A document of a workspace in the store `config`. A workspace without one has the default.
pub(crate) trait Document: DeserializeOwned + Default + Serialize {
    /// The key of the document of a workspace.
    fn key(workspace: &str) -> String;

    /// Reads the document of a workspace.
    ///
    /// # Errors
    /// `service_unavailable`; `internal_error` if it cannot be read.
    async fn of_workspace(host: &impl Host, workspace: &str) -> Result<Self, ApiError> {
        read(&host.store(Label::Config), &Self::key(workspace)).await
    }
}

/// Reads a JSON document of a store; the default if it is absent.
///
/// # Errors
/// `service_unavailable`; `internal_error` if it cannot be read.
pub(crate) async fn read<T>(store: &impl KeyValue, key: &str) -> Result<T, ApiError>
where
    T: DeserializeOwned + Default,
{
    match store.get(key).await? {
        None => Ok(T::default()),
        Some(json) => serde_json::from_slice(&json)
            .map_err(|_| ApiError::internal("a document in a key-value store cannot be read")),
    }
}

/// A document that was serialised and found small enough.
#[derive(PartialEq, Eq)]
pub(crate) struct Prepared {
    key: String,
    json: Vec<u8>,
}

impl Prepared {
    /// Serialises `document` for `key`.
    ///
    /// # Errors
    /// `conflict` if it is too large.
    pub(crate) fn new(key: impl Into<String>, document: &impl Serialize) -> Result<Self, ApiError> {
        let json = serde_json::to_vec(document)
            .map_err(|_| ApiError::internal("a document cannot be written as JSON"))?;
        if json.len() > MAX_BYTES {
            return Err(ApiError::conflict(
                "the workspace holds too much of this; delete what is not needed",
            ));
        }
        Ok(Self { key: key.into(), json })
    }

    /// Writes it to a store; the caller holds the lock of the key.
    ///
    /// # Errors
    /// `service_unavailable`.
    pub(crate) async fn write_to(&self, store: &impl KeyValue) -> Result<(), ApiError> {
        Ok(store.set(&self.key, &self.json).await?)
    }
}

/// One or two documents that change together.
pub(crate) trait Documents: Sized {
    /// Their keys.
    fn keys(workspace: &str) -> Vec<String>;

    /// Reads them.
    ///
    /// # Errors
    /// As [`read`].
    async fn read(host: &impl Host, workspace: &str) -> Result<Self, ApiError>;

    /// Serialises them, in the order of their keys.
    ///
    /// # Errors
    /// As [`Prepared::new`].
    fn prepare(&self, workspace: &str) -> Result<Vec<Prepared>, ApiError>;
}

impl<D: Document> Documents for (D,) {
    fn keys(workspace: &str) -> Vec<String> {
        vec![D::key(workspace)]
    }

    async fn read(host: &impl Host, workspace: &str) -> Result<Self, ApiError> {
        Ok((D::of_workspace(host, workspace).await?,))
    }

    fn prepare(&self, workspace: &str) -> Result<Vec<Prepared>, ApiError> {
        Ok(vec![Prepared::new(D::key(workspace), &self.0)?])
    }
}

impl<A: Document, B: Document> Documents for (A, B) {
    fn keys(workspace: &str) -> Vec<String> {
        vec![A::key(workspace), B::key(workspace)]
    }

    async fn read(host: &impl Host, workspace: &str) -> Result<Self, ApiError> {
        Ok((A::of_workspace(host, workspace).await?, B::of_workspace(host, workspace).await?))
    }

    fn prepare(&self, workspace: &str) -> Result<Vec<Prepared>, ApiError> {
        Ok(vec![Prepared::new(A::key(workspace), &self.0)?, Prepared::new(B::key(workspace), &self.1)?])
    }
}

/// Reads the stamp of a workspace.
///
/// # Errors
/// `service_unavailable`.
pub(crate) async fn stamp(host: &impl Host, workspace: &str) -> Result<Stamp, ApiError> {
    Ok(host.store(Label::Config).get(&stamp_key(workspace)).await?)
}

/// Replaces the stamp of a workspace, which invalidates cached data.
pub(crate) async fn renew_stamp(host: &impl Host, workspace: &str) -> Result<(), ApiError> {
    let stamp = format!("{:032x}", host.random());
    Ok(host.store(Label::Config).set(&stamp_key(workspace), stamp.as_bytes()).await?)
}

fn stamp_key(workspace: &str) -> String {
    format!("{STAMP_PREFIX}{workspace}")
}

/// The prefix of a stamp's key.
pub(crate) const STAMP_PREFIX: &str = "stamp:";
