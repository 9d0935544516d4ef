//! A United States taxpayer number is one of a person (SSN, ITIN, ATIN) or of an employer (EIN): nine digits
//! of which no group of the first kind is zero, and none begins with 000 or 666.
//!
//! Source: Internal Revenue Service, "Taxpayer Identification Numbers (TIN)".

use super::prelude::*;

/// The nine digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    digits::<9>(value)?;
    let void = matches!(number(value, 0, 3), 0 | 666) || number(value, 5, 4) == 0;
    if void { Err(Invalid::Component) } else { Ok(Facts::default()) }
}
