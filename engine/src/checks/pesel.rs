//! Birth date and gender in the PESEL, the Polish national identification number.
//!
//! Eleven digits `YYMMDDSSSSC`. The month carries the century (+80 1800s, +0 1900s, +20 2000s,
//! +40 2100s, +60 2200s); the tenth digit is odd for men.
//!
//! Source: gov.pl, "Czym jest numer PESEL".

use super::prelude::*;

/// Facts of the eleven digits; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<11>(value)?;
    let month = d[2] * 10 + d[3];
    let century = match month / 20 {
        0 => 1900,
        1 => 2000,
        2 => 2100,
        3 => 2200,
        _ => 1800,
    };
    let year = century + u16::from(d[0]) * 10 + u16::from(d[1]);
    let born = Date::new(year, month % 20, d[4] * 10 + d[5]).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), gender: Some(Gender::from_odd(d[9])), ..Facts::default() })
}
