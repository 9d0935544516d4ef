//! Birth date and gender in the CPR number, the Danish personal number.
//!
//! `DDMMYYSSSS`: the seventh digit and the year say the century, the last digit is odd for men. That all
//! digits weighted are divisible by 11 holds no longer since 2007.
//!
//! Source: CPR-kontoret, "Personnummeret i CPR".

use super::prelude::*;

/// Facts of the ten digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<10>(value)?;
    let year = u16::from(d[4]) * 10 + u16::from(d[5]);
    let century = match (d[6], year) {
        (0..=3, _) | (4 | 9, 37..) => 1900,
        (4 | 9, _) | (_, 0..58) => 2000,
        _ => 1800,
    };
    let born = Date::new(century + year, d[2] * 10 + d[3], d[0] * 10 + d[1]).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), gender: Some(Gender::from_odd(d[9])), ..Facts::default() })
}
