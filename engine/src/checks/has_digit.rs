//! A number of which nothing is known but its name and its length: it has a digit.

use super::prelude::*;

/// Checks the number as written.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if value.bytes().any(|byte| byte.is_ascii_digit()) { Ok(Facts::default()) } else { Err(Invalid::Format) }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [("AB1234567", Ok(())), ("123", Ok(())), ("REQUIRED", Err(Invalid::Format))] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
