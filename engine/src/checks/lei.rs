//! A legal entity identifier has a letter: twelve of its places are drawn from letters and digits, so that one of
//! digits alone is a number of something else.
//!
//! Source: ISO 17442-1.

use super::prelude::*;

/// The value has no facts.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if value.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        Ok(Facts::default())
    } else {
        Err(Invalid::Format)
    }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [("5493001KJTIIGC8Y1R12", Ok(())), ("54930012345678901212", Err(Invalid::Format))] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
