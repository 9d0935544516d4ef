//! Service tokens (spec §5): what the gateway's callers show.
//!
//! The variable `service_tokens` holds them, separated by commas: any of them is accepted, so that a new
//! one can be given out before the old one is taken away. Each has at least 32 characters.

use http::{HeaderMap, HeaderValue};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

use crate::{error::ApiError, host::Host};

/// Name of the application's variable.
pub const VARIABLE: &str = "service_tokens";

/// The header that carries a service token.
pub const HEADER: &str = "x-service-token";

/// A token has at least so many characters: 128 bits, whatever its alphabet.
const MIN_LENGTH: usize = 32;

/// What is wrong with a value of the variable, if anything. An empty one accepts no token.
pub fn fault(variable: &str) -> Option<&'static str> {
    let short = !variable.trim().is_empty() && tokens(variable).any(|token| token.len() < MIN_LENGTH);
    short.then_some("service_tokens must be tokens of at least 32 characters, separated by commas")
}

fn tokens(variable: &str) -> impl Iterator<Item = &str> {
    variable.split(',').map(str::trim)
}

/// Whether the request carries one of the configured tokens.
///
/// # Errors
/// `unauthorized`.
pub async fn check(host: &impl Host, headers: &HeaderMap) -> Result<(), ApiError> {
    let sent = headers.get(HEADER).ok_or_else(ApiError::service_token_missing)?;
    accept(host, sent.as_bytes()).await
}

/// Whether the request carries one of the configured tokens as clients of language models send their keys:
/// also as `Authorization: Bearer` or as `X-API-Key`.
///
/// # Errors
/// `unauthorized`.
pub(crate) async fn check_as_key(host: &impl Host, headers: &HeaderMap) -> Result<(), ApiError> {
    let own = headers.get(HEADER).map(HeaderValue::as_bytes);
    let sent = own.or_else(|| super::sent_key(headers).map(str::as_bytes));
    accept(host, sent.ok_or_else(ApiError::gateway_key_missing)?).await
}

/// Whether `sent` is one of the configured tokens.
///
/// # Errors
/// `unauthorized`.
pub async fn accept(host: &impl Host, sent: &[u8]) -> Result<(), ApiError> {
    let configured = host.variable(VARIABLE).await.unwrap_or_default();
    if fault(&configured).is_none() && is_one_of(sent, &configured) {
        Ok(())
    } else {
        Err(ApiError::service_token_invalid())
    }
}

/// Compares with every token, and hashes rather than tokens: the time tells neither which one nor how
/// much of it was right.
fn is_one_of(sent: &[u8], configured: &str) -> bool {
    let sent = Sha256::digest(sent);
    let known = tokens(configured).filter(|token| !token.is_empty());
    let hit = known.fold(Choice::from(0), |hit, token| hit | Sha256::digest(token).ct_eq(&sent));
    hit.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "0123456789abcdef0123456789abcdef";
    const NEW: &str = "fedcba9876543210fedcba9876543210";

    #[test]
    fn any_of_the_tokens_is_accepted() {
        let both = format!("{NEW}, {OLD}");
        for (sent, configured, want) in [
            (OLD, both.as_str(), true),
            (NEW, &both, true),
            (OLD, NEW, false),
            ("", &both, false),
            ("", "", false),
            ("", ",", false),
            (&both, &both, false),
            (OLD.trim_end_matches('f'), &both, false),
        ] {
            assert_eq!(is_one_of(sent.as_bytes(), configured), want, "{sent} among {configured}");
        }
    }

    #[test]
    fn short_tokens_are_a_fault() {
        for (variable, want) in [
            ("", false),
            (OLD, false),
            ("short", true),
            (&format!("{OLD},"), true),
            (&format!("{OLD}, {NEW}"), false),
        ] {
            assert_eq!(fault(variable).is_some(), want, "{variable}");
        }
    }
}
