//! Birth date and gender in the Norwegian national identity number and the D-number.
//!
//! `DDMMYYIIICC`: the individual number says the century and is odd for men. The day of a D-number is 40
//! higher; the month of a number for tests 40 or 80 higher.
//!
//! Source: Folkeregisterforskriften § 2-2-1 ff.; Skatteetaten.

use super::prelude::*;

/// Facts of the eleven digits; the check digits and which days are of which number are the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<11>(value)?;
    let (day, month) = (d[0] * 10 + d[1], d[2] * 10 + d[3]);
    let (day, month) = (if day > 40 { day - 40 } else { day }, month % 40);
    let year = u16::from(d[4]) * 10 + u16::from(d[5]);
    let century = match (number(value, 6, 3), year) {
        (0..500, _) => 1900,
        (_, 0..40) => 2000,
        (500..750, 54..) => 1800,
        (900.., _) => 1900,
        _ => return Err(Invalid::Component),
    };
    let born = Date::new(century + year, month, day).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), gender: Some(Gender::from_odd(d[8])), ..Facts::default() })
}
