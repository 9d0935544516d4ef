//! An IPv4 address whose numbers are all small, as those of sections and versions are: `8.8.8.8`.
//!
//! Source: RFC 791; RFC 6943, section 3.1.1 (the strict form).

use super::prelude::*;

/// The address with its dots.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    super::ipv4::address(value)
}

/// As of any IPv4 address.
pub fn is_impersonal(value: &str) -> bool {
    super::ipv4::is_impersonal(value)
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("8.8.8.8", Ok(())),
        ("1.1.1.1", Ok(())),
        ("8.8.8", Err(Invalid::Length)),
        ("08.8.8.8", Err(Invalid::Component)),
        ("a.b.c.d", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
