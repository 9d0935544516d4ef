//! Which office gave a partita IVA, the Italian VAT number.
//!
//! Seven digits, three of the office, a check digit. The offices are the provinces 001 to 100, 120 and 121,
//! and 888 and 999 for those abroad.
//!
//! Source: D.P.R. 633/1972, art. 35; European Commission, VIES, algorithms of the member states.

use super::prelude::*;

/// The number contains no facts about its holder; the catalogue checks the check digit.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    digits::<11>(value)?;
    let known = matches!(number(value, 7, 3), 1..=100 | 120 | 121 | 888 | 999) && number(value, 0, 7) != 0;
    if known { Ok(Facts::default()) } else { Err(Invalid::Component) }
}
