//! Birth date in the personas kods, the Latvian personal code.
//!
//! `DDMMYYCSSSK`, the seventh digit says the century (0 the 1800s, 1 the 1900s, 2 the 2000s); since July
//! 2017 numbers begin with 32 to 39 and tell nothing.
//!
//! Source: Fizisko personu reģistra likums; Ministru kabineta noteikumi par personas kodu.

use super::prelude::*;

/// Facts of the eleven digits; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<11>(value)?;
    if d[0] == 3 && d[1] >= 2 {
        return Ok(Facts::default());
    }
    let year = 1800 + 100 * u16::from(d[6]) + u16::from(d[4]) * 10 + u16::from(d[5]);
    let born = Date::new(year, d[2] * 10 + d[3], d[0] * 10 + d[1]).filter(|_| d[6] < 3);
    Ok(Facts { birth_date: Some(born.ok_or(Invalid::Component)?), ..Facts::default() })
}
