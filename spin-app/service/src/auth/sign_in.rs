//! Sign-in to the console with the operator's identity provider: OpenID Connect, authorization code with PKCE.
//!
//! The page is a public client and asks the provider itself. The service only tells it which provider that is and
//! lets its requests through the Content-Security-Policy; the token that it gets is a user access token like any
//! other. Nothing here is secret.
//!
//! The issuer is `user_token_issuer`, since tokens of another one are rejected.

use std::collections::BTreeMap;

use serde::Serialize;
use url::{Host, Url};

use super::user_token::{AUDIENCE_VARIABLE, ISSUER_VARIABLE, KEY_VARIABLE};
use crate::system::System;

/// Name of the variable with the client id; sign-in is off without it.
pub const CLIENT_VARIABLE: &str = "sign_in_client_id";
/// Name of the variable with the requested scope.
pub const SCOPE_VARIABLE: &str = "sign_in_scope";
/// Name of the variable that chooses the token: `access` or `id`.
pub const TOKEN_VARIABLE: &str = "sign_in_token";
/// Name of the variable with the origin of the token endpoint.
pub const TOKEN_ORIGIN_VARIABLE: &str = "sign_in_token_origin";

/// The scope of a sign-in without others. It is required for an ID token, which proves that the answer is new.
const OPENID: &str = "openid";

/// The identity provider that the console signs in with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IdentityProvider {
    /// The issuer; its discovery document is below this address.
    pub issuer: String,
    /// The id of the console at the provider.
    pub client_id: String,
    /// The scope to request, with `openid`.
    pub scope: String,
    /// The token of the provider that the service accepts.
    pub token: TokenKind,
    /// The origin of the token endpoint, if it differs from the issuer's.
    pub token_origin: Option<String>,
}

/// A token of an identity provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum TokenKind {
    /// The access token, which must be a JWT.
    #[default]
    Access,
    /// The ID token, for providers whose access tokens are not JWTs.
    Id,
}

impl TokenKind {
    fn parse(variable: &str) -> Option<Self> {
        match variable.trim() {
            "" | "access" => Some(Self::Access),
            "id" => Some(Self::Id),
            _ => None,
        }
    }
}

impl IdentityProvider {
    /// Reads the provider from the variables; `None` without one, or with a faulty value.
    pub async fn configured(system: &impl System) -> Option<Self> {
        let mut values = BTreeMap::new();
        for name in [CLIENT_VARIABLE, ISSUER_VARIABLE, SCOPE_VARIABLE, TOKEN_VARIABLE, TOKEN_ORIGIN_VARIABLE]
        {
            values.insert(name, system.variable(name).await.unwrap_or_default());
        }
        let value = |name: &str| values.get(name).map(|value| value.trim()).unwrap_or_default();
        let (client_id, scope, token_origin) =
            (value(CLIENT_VARIABLE), value(SCOPE_VARIABLE), value(TOKEN_ORIGIN_VARIABLE));
        let is_valid = client_fault(client_id).is_none()
            && scope_fault(scope).is_none()
            && token_origin_fault(token_origin).is_none()
            && origin(value(ISSUER_VARIABLE)).is_some();
        (is_valid && !client_id.is_empty()).then_some(Self {
            issuer: value(ISSUER_VARIABLE).to_owned(),
            client_id: client_id.to_owned(),
            scope: if scope.is_empty() { OPENID.to_owned() } else { scope.to_owned() },
            token: TokenKind::parse(value(TOKEN_VARIABLE))?,
            token_origin: origin(token_origin),
        })
    }

    /// Lists the origins that the page asks: those of the discovery document and of the token endpoint.
    ///
    /// They are safe in a Content-Security-Policy.
    pub fn origins(&self) -> impl Iterator<Item = String> {
        origin(&self.issuer).into_iter().chain(self.token_origin.clone())
    }
}

/// Returns the origin of an address that a page may ask, if its host can be named in a Content-Security-Policy.
///
/// It is encrypted, or leads to the user's own machine.
fn origin(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    let (is_loopback, is_named) = match url.host()? {
        // hosts may contain `;`, `*` and quotes, which would change the policy
        Host::Domain(name) => (
            name == "localhost",
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte)),
        ),
        Host::Ipv4(address) => (address.is_loopback(), true),
        Host::Ipv6(_) => (false, false),
    };
    let is_protected = url.scheme() == "https" || (url.scheme() == "http" && is_loopback);
    let is_plain = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    (is_named && is_protected && is_plain).then(|| url.origin().ascii_serialization())
}

/// Returns the fault of a value of [`CLIENT_VARIABLE`], if it has one.
pub(crate) fn client_fault(variable: &str) -> Option<&'static str> {
    let is_printable = variable.trim().bytes().all(|byte| (b' '..=b'~').contains(&byte));
    (!is_printable).then_some("sign_in_client_id must be a client id of printable ASCII characters")
}

/// Returns the fault of a value of [`SCOPE_VARIABLE`], if it has one. An empty value is `openid`.
pub(crate) fn scope_fault(variable: &str) -> Option<&'static str> {
    let variable = variable.trim();
    // RFC 6749 §3.3
    let is_scope = |scope: &str| {
        !scope.is_empty()
            && scope.bytes().all(|byte| (b'!'..=b'~').contains(&byte) && byte != b'"' && byte != b'\\')
    };
    let is_valid = variable.is_empty()
        || (variable.split(' ').all(is_scope) && variable.split(' ').any(|scope| scope == OPENID));
    (!is_valid).then_some("sign_in_scope must be scopes separated by single spaces, one of them openid")
}

/// Returns the fault of a value of [`TOKEN_VARIABLE`], if it has one. An empty value is `access`.
pub(crate) fn token_fault(variable: &str) -> Option<&'static str> {
    TokenKind::parse(variable).is_none().then_some("sign_in_token must be access or id")
}

/// Returns the fault of a value of [`TOKEN_ORIGIN_VARIABLE`], if it has one.
pub(crate) fn token_origin_fault(variable: &str) -> Option<&'static str> {
    let variable = variable.trim();
    let has_path = || Url::parse(variable).is_ok_and(|url| url.path() != "/");
    let is_valid = variable.is_empty() || (origin(variable).is_some() && !has_path());
    (!is_valid).then_some(
        "sign_in_token_origin must be an https origin without a path, such as https://login.example.com; http is \
         accepted for localhost and 127.0.0.1",
    )
}

/// Returns what contradicts a sign-in in the other variables; `value` reads a variable.
pub(crate) fn fault(value: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    let value = |name: &str| value(name).unwrap_or_default().trim().to_owned();
    let (client_id, audience) = (value(CLIENT_VARIABLE), value(AUDIENCE_VARIABLE));
    if client_id.is_empty() || client_fault(&client_id).is_some() {
        return None;
    }
    if origin(&value(ISSUER_VARIABLE)).is_none() {
        return Some(
            "user_token_issuer must be an https address without a query where sign_in_client_id is set; http is \
             accepted for localhost and 127.0.0.1",
        );
    }
    if value(KEY_VARIABLE).is_empty() {
        return Some(
            "user_token_key must be set where sign_in_client_id is: to the keys of the identity provider",
        );
    }
    let is_other = TokenKind::parse(&value(TOKEN_VARIABLE)) == Some(TokenKind::Id)
        && ![client_id, String::new()].contains(&audience);
    is_other.then_some("user_token_audience must be sign_in_client_id, or empty, where sign_in_token is id")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_protected_addresses_have_an_origin() {
        for (address, want) in [
            ("https://id.example", Some("https://id.example")),
            ("https://id.example/", Some("https://id.example")),
            ("https://ID.example:8443/realms/a", Some("https://id.example:8443")),
            ("https://id.example:443", Some("https://id.example")),
            ("https://10.0.0.1", Some("https://10.0.0.1")),
            ("http://localhost:4000", Some("http://localhost:4000")),
            ("http://127.0.0.1:4000/oidc", Some("http://127.0.0.1:4000")),
            ("", None),
            ("id.example", None),
            ("http://id.example", None),
            ("http://10.0.0.1", None),
            ("http://localhost.example", None),
            ("http://127.0.0.1.example", None),
            ("ftp://id.example", None),
            ("data:text/html,x", None),
            ("https://user@id.example", None),
            ("https://:secret@id.example", None),
            ("https://id.example?tenant=a", None),
            ("https://id.example#a", None),
            ("https://[::1]", None),
            ("http://[::1]", None),
            // a value that would change the policy that it is written into
            ("https://*", None),
            ("https://*.example", None),
            ("https://a;script-src", None),
            ("https://a;script-src 'unsafe-inline'", None),
            ("https://a,b", None),
            ("https://a'b", None),
        ] {
            assert_eq!(origin(address).as_deref(), want, "{address}");
        }
    }

    #[test]
    fn values_have_a_form() {
        for (check, values) in [
            (
                client_fault as fn(&str) -> Option<&'static str>,
                [("", true), ("console", true), ("a b", true), ("k\u{e9}y", false), ("a\nb", false)],
            ),
            (
                scope_fault,
                [
                    ("", true),
                    ("openid api://x/.default", true),
                    ("profile", false),
                    ("openid  a", false),
                    ("openid \"a\"", false),
                ],
            ),
            (token_fault, [("", true), ("access", true), ("id", true), ("ID", false), ("refresh", false)]),
            (
                token_origin_fault,
                [
                    ("", true),
                    ("https://login.example/", true),
                    ("https://login.example/token", false),
                    ("http://login.example", false),
                    ("https://*", false),
                ],
            ),
        ] {
            for (value, is_valid) in values {
                assert_eq!(check(value).is_none(), is_valid, "{value}");
            }
        }
    }

    #[test]
    fn the_variables_of_tokens_must_match() {
        let client = (CLIENT_VARIABLE, "console");
        let issuer = (ISSUER_VARIABLE, "https://id.example");
        let key = (KEY_VARIABLE, "a shared secret of more than 32 bytes");
        let id = (TOKEN_VARIABLE, "id");
        for (variables, named) in [
            (&[][..], None),
            (&[(ISSUER_VARIABLE, "any name")], None),
            (&[client, issuer, key], None),
            (&[client, issuer, key, (AUDIENCE_VARIABLE, "api")], None),
            (&[client, issuer, key, id], None),
            (&[client, issuer, key, id, (AUDIENCE_VARIABLE, "console")], None),
            (&[client, key], Some(ISSUER_VARIABLE)),
            (&[client, key, (ISSUER_VARIABLE, "http://id.example")], Some(ISSUER_VARIABLE)),
            (&[client, issuer], Some(KEY_VARIABLE)),
            (&[client, issuer, key, id, (AUDIENCE_VARIABLE, "api")], Some(AUDIENCE_VARIABLE)),
        ] {
            let value = |name: &str| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            let fault = fault(value);
            assert_eq!(fault.is_some(), named.is_some(), "{variables:?}");
            assert!(named.is_none_or(|name| fault.is_some_and(|fault| fault.starts_with(name))), "{fault:?}");
        }
    }
}
