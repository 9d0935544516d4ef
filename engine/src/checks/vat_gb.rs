//! The VAT number of the United Kingdom.
//!
//! Nine digits, with three more for a branch; or `GD` with 000 to 499 for government departments, `HA`
//! with 500 to 999 for health authorities. The weights of the first seven digits are 8 to 2; with the two
//! check digits the sum is a multiple of 97, or, in the series that began in 2010 (first three digits 100
//! and more), 42 or 55 more than one.
//!
//! Source: HMRC, VAT registration manual, VATREG03700 (the series of 2010 is "9755").

use super::prelude::*;

/// The compact number without the country.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let known = match value.len() {
        5 => {
            let (body, serial) = value.split_at_checked(2).ok_or(Invalid::Format)?;
            digits::<3>(serial)?;
            match (body, number(serial, 0, 3)) {
                ("GD", 0..=499) | ("HA", 500..=999) => return Ok(Facts::default()),
                ("GD" | "HA", _) => return Err(Invalid::Component),
                _ => return Err(Invalid::Format),
            }
        }
        9 => digits::<9>(value)?,
        12 => {
            digits::<12>(value)?;
            digits::<9>(value.get(..9).ok_or(Invalid::Format)?)?
        }
        _ => return Err(Invalid::Length),
    };
    let sum: u32 = known
        .iter()
        .zip([8, 7, 6, 5, 4, 3, 2, 10, 1])
        .map(|(digit, weight)| u32::from(*digit) * weight)
        .sum();
    match sum % 97 {
        0 => Ok(Facts::default()),
        42 | 55 if known[0] > 0 => Ok(Facts::default()),
        _ => Err(Invalid::Checksum),
    }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("980780684", Ok(())),
        ("980780629", Ok(())), // series of 2010
        ("123456727001", Ok(())),
        ("GD001", Ok(())),
        ("HA599", Ok(())),
        ("802311781", Err(Invalid::Checksum)),
        ("GD500", Err(Invalid::Component)),
        ("GB001", Err(Invalid::Format)),
        ("98078068", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
