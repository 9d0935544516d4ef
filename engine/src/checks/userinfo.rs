//! The password of a URL is one, and not a reference or a placeholder.
//!
//! Source: RFC 3986, section 3.2.1.

use super::{password, prelude::*};

/// Checks the URL as written.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let (_, rest) = value.split_once("://").ok_or(Invalid::Format)?;
    let (userinfo, _) = rest.split_once('@').ok_or(Invalid::Format)?;
    let (_, secret) = userinfo.split_once(':').ok_or(Invalid::Format)?;
    password::facts(secret)
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("postgres://user:yW2wjuu5mnPY@db.example.com/app", Ok(())),
        ("redis://:${REDIS_PASSWORD}@cache", Err(Invalid::Format)),
        ("https://%USER%:%PASS%@example.com", Err(Invalid::Format)),
        ("https://user:password@example.com", Err(Invalid::Format)),
        ("https://example.com", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
