//! The country of issue in the last two letters: postal items.
//!
//! Source: UPU S10; ISO 3166-1.

use super::{leading_country::country, prelude::*};

/// The country, as `("country", code)`, where the code is that of one.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    country(value.get(value.len().saturating_sub(2)..).ok_or(Invalid::Length)?)
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("RR473124829GB", Ok(Some("GB"))),
        ("RR473124829GG", Ok(Some("GG"))),
        ("RR473124829ZZ", Err(Invalid::Component)),
        ("RR47312482999", Err(Invalid::Format)),
    ] {
        let country = facts(value).map(|facts| facts.other.map(|(_, country)| country));
        assert_eq!(country, want, "{value}");
    }
}
