//! The words that restore a wallet: 12, 15, 18, 21 or 24 words of three to eight lower-case letters.
//!
//! The word list of the standard and its check bits are not checked: the list of 2,048 words would be the
//! largest table of the engine, for a phrase that its label identifies.
//!
//! Source: BIP 39.

use super::prelude::*;

/// Checks the words, which are separated by one space.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let formed =
        |word: &str| (3..=8).contains(&word.len()) && word.bytes().all(|letter| letter.is_ascii_lowercase());
    if !value.split(' ').all(formed) {
        return Err(Invalid::Format);
    }
    match value.split(' ').count() {
        12 | 15 | 18 | 21 | 24 => Ok(Facts::default()),
        _ => Err(Invalid::Length),
    }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        // the first test vector of the standard
        (
            "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
            Ok(()),
        ),
        ("legal winner thank year wave sausage worth useful legal winner thank yellow", Ok(())),
        (
            "legal winner thank year wave sausage worth useful legal winner thank yellow zoo",
            Err(Invalid::Length),
        ),
        ("legal winner thank year wave sausage worth useful legal winner thank Yellow", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
