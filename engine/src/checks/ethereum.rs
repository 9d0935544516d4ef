//! An address of Ethereum and the networks like it: `0x` and forty hexadecimal digits.
//!
//! If the letters are of both cases, a letter is a capital when the digit at its place in the
//! Keccak-256 hash of the address in small letters is 8 or more. Letters of one case say nothing.
//!
//! Source: ERC-55.

use sha3::{Digest, Keccak256};

use super::prelude::*;

/// Returns the network, as `("network", "ethereum")`, of the address as written.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let digits = value.strip_prefix("0x").or_else(|| value.strip_prefix("0X")).ok_or(Invalid::Format)?;
    let mut small: [u8; 40] = digits.as_bytes().try_into().map_err(|_| Invalid::Length)?;
    if !small.iter().all(u8::is_ascii_hexdigit) {
        return Err(Invalid::Format);
    }
    let has = |is: fn(&u8) -> bool| digits.as_bytes().iter().any(is);
    if has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) {
        small.make_ascii_lowercase();
        let hash = Keccak256::digest(small);
        let nibbles = hash.iter().flat_map(|byte| [byte >> 4, byte & 0x0f]);
        let cased = |(byte, nibble): (u8, u8)| {
            !byte.is_ascii_alphabetic() || byte.is_ascii_uppercase() == (nibble >= 8)
        };
        if !digits.bytes().zip(nibbles).all(cased) {
            return Err(Invalid::Checksum);
        }
    }
    Ok(Facts { other: Some(("network", "ethereum")), ..Facts::default() })
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        // the examples of ERC-55
        ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", Ok(())),
        ("0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", Ok(())),
        ("0x52908400098527886E0F7030069857D2E4169EE7", Ok(())),
        ("0xde709f2102306220921060314715629080e2fb77", Ok(())),
        ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed", Err(Invalid::Checksum)),
        ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg", Err(Invalid::Format)),
        ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeA", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
