//! Birth date and gender in the Cuban identity number.
//!
//! Eleven digits: `YYMMDD`, a digit of the century (0 to 5 the 1900s, 6 to 8 the 2000s, 9 the 1800s), a
//! serial whose last digit, the tenth of all, is even for men, and one more.
//!
//! Source: Ministerio del Interior, Resolución 6/1999 on the carné de identidad.

use super::prelude::*;

/// Facts of the eleven digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<11>(value)?;
    let century = match d[6] {
        0..=5 => 1900,
        6..=8 => 2000,
        _ => 1800,
    };
    let year = century + u16::from(d[0] * 10 + d[1]);
    let born = Date::new(year, d[2] * 10 + d[3], d[4] * 10 + d[5]).ok_or(Invalid::Component)?;
    let gender = if d[9].is_multiple_of(2) { Gender::Male } else { Gender::Female };
    Ok(Facts { birth_date: Some(born), gender: Some(gender), ..Facts::default() })
}
