//! The country of issue in the first two characters: ISINs, creditor identifiers, recordings.
//!
//! The codes `EU`, `QM` to `QZ` and `XA` to `XZ` stand for no country; they are left to users, and
//! international bodies issue under them.
//!
//! Source: ISO 3166-1, clause 8.1.3.

use super::{bic::COUNTRIES, prelude::*};

/// The country, as `("country", code)`, where the code is that of one.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    country(value.get(..2).ok_or(Invalid::Length)?)
}

/// Returns the country of a code.
pub(super) fn country(code: &str) -> Result<Facts, Invalid> {
    if !code.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Err(Invalid::Format);
    }
    match entry(COUNTRIES, code) {
        Some(code) => Ok(Facts { other: Some(("country", code)), ..Facts::default() }),
        None if matches!(code.as_bytes(), b"EU" | [b'Q', b'M'..=b'Z'] | [b'X', _]) => Ok(Facts::default()),
        None => Err(Invalid::Component),
    }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("US0378331005", Ok(Some("US"))),
        ("XS0123456781", Ok(None)),
        ("QMEU31300001", Ok(None)),
        ("AA0378331005", Err(Invalid::Component)),
        ("1S0378331005", Err(Invalid::Format)),
    ] {
        let country = facts(value).map(|facts| facts.other.map(|(_, country)| country));
        assert_eq!(country, want, "{value}");
    }
}
