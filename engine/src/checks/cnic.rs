//! Gender and province in the Pakistani computerised national identity card number: five digits of the
//! place, the first of them the province, a serial of seven, and a digit that is odd for men.
//!
//! Source: National Database and Registration Authority, "CNIC".

use super::prelude::*;

/// Facts of the thirteen digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<13>(value)?;
    // 2 were the tribal areas, which belong to Khyber Pakhtunkhwa now
    let region = match d[0] {
        1 | 2 => "PK-KP",
        3 => "PK-PB",
        4 => "PK-SD",
        5 => "PK-BA",
        6 => "PK-IS",
        7 => "PK-GB",
        8 => "PK-JK",
        _ => return Err(Invalid::Component),
    };
    if d[12] == 0 {
        return Err(Invalid::Component);
    }
    Ok(Facts { gender: Some(Gender::from_odd(d[12])), other: Some(("region", region)), ..Facts::default() })
}
