//! The RIB, the French domestic bank account number.
//!
//! Bank (5 digits), branch (5 digits), account (11 letters and digits), key (2 digits). With letters
//! read as digits (A and J are 1, B, K and S are 2, … I, R and Z are 9), 89 × bank + 15 × branch +
//! 3 × account + key is a multiple of 97.
//!
//! Source: CFONB, "Le relevé d'identité bancaire".

use super::prelude::*;

/// The 23 characters.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let bytes: [u8; 23] = value.as_bytes().try_into().map_err(|_| Invalid::Length)?;
    let mut rest = 0;
    for (at, byte) in bytes.into_iter().enumerate() {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'A'..=b'I' if (10..21).contains(&at) => byte - b'A' + 1,
            b'J'..=b'R' if (10..21).contains(&at) => byte - b'J' + 1,
            b'S'..=b'Z' if (10..21).contains(&at) => byte - b'S' + 2,
            _ => return Err(Invalid::Format),
        };
        rest = (rest * 10 + u32::from(digit)) % 97;
    }
    // 89, 15 and 3 are what 10^18, 10^13 and 10^2 leave, so the whole is one number
    if rest == 0 { Ok(Facts::default()) } else { Err(Invalid::Checksum) }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("20041010050500013M02606", Ok(())), // the example of the standard
        ("30001007941234567890185", Ok(())),
        ("20041010050500013M02607", Err(Invalid::Checksum)),
        ("2004A010050500013M02606", Err(Invalid::Format)), // a letter in the bank
        ("20041010050500013M0260", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
