//! An address of Solana: a public key of 32 bytes to the base 58, without a check.
//!
//! Source: Solana Documentation, "Accounts".

use super::prelude::*;

/// Returns the network, as `("network", "solana")`, of the address as written.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    match bs58::decode(value).onto(&mut [0; 32]) {
        Ok(32) => Ok(Facts { other: Some(("network", "solana")), ..Facts::default() }),
        Ok(_) | Err(bs58::decode::Error::BufferTooSmall) => Err(Invalid::Length),
        Err(_) => Err(Invalid::Format),
    }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("So11111111111111111111111111111111111111112", Ok(())), // wrapped SOL
        ("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", Ok(())), // the token program
        ("So1111111111111111111111111111111111111111O", Err(Invalid::Format)),
        ("So11111111111111111111111111111111111111", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
