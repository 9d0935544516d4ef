//! Sessions: the values of responses, kept so that later requests can continue or fetch them.
//!
//! A provider that stores a response has placeholders only. Their values are kept here, under the id of the
//! response and under that of its conversation, in the store `config`. Each session belongs to one workspace
//! and one actor, is sealed with a key of the workspace, and expires after the time in the workspace's
//! configuration.
//!
//! ```text
//! session:<workspace>:<digest>             the sealed session; the digest is of the actor and the id
//! session-owner:<digest>                   the sealed owner of a conversation; the digest is of the id
//! session-count:<workspace>:<hour>         counter of the sessions that end in that hour since 1970
//! session-entry:<workspace>:<hour>:<n>     the key of the n-th of them
//! session-sweep:<workspace>                the first hour and entry that were not swept yet
//! ```
//!
//! The id of a response leads nowhere without a session. A conversation has no session before its first request: the sender
//! of that request owns it until its session ends, so that another caller with a leaked id is rejected, in any workspace.
//!
//! A store has no time limits of its own and cannot list its keys. So each session that is kept also deletes some that
//! ended. Those of a workspace that keeps none any more stay, sealed, until it does.

mod keys;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use keys::SessionKeys;

use crate::{
    auth::Actor,
    chat::placeholder::SessionValues,
    error::ApiError,
    host::{Host, KeyValue, Label},
    limits::MAX_SESSION_BYTES,
};

const HOUR_SECONDS: u64 = 3_600;

/// Most sessions that ended and are deleted when one is kept.
const SWEPT_ENTRIES: u64 = 4;

/// Most hours that are passed over when one is kept.
const SWEPT_HOURS: u64 = 24;

/// The data of a response.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Session {
    /// The route to its provider, if it had one.
    pub route: Option<String>,
    /// The id of its provider.
    pub provider: String,
    /// Its model.
    pub model: String,
    /// The values of the conversation up to it.
    pub values: SessionValues,
}

impl Session {
    /// Returns the document to seal.
    ///
    /// # Errors
    /// `invalid_request` naming `field` if it is too large.
    pub(crate) fn to_json(&self, field: &str) -> Result<Vec<u8>, ApiError> {
        let document = serde_json::to_vec(self).unwrap_or_default();
        match document.len() <= MAX_SESSION_BYTES {
            true => Ok(document),
            false => Err(ApiError::invalid(
                field,
                format!(
                    "{field} must not bring more values into the conversation: a session keeps {MAX_SESSION_BYTES} \
                     bytes of them; begin another conversation, or set store to false"
                ),
            )),
        }
    }
}

/// The sessions of one actor in one workspace.
pub(crate) struct SessionStore<'a, H> {
    pub host: &'a H,
    pub keys: &'a SessionKeys,
    pub workspace: &'a str,
    pub actor: &'a Actor,
}

impl<H: Host> SessionStore<'_, H> {
    /// Reads the session of a response or a conversation; `None` if it does not exist or has expired.
    ///
    /// # Errors
    /// `service_unavailable`.
    pub(crate) async fn read(&self, id: &str) -> Result<Option<Session>, ApiError> {
        let place = self.place(id);
        let Some(sealed) = self.current(&place).await? else { return Ok(None) };
        let document = self.keys.open(&place, &sealed);
        Ok(document.and_then(|document| serde_json::from_slice(&document).ok()))
    }

    /// Checks that a conversation belongs to nobody else.
    ///
    /// # Errors
    /// `invalid_request` naming `conversation`; `service_unavailable`.
    pub(crate) async fn check_owner(&self, conversation: &str) -> Result<(), ApiError> {
        let place = owner_place(conversation);
        let Some(sealed) = self.current(&place).await? else { return Ok(()) };
        // that of another workspace does not open
        match self.keys.open(&place, &sealed) {
            Some(owner) if owner == self.actor.as_str().as_bytes() => Ok(()),
            _ => Err(ApiError::invalid(
                "conversation",
                "conversation must be one that no other caller uses; create another one",
            )),
        }
    }

    /// Keeps the session of a response, and of its conversation with the owner, for `ttl` seconds. `document` is that of
    /// [`Session::to_json`].
    ///
    /// # Errors
    /// `service_unavailable`; `internal_error` if the workspace has no key.
    pub(crate) async fn keep(
        &self,
        response: &str,
        conversation: Option<&str>,
        document: &[u8],
        ttl: u32,
    ) -> Result<(), ApiError> {
        self.write(&self.place(response), document, ttl).await?;
        if let Some(conversation) = conversation {
            self.write(&owner_place(conversation), self.actor.as_str().as_bytes(), ttl).await?;
            self.write(&self.place(conversation), document, ttl).await?;
        }
        self.sweep().await
    }

    /// Returns the sealed bytes at a place, unless they are expired.
    async fn current(&self, place: &str) -> Result<Option<Vec<u8>>, ApiError> {
        let store = self.host.store(Label::Config);
        let Some(sealed) = store.get(place).await? else { return Ok(None) };
        if keys::end(&sealed).is_none_or(|end| end <= self.now()) {
            store.delete(place).await?;
            return Ok(None);
        }
        Ok(Some(sealed))
    }

    async fn write(&self, place: &str, document: &[u8], ttl: u32) -> Result<(), ApiError> {
        let end = self.now().saturating_add(ttl.into());
        let sealed = self.keys.seal(place, end, self.host.random(), document);
        let sealed = sealed.ok_or_else(|| ApiError::internal("a session cannot be sealed"))?;
        let store = self.host.store(Label::Config);
        // the entry first: a session without one would never be deleted
        let hour = end / HOUR_SECONDS;
        let number = store.increment(&self.count(hour), 1).await?;
        store.set(&self.entry(hour, number), place.as_bytes()).await?;
        Ok(store.set(place, &sealed).await?)
    }

    /// Deletes the session of a response.
    ///
    /// # Errors
    /// `service_unavailable`.
    pub(crate) async fn forget(&self, id: &str) -> Result<(), ApiError> {
        Ok(self.host.store(Label::Config).delete(&self.place(id)).await?)
    }

    /// Deletes some of the sessions that ended. Two that do so at once delete the same ones.
    async fn sweep(&self) -> Result<(), ApiError> {
        let store = self.host.store(Label::Config);
        let key = format!("session-sweep:{}", self.workspace);
        let now = self.now() / HOUR_SECONDS;
        let state = store.get(&key).await?;
        let state = state.as_deref().and_then(|state| serde_json::from_slice::<(u64, i64)>(state).ok());
        let begun = state.unwrap_or((now, 1));
        let (mut hour, mut next) = begun;
        let (mut entries, mut hours) = (0, 0);
        while hour < now && entries < SWEPT_ENTRIES && hours < SWEPT_HOURS {
            if next > store.increment(&self.count(hour), 0).await? {
                store.delete(&self.count(hour)).await?;
                (hour, next) = (hour + 1, 1);
                hours += 1;
                continue;
            }
            let entry = self.entry(hour, next);
            if let Some(place) = store.get(&entry).await?
                && let Ok(place) = std::str::from_utf8(&place)
            {
                // a conversation that went on ends later, and has another entry for that
                let sealed = store.get(place).await?;
                if sealed.is_some_and(|sealed| keys::end(&sealed).is_none_or(|end| end <= self.now())) {
                    store.delete(place).await?;
                }
            }
            store.delete(&entry).await?;
            next += 1;
            entries += 1;
        }
        if state.is_none() || (hour, next) != begun {
            let state = serde_json::to_vec(&(hour, next)).unwrap_or_default();
            store.set(&key, &state).await?;
        }
        Ok(())
    }

    fn now(&self) -> u64 {
        self.host.now_ms() / 1_000
    }

    /// The key of a session. Ids are the provider's, and the actor may be a person: neither is in it.
    fn place(&self, id: &str) -> String {
        format!("session:{}:{}", self.workspace, digest(&[self.actor.as_str(), id]))
    }

    fn count(&self, hour: u64) -> String {
        format!("session-count:{}:{hour}", self.workspace)
    }

    fn entry(&self, hour: u64, number: i64) -> String {
        format!("session-entry:{}:{hour}:{number}", self.workspace)
    }
}

/// The key of the owner of a conversation.
fn owner_place(conversation: &str) -> String {
    format!("session-owner:{}", digest(&[conversation]))
}

/// The SHA-256 of these texts and their lengths, in lower-case hex.
fn digest(parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        // lengths of texts are the same on all platforms as 64 bits
        digest.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        digest.update(part);
    }
    base16ct::lower::encode_string(&digest.finalize())
}
