//! Birth date in the Kuwaiti civil number: `CYYMMDDSSSSK`, where C is 2 for the 1900s and 3 for the 2000s.
//!
//! Source: Public Authority for Civil Information, "The civil number".

use super::prelude::*;

/// Facts of the twelve digits; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<12>(value)?;
    let century = match d[0] {
        1 => 1800,
        2 => 1900,
        3 => 2000,
        _ => return Err(Invalid::Component),
    };
    let year = century + u16::from(d[1] * 10 + d[2]);
    let born = Date::new(year, d[3] * 10 + d[4], d[5] * 10 + d[6]).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), ..Facts::default() })
}
