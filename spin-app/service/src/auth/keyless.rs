//! Keyless callers of the gateway: they send their own credential for the provider, and no token of the gateway.
//!
//! `textveil proxy` admits them, for the programs of one person on one machine. Every program there reaches the
//! listener, and so do pages in a browser, also by DNS rebinding: a name of the page's own that leads to this machine. So a
//! keyless request must come from this machine, name it in its address, and not be sent by a page. It gets no
//! credential of the operator, which the gateway checks before it sends a request.

use std::net::SocketAddr;

use http::{
    HeaderMap, HeaderName, HeaderValue, Uri,
    header::{AUTHORIZATION, HOST, ORIGIN},
    uri::Authority,
};
use sha2::{Digest, Sha256};

use super::{Credential, service_token};
use crate::{error::ApiError, host::Host, ids::is_workspace};

/// Name of the application's variable: the workspace of keyless callers; empty to admit none.
pub const VARIABLE: &str = "keyless_workspace";

/// The variable with the host names by which keyless callers on other machines reach the gateway.
pub const HOSTS_VARIABLE: &str = "keyless_hosts";

/// The host names of this machine.
const OWN_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Headers that only browsers send, with every request of a page that could read the answer.
const OF_BROWSERS: [HeaderName; 2] = [ORIGIN, HeaderName::from_static("sec-fetch-site")];

/// The header with the client's address, which the host sets and a client cannot.
const CLIENT: &str = "spin-client-addr";

/// Beginnings of keys and tokens of the gateway, which no provider may get.
const OWN_PREFIXES: [&str; 2] = ["fpk_", "tvs_"];

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Bytes of the hash that names a caller.
const NAME_BYTES: usize = 8;

/// A caller with its own credential for the provider.
#[derive(Clone, Debug)]
pub(crate) struct KeylessCaller {
    /// The prefix of the hash of its credential.
    pub name: String,
    /// The workspace of all such callers.
    pub workspace: String,
}

/// Says what is wrong with a value of the variable [`VARIABLE`], if anything.
pub(crate) fn fault(variable: &str) -> Option<&'static str> {
    let faulty = !variable.is_empty() && !is_workspace(variable);
    faulty.then_some("keyless_workspace must be the id of a workspace: letters, digits, dots, - and _")
}

/// Says what is wrong with a value of the variable [`HOSTS_VARIABLE`], if anything.
pub(crate) fn hosts_fault(variable: &str) -> Option<&'static str> {
    let is_host =
        |name: &str| name.parse::<Authority>().is_ok_and(|host| host.host() == name && host.port().is_none());
    let faulty = !hosts(variable).all(is_host);
    faulty.then_some("keyless_hosts must be names of hosts without ports, separated by commas or spaces")
}

fn hosts(variable: &str) -> impl Iterator<Item = &str> {
    variable.split([',', ' ']).filter(|name| !name.is_empty())
}

/// Finds the keyless caller of a request; `None` if keyless callers are not admitted, or it carries a service token.
///
/// # Errors
/// `permission_denied` for a page in a browser, a client on another machine and an unknown name of this one;
/// `unauthorized` without a credential.
pub(crate) async fn caller(
    host: &impl Host,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<Option<Credential>, ApiError> {
    let workspace = host.variable(VARIABLE).await.unwrap_or_default();
    if !is_workspace(&workspace) || headers.contains_key(service_token::HEADER) {
        return Ok(None);
    }
    if let Some(key) = super::sent_key(headers)
        && (OWN_PREFIXES.iter().any(|prefix| key.starts_with(prefix))
            || service_token::accept(host, key.as_bytes()).await.is_ok())
    {
        return Ok(None);
    }
    let names = host.variable(HOSTS_VARIABLE).await.unwrap_or_default();
    check(uri, headers, &names)?;
    let credential = [AUTHORIZATION, API_KEY].iter().find_map(|name| headers.get(name));
    let credential = credential.ok_or_else(ApiError::own_credential_missing)?;
    let hash = Sha256::digest(credential.as_bytes());
    let name = base16ct::lower::encode_string(hash.get(..NAME_BYTES).unwrap_or_default());
    Ok(Some(Credential::Keyless(KeylessCaller { name: format!("sha256-{name}"), workspace })))
}

/// Checks the origin of a keyless request. With `names`, other machines may send it.
fn check(uri: &Uri, headers: &HeaderMap, names: &str) -> Result<(), ApiError> {
    if OF_BROWSERS.iter().any(|name| headers.contains_key(name)) {
        return Err(ApiError::permission_denied(
            "pages in a browser may not call this; call it from a program, or send a service token",
        ));
    }
    let is_named = host_name(uri, headers).is_some_and(|sent| {
        OWN_HOSTS.iter().copied().chain(hosts(names)).any(|known| known.eq_ignore_ascii_case(&sent))
    });
    if !is_named {
        return Err(ApiError::permission_denied(
            "the request's Host is not a name of this machine; use 127.0.0.1, or have the operator add the name to \
             keyless_hosts",
        ));
    }
    if hosts(names).next().is_none() && !is_of_this_machine(headers) {
        return Err(ApiError::permission_denied(
            "callers without a service token must be on this machine; send a service token, or have the operator set \
             keyless_hosts",
        ));
    }
    Ok(())
}

/// The host name of the request's address. Hosts put it into the URI, also where it comes as `Host`.
fn host_name(uri: &Uri, headers: &HeaderMap) -> Option<String> {
    let of_header = || headers.get(HOST)?.to_str().ok()?.parse::<Authority>().ok();
    Some(uri.authority().cloned().or_else(of_header)?.host().to_owned())
}

fn is_of_this_machine(headers: &HeaderMap) -> bool {
    let address = headers.get(CLIENT).map(HeaderValue::to_str).and_then(Result::ok);
    let address = address.and_then(|address| address.parse::<SocketAddr>().ok());
    address.is_some_and(|address| address.ip().to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_checked() {
        for (variable, want) in [("", false), ("default", false), ("a b", true), ("acme:1", true)] {
            assert_eq!(fault(variable).is_some(), want, "{variable}");
        }
        for (variable, want) in [
            ("", false),
            ("proxy.internal, [fd00::1] 10.0.0.1", false),
            ("proxy:3000", true),
            ("https://proxy", true),
            ("user@proxy", true),
        ] {
            assert_eq!(hosts_fault(variable).is_some(), want, "{variable}");
        }
    }

    #[test]
    fn only_programs_on_this_machine_are_admitted() {
        let local = ("spin-client-addr", "127.0.0.1:9");
        let remote = ("spin-client-addr", "192.0.2.1:9");
        for (uri, headers, names, want) in [
            ("http://127.0.0.1:7300/v1/models", vec![local], "", true),
            ("http://LOCALHOST/v1/models", vec![local], "", true),
            ("http://[::1]:1/", vec![("spin-client-addr", "[::1]:9")], "", true),
            ("http://localhost/", vec![("spin-client-addr", "[::ffff:127.0.0.1]:9")], "", true),
            ("/", vec![local, ("host", "localhost:1")], "", true),
            // DNS rebinding, and names that only look like this machine
            ("http://evil.example:7300/", vec![local], "", false),
            ("/", vec![local, ("host", "evil.example")], "", false),
            ("http://localhost.evil.example/", vec![local], "", false),
            ("http://127.0.0.1.evil.example/", vec![local], "", false),
            ("http://evil.example/", vec![local, ("host", "localhost")], "", false),
            ("http://127.0.0.1@evil.example/", vec![local], "", false),
            ("/", vec![local], "", false),
            // pages
            ("http://localhost/", vec![local, ("origin", "https://evil.example")], "", false),
            ("http://localhost/", vec![local, ("origin", "http://localhost")], "", false),
            ("http://localhost/", vec![local, ("origin", "null")], "", false),
            ("http://localhost/", vec![local, ("sec-fetch-site", "cross-site")], "", false),
            ("http://localhost/", vec![local, ("sec-fetch-site", "none")], "", false),
            // other machines
            ("http://localhost/", vec![remote], "", false),
            ("http://localhost/", vec![], "", false),
            ("http://localhost/", vec![("spin-client-addr", "localhost")], "", false),
            ("http://proxy.internal/", vec![remote], "proxy.internal", true),
            ("http://other.internal/", vec![remote], "proxy.internal", false),
            (
                "http://proxy.internal/",
                vec![remote, ("origin", "http://proxy.internal")],
                "proxy.internal",
                false,
            ),
        ] {
            let sent = headers
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
            let checked = check(&Uri::from_static(uri), &sent.collect(), names);
            assert_eq!(checked.is_ok(), want, "{uri} {headers:?} {names}");
        }
    }
}
