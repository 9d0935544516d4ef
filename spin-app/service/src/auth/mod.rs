//! Who calls (spec §5): API keys, user access tokens and service tokens, each on its own surface. None
//! is accepted where another is asked for.

pub mod presidio;
pub mod service_token;
mod signature;
pub mod user_token;

use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};

use crate::{
    credentials::{self, ApiKeyRecord},
    error::ApiError,
    host::{Host, KeyValue, Label},
};

/// The record of the key that the request carries.
///
/// # Errors
/// `unauthorized`; `service_unavailable` where the store is down; `internal_error` where it holds no
/// record in the place of one.
pub(crate) async fn api_key(host: &impl Host, headers: &HeaderMap) -> Result<ApiKeyRecord, ApiError> {
    let key = sent_key(headers).ok_or_else(ApiError::key_missing)?;
    check_api_key(host, key).await
}

/// The record of `key`; see [`api_key`].
pub(crate) async fn check_api_key(host: &impl Host, key: &str) -> Result<ApiKeyRecord, ApiError> {
    // what cannot be a key never costs a look into the store
    if !credentials::is_well_formed(key) {
        return Err(ApiError::key_invalid());
    }
    let document = host.store(Label::Config).get(&credentials::storage_key(key)).await?;
    let document = document.ok_or_else(ApiError::key_invalid)?;
    let record = ApiKeyRecord::from_json(&document)
        .ok_or_else(|| ApiError::internal("the store `config` holds no record in the place of a key"))?;
    if record.is_of(key) && record.is_active(host.now_ms() / 1_000) {
        Ok(record)
    } else {
        Err(ApiError::key_invalid())
    }
}

/// The user whose access token the request carries.
///
/// # Errors
/// `unauthorized`.
pub(crate) async fn user(host: &impl Host, headers: &HeaderMap) -> Result<user_token::User, ApiError> {
    let token = headers.get(AUTHORIZATION).and_then(bearer).ok_or_else(ApiError::user_token_missing)?;
    let token = std::str::from_utf8(token).unwrap_or_default().trim();
    user_token::verify(host, token).await
}

/// `X-API-Key` comes first: `Authorization` may belong to a proxy on the way.
fn sent_key(headers: &HeaderMap) -> Option<&str> {
    let own = headers.get("x-api-key").map(HeaderValue::as_bytes);
    let key = own.or_else(|| bearer(headers.get(AUTHORIZATION)?))?;
    // a key of other bytes than text is sent, and wrong
    Some(std::str::from_utf8(key).unwrap_or_default().trim())
}

fn bearer(authorization: &HeaderValue) -> Option<&[u8]> {
    let (scheme, token) = authorization.as_bytes().split_at_checked(b"Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
}
