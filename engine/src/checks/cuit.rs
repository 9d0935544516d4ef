//! The prefix of an Argentine CUIT or CUIL: 20 for men, 27 for women, 23 to 26 for persons of either,
//! 30, 33 and 34 for companies, 50, 51 and 55 for those abroad.
//!
//! Source: ANSES and AFIP, Resolución General 3995.

use super::prelude::*;

/// Facts of the eleven digits; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    digits::<11>(value)?;
    let gender = match number(value, 0, 2) {
        20 => Some(Gender::Male),
        27 => Some(Gender::Female),
        23..=26 | 30 | 33 | 34 | 50 | 51 | 55 => None,
        _ => return Err(Invalid::Component),
    };
    Ok(Facts { gender, ..Facts::default() })
}
