//! The codes after a Hungarian tax number of businesses: of the kind of VAT, 1 to 5, and of the county.
//!
//! Source: Nemzeti Adó- és Vámhivatal, on the structure of the adószám.

use super::prelude::*;

/// Eight digits, or eleven with the codes; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let codes = value.get(8..).ok_or(Invalid::Length)?;
    let known = matches!(number(codes, 0, 1), 1..=5) && matches!(number(codes, 1, 2), 2..=44 | 51);
    if codes.is_empty() || known { Ok(Facts::default()) } else { Err(Invalid::Component) }
}
