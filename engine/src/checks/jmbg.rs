//! Birth date and gender in the numbers of the former Yugoslav republics: JMBG, JMB, ЕМБГ, EMŠO.
//!
//! `DDMMYYYRRSSSC`: the year without its first digit, the region of registration, a serial from 500 on for
//! women. Which regions are of which country is the catalogue's.
//!
//! Source: Zakon o uvođenju jedinstvenog matičnog broja građana (Sl. list SFRJ 58/1976) and the laws of the
//! successor states.

use super::prelude::*;
use crate::api::limits::REFERENCE_YEAR;

/// Facts of the thirteen digits; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<13>(value)?;
    let year = u16::from(d[4]) * 100 + u16::from(d[5]) * 10 + u16::from(d[6]);
    let year = if year < 800 { 2000 + year } else { 1000 + year };
    let born = Date::new(year, d[2] * 10 + d[3], d[0] * 10 + d[1]);
    let born = born.filter(|_| year <= REFERENCE_YEAR).ok_or(Invalid::Component)?;
    let gender = if d[9] < 5 { Gender::Male } else { Gender::Female };
    Ok(Facts { birth_date: Some(born), gender: Some(gender), ..Facts::default() })
}
