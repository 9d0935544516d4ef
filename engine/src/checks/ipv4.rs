//! An IPv4 address: four numbers from 0 to 255 with dots between them, none with a leading zero.
//!
//! Source: RFC 791; RFC 6943, section 3.1.1 (the strict form).

use super::prelude::*;

/// Returns the facts of an address with its dots.
///
/// Rejects addresses whose numbers are all below 32, except 10.0.0.0/8: sections and versions look like this,
/// so such an address needs a label (`ipv4_small`).
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let facts = address(value)?;
    let small = value.split('.').all(|octet| octet.parse::<u8>().is_ok_and(|octet| octet < 32));
    if small && !value.starts_with("10.") { Err(Invalid::Format) } else { Ok(facts) }
}

/// Any address with its dots.
pub(super) fn address(value: &str) -> Result<Facts, Invalid> {
    let mut count = 0;
    for octet in value.split('.') {
        count += 1;
        if octet.is_empty() || !octet.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Invalid::Format);
        }
        if octet.len() > 1 && octet.starts_with('0') || octet.parse::<u8>().is_err() {
            return Err(Invalid::Component);
        }
    }
    match count {
        4 => Ok(Facts { other: Some(("version", "4")), ..Facts::default() }),
        _ => Err(Invalid::Length),
    }
}

/// Whether an address names no host of its own: this network, loopback, a host's own choice, multicast, reserved, broadcast
/// and netmasks.
///
/// Addresses of private networks and of documentation are not among them: they tell one device of a text from another.
///
/// Source: RFC 6890, tables 1, 3, 5 and 16; RFC 5771.
pub fn is_impersonal(value: &str) -> bool {
    let Ok(address) = value.parse::<std::net::Ipv4Addr>() else { return false };
    let [first, ..] = address.octets();
    // netmasks begin with 255
    first == 0 || first >= 224 || address.is_loopback() || address.is_link_local()
}

#[cfg(test)]
#[test]
fn addresses_of_nobody() {
    for (value, impersonal) in [
        ("127.0.0.1", true),
        ("0.0.0.0", true),
        ("255.255.255.0", true),
        ("224.0.0.251", true),
        ("169.254.169.254", true),
        ("240.0.0.1", true),
        ("192.168.1.20", false),
        ("10.0.0.1", false),
        ("192.0.2.1", false),
        ("203.0.113.42", false),
        ("8.8.8.8", false),
    ] {
        assert_eq!(is_impersonal(value), impersonal, "{value}");
    }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("192.0.2.1", Ok(())),
        ("10.0.0.1", Ok(())),
        ("1.3.6.1", Err(Invalid::Format)),
        ("255.255.255.255", Ok(())),
        ("256.0.2.1", Err(Invalid::Component)),
        ("192.0.02.1", Err(Invalid::Component)),
        ("192.0.2", Err(Invalid::Length)),
        ("192.0.2.1.5", Err(Invalid::Length)),
        ("192.0.2.x", Err(Invalid::Format)),
        ("192.0..1", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
