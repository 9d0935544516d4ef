//! The name of a country or of its people, as the evidence of countries has them.
//!
//! Source: ISO 3166-1; CLDR, territory names.

use super::{countries, prelude::*};
use crate::{lexicon, phrase::Phrase};

/// The country, as `("country", code)`.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let uses = lexicon::label(Phrase::EMPTY.with(value), value).unwrap_or_default();
    let named = uses.iter().find_map(|packed| lexicon::country_named(lexicon::label_use(*packed).0));
    let code = named.ok_or(Invalid::Format)?.upper();
    Ok(Facts { other: countries::code(&code).map(|code| ("country", code)), ..Facts::default() })
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in
        [("Czech", Ok(Some("CZ"))), ("česká", Ok(Some("CZ"))), ("Required", Err(Invalid::Format))]
    {
        let country = facts(value).map(|facts| facts.other.map(|(_, country)| country));
        assert_eq!(country, want, "{value}");
    }
}
