//! An address of Bitcoin.
//!
//! Base58Check with version 0 (`1…`) or 5 (`3…`), or a SegWit address in Bech32 or Bech32m (`bc1…`).
//!
//! Source: BIP 13, BIP 173, BIP 350.

use bech32::primitives::decode::SegwitHrpstring;
use sha2::{Digest, Sha256};

use super::prelude::*;

/// The network, as `("network", "bitcoin")`, of the address as it stands.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let holds = if value.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("bc1")) {
        SegwitHrpstring::new(value).is_ok()
    } else {
        match base58_version(value)? {
            Some(0 | 5) => true,
            Some(_) => return Err(Invalid::Component),
            None => false,
        }
    };
    if holds {
        Ok(Facts { other: Some(("network", "bitcoin")), ..Facts::default() })
    } else {
        Err(Invalid::Checksum)
    }
}

/// The version of a Base58Check address with a hash of twenty bytes; none where its check does not hold.
pub(super) fn base58_version(value: &str) -> Result<Option<u8>, Invalid> {
    let mut bytes = [0; 25];
    match bs58::decode(value).onto(&mut bytes) {
        Ok(25) => {}
        Ok(_) | Err(bs58::decode::Error::BufferTooSmall) => return Err(Invalid::Length),
        Err(_) => return Err(Invalid::Format),
    }
    let (payload, check) = bytes.split_at(21);
    let hash = Sha256::digest(Sha256::digest(payload));
    Ok(hash.starts_with(check).then_some(bytes[0]))
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", Ok(())), // of the first block
        ("3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", Ok(())),
        // the examples of BIP 173 and BIP 350
        ("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", Ok(())),
        ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", Ok(())),
        ("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", Ok(())),
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", Err(Invalid::Checksum)),
        ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", Err(Invalid::Checksum)),
        ("TJxG5nquT49X9deNVE91qhVxaCL6d9eKHX", Err(Invalid::Component)), // of another network
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfN0", Err(Invalid::Format)),
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
