//! Birth date and gender in the személyi azonosító, the Hungarian personal identification number.
//!
//! `GYYMMDDSSSC`: the first digit says the century and is odd for men. The weights of the check digit run
//! from 1 to 10, for births since 1997 from 10 to 1; the remainder 10 by 11 is never issued.
//!
//! Source: Act XX of 1996, annex I.

use super::{digits::special::weighted, prelude::*};

/// The first year of birth whose weights run downwards.
const DOWNWARDS: u16 = 1997;

/// Facts of the eleven digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<11>(value)?;
    let century = match d[0] {
        1 | 2 | 5 | 6 => 1900,
        3 | 4 | 7 | 8 => 2000,
        _ => return Err(Invalid::Component),
    };
    let year = century + u16::from(d[1]) * 10 + u16::from(d[2]);
    let born = Date::new(year, d[3] * 10 + d[4], d[5] * 10 + d[6]).ok_or(Invalid::Component)?;
    let weights = match year {
        DOWNWARDS.. => [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
        _ => [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    };
    if weighted(value, &weights) % 11 != u32::from(d[10]) {
        return Err(Invalid::Checksum);
    }
    Ok(Facts { birth_date: Some(born), gender: Some(Gender::from_odd(d[0])), ..Facts::default() })
}
