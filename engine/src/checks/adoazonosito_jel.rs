//! Birth date in the adóazonosító jel, the Hungarian tax number of persons.
//!
//! 8, the days from 1 January 1867 to the birth, a serial, a check digit.
//!
//! Source: Act XX of 1996, annex III.

use super::prelude::*;

/// Facts of the ten digits; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    digits::<10>(value)?;
    let born = Date::new(1867, 1, 1).and_then(|first| first.after(number(value, 1, 5)));
    Ok(Facts { birth_date: Some(born.ok_or(Invalid::Component)?), ..Facts::default() })
}
