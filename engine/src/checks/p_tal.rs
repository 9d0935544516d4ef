//! Birth date in the P-tal, the Faroese personal number: `DDMMYYSSS`.
//!
//! Source: Umhvørvisstovan, Landsfólkayvirlitið.

use super::prelude::*;

/// Facts of the nine digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<9>(value)?;
    let born =
        Date::recent(d[4] * 10 + d[5], d[2] * 10 + d[3], d[0] * 10 + d[1]).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), century_inferred: true, ..Facts::default() })
}
