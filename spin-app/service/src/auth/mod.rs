//! Authentication: API keys, user access tokens and service tokens, each on its own surface, and keyless callers. A credential is not
//! accepted where another kind is asked for. Every kind becomes a [`Principal`].

pub mod keyless;
pub mod presidio;
mod principal;
pub mod service_token;
pub mod sign_in;
mod signature;
pub mod user_token;

use http::{HeaderMap, HeaderValue, Uri, header::AUTHORIZATION};

pub(crate) use principal::Credential;
pub use principal::{Actor, Principal};

use crate::{credentials, error::ApiError, host::Host};

/// The kind of credential that an endpoint asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialKind {
    /// None.
    None,
    /// An API key.
    ApiKey,
    /// An API key; on Presidio's routes also its equivalents.
    PresidioKey,
    /// The access token of a user.
    User,
    /// A service token, in its own header.
    Service,
    /// A service token, also where clients of language models put their key.
    ServiceAsKey,
    /// The same, or none: a caller's own credential for the provider, where the operator admits that.
    Client,
}

/// Finds the credential of a kind that a request carries; `None` where the endpoint asks for none.
///
/// # Errors
/// `unauthorized`; `service_unavailable` where the store of the keys is down.
pub(crate) async fn authenticate(
    host: &impl Host,
    kind: CredentialKind,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<Option<Credential>, ApiError> {
    let credential = match kind {
        CredentialKind::None => return Ok(None),
        CredentialKind::ApiKey => api_key(host, headers).await?,
        CredentialKind::PresidioKey => presidio::key(host, headers).await?,
        CredentialKind::User => Credential::User(user(host, headers).await?),
        CredentialKind::Service => Credential::Service(service_token::of_header(host, headers).await?),
        CredentialKind::ServiceAsKey => Credential::Service(service_token::of_client(host, headers).await?),
        CredentialKind::Client => match keyless::caller(host, uri, headers).await? {
            Some(caller) => caller,
            None => Credential::Service(service_token::of_client(host, headers).await?),
        },
    };
    Ok(Some(credential))
}

/// The key that the request carries.
async fn api_key(host: &impl Host, headers: &HeaderMap) -> Result<Credential, ApiError> {
    let key = sent_key(headers).ok_or_else(ApiError::key_missing)?;
    check_api_key(host, key).await
}

/// Accepts a key.
///
/// # Errors
/// `unauthorized`; `service_unavailable` where the store is down; `internal_error` where the stored
/// document is not a record.
async fn check_api_key(host: &impl Host, key: &str) -> Result<Credential, ApiError> {
    // malformed keys never cost a read
    if !credentials::is_well_formed(key) {
        return Err(ApiError::key_invalid());
    }
    let (record, stamp) = credentials::of_key(host, key).await?.ok_or_else(ApiError::key_invalid)?;
    if record.is_of(key) && record.is_active(host.now_ms() / 1_000) {
        Ok(Credential::Key(record, Some(stamp)))
    } else {
        Err(ApiError::key_invalid())
    }
}

/// The user whose access token the request carries.
async fn user(host: &impl Host, headers: &HeaderMap) -> Result<user_token::User, ApiError> {
    let token = headers.get(AUTHORIZATION).and_then(bearer).ok_or_else(ApiError::user_token_missing)?;
    let token = std::str::from_utf8(token).unwrap_or_default().trim();
    user_token::verify(host, token).await
}

/// `X-API-Key` comes first: `Authorization` may belong to a proxy on the way.
fn sent_key(headers: &HeaderMap) -> Option<&str> {
    let own = headers.get("x-api-key").map(HeaderValue::as_bytes);
    let key = own.or_else(|| bearer(headers.get(AUTHORIZATION)?))?;
    // a key that is not UTF-8 was sent, and is wrong
    Some(std::str::from_utf8(key).unwrap_or_default().trim())
}

fn bearer(authorization: &HeaderValue) -> Option<&[u8]> {
    let (scheme, token) = authorization.as_bytes().split_at_checked(b"Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
}
