//! The business identifier code of a bank (SWIFT code).
//!
//! Four letters for the bank, the country (ISO 3166-1, and XK for Kosovo), two characters for the place,
//! three more for a branch, or nothing.
//!
//! Source: ISO 9362:2022.

use super::{countries, prelude::*};

/// The country, as `("country", code)`, of the eight or eleven characters.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if !matches!(value.len(), 8 | 11) {
        return Err(Invalid::Length);
    }
    let formed = value
        .bytes()
        .enumerate()
        .all(|(at, byte)| byte.is_ascii_uppercase() || (at >= 6 && byte.is_ascii_digit()));
    if !formed {
        return Err(Invalid::Format);
    }
    let words = if value.len() == 8 { WORDS_OF_EIGHT } else { WORDS_OF_ELEVEN };
    if entry(words, value).is_some() {
        return Err(Invalid::Format);
    }
    let country = value.get(4..6).ok_or(Invalid::Format)?;
    let known = countries::code(country).ok_or(Invalid::Component)?;
    Ok(Facts { other: Some(("country", known)), ..Facts::default() })
}

/// Words in headings about banks, with the letters of a country at its position.
const WORDS_OF_EIGHT: &str = "ACCEPTED BUSINESS CUSTOMER DELIVERY DOCUMENT EXCHANGE MERCHANT MESSAGES \
    NATIONAL OPTIONAL OVERVIEW PASSPORT PAYMENTS PLATFORM PROVIDED PURCHASE REQUIRED SECURITY SERVICES \
    STANDARD TRANSFER TREASURY VALIDATE";
const WORDS_OF_ELEVEN: &str = "INFORMATION INSTITUTION UNAVAILABLE";

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("DEUTDEFF", Ok("DE")),
        ("COBADEFFXXX", Ok("DE")),
        ("ABNANL2A", Ok("NL")),
        ("DEUTXXFF", Err(Invalid::Component)),
        ("DEU1DEFF", Err(Invalid::Format)),
        ("DEUTDEF", Err(Invalid::Length)),
    ] {
        let country = facts(value).map(|facts| facts.other.map_or("", |(_, country)| country));
        assert_eq!(country, want, "{value}");
    }
}
