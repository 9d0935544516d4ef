//! Birth date in the УНЗР, the record number of the Ukrainian demographic register: `YYYYMMDD-NNNNC`. How
//! its check digit is made is not published.
//!
//! Source: Постанова КМУ від 18.10.2017 № 784.

use super::prelude::*;
use crate::api::limits::REFERENCE_YEAR;

/// Facts of the thirteen digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<13>(value)?;
    let year = d.iter().take(4).fold(0, |year, digit| year * 10 + u16::from(*digit));
    let born = Date::new(year, d[4] * 10 + d[5], d[6] * 10 + d[7]);
    let born = born.filter(|_| (1900..=REFERENCE_YEAR).contains(&year)).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), ..Facts::default() })
}
