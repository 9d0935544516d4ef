//! Birth date and gender in the ΑΜΚΑ, the Greek social security number: `DDMMYYSSSSC`, the tenth digit is
//! odd for men.
//!
//! Source: Law 3655/2008, art. 153; ΗΔΙΚΑ.

use super::prelude::*;

/// Facts of the eleven digits; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<11>(value)?;
    let born =
        Date::recent(d[4] * 10 + d[5], d[2] * 10 + d[3], d[0] * 10 + d[1]).ok_or(Invalid::Component)?;
    let gender = Some(Gender::from_odd(d[9]));
    Ok(Facts { birth_date: Some(born), century_inferred: true, gender, ..Facts::default() })
}
