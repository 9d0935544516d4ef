//! Birth date and gender in the South African identity number.
//!
//! Thirteen digits `YYMMDDSSSSCAZ`: the date, a serial that is 5000 or more for men, 0 for citizens, 1 for
//! permanent residents and 2 for refugees, a digit without a meaning today, a check digit.
//!
//! Source: Department of Home Affairs; Identification Act 68 of 1997, section 7.

use super::prelude::*;

/// Facts of the thirteen digits; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<13>(value)?;
    let born =
        Date::recent(d[0] * 10 + d[1], d[2] * 10 + d[3], d[4] * 10 + d[5]).ok_or(Invalid::Component)?;
    if d[10] > 2 {
        return Err(Invalid::Component);
    }
    let gender = if d[6] < 5 { Gender::Female } else { Gender::Male };
    Ok(Facts { birth_date: Some(born), gender: Some(gender), century_inferred: true, ..Facts::default() })
}
