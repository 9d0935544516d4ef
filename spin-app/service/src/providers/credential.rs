//! Credentials of providers, by reference only: `${NAME}` is what is stored, and what it stands for is
//! looked up when a request is sent.
//!
//! A name stands for the application's variable of that name in lower case where it is one of
//! [`VARIABLES`], else for the entry of that name in the JSON object of the variable `provider_secrets`.
//! No other variable can be named: the application's own secrets are variables too.
//!
//! Users choose where a provider is, so a credential goes only to hosts that somebody else than a user
//! vouches for: those of the usual providers, and those that `provider_hosts` lists.

use std::{collections::BTreeMap, fmt};

use http::HeaderValue;

use super::BaseUrl;
use crate::{
    host::Host,
    network::{AllowedHosts, FaultyPattern},
};

/// The variables that users may name, as they name them.
pub const VARIABLES: [&str; 4] =
    ["OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MISTRAL_API_KEY"];

/// The variable that holds further credentials, as a JSON object of names and values.
pub const SECRETS_VARIABLE: &str = "provider_secrets";

/// The variable that lists hosts which users may name beside those of the public internet.
pub const HOSTS_VARIABLE: &str = "provider_hosts";

/// Hosts of the usual providers.
const USUAL_HOSTS: &str = "https://api.openai.com https://*.api.openai.com https://*.openai.azure.com \
     https://*.cognitiveservices.azure.com https://*.services.ai.azure.com https://api.anthropic.com \
     https://api.mistral.ai https://codestral.mistral.ai";

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
pub struct Credential(String);

impl fmt::Debug for Credential {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Credential")
    }
}

impl Credential {
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
    /// Nothing of that name is set.
    NotSet,
    /// Nobody vouches for the host.
    NotForThisHost,
}

/// What a name stands for, to be sent to `destination`.
///
/// # Errors
/// See [`Unusable`].
pub async fn resolve(
    host: &impl Host,
    placeholder: &Placeholder<'_>,
    destination: &BaseUrl,
) -> Result<Credential, Unusable> {
    let mut trusted = AllowedHosts::parse(USUAL_HOSTS).unwrap_or_default();
    trusted.extend(provider_hosts(host).await.unwrap_or_default());
    if !destination.is_listed(&trusted) {
        return Err(Unusable::NotForThisHost);
    }
    let Placeholder(name) = placeholder;
    let value = if VARIABLES.contains(name) {
        host.variable(&name.to_ascii_lowercase()).await
    } else {
        let secrets = host.variable(SECRETS_VARIABLE).await.unwrap_or_default();
        secrets_of(&secrets).and_then(|mut secrets| secrets.remove(*name))
    };
    let value = value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    value.map(Credential).ok_or(Unusable::NotSet)
}

/// The hosts that whoever runs the service allows, beside those of the public internet.
///
/// # Errors
/// Where the variable is not of its form.
pub async fn provider_hosts(host: &impl Host) -> Result<AllowedHosts, FaultyPattern> {
    AllowedHosts::parse(&host.variable(HOSTS_VARIABLE).await.unwrap_or_default())
}

/// What is wrong with a value of the variable [`HOSTS_VARIABLE`], if anything.
pub(crate) fn hosts_fault(variable: &str) -> Option<&'static str> {
    let faulty = AllowedHosts::parse(variable).is_err();
    faulty.then_some("provider_hosts must be patterns scheme://host[:port], separated by commas or spaces")
}

/// What is wrong with a value of the variable [`SECRETS_VARIABLE`], if anything.
pub(crate) fn secrets_fault(variable: &str) -> Option<&'static str> {
    let faulty = secrets_of(variable).is_none();
    faulty.then_some("provider_secrets must be a JSON object of names and strings")
}

fn secrets_of(variable: &str) -> Option<BTreeMap<String, String>> {
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
        let credential = Credential("sk-secret".to_owned());
        let header = credential.header("Bearer ").expect("a header");
        assert_eq!(header, "Bearer sk-secret");
        assert!(!format!("{credential:?} {header:?}").contains("sk-"));
        assert_eq!(Credential("line\nbreak".to_owned()).header("Bearer "), None);
    }

    #[test]
    fn the_list_of_usual_hosts_can_be_read() {
        assert!(AllowedHosts::parse(USUAL_HOSTS).is_ok());
    }

    #[test]
    fn variables_of_another_form_are_faults() {
        for (variable, want) in [
            ("", false),
            (" ", false),
            ("{}", false),
            (r#"{"A":"b"}"#, false),
            ("[]", true),
            (r#"{"A":1}"#, true),
        ] {
            assert_eq!(secrets_fault(variable).is_some(), want, "{variable}");
        }
        for (variable, want) in
            [("", false), ("http://127.0.0.1:*, https://*.corp.example", false), ("ollama", true)]
        {
            assert_eq!(hosts_fault(variable).is_some(), want, "{variable}");
        }
    }
}
