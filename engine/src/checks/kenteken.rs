//! The registration number of a Dutch vehicle.
//!
//! Six letters and digits in one of fourteen patterns; no vowels and no C and Q in those issued since 1978,
//! and never SA, SD and SS.
//!
//! Source: RDW, "Cijfers en letters op de kentekenplaat".

use super::prelude::*;

/// The six letters and digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if value.len() != 6 {
        return Err(Invalid::Length);
    }
    let letter = |byte: u8| byte.is_ascii_digit() || b"BDFGHJKLMNPRSTVWXYZ".contains(&byte);
    if !value.bytes().all(letter) {
        return Err(Invalid::Format);
    }
    if ["SA", "SD", "SS"].iter().any(|never| value.contains(never)) {
        return Err(Invalid::Component);
    }
    Ok(Facts::default())
}
