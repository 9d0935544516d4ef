//! Birth date and gender in the Albanian personal number.
//!
//! A letter for the decade (`A` 1900 to 1909, `B` 1910 to 1919, …), a digit for the year, month (50 more for
//! women) and day, a serial, a letter up to W.
//!
//! Source: OECD, Albania, Tax Identification Numbers.

use super::prelude::*;
use crate::api::limits::REFERENCE_YEAR;

/// Facts of the ten characters.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let (first, rest) = value.split_at_checked(1).ok_or(Invalid::Length)?;
    let (body, letter) = rest.split_at_checked(8).ok_or(Invalid::Length)?;
    let d = digits::<8>(body)?;
    let decade = match first.as_bytes() {
        [letter @ b'A'..=b'T'] => 1900 + 10 * u16::from(letter - b'A'),
        _ => return Err(Invalid::Format),
    };
    if !matches!(letter.as_bytes(), [b'A'..=b'W']) {
        return Err(Invalid::Format);
    }
    let month = d[1] * 10 + d[2];
    let (gender, month) = if month > 50 { (Gender::Female, month - 50) } else { (Gender::Male, month) };
    let born = Date::new(decade + u16::from(d[0]), month, d[3] * 10 + d[4]);
    let born = born.filter(|born| born.year() <= REFERENCE_YEAR).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), gender: Some(gender), ..Facts::default() })
}
