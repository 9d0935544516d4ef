//! Service tokens: the credentials of the gateway's callers.
//!
//! The variable `service_tokens` contains entries separated by commas, so that a new token can be issued
//! before the old one is removed. An entry is one of:
//!
//! | entry | scopes | workspaces |
//! | --- | --- | --- |
//! | `name:scopes@workspaces:secret` | names separated by `+`, or `*` | ids separated by `+`, or `*` |
//! | a bare secret | all | all |
//!
//! A secret has at least 32 characters and no colon. An entry with a colon must have the first form, so that
//! a typing error does not turn a narrow token into one with all rights.

use std::fmt;

use http::{HeaderMap, HeaderValue};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::{error::ApiError, host::Host, ids::is_workspace, scope::Scopes};

/// Name of the application's variable.
pub const VARIABLE: &str = "service_tokens";

/// The header that carries a service token.
pub const HEADER: &str = "x-service-token";

/// The shortest secret, in characters: 128 bits in any alphabet.
const MIN_LENGTH: usize = 32;

/// Longest name of an entry, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// The message about a faulty variable.
const FAULT: &str = "service_tokens must be entries name:scopes@workspaces:secret or bare secrets, separated by \
                     commas; a secret has at least 32 characters and no colon";

/// A service token that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceToken {
    /// The name of its entry; the prefix of its hash if the entry is a bare secret.
    pub name: String,
    /// Its scopes.
    pub scopes: Scopes,
    /// The workspaces in which it may act; `None` for every workspace.
    workspaces: Option<Vec<String>>,
}

impl ServiceToken {
    /// Tells whether the token may act in a workspace.
    pub fn reaches(&self, workspace: &str) -> bool {
        self.workspaces.as_ref().is_none_or(|known| known.iter().any(|one| one == workspace))
    }

    /// The only workspace that the token may act in, if there is just one.
    pub(crate) fn only_workspace(&self) -> Option<&str> {
        match self.workspaces.as_deref() {
            Some([only]) => Some(only),
            _ => None,
        }
    }
}

/// An entry of the variable.
struct TokenEntry<'a> {
    /// `None` for a bare secret.
    rights: Option<ServiceToken>,
    secret: &'a str,
}

impl<'a> TokenEntry<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (rights, secret) = match text.rsplit_once(':') {
            None => (None, text),
            Some((rights, secret)) => {
                let (name, rights) = rights.split_once(':')?;
                let (scopes, workspaces) = rights.split_once('@')?;
                if !is_name(name) {
                    return None;
                }
                let scopes = Scopes::parse(scopes)?;
                let workspaces = self::workspaces(workspaces)?;
                (Some(ServiceToken { name: name.to_owned(), scopes, workspaces }), secret)
            }
        };
        (secret.len() >= MIN_LENGTH).then_some(Self { rights, secret })
    }

    /// The token, which the caller has shown.
    fn into_token(self) -> ServiceToken {
        self.rights.unwrap_or_else(|| ServiceToken {
            name: format!("sha256-{}", short_hash(self.secret)),
            scopes: Scopes::ALL,
            workspaces: None,
        })
    }
}

/// Ids separated by `+` or spaces; `Some(None)` for `*`.
fn workspaces(text: &str) -> Option<Option<Vec<String>>> {
    if text.trim() == "*" {
        return Some(None);
    }
    let ids: Vec<String> = text.split(['+', ' ']).filter(|id| !id.is_empty()).map(str::to_owned).collect();
    (!ids.is_empty() && ids.iter().all(|id| is_workspace(id))).then_some(Some(ids))
}

/// Whether a text may be the name of an entry.
pub(crate) fn is_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=MAX_NAME_BYTES).contains(&text.len()) && text.bytes().all(allowed)
}

fn short_hash(secret: &str) -> String {
    base16ct::lower::encode_string(Sha256::digest(secret).get(..4).unwrap_or_default())
}

fn entries(variable: &str) -> impl Iterator<Item = &str> {
    variable.split(',').map(str::trim)
}

/// Says what is wrong with a value of the variable, if anything. An empty one accepts no token.
pub fn fault(variable: &str) -> Option<&'static str> {
    let is_faulty =
        !variable.trim().is_empty() && entries(variable).any(|entry| TokenEntry::parse(entry).is_none());
    is_faulty.then_some(FAULT)
}

/// Warns of entries that may do everything in every workspace.
///
/// ```
/// use textveil_service::auth::service_token::warnings;
///
/// let secret = "0123456789abcdef0123456789abcdef";
/// assert_eq!(warnings(secret).len(), 1);
/// assert!(warnings(&format!("chat:gateway.chat@acme:{secret}")).is_empty());
/// ```
pub fn warnings(variable: &str) -> Vec<String> {
    let bare = entries(variable).filter_map(TokenEntry::parse).filter(|entry| entry.rights.is_none());
    let warning = |entry: TokenEntry<'_>| {
        format!(
            "the service token with the hash {}… may do everything in every workspace; write it as \
             name:scopes@workspaces:secret",
            short_hash(entry.secret)
        )
    };
    bare.map(warning).collect()
}

/// Finds the token that a request carries in its own header.
///
/// # Errors
/// `unauthorized`.
pub(crate) async fn of_header(host: &impl Host, headers: &HeaderMap) -> Result<ServiceToken, ApiError> {
    let sent = headers.get(HEADER).ok_or_else(ApiError::service_token_missing)?;
    accept(host, sent.as_bytes()).await
}

/// Finds the token that a request carries as clients of language models send their keys: also as
/// `Authorization: Bearer` or as `X-API-Key`.
///
/// # Errors
/// `unauthorized`.
pub(crate) async fn of_client(host: &impl Host, headers: &HeaderMap) -> Result<ServiceToken, ApiError> {
    let own = headers.get(HEADER).map(HeaderValue::as_bytes);
    let sent = own.or_else(|| super::sent_key(headers).map(str::as_bytes));
    accept(host, sent.ok_or_else(ApiError::gateway_key_missing)?).await
}

/// Finds the configured token that was sent.
///
/// # Errors
/// `unauthorized`.
pub async fn accept(host: &impl Host, sent: &[u8]) -> Result<ServiceToken, ApiError> {
    let configured = host.variable(VARIABLE).await.unwrap_or_default();
    match fault(&configured) {
        None => find(sent, &configured).ok_or_else(ApiError::service_token_invalid),
        Some(fault) => Err(ApiError::service_token_invalid().because(fault)),
    }
}

/// Compares with every entry, and hashes rather than secrets: the time reveals neither which entry matched
/// nor how much of it.
fn find(sent: &[u8], configured: &str) -> Option<ServiceToken> {
    let sent = Sha256::digest(sent);
    let known = entries(configured).filter_map(TokenEntry::parse);
    let hits: Vec<TokenEntry<'_>> =
        known.filter(|entry| bool::from(Sha256::digest(entry.secret).ct_eq(&sent))).collect();
    hits.into_iter().next().map(TokenEntry::into_token)
}

impl fmt::Debug for TokenEntry<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("TokenEntry")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::Scope;

    const OLD: &str = "0123456789abcdef0123456789abcdef";
    const NEW: &str = "fedcba9876543210fedcba9876543210";

    #[test]
    fn any_of_the_tokens_is_accepted() {
        let both = format!("{NEW}, {OLD}");
        let named = format!("chat:gateway.chat@acme:{OLD}");
        for (sent, configured, want) in [
            (OLD, both.as_str(), true),
            (NEW, &both, true),
            (OLD, NEW, false),
            ("", &both, false),
            ("", "", false),
            ("", ",", false),
            (&both, &both, false),
            (OLD.trim_end_matches('f'), &both, false),
            (OLD, &named, true),
            (&named, &named, false),
        ] {
            assert_eq!(find(sent.as_bytes(), configured).is_some(), want, "{sent} among {configured}");
        }
    }

    #[test]
    fn entries_of_another_form_are_faults() {
        for (variable, want) in [
            (String::new(), false),
            (OLD.to_owned(), false),
            ("short".to_owned(), true),
            (format!("{OLD},"), true),
            (format!("{OLD}, {NEW}"), false),
            (format!("chat:gateway.chat@acme:{OLD}"), false),
            (format!("chat:gateway.chat+audit.read@acme+globex:{OLD},{NEW}"), false),
            (format!("all:*@*:{OLD}"), false),
            // a slip must not widen a token
            (format!("chat:gateway.chat:{OLD}"), true),
            (format!("gateway.chat@acme:{OLD}"), true),
            (format!("chat:gateway.chats@acme:{OLD}"), true),
            (format!("chat:@acme:{OLD}"), true),
            (format!("chat:gateway.chat@:{OLD}"), true),
            (format!("chat:gateway.chat@a/b:{OLD}"), true),
            (format!("a b:gateway.chat@acme:{OLD}"), true),
            (format!(":gateway.chat@acme:{OLD}"), true),
            ("chat:gateway.chat@acme:short".to_owned(), true),
        ] {
            assert_eq!(fault(&variable).is_some(), want, "{variable}");
        }
    }

    #[test]
    fn an_entry_says_what_its_token_may() {
        let configured = format!("chat:gateway.chat@acme+globex:{OLD},{NEW}");
        let chat = find(OLD.as_bytes(), &configured).unwrap();
        assert_eq!((chat.name.as_str(), chat.scopes), ("chat", Scopes::of(&[Scope::GatewayChat])));
        assert!(chat.reaches("acme") && chat.reaches("globex") && !chat.reaches("initech"));
        assert_eq!(chat.only_workspace(), None);
        let bare = find(NEW.as_bytes(), &configured).unwrap();
        assert_eq!((bare.scopes, bare.reaches("anything")), (Scopes::ALL, true));
        assert!(bare.name.starts_with("sha256-") && !bare.name.contains(NEW));
        assert_eq!(warnings(&configured).len(), 1);
        assert!(!warnings(&configured)[0].contains(NEW));
    }
}
