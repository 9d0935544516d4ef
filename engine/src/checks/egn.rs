//! Birth date and gender in the ЕГН, the Bulgarian unified civil number.
//!
//! `YYMMDDSSSC`: the month is 20 higher for the 1800s and 40 for the 2000s; the ninth digit is even for
//! men.
//!
//! Source: ordinance № РД-02-20-9 of 2012; ГД ГРАО, "ЕГН".

use super::prelude::*;

/// Facts of the ten digits; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<10>(value)?;
    let month = d[2] * 10 + d[3];
    let (century, month) = match month {
        41.. => (2000, month - 40),
        21.. => (1800, month - 20),
        _ => (1900, month),
    };
    let year = century + u16::from(d[0]) * 10 + u16::from(d[1]);
    let born = Date::new(year, month, d[4] * 10 + d[5]).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), gender: Some(Gender::from_odd(d[8] + 1)), ..Facts::default() })
}
