//! The caller's headers that are forwarded to a provider: its credential, if the route requires it, and
//! Anthropic's betas.

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{AUTHORIZATION, InvalidHeaderValue},
};

use super::ProviderType;
use crate::error::ApiError;

/// The betas of its interface that a caller of Anthropic wants.
const BETA: HeaderName = HeaderName::from_static("anthropic-beta");
/// The version of Anthropic's protocol.
const VERSION: HeaderName = HeaderName::from_static("anthropic-version");
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Longest list of betas, in bytes.
const MAX_BETAS: usize = 1_024;
/// Longest run of digits in the name of a beta: a longer one may be somebody's number.
const MAX_DIGITS: usize = 4;

/// Headers of a caller that a provider may get.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallersHeaders {
    /// `Authorization` or `X-API-Key`, unchanged; `None` if the caller sent no credential of its own.
    credential: Option<(HeaderName, HeaderValue)>,
    betas: Option<HeaderValue>,
    version: Option<HeaderValue>,
    is_keyless: bool,
}

impl CallersHeaders {
    /// Reads them. A credential counts only beside `service_token`, the header with the gateway's own token, and is
    /// never that token: else it would be sent to a provider. A keyless caller has no such header.
    ///
    /// # Errors
    /// `invalid_request` naming a header that has not the form of Anthropic's.
    pub(crate) fn read(headers: &HeaderMap, service_token: Option<&str>) -> Result<Self, ApiError> {
        let own = service_token.map(|name| headers.get(name));
        let is_own = |value: &HeaderValue| {
            let bare = value.as_bytes();
            let bare = bare.strip_prefix(b"Bearer ").unwrap_or(bare);
            own.is_some_and(|own| own.is_none_or(|own| own.as_bytes() == bare))
        };
        let mut credential = None;
        for name in [AUTHORIZATION, API_KEY] {
            if let Some(value) = headers.get(&name).filter(|value| !is_own(value)) {
                let mut value = value.clone();
                value.set_sensitive(true);
                credential.get_or_insert((name, value));
            }
        }
        let betas =
            checked(headers, BETA, "names such as context-1m-2025-08-07, separated by commas", are_betas)?;
        let version = checked(headers, VERSION, "a date such as 2023-06-01", is_date)?;
        Ok(Self { credential, betas, version, is_keyless: service_token.is_none() })
    }

    /// Returns the header with the caller's credential for this type of provider; `None` if the caller sent
    /// none.
    ///
    /// # Errors
    /// If the credential is not a valid header value.
    pub(super) fn authentication(
        &self,
        kind: ProviderType,
    ) -> Option<Result<(HeaderName, HeaderValue), InvalidHeaderValue>> {
        let (name, value) = self.credential.as_ref()?;
        if kind.takes(name) {
            return Some(Ok((name.clone(), value.clone())));
        }
        let bare = value.as_bytes().strip_prefix(b"Bearer ").unwrap_or(value.as_bytes());
        let (name, prefix) = kind.credential_header();
        Some(HeaderValue::from_bytes(&[prefix.as_bytes(), bare].concat()).map(|mut value| {
            value.set_sensitive(true);
            (name, value)
        }))
    }

    /// Whether the caller has no credential of the gateway, so that it must not use one of the operator.
    pub(crate) fn is_keyless(&self) -> bool {
        self.is_keyless
    }

    /// Whether the caller speaks Anthropic's protocol, whose version is in each of its requests.
    pub(crate) fn is_of_anthropic(&self) -> bool {
        self.version.is_some()
    }

    /// Whether the caller sent its own credential.
    pub(crate) fn has_credential(&self) -> bool {
        self.credential.is_some()
    }

    /// Writes the headers of Anthropic's protocol.
    pub(super) fn write_protocol(&self, headers: &mut HeaderMap) {
        for (name, value) in [(BETA, &self.betas), (VERSION, &self.version)] {
            if let Some(value) = value {
                headers.insert(name, value.clone());
            }
        }
    }
}

/// All values of a header as one.
///
/// # Errors
/// `invalid_request` naming it.
fn checked(
    headers: &HeaderMap,
    name: HeaderName,
    wanted: &str,
    is_it: fn(&str) -> bool,
) -> Result<Option<HeaderValue>, ApiError> {
    let values: Vec<&str> =
        headers.get_all(&name).iter().map(|value| value.to_str().unwrap_or("?")).collect();
    if values.is_empty() {
        return Ok(None);
    }
    let joined = values.join(",");
    let refused = || ApiError::invalid(name.as_str(), format!("{name} must be {wanted}"));
    if !is_it(&joined) {
        return Err(refused());
    }
    HeaderValue::from_str(&joined).map(Some).map_err(|_| refused())
}

/// Whether these are names of betas, each of which ends with its date: `context-1m-2025-08-07`, `claude-code-20250219`.
fn are_betas(list: &str) -> bool {
    let is_beta = |name: &str| {
        let dated = [10, 8].into_iter().find_map(|len| {
            let (name, date) = name.split_at_checked(name.len().checked_sub(len)?)?;
            is_date(date).then_some((name, date))
        });
        let Some((name, _)) = dated else { return false };
        let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let runs = name.split(|letter: char| !letter.is_ascii_digit());
        name.ends_with('-')
            && name.bytes().all(is_word)
            && runs.map(str::len).max().unwrap_or_default() <= MAX_DIGITS
    };
    list.len() <= MAX_BETAS && list.split(',').map(str::trim).all(is_beta)
}

fn is_date(text: &str) -> bool {
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match text.len() {
        8 => are_digits(text) && text.starts_with("20"),
        _ => text.split('-').map(str::len).eq([4, 2, 2]) && text.split('-').all(are_digits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn betas_are_names_with_dates() {
        for (list, want) in [
            ("context-1m-2025-08-07", true),
            ("mcp-client-2025-04-04, prompt-caching-2024-07-31", true),
            ("output-128k-2025-02-19,oauth-2025-04-20", true),
            // those of Claude Code
            (
                "claude-code-20250219,interleaved-thinking-2025-05-14,fine-grained-tool-streaming-2025-05-14",
                true,
            ),
            ("claude-code-41111111", false),
            ("claude-code20250219", false),
            ("", false),
            ("context-1m", false),
            ("4111111111111111-2025-08-07", false),
            ("eva@example.com-2025-08-07", false),
            ("a-2025-08-07,", false),
        ] {
            assert_eq!(are_betas(list), want, "{list}");
        }
    }

    #[test]
    fn a_credential_is_the_callers_own() {
        for (headers, kind, want) in [
            (vec![("authorization", "Bearer sk-1")], ProviderType::OpenAi, None),
            (vec![("x-service-token", "t"), ("authorization", "Bearer t")], ProviderType::OpenAi, None),
            (vec![("x-service-token", "t"), ("x-api-key", "t")], ProviderType::OpenAi, None),
            (
                vec![("x-service-token", "t"), ("authorization", "Bearer sk-1")],
                ProviderType::OpenAi,
                Some(("authorization", "Bearer sk-1")),
            ),
            (
                vec![("x-service-token", "t"), ("x-api-key", "sk-1")],
                ProviderType::OpenAi,
                Some(("authorization", "Bearer sk-1")),
            ),
            (
                vec![("x-service-token", "t"), ("x-api-key", "sk-1")],
                ProviderType::Anthropic,
                Some(("x-api-key", "sk-1")),
            ),
            (
                vec![("x-service-token", "t"), ("authorization", "Bearer oat")],
                ProviderType::Anthropic,
                Some(("authorization", "Bearer oat")),
            ),
            (
                vec![("x-service-token", "t"), ("authorization", "Bearer sk-1")],
                ProviderType::AzureOpenAi,
                Some(("api-key", "sk-1")),
            ),
            // a client that sends the gateway's token as its key, beside one of its own
            (
                vec![("x-service-token", "t"), ("authorization", "Bearer t"), ("x-api-key", "sk-1")],
                ProviderType::Anthropic,
                Some(("x-api-key", "sk-1")),
            ),
        ] {
            let sent = headers
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
            let read = CallersHeaders::read(&sent.collect(), Some("x-service-token")).unwrap();
            let got = read.authentication(kind).map(Result::unwrap);
            let got = got.as_ref().map(|(name, value)| (name.as_str(), value.to_str().unwrap()));
            assert_eq!(got, want, "{headers:?}");
            assert!(!format!("{read:?}").contains("sk-1"), "{read:?}");
        }
    }
}
