//! The IBAN: country, two check digits, and the account number of the country's own structure.
//!
//! With the first four characters at the end and letters read as 10 to 35, the number is 1 modulo 97.
//!
//! Source: ISO 13616-1; SWIFT, IBAN Registry (country, length, structure of the account number).

use super::prelude::*;
use crate::checksum::mod97;

/// Country, and its account number: runs of `n` digits, `a` capital letters, `c` either.
#[rustfmt::skip]
const REGISTRY: [(&str, &str); 89] = [
    ("AD", "8n12c"), ("AE", "19n"), ("AL", "8n16c"), ("AT", "16n"), ("AZ", "4a20c"), ("BA", "16n"),
    ("BE", "12n"), ("BG", "4a6n8c"), ("BH", "4a14c"), ("BI", "23n"), ("BR", "8c15n2c"), ("BY", "4c4n16c"),
    ("CH", "5n12c"), ("CR", "18n"), ("CY", "8n16c"), ("CZ", "20n"), ("DE", "18n"), ("DJ", "23n"),
    ("DK", "14n"), ("DO", "4c20n"), ("EE", "16n"), ("EG", "25n"), ("ES", "20n"), ("FI", "14n"),
    ("FK", "2a12n"), ("FO", "14n"), ("FR", "10n11c2n"), ("GB", "4a14n"), ("GE", "2a16n"), ("GI", "4a15c"),
    ("GL", "14n"), ("GR", "7n16c"), ("GT", "24c"), ("HN", "4a20n"), ("HR", "17n"), ("HU", "24n"),
    ("IE", "4a14n"), ("IL", "19n"), ("IQ", "4a15n"), ("IS", "22n"), ("IT", "1a10n12c"), ("JO", "4a4n18c"),
    ("KW", "4a22c"), ("KZ", "3n13c"), ("LB", "4n20c"), ("LC", "4a24c"), ("LI", "5n12c"), ("LT", "16n"),
    ("LU", "3n13c"), ("LV", "4a13c"), ("LY", "21n"), ("MC", "10n11c2n"), ("MD", "20c"), ("ME", "18n"),
    ("MK", "3n10c2n"), ("MN", "16n"), ("MR", "23n"), ("MT", "4a5n18c"), ("MU", "4a19n3a"), ("NI", "4a20n"),
    ("NL", "4a10n"), ("NO", "11n"), ("OM", "3n16c"), ("PK", "4a16c"), ("PL", "24n"), ("PS", "4a21c"),
    ("PT", "21n"), ("QA", "4a21c"), ("RO", "4a16c"), ("RS", "18n"), ("RU", "14n15c"), ("SA", "2n18c"),
    ("SC", "4a20n3a"), ("SD", "14n"), ("SE", "20n"), ("SI", "15n"), ("SK", "20n"), ("SM", "1a10n12c"),
    ("SO", "19n"), ("ST", "21n"), ("SV", "4a20n"), ("TL", "19n"), ("TN", "20n"), ("TR", "6n16c"),
    ("UA", "6n19c"), ("VA", "18n"), ("VG", "4a16n"), ("XK", "16n"), ("YE", "4a4n18c"),
];

/// The country, as `("country", code)`, of the compact IBAN with its country and check digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if !value.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()) {
        return Err(Invalid::Format);
    }
    let (head, account) = value.split_at_checked(4).ok_or(Invalid::Length)?;
    let (country, check) = head.split_at_checked(2).ok_or(Invalid::Length)?;
    digits::<2>(check)?;
    let Ok(at) = REGISTRY.binary_search_by_key(&country, |(code, _)| code) else {
        return Err(Invalid::Component);
    };
    let (code, structure) = REGISTRY.get(at).ok_or(Invalid::Component)?;
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

/// How many characters an IBAN of this country has; none where it has no IBAN.
pub fn length_of(country: [u8; 2]) -> Option<usize> {
    let at = REGISTRY.binary_search_by(|(code, _)| code.as_bytes().cmp(&country)).ok()?;
    let (_, structure) = REGISTRY.get(at)?;
    Some(4 + runs(structure).map(|(len, _)| len).sum::<usize>())
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
        assert!(REGISTRY.is_sorted_by(|a, b| a.0 < b.0));
        for (country, structure) in REGISTRY {
            assert!(runs(structure).all(|(len, class)| len > 0 && b"nac".contains(&class)), "{country}");
            let length = length_of(country.as_bytes().try_into().unwrap()).unwrap();
            assert!((15..=33).contains(&length), "{country} {length}");
        }
        assert_eq!(length_of(*b"NO"), Some(15));
        assert_eq!(length_of(*b"XX"), None);
    }
}
