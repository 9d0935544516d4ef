//! The French VAT number: a key of two characters before the SIREN.
//!
//! A key of two digits is the SIREN followed by 12, modulo 97. The newer keys have a letter (never I or
//! O): numbered with `first × 24 + second − 10` where the first is a digit and `first × 34 + second − 100`
//! where it is a letter, the key is congruent modulo 11 to the SIREN, 1 and the eleventh part of the key
//! together. Numbers of Monaco have a SIREN that begins with 000 and does not pass Luhn.
//!
//! Source: BOFiP, BOI-TVA-DECLA-20-10-10; the algorithm is in the VIES documentation of the European
//! Commission.

use super::prelude::*;
use crate::checks::digits::luhn;

const KEY: &[u8; 34] = b"0123456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/// The eleven characters after the country.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if value.len() != 11 {
        return Err(Invalid::Length);
    }
    let (key, siren) = value.split_at_checked(2).ok_or(Invalid::Format)?;
    digits::<9>(siren)?;
    let mut places = key.bytes().map(|byte| KEY.iter().position(|known| *known == byte));
    let (Some(Some(first)), Some(Some(second))) = (places.next(), places.next()) else {
        return Err(Invalid::Format);
    };
    let company = number(siren, 0, 9);
    let holds = match (first as u64, second as u64) {
        (first @ 0..=9, second @ 0..=9) => (company * 100 + 12) % 97 == first * 10 + second,
        (first, second) => {
            let key = if first < 10 { first * 24 + second - 10 } else { first * 34 + second - 100 };
            (company + 1 + key / 11) % 11 == key % 11
        }
    };
    let of_monaco = siren.starts_with("000");
    if holds && (of_monaco || luhn(siren.bytes())) { Ok(Facts::default()) } else { Err(Invalid::Checksum) }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("44732829320", Ok(())),
        ("40303265045", Ok(())),
        ("83404833048", Ok(())),
        ("53000004605", Ok(())), // Monaco
        ("K7399859412", Ok(())), // a key with letters
        ("45732829320", Err(Invalid::Checksum)),
        ("47732829321", Err(Invalid::Checksum)), // the key is right, the SIREN is not
        ("IO732829320", Err(Invalid::Format)),
        ("4473282932", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
