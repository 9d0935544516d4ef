//! Birth date and gender in the Belarusian personal number.
//!
//! A digit for century and sex (odd for men), `DDMMYY`, the letter of the region, a serial, the letters of
//! the state, a check digit.
//!
//! Source: Закон Республики Беларусь о регистре населения; ICAO Doc 9303 for the check digit.

use super::prelude::*;

/// Facts of the fourteen characters; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let (body, rest) = value.split_at_checked(7).ok_or(Invalid::Length)?;
    let d = digits::<7>(body)?;
    let region = rest.starts_with(['A', 'B', 'C', 'H', 'K', 'E', 'M']);
    if !region || !matches!(rest.get(4..6), Some("PB" | "BA" | "BI")) {
        return Err(Invalid::Format);
    }
    let century = match d[0] {
        1 | 2 => 1800,
        3 | 4 => 1900,
        5 | 6 => 2000,
        _ => return Err(Invalid::Component),
    };
    let year = century + u16::from(d[5]) * 10 + u16::from(d[6]);
    let born = Date::new(year, d[3] * 10 + d[4], d[1] * 10 + d[2]).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), gender: Some(Gender::from_odd(d[0])), ..Facts::default() })
}
