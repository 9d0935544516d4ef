//! Birth date and gender in the ИИН, the Kazakh individual identification number: `YYMMDDGSSSSC`, the
//! seventh digit says the century and is odd for men.
//!
//! Source: Law 223 of 12 January 2007 of Kazakhstan and its rules.

use super::prelude::*;

/// Facts of the twelve digits; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<12>(value)?;
    let century = match d[6] {
        1 | 2 => 1800,
        3 | 4 => 1900,
        5 | 6 => 2000,
        _ => return Err(Invalid::Component),
    };
    let year = century + u16::from(d[0]) * 10 + u16::from(d[1]);
    let born = Date::new(year, d[2] * 10 + d[3], d[4] * 10 + d[5]).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), gender: Some(Gender::from_odd(d[6])), ..Facts::default() })
}
