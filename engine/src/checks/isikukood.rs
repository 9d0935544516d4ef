//! Birth date and gender in the personal codes of Estonia and Lithuania.
//!
//! `GYYMMDDSSSC`: the first digit encodes the century and is odd for men (1 and 2 the 1800s, to 7 and 8 the
//! 2100s). In Lithuania it is 9 in numbers without a birth date.
//!
//! Source: Rahvastikuregistri seadus § 39 ff. (Estonia); Gyventojų registro įstatymas, art. 8 (Lithuania).

use super::prelude::*;

/// Facts of the eleven digits; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<11>(value)?;
    if d[0] == 9 {
        return Ok(Facts::default());
    }
    let century = 1800 + 100 * (u16::from(d[0].checked_sub(1).ok_or(Invalid::Component)?) / 2);
    let year = century + u16::from(d[1]) * 10 + u16::from(d[2]);
    let born = Date::new(year, d[3] * 10 + d[4], d[5] * 10 + d[6]).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), gender: Some(Gender::from_odd(d[0])), ..Facts::default() })
}
