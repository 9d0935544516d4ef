//! The API key of Presidio's clients, which have no setting for one.
//!
//! Most of them take a base URL and nothing else, so the key may also be the password of the URL, which
//! arrives as HTTP Basic: `http://key:fpk_…@host:3000`. Inside a private network the variable
//! `presidio_workspace` can open Presidio's endpoints, and no others, to requests without a key.

use base64ct::{Base64, Encoding as _};
use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};

use super::{Credential, check_api_key, sent_key};
use crate::{
    credentials::{ApiKeyRecord, Plan},
    error::ApiError,
    host::Host,
    ids::is_workspace,
};

/// Name of the application's variable: the workspace of requests without a key.
pub const VARIABLE: &str = "presidio_workspace";

/// Says what is wrong with a value of the variable, if anything. An empty one rejects requests without a key.
pub fn fault(variable: &str) -> Option<&'static str> {
    let faulty = !variable.is_empty() && !is_workspace(variable);
    faulty.then_some("presidio_workspace must be the id of a workspace: letters, digits, dots, - and _")
}

/// The record of the key that the request carries, or the stand-in for the workspace that is open to
/// requests without one. A request with a wrong key is rejected.
///
/// # Errors
/// As [`super::api_key`].
pub(crate) async fn key(host: &impl Host, headers: &HeaderMap) -> Result<Credential, ApiError> {
    if let Some(key) = sent_key(headers) {
        return check_api_key(host, key).await;
    }
    if let Some(authorization) = headers.get(AUTHORIZATION) {
        let key = basic_password(authorization).ok_or_else(ApiError::key_invalid)?;
        return check_api_key(host, &key).await;
    }
    let workspace = host.variable(VARIABLE).await.unwrap_or_default();
    if is_workspace(&workspace) {
        Ok(Credential::Key(stand_in(workspace), None))
    } else {
        Err(ApiError::presidio_key_missing())
    }
}

/// The record that limits are counted under. Only a text that is not well-formed as a key hashes to its place in
/// the store. The plan is the operator's.
fn stand_in(workspace: String) -> ApiKeyRecord {
    ApiKeyRecord::new(&format!("{VARIABLE}:{workspace}"), workspace, Plan::Enterprise)
}

/// The password of HTTP Basic (RFC 7617), for every user.
fn basic_password(authorization: &HeaderValue) -> Option<String> {
    let (scheme, credentials) = authorization.as_bytes().split_at_checked(b"Basic ".len())?;
    if !scheme.eq_ignore_ascii_case(b"Basic ") {
        return None;
    }
    let credentials = std::str::from_utf8(credentials).ok()?;
    let credentials = Base64::decode_vec(credentials.trim_ascii()).ok()?;
    let credentials = String::from_utf8(credentials).ok()?;
    credentials.split_once(':').map(|(_, password)| password.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_what_follows_the_first_colon() {
        for (header, want) in [
            ("Basic a2V5OmZwa19h", Some("fpk_a")),
            ("basic a2V5OmZwa19h ", Some("fpk_a")),
            ("Basic OmE6Yg==", Some("a:b")),
            ("Basic a2V5", None),
            ("Basic a2V5OmZwa19", None),
            ("Basic /zph", None),
            ("Bearer a2V5OmZwa19h", None),
            ("Basic", None),
        ] {
            assert_eq!(basic_password(&HeaderValue::from_static(header)).as_deref(), want, "{header}");
        }
    }

    #[test]
    fn a_workspace_is_an_id() {
        for (variable, want) in [("", false), ("acme", false), ("a b", true), ("acme:1", true)] {
            assert_eq!(fault(variable).is_some(), want, "{variable}");
        }
    }
}
