//! Gender in the Rwandan national identity number: sixteen digits, 1 for citizens, 2 for refugees and 3 for
//! other foreigners, the year of birth, 7 for women or 8 for men, a serial of seven, how often a card was
//! issued, two more.
//!
//! Source: National Identification Agency; Law 43/2013 governing the population register.

use super::prelude::*;

/// Facts of the sixteen digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<16>(value)?;
    let gender = match d[5] {
        7 => Gender::Female,
        8 => Gender::Male,
        _ => return Err(Invalid::Component),
    };
    if !matches!(d[0], 1..=3) || !matches!(number(value, 1, 4), 1900..=2099) {
        return Err(Invalid::Component);
    }
    Ok(Facts { gender: Some(gender), ..Facts::default() })
}
