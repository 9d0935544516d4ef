//! Birth date in the Tanzanian national identification number: `YYYYMMDD`, then twelve digits of the place,
//! the order and the kind of registration.
//!
//! Source: National Identification Authority, "National Identification Number".

use super::prelude::*;

/// Facts of the twenty digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<20>(value)?;
    let year = number(value, 0, 4);
    if !matches!(year, 1900..=2099) {
        return Err(Invalid::Component);
    }
    let born = Date::new(year as u16, d[4] * 10 + d[5], d[6] * 10 + d[7]).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), ..Facts::default() })
}
