//! Prefixes that National Insurance numbers never have, although each of their letters is allowed.
//!
//! Source: HMRC, National Insurance Manual, NIM39110.

use super::prelude::*;

/// The nine characters.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let prefix = value.get(..2).ok_or(Invalid::Length)?;
    let never = ["BG", "GB", "KN", "NK", "NT", "TN", "ZZ"];
    if never.contains(&prefix) { Err(Invalid::Component) } else { Ok(Facts::default()) }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in
        [("AB123456C", Ok(())), ("BG123456C", Err(Invalid::Component)), ("A", Err(Invalid::Length))]
    {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
