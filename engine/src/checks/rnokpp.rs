//! Birth date and gender in the РНОКПП, the Ukrainian tax number of persons: the days since 31 December
//! 1899, a serial whose last digit is odd for men, a check digit.
//!
//! Source: Податковий кодекс України, art. 70; State Tax Service.

use super::prelude::*;
use crate::api::limits::REFERENCE_YEAR;

/// Facts of the ten digits; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<10>(value)?;
    let day = number(value, 0, 5).checked_sub(1).ok_or(Invalid::Component)?;
    let born = Date::new(1900, 1, 1).and_then(|first| first.after(day));
    let born = born.filter(|born| born.year() <= REFERENCE_YEAR).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), gender: Some(Gender::from_odd(d[8])), ..Facts::default() })
}
