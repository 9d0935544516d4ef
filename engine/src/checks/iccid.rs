//! The number of a SIM card: 89 for telecommunications, the calling code of the issuer's country.
//!
//! Source: ITU-T E.118, section 4.

use super::{countries, prelude::*};

/// The region that the calling code is of, as `("region", code)`, unless several share it.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let code = value.strip_prefix("89").ok_or(Invalid::Format)?;
    // codes of one digit have a zero before them
    let code = code.strip_prefix('0').unwrap_or(code);
    if !crate::phone::is_calling_code(code) {
        return Err(Invalid::Component);
    }
    let region = crate::phone::country(code.as_bytes()).and_then(|country| countries::code(&country.upper()));
    Ok(Facts { other: region.map(|region| ("region", region)), ..Facts::default() })
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("8949012345678901237", Ok(Some("DE"))),
        ("8942012345678901230", Ok(Some("CZ"))),
        ("8901012345678901230", Ok(None)), // of the countries of North America
        ("8999912345678901230", Err(Invalid::Component)), // no country's
        ("7949012345678901237", Err(Invalid::Format)),
    ] {
        let region = facts(value).map(|facts| facts.other.map(|(_, region)| region));
        assert_eq!(region, want, "{value}");
    }
}
