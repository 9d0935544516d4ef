//! Birth date in the matricule, the national identification number of Luxembourg: `YYYYMMDDSSSCV`.
//!
//! Source: Règlement grand-ducal du 28 novembre 2013, art. 1.

use super::prelude::*;

/// Facts of the thirteen digits; the check digits are the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<13>(value)?;
    let year = d.iter().take(4).fold(0, |year, digit| year * 10 + u16::from(*digit));
    let born = Date::new(year, d[4] * 10 + d[5], d[6] * 10 + d[7]).filter(|_| (1850..=2100).contains(&year));
    Ok(Facts { birth_date: Some(born.ok_or(Invalid::Component)?), ..Facts::default() })
}
