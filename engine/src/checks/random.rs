//! A token that a generator made: at least six different characters among its last sixteen. Placeholders
//! such as `ghp_xxxxxxxxxxxxxxxx` have fewer; of random hexadecimal digits, one in ten thousand has.

use super::prelude::*;

/// Checks the token as written.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if is_random(value) { Ok(Facts::default()) } else { Err(Invalid::Format) }
}

/// Whether at least six different characters are among the last sixteen.
pub(super) fn is_random(value: &str) -> bool {
    let seen = value.bytes().rev().take(16).fold(0_u128, |seen, byte| seen | 1 << (byte & 0x7f));
    seen.count_ones() >= 6
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("AKIAQWPTIZLOKO6FZDGZ", Ok(())),
        ("dapi92d567b0a82c6d4d52a7bdd48dd15d90", Ok(())),
        ("sk_live_xxxxxxxxxxxxxxxxxxxxxxxx", Err(Invalid::Format)),
        ("AKIA0000000000000000", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
