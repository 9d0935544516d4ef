//! The registration number of a French vehicle.
//!
//! Since 2009 `AA-123-AA` (SIV): no I, O or U, neither half is SS, the first half is not WW (that is the
//! garages' series), no 000. Before, up to four digits, up to three letters and the department (FNI).
//!
//! Source: arrêté du 9 février 2009 relatif aux modalités d'immatriculation des véhicules.

use super::prelude::*;

/// The letters and digits without separators.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let bytes = value.as_bytes();
    let known = match bytes {
        [b'0'..=b'9', ..] => return fni(value),
        [a, b, x @ b'0'..=b'9', y @ b'0'..=b'9', z @ b'0'..=b'9', c, d] => {
            let letters = [*a, *b, *c, *d];
            if !letters.iter().all(|byte| is_letter(*byte)) {
                return Err(Invalid::Format);
            }
            [*a, *b] != *b"SS" && [*c, *d] != *b"SS" && [*a, *b] != *b"WW" && [*x, *y, *z] != *b"000"
        }
        _ if bytes.len() == 7 => return Err(Invalid::Format),
        _ => return Err(Invalid::Length),
    };
    if known { Ok(Facts::default()) } else { Err(Invalid::Component) }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_uppercase() && !matches!(byte, b'I' | b'O' | b'U')
}

/// The older series: serial, letters, department.
fn fni(value: &str) -> Result<Facts, Invalid> {
    let serial = value.bytes().take_while(u8::is_ascii_digit).count();
    let letters = value.bytes().skip(serial).take_while(|byte| byte.is_ascii_uppercase()).count();
    // the letter in Corsica's 2A and 2B is not part of the series
    let department = value.get(serial + letters..).ok_or(Invalid::Format)?;
    if !(1..=4).contains(&serial) || !(1..=3).contains(&letters) {
        return Err(Invalid::Format);
    }
    match department {
        "2A" | "2B" => Ok(Facts::default()),
        _ => {
            digits::<2>(department)?;
            let known = matches!(number(department, 0, 2), 1..=19 | 21..=95 | 97);
            if known { Ok(Facts::default()) } else { Err(Invalid::Component) }
        }
    }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("AB123CD", Ok(())),
        ("1234AB75", Ok(())),
        ("12ABC2A", Ok(())),
        ("AI123CD", Err(Invalid::Format)),
        ("AB12CDE", Err(Invalid::Format)),
        ("SS123CD", Err(Invalid::Component)),
        ("AB000CD", Err(Invalid::Component)),
        ("1234AB96", Err(Invalid::Component)),
        ("AB123C", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
