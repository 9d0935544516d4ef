//! An IPv6 address, with a zone (`%eth0`) or without.
//!
//! Source: RFC 4291, section 2.2; RFC 4007, section 11.

use std::net::Ipv6Addr;

use super::prelude::*;

/// Checks the address as written.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let address = value.split_once('%').map_or(value, |(address, _)| address);
    address.parse::<Ipv6Addr>().map_err(|_| Invalid::Format)?;
    Ok(Facts { other: Some(("version", "6")), ..Facts::default() })
}

/// Whether an address does not identify a host: unspecified, loopback and multicast (RFC 4291).
pub fn is_impersonal(value: &str) -> bool {
    value
        .parse::<Ipv6Addr>()
        .is_ok_and(|address| address.is_unspecified() || address.is_loopback() || address.is_multicast())
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("2001:db8::1", Ok(())),
        ("fe80::1ff:fe23:4567:890a%eth0", Ok(())),
        ("::ffff:192.0.2.128", Ok(())),
        ("2001:db8:::1", Err(Invalid::Format)),
        ("12345::1", Err(Invalid::Format)),
        ("12:34:56", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
