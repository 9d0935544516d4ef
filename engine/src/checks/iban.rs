//! The IBAN: country, two check digits, and the account number of the country's own structure.
//!
//! With the first four characters at the end and letters read as 10 to 35, the number is 1 modulo 97.
//!
//! Source: ISO 13616-1; SWIFT, IBAN Registry (country, length, structure of the account number).

use super::prelude::*;
use crate::{checks::digits::mod97, text::order};

/// Countries, sorted, each directly followed by the format of its account number: runs of `n` digits, `a`
/// capital letters, `c` either.
const REGISTRY: &str = "AD8n12c AE19n AL8n16c AT16n AZ4a20c BA16n BE12n BG4a6n8c BH4a14c BI23n BR8c15n2c BY4c4n16c CH5n12c CR18n \
    CY8n16c CZ20n DE18n DJ23n DK14n DO4c20n EE16n EG25n ES20n FI14n FK2a12n FO14n FR10n11c2n GB4a14n GE2a16n \
    GI4a15c GL14n GR7n16c GT24c HN4a20n HR17n HU24n IE4a14n IL19n IQ4a15n IS22n IT1a10n12c JO4a4n18c KW4a22c \
    KZ3n13c LB4n20c LC4a24c LI5n12c LT16n LU3n13c LV4a13c LY21n MC10n11c2n MD20c ME18n MK3n10c2n MN16n MR23n \
    MT4a5n18c MU4a19n3a NI4a20n NL4a10n NO11n OM3n16c PK4a16c PL24n PS4a21c PT21n QA4a21c RO4a16c RS18n RU14n15c \
    SA2n18c SC4a20n3a SD14n SE20n SI15n SK20n SM1a10n12c SO19n ST21n SV4a20n TL19n TN20n TR6n16c UA6n19c VA18n \
    VG4a16n XK16n YE4a4n18c";

/// The country, as `("country", code)`, of the compact IBAN with its country and check digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if !value.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()) {
        return Err(Invalid::Format);
    }
    let (head, account) = value.split_at_checked(4).ok_or(Invalid::Length)?;
    let (country, check) = head.split_at_checked(2).ok_or(Invalid::Length)?;
    digits::<2>(check)?;
    let (code, structure) = entry_of(country.as_bytes()).ok_or(Invalid::Component)?;
    if account.len() != runs(structure).map(|(len, _)| len).sum::<usize>() {
        return Err(Invalid::Length);
    }
    let mut rest = account.bytes();
    for (len, class) in runs(structure) {
        let fits = |byte: u8| match class {
            b'n' => byte.is_ascii_digit(),
            b'a' => byte.is_ascii_uppercase(),
            _ => true,
        };
        if !rest.by_ref().take(len).all(fits) {
            return Err(Invalid::Component);
        }
    }
    if mod97(account.bytes().chain(head.bytes())) != Some(1) {
        return Err(Invalid::Checksum);
    }
    Ok(Facts { other: Some(("country", code)), ..Facts::default() })
}

/// Returns the length of an IBAN of this country; `None` if the country has no IBANs.
pub fn length_of(country: [u8; 2]) -> Option<usize> {
    let (_, structure) = entry_of(&country)?;
    Some(4 + runs(structure).map(|(len, _)| len).sum::<usize>())
}

/// A country's code and the structure of its account number.
fn entry_of(country: &[u8]) -> Option<(&'static str, &'static str)> {
    order::find_word(REGISTRY, |entry| entry.get(..2).unwrap_or_default().cmp(country))?.split_at_checked(2)
}

/// The runs of a structure: how long, and of what.
fn runs(structure: &'static str) -> impl Iterator<Item = (usize, u8)> {
    let mut rest = structure.bytes();
    std::iter::from_fn(move || {
        let mut len = 0;
        loop {
            match rest.next()? {
                digit @ b'0'..=b'9' => len = len * 10 + usize::from(digit - b'0'),
                class => return Some((len, class)),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        // the registry's examples
        for (value, want) in [
            ("DE89370400440532013000", Ok("DE")),
            ("GB29NWBK60161331926819", Ok("GB")),
            ("FR1420041010050500013M02606", Ok("FR")),
            ("MT84MALT011000012345MTLCAST001S", Ok("MT")),
            ("NO9386011117947", Ok("NO")),
            ("BR1012ABC345000100009795493P1", Ok("BR")), // letters in the bank since 2026
            ("DE89370400440532013001", Err(Invalid::Checksum)),
            ("XX89370400440532013000", Err(Invalid::Component)),
            ("NL91ABN00417164300", Err(Invalid::Component)), // a digit in the bank
            ("DE8937040044053201300", Err(Invalid::Length)),
            ("DEX9370400440532013000", Err(Invalid::Format)),
            ("DE8937040044053201300-", Err(Invalid::Format)),
        ] {
            let country = facts(value).map(|facts| facts.other.map_or("", |(_, country)| country));
            assert_eq!(country, want, "{value}");
        }
    }

    #[test]
    fn the_registry_is_sorted_and_well_formed() {
        assert!(REGISTRY.split(' ').is_sorted_by(|a, b| a[..2] < b[..2]));
        for (country, structure) in REGISTRY.split(' ').filter_map(|entry| entry.split_at_checked(2)) {
            assert!(runs(structure).all(|(len, class)| len > 0 && b"nac".contains(&class)), "{country}");
            let length = length_of(country.as_bytes().try_into().unwrap()).unwrap();
            assert!((15..=33).contains(&length), "{country} {length}");
        }
        assert_eq!(length_of(*b"NO"), Some(15));
        assert_eq!(length_of(*b"XX"), None);
    }
}
