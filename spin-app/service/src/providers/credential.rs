//! Credentials of providers, by reference: a record stores `${NAME}`, and the value is looked up when a request is
//! sent.
//!
//! A name of [`VARIABLES`] is the application's variable of that name in lower case; any other is an entry of the
//! JSON object in the variable `provider_secrets`. No other variable can be named: the application's own secrets are
//! variables too.
//!
//! Users choose the address of a provider, so each secret is bound to hosts:
//!
//! | secret | bound to |
//! | --- | --- |
//! | a name of [`VARIABLES`] | the hosts of that provider; for Azure none, since anyone may have a host there |
//! | an entry `"NAME": "value"` | the hosts of `provider_hosts` |
//! | an entry `"NAME": {"value": …, "hosts": …, "workspaces": […]}` | these hosts and workspaces |
//!
//! An entry for a name of [`VARIABLES`] may leave `value` out: it widens or narrows the variable. In the profile
//! `dev` every secret may go to the hosts of `provider_hosts` too.

use std::{collections::BTreeMap, fmt};

use http::HeaderValue;
use serde::Deserialize;

use super::BaseUrl;
use crate::{
    host::Host,
    ids::is_workspace,
    network::{AllowedHosts, FaultyPattern},
    profile::Profile,
};

/// The variables that users may name, with the hosts that each is bound to.
const BOUND_VARIABLES: [(&str, &str); 4] = [
    ("OPENAI_API_KEY", "https://api.openai.com https://*.api.openai.com"),
    ("AZURE_OPENAI_API_KEY", ""),
    ("ANTHROPIC_API_KEY", "https://api.anthropic.com"),
    ("MISTRAL_API_KEY", "https://api.mistral.ai https://codestral.mistral.ai"),
];

/// The variables that users may name.
pub const VARIABLES: [&str; 4] =
    ["OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MISTRAL_API_KEY"];

/// The variable with further credentials, as a JSON object.
pub const SECRETS_VARIABLE: &str = "provider_secrets";

/// The variable with the hosts that users may name beside those of the public internet.
pub const HOSTS_VARIABLE: &str = "provider_hosts";

/// Longest name.
const MAX_NAME_BYTES: usize = 64;

/// The name of a credential, as in `${NAME}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder<'a>(&'a str);

impl<'a> Placeholder<'a> {
    /// Reads `${NAME}`: a capital letter, then capital letters, digits and `_`, 64 in all; none if it is
    /// anything else.
    pub fn parse(text: &'a str) -> Option<Self> {
        let name = text.strip_prefix("${")?.strip_suffix('}')?;
        let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        let well_formed = name.starts_with(|first: char| first.is_ascii_uppercase())
            && name.len() <= MAX_NAME_BYTES
            && name.bytes().all(plain);
        well_formed.then_some(Self(name))
    }
}

/// A credential. It shows itself in headers that are marked as sensitive and nowhere else.
pub struct ProviderCredential(String);

impl fmt::Debug for ProviderCredential {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ProviderCredential")
    }
}

impl ProviderCredential {
    /// The value of a header: what comes before the credential, and the credential; none if it has
    /// characters that a header cannot hold.
    pub fn header(&self, before: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::try_from(format!("{before}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

/// Why a credential cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// The variable [`SECRETS_VARIABLE`] is malformed; its secrets cannot be read.
    Malformed,
    /// No value of that name is set.
    NotSet,
    /// The secret is not bound to the host.
    NotForThisHost,
    /// The secret is bound to other workspaces.
    NotForThisWorkspace,
}

/// An entry of the variable [`SECRETS_VARIABLE`].
#[derive(Deserialize)]
#[serde(untagged)]
enum Secret {
    /// A value, bound to the hosts of `provider_hosts`.
    Value(String),
    /// A value with its own bounds.
    Bound(Bounds),
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bounds {
    /// Absent for a name of [`VARIABLES`], whose value is the variable's.
    value: Option<String>,
    /// Patterns as in `provider_hosts`.
    #[serde(default)]
    hosts: Option<Patterns>,
    /// Ids of workspaces; absent for every workspace.
    #[serde(default)]
    workspaces: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Patterns {
    Line(String),
    List(Vec<String>),
}

impl Patterns {
    fn parse(&self) -> Result<AllowedHosts, FaultyPattern> {
        match self {
            Self::Line(patterns) => AllowedHosts::parse(patterns),
            Self::List(patterns) => AllowedHosts::parse(&patterns.join(" ")),
        }
    }
}

impl From<Secret> for Bounds {
    fn from(secret: Secret) -> Self {
        match secret {
            Secret::Value(value) => Self { value: Some(value), ..Self::default() },
            Secret::Bound(bounds) => bounds,
        }
    }
}

/// Looks up the credential of a name, to be sent to `destination` for a provider of `workspace`.
///
/// # Errors
/// See [`Unusable`].
pub async fn resolve(
    host: &impl Host,
    placeholder: &Placeholder<'_>,
    destination: &BaseUrl,
    workspace: &str,
) -> Result<ProviderCredential, Unusable> {
    let Placeholder(name) = placeholder;
    let secrets = host.variable(SECRETS_VARIABLE).await.unwrap_or_default();
    let bounds = secrets_of(&secrets).map(|mut secrets| secrets.remove(*name).map(Bounds::from));
    let bounds = bounds.ok_or(Unusable::Malformed)?;
    let own_hosts = BOUND_VARIABLES.iter().find(|(known, _)| known == name).map(|(_, hosts)| *hosts);
    if bounds.is_none() && own_hosts.is_none() {
        return Err(Unusable::NotSet);
    }
    let Bounds { value, hosts, workspaces } = bounds.unwrap_or_default();
    if workspaces.is_some_and(|known| !known.iter().any(|one| one == workspace)) {
        return Err(Unusable::NotForThisWorkspace);
    }
    let listed = provider_hosts(host).await.unwrap_or_default();
    let mut bound_to = match (hosts, own_hosts) {
        (Some(hosts), _) => hosts.parse().unwrap_or_default(),
        (None, Some(own)) => AllowedHosts::parse(own).unwrap_or_default(),
        (None, None) => listed.clone(),
    };
    if Profile::of(host).await == Profile::Dev {
        bound_to.extend(listed);
    }
    if !destination.is_listed(&bound_to) {
        return Err(Unusable::NotForThisHost);
    }
    let value = match (value, own_hosts) {
        (None, Some(_)) => host.variable(&name.to_ascii_lowercase()).await,
        (value, _) => value,
    };
    let value = value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    value.map(ProviderCredential).ok_or(Unusable::NotSet)
}

/// The hosts that the operator allows beside those of the public internet.
///
/// # Errors
/// If the variable is not of its form.
pub async fn provider_hosts(host: &impl Host) -> Result<AllowedHosts, FaultyPattern> {
    AllowedHosts::parse(&host.variable(HOSTS_VARIABLE).await.unwrap_or_default())
}

/// Says what is wrong with a value of the variable [`HOSTS_VARIABLE`], if anything.
pub(crate) fn hosts_fault(variable: &str) -> Option<&'static str> {
    AllowedHosts::parse(variable).is_err().then_some(HOSTS_FAULT)
}

/// The fault of a malformed value of the variable [`HOSTS_VARIABLE`].
pub(crate) const HOSTS_FAULT: &str =
    "provider_hosts must be patterns scheme://host[:port], separated by commas or spaces";

/// Says what is wrong with a value of the variable [`HOSTS_VARIABLE`] for a host that takes it for one pattern.
pub(crate) fn single_host_fault(variable: &str) -> Option<&'static str> {
    let patterns = variable.split([',', ' ']).filter(|pattern| !pattern.trim().is_empty());
    (patterns.count() != 1).then_some(
        "provider_hosts must be one pattern under Spin, which lets no request out otherwise; write others into \
         allowed_outbound_hosts of the gateway in spin.toml",
    )
}

/// Says why requests are not let out to a host, and what the operator changes.
pub(crate) async fn why_host_is_forbidden(host: &impl Host) -> &'static str {
    match provider_hosts(host).await {
        Err(_) => HOSTS_FAULT,
        // Spin takes the whole value for one pattern, and then lets no request out
        Ok(hosts) if hosts.count() > 1 => {
            "requests to the provider's host are not let out; provider_hosts holds several patterns, and Spin takes \
             one: the operator moves the others to allowed_outbound_hosts of the gateway"
        }
        Ok(_) => {
            "requests to the provider's host are not let out; the operator allows it by the variable provider_hosts"
        }
    }
}

/// Says why requests are not let out to an address that a host's name leads to, and what the operator changes.
pub(crate) const ADDRESS_FORBIDDEN: &str = "the provider's address is not on the public internet: requests to it are not let out. \
     The operator names the host in full in provider_hosts, and under Spin takes block_networks out of the runtime \
     configuration";

/// Says what is wrong with a value of the variable [`SECRETS_VARIABLE`], if anything.
pub(crate) fn secrets_fault(variable: &str) -> Option<&'static str> {
    let is_sound = |(name, secret): (String, Secret)| {
        let bounds = Bounds::from(secret);
        (bounds.value.is_some() || VARIABLES.contains(&name.as_str()))
            && bounds.hosts.is_none_or(|hosts| hosts.parse().is_ok())
            && bounds.workspaces.is_none_or(|known| known.iter().all(|one| is_workspace(one)))
    };
    let is_faulty = secrets_of(variable).is_none_or(|secrets| !secrets.into_iter().all(is_sound));
    is_faulty.then_some(SECRETS_FAULT)
}

/// The fault of a malformed value of the variable [`SECRETS_VARIABLE`].
pub(crate) const SECRETS_FAULT: &str = "provider_secrets must be a JSON object of names and secrets: a string, or an \
                                        object with value, hosts and workspaces";

fn secrets_of(variable: &str) -> Option<BTreeMap<String, Secret>> {
    if variable.trim().is_empty() {
        return Some(BTreeMap::new());
    }
    serde_json::from_str(variable).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_names_of_variables() {
        for (text, want) in [
            ("${OPENAI_API_KEY}", Some("OPENAI_API_KEY")),
            ("${A}", Some("A")),
            ("${KEY_2}", Some("KEY_2")),
            (&format!("${{{}}}", "A".repeat(64)), Some(&*"A".repeat(64))),
            (&format!("${{{}}}", "A".repeat(65)), None),
            ("${}", None),
            ("${_A}", None),
            ("${2A}", None),
            ("${a}", None),
            ("${A-B}", None),
            ("${A B}", None),
            ("${ÄB}", None),
            (" ${A}", None),
            ("${A}${B}", None),
            ("$A", None),
            ("${A", None),
            ("sk-secret", None),
            ("", None),
        ] {
            assert_eq!(Placeholder::parse(text).map(|placeholder| placeholder.0), want, "{text}");
        }
    }

    #[test]
    fn credentials_do_not_show_themselves() {
        let credential = ProviderCredential("sk-secret".to_owned());
        let header = credential.header("Bearer ").expect("a header");
        assert_eq!(header, "Bearer sk-secret");
        assert!(!format!("{credential:?} {header:?}").contains("sk-"));
        assert_eq!(ProviderCredential("line\nbreak".to_owned()).header("Bearer "), None);
    }

    #[test]
    fn the_hosts_of_the_variables_can_be_read() {
        for ((name, hosts), variable) in BOUND_VARIABLES.into_iter().zip(VARIABLES) {
            assert_eq!(name, variable);
            assert!(AllowedHosts::parse(hosts).is_ok(), "{name}");
        }
    }

    #[test]
    fn variables_of_another_form_are_faults() {
        for (variable, want) in [
            ("", false),
            (" ", false),
            ("{}", false),
            (r#"{"A":"b"}"#, false),
            (r#"{"A":{"value":"b","hosts":"https://a.example","workspaces":["w"]}}"#, false),
            (r#"{"A":{"value":"b","hosts":["https://a.example","https://b.example:8443"]}}"#, false),
            (r#"{"OPENAI_API_KEY":{"hosts":"https://a.example"}}"#, false),
            ("[]", true),
            (r#"{"A":1}"#, true),
            (r#"{"A":{"hosts":"https://a.example"}}"#, true),
            (r#"{"A":{"value":"b","hosts":"a.example"}}"#, true),
            (r#"{"A":{"value":"b","workspaces":["a b"]}}"#, true),
            (r#"{"A":{"value":"b","host":"https://a.example"}}"#, true),
        ] {
            assert_eq!(secrets_fault(variable).is_some(), want, "{variable}");
        }
        for (variable, want) in
            [("", false), ("http://127.0.0.1:*, https://*.corp.example", false), ("ollama", true)]
        {
            assert_eq!(hosts_fault(variable).is_some(), want, "{variable}");
        }
        for (variable, want) in [
            ("", true),
            ("https://a.example", false),
            (" https://a.example ", false),
            ("https://a.example, https://b.example", true),
            ("https://a.example https://b.example", true),
        ] {
            assert_eq!(single_host_fault(variable).is_some(), want, "{variable}");
        }
    }
}
