//! Check digits that no rule of `checksum` covers, each with its source.

/// German pension insurance number: the initial counts as two digits, A = 01 to Z = 26; digits of the
/// weighted digits, summed, modulo 10. Source: VKVV § 2.
pub fn rvnr(value: &str) -> bool {
    initial_as_two_digits(value, &[2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1])
}

/// German health insurance number: as [`rvnr`], with the weights 1 and 2 in turn. Source: SGB V § 290;
/// GKV-Spitzenverband, "Richtlinie Krankenversichertennummer".
pub fn kvnr(value: &str) -> bool {
    initial_as_two_digits(value, &[1, 2, 1, 2, 1, 2, 1, 2, 1, 2])
}

/// Whether the last digit is the digit sum of the weighted digits before it, modulo 10.
fn initial_as_two_digits(value: &str, weights: &[u8]) -> bool {
    let Some((body, check)) = value.split_at_checked(value.len().saturating_sub(1)) else { return false };
    let mut weights = weights.iter();
    let mut sum = 0;
    for byte in body.bytes() {
        let pair = match byte {
            b'0'..=b'9' => [None, Some(byte - b'0')],
            b'A'..=b'Z' => [Some((byte - b'A' + 1) / 10), Some((byte - b'A' + 1) % 10)],
            _ => return false,
        };
        for digit in pair.into_iter().flatten() {
            let Some(weight) = weights.next() else { return false };
            let product = u32::from(digit * weight);
            sum += product / 10 + product % 10;
        }
    }
    weights.next().is_none() && check.parse() == Ok(sum % 10)
}

/// Czech bank account `[prefix-]number/bank`: the digits of the prefix, and those of the number, are
/// weighted by the powers of 2 from the right; each sum is divisible by 11.
/// Source: Czech National Bank, Decree 169/2011 Coll.
pub fn cislo_uctu(value: &str) -> bool {
    let account = value.split_once('/').map_or(value, |(account, _)| account);
    account.split('-').all(|part| {
        let rest = part
            .bytes()
            .try_fold(0, |rest, byte| char::from(byte).to_digit(10).map(|digit| (rest * 2 + digit) % 11));
        rest == Some(0)
    })
}

/// The nine digits behind `CZ` that begin with 6, which a tax office gives to those who have neither
/// IČO nor birth number. Nine digits that begin otherwise are a birth number without a check digit.
/// Source: European Commission, VIES, algorithms of the member states.
pub fn dic_cz(value: &str) -> bool {
    let Some(digits) = value.strip_prefix('6').filter(|digits| digits.len() == 8) else { return true };
    let mut places = digits.bytes().map(|byte| u32::from(byte.wrapping_sub(b'0') & 0x0f));
    let sum: u32 = places.by_ref().take(7).zip((2..=8).rev()).map(|(digit, weight)| digit * weight).sum();
    places.next() == Some((8 + sum % 11) % 10)
}

/// SIRET: Luhn, but for La Poste (SIREN 356000000), whose offices are more than that leaves room for: the
/// digits of all but the seat add up to a multiple of 5. Source: INSEE, documentation of the Sirene API.
pub fn siret(value: &str) -> bool {
    if value.starts_with("356000000") && value != "35600000000048" {
        let sum: u32 = value.bytes().map(|byte| u32::from(byte.wrapping_sub(b'0'))).sum();
        return sum.is_multiple_of(5);
    }
    crate::checksum::luhn(value.bytes())
}

/// Numbers of articles of trade, of 8 to 14 digits: weights 1 and 3 in turn from the right, modulo 10.
/// Source: GS1 General Specifications, section 7.9.
pub fn gtin(value: &str) -> bool {
    let weighted = value.bytes().rev().zip([1, 3].into_iter().cycle());
    let sum: u32 = weighted.map(|(byte, weight)| u32::from(byte.wrapping_sub(b'0') & 0x0f) * weight).sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests_of_central_europe {
    use super::*;

    /// Each check with a published example, and the example with one digit wrong.
    #[test]
    fn verdicts() {
        for (check, valid, wrong) in [
            (rvnr as fn(&str) -> bool, "65170839J003", "65170839J004"), // VKVV § 2
            (rvnr, "15070649C103", "15070649C130"),                     // Deutsche Rentenversicherung
            (kvnr, "A000500015", "A000500051"),                         // gematik, test cards
            (cislo_uctu, "19-2000145399/0800", "19-2000145398/0800"),   // Czech National Bank
            (cislo_uctu, "178124-4159/0710", "178142-4159/0710"),
            (dic_cz, "640903926", "640903962"), // VIES
        ] {
            assert!(check(valid), "{valid}");
            assert!(!check(wrong), "{wrong}");
        }
    }
}

#[cfg(test)]
mod tests_of_france {
    #[test]
    fn siret_of_la_poste() {
        for (value, valid) in [
            ("73282932000074", true),
            ("73282932000047", false),
            ("35600000000048", true), // the seat
            ("35600000049837", true),
            ("35600000049838", false),
        ] {
            assert_eq!(super::siret(value), valid, "{value}");
        }
    }
}

#[cfg(test)]
mod tests_of_trade {
    #[test]
    fn gtin_of_every_length() {
        for (value, valid) in [
            ("96385074", true),
            ("036000291452", true),
            ("4006381333931", true),
            ("10614141000415", true),
            ("4006381333913", false),
        ] {
            assert_eq!(super::gtin(value), valid, "{value}");
        }
    }
}
