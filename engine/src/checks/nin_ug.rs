//! Gender in the Ugandan national identification number: `C` for citizens or `A` for aliens, `M` or `F`, two
//! digits of the year of birth, ten letters and digits.
//!
//! Source: National Identification and Registration Authority; Registration of Persons Act 2015.

use super::prelude::*;

/// Facts of the fourteen characters.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let gender = match value.get(..2) {
        Some("CM" | "AM") => Gender::Male,
        Some("CF" | "AF") => Gender::Female,
        _ => return Err(Invalid::Format),
    };
    digits::<2>(value.get(2..4).ok_or(Invalid::Length)?)?;
    Ok(Facts { gender: Some(gender), ..Facts::default() })
}
