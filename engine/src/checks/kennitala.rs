//! Birth date in the kennitala, the Icelandic identification number.
//!
//! `DDMMYYSSKC`: the last digit says the century (8, 9, 0). The day of an organisation is 40 higher.
//!
//! Source: Þjóðskrá, Kennitölur.

use super::prelude::*;

/// Facts of the ten digits; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<10>(value)?;
    let century = match d[9] {
        0 => 2000,
        9 => 1900,
        8 => 1800,
        _ => return Err(Invalid::Component),
    };
    let (year, day) = (century + u16::from(d[4]) * 10 + u16::from(d[5]), d[0] * 10 + d[1]);
    let organisation = day > 40;
    let day = if organisation { day - 40 } else { day };
    let born = Date::new(year, d[2] * 10 + d[3], day).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: (!organisation).then_some(born), ..Facts::default() })
}
