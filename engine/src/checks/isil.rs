//! The identifier of a library or an archive: the country, or a prefix of an agency, a hyphen, and what the
//! agency gives out.
//!
//! Source: ISO 15511; ISIL Registration Authority, allocated prefixes.

use super::{countries, prelude::*};

/// The country, as `("country", code)`, where the prefix is that of one.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    match value.split_once('-').ok_or(Invalid::Format)? {
        ("O" | "OCLC" | "EUR" | "ZDB" | "GTB", _) => Ok(Facts::default()),
        (country, _) if country.len() == 2 => {
            let other = countries::issuer(country)?.map(|code| ("country", code));
            Ok(Facts { other, ..Facts::default() })
        }
        _ => Err(Invalid::Component),
    }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("IT-RM0267", Ok(())),
        ("OCLC-DLC", Ok(())),
        ("AA-RM0267", Err(Invalid::Component)),
        ("ITRM0267", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
