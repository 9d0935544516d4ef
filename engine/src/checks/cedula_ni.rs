//! Birth date in the Nicaraguan identity card number: `MMM DDMMYY NNNN L`.
//!
//! Source: Consejo Supremo Electoral; Ley 152 de Identificación Ciudadana.

use super::prelude::*;

/// Facts of the thirteen digits and the letter.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<6>(value.get(3..9).ok_or(Invalid::Length)?)?;
    let born =
        Date::recent(d[4] * 10 + d[5], d[2] * 10 + d[3], d[0] * 10 + d[1]).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), century_inferred: true, ..Facts::default() })
}
