//! The relation of a request to earlier responses: the session that it continues, and the data kept of it.

use crate::{
    auth::Principal,
    configuration::Sessions,
    error::ApiError,
    host::Host,
    limits::MAX_RESPONSE_ID_BYTES,
    sent::Sent,
    sessions::{Session, SessionStore},
    setup::Setup,
};

/// The fields of a request for a response that refer to other responses.
#[derive(Default)]
pub(super) struct Continuation {
    /// The response that it continues.
    previous: Option<String>,
    /// The conversation that it belongs to.
    conversation: Option<String>,
    /// Seconds for which its session is kept; `None` if the provider does not store the response.
    ttl: Option<u32>,
}

impl Continuation {
    /// Reads `previous_response_id`, `conversation`, `background` and `store`.
    ///
    /// # Errors
    /// `invalid_request` naming the field, also if the workspace keeps no sessions.
    pub(super) fn read(sent: &Sent<'_>, sessions: Sessions) -> Result<Self, ApiError> {
        let ttl = (sessions.enabled && sent.flag("store")?.unwrap_or(true)).then_some(sessions.ttl);
        let background = sent.flag("background")?.unwrap_or(false);
        for (field, is_there) in [
            ("previous_response_id", sent.value("previous_response_id").is_some()),
            ("conversation", sent.value("conversation").is_some()),
            ("background", background),
        ] {
            if is_there && !sessions.enabled {
                return Err(sent.refused(
                    field,
                    "absent: the workspace keeps no sessions, so values of other requests could not be restored; send \
                     the whole input, or have sessions.enabled of the workspace set to true",
                ));
            }
        }
        if background && ttl.is_none() {
            return Err(sent.refused("store", "true or absent where background is true"));
        }
        // later requests of the conversation could not restore the values, and it would have no owner
        if sent.value("conversation").is_some() && ttl.is_none() {
            return Err(sent.refused("store", "true or absent where conversation is sent"));
        }
        // as at OpenAI; a provider that takes both would skip the check of the conversation's owner
        if sent.value("previous_response_id").is_some() && sent.value("conversation").is_some() {
            return Err(sent.refused("conversation", "absent where previous_response_id is sent"));
        }
        let previous = id(sent, "previous_response_id")?;
        let conversation = match sent.value("conversation") {
            Some(value) if value.is_object() => {
                let object = sent.object("conversation")?;
                object.map(|object| id(&object, "id")).transpose()?.flatten()
            }
            _ => id(sent, "conversation")?,
        };
        Ok(Self { previous, conversation, ttl })
    }

    /// Returns the session that the request continues. A new conversation begins here.
    ///
    /// # Errors
    /// `invalid_request` for a response without a session, and for a conversation of another caller;
    /// `service_unavailable`.
    pub(super) async fn earlier<H: Host>(
        &self,
        sessions: &SessionStore<'_, H>,
    ) -> Result<Option<Session>, ApiError> {
        if let Some(id) = &self.previous {
            let session = sessions.read(id).await?;
            return session.map(Some).ok_or_else(|| {
                ApiError::invalid(
                    "previous_response_id",
                    "previous_response_id must name a response to the same caller through this gateway that \
                     is not older than sessions.ttl of the workspace; send the whole input",
                )
            });
        }
        let Some(id) = &self.conversation else { return Ok(None) };
        sessions.check_owner(id).await?;
        sessions.read(id).await
    }

    /// Returns the session to store for the request; `None` if its response is not stored.
    ///
    /// # Errors
    /// `invalid_request` naming `input` if that exceeds the limit.
    pub(super) fn keeping(
        &self,
        principal: &Principal,
        setup: &Setup,
        session: impl FnOnce() -> Session,
    ) -> Result<Option<Keeping>, ApiError> {
        let Some(ttl) = self.ttl else { return Ok(None) };
        Ok(Some(Keeping {
            principal: principal.clone(),
            setup: setup.clone(),
            document: session().to_json("input")?,
            conversation: self.conversation.clone(),
            ttl,
        }))
    }

    /// Returns the field that refers to the continued session.
    pub(super) fn field(&self) -> &'static str {
        if self.previous.is_some() { "previous_response_id" } else { "conversation" }
    }
}

/// The id of a response or a conversation.
fn id(sent: &Sent<'_>, field: &str) -> Result<Option<String>, ApiError> {
    let wanted = format!("an id of 1 to {MAX_RESPONSE_ID_BYTES} letters, digits, _ and -");
    sent.read(field, &wanted, |value| value.as_str().filter(|id| is_id(id)).map(str::to_owned))
}

/// Whether a text has the form of the id of a response.
pub(super) fn is_id(text: &str) -> bool {
    (1..=MAX_RESPONSE_ID_BYTES).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// The data of a request to keep when its response has an id.
pub(super) struct Keeping {
    principal: Principal,
    setup: Setup,
    document: Vec<u8>,
    conversation: Option<String>,
    ttl: u32,
}

impl Keeping {
    /// Stores the session of a response with this id, and of its conversation.
    ///
    /// If the store fails, the answer continues: no value leaves the service, and a request that continues
    /// the response is rejected.
    pub(super) async fn keep(&self, host: &impl Host, id: &str) {
        let sessions = store(host, &self.principal, &self.setup);
        let _ = sessions.keep(id, self.conversation.as_deref(), &self.document, self.ttl).await;
    }
}

/// The sessions of a principal.
pub(super) fn store<'a, H: Host>(
    host: &'a H,
    principal: &'a Principal,
    setup: &'a Setup,
) -> SessionStore<'a, H> {
    SessionStore {
        host,
        keys: &setup.keys.sessions,
        workspace: &principal.workspace,
        actor: &principal.actor,
    }
}
