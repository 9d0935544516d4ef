//! The letters that no Dutch postal code has: SA, SD and SS.
//!
//! Source: PostNL, Postcode.

use super::prelude::*;

/// Four digits and two letters.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    allowed(value.get(4..).ok_or(Invalid::Length)?)
}

/// Whether two letters are in it that are never used.
pub fn allowed(value: &str) -> Result<Facts, Invalid> {
    if ["SA", "SD", "SS"].iter().any(|never| value.contains(never)) {
        return Err(Invalid::Component);
    }
    Ok(Facts::default())
}
