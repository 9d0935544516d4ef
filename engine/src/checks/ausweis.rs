//! Serial numbers of German identity cards and passports.
//!
//! Nine letters and digits: four of the authority, the first a letter, and five without meaning. Vowels and
//! B, D, Q, S are never used. In the machine-readable zone the check digit of ICAO Doc 9303 follows them; the
//! nine characters alone have no check digit.
//!
//! Source: PAuswV § 3, PassV Annex 11; ICAO Doc 9303-3, section 4.9.

use super::prelude::*;

/// The number contains no facts about its holder; the catalogue checks its first letter.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if !matches!(value.len(), 9 | 10) {
        return Err(Invalid::Length);
    }
    let serial = value.bytes().take(9);
    if !serial.clone().all(|byte| b"0123456789CFGHJKLMNPRTVWXYZ".contains(&byte))
        || !value.bytes().skip(9).all(|byte| byte.is_ascii_digit())
    {
        return Err(Invalid::Format);
    }
    // Nine letters are a word or an abbreviation.
    if !serial.clone().any(|byte| byte.is_ascii_digit())
        || !serial.clone().any(|byte| byte.is_ascii_uppercase())
    {
        return Err(Invalid::Component);
    }
    Ok(Facts::default())
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("L01X00T47", Ok(())), // specimen of the identity card
        ("L01X00T471", Ok(())),
        ("C01X00T478", Ok(())), // specimen of the passport
        ("LZMNPRTVW", Err(Invalid::Component)),
        ("123456789", Err(Invalid::Component)),
        ("L01X00T4", Err(Invalid::Length)),
        ("L01A00T47", Err(Invalid::Format)),
        ("L01X00T47X", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
