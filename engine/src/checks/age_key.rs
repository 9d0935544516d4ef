//! A secret key of the file encryption age: Bech32 in capital letters.
//!
//! Source: C2SP, "The age file encryption format", section on X25519 recipients.

use bech32::{Bech32, primitives::decode::CheckedHrpstring};

use super::prelude::*;

/// Checks the key as written.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    CheckedHrpstring::new::<Bech32>(value).map(|_| Facts::default()).map_err(|_| Invalid::Checksum)
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX", Ok(())), // of its tests
        (
            "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEY",
            Err(Invalid::Checksum),
        ),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
