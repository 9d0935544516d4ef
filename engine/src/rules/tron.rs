//! An address of TRON: Base58Check with version 65, so that it begins with `T`.
//!
//! Source: TRON Developer Hub, "Account".

use super::{bitcoin::base58_version, prelude::*};

/// The network, as `("network", "tron")`, of the address as it stands.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    match base58_version(value)? {
        Some(0x41) => Ok(Facts { other: Some(("network", "tron")), ..Facts::default() }),
        Some(_) => Err(Invalid::Component),
        None => Err(Invalid::Checksum),
    }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("TJxG5nquT49X9deNVE91qhVxaCL6d9eKHX", Ok(())),
        ("TJxG5nquT49X9deNVE91qhVxaCL6d9eKHA", Err(Invalid::Checksum)),
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", Err(Invalid::Component)), // of another network
        ("TJxG5nquT49X9deNVE91qhVxaCL6d9eKH0", Err(Invalid::Format)),
        ("TJxG5nquT49X9deNVE91qhVxaCL6d", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
