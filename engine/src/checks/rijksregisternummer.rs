//! Birth date and gender in the Belgian national register number and the BIS number.
//!
//! `YYMMDDSSSCC`: the check digits are 97 less the rest of the nine digits by 97, with a 2 in front for
//! births since 2000; the serial is odd for men. The month of a BIS number is 20 higher, or 40 where the
//! gender is known. Month and day may be 0 for unknown.
//!
//! Source: Royal Decrees of 3 April 1984 (national register) and 8 February 1991 (BIS).

use super::prelude::*;
use crate::api::limits::REFERENCE_YEAR;

/// Facts of the eleven digits; which months are of which number is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<11>(value)?;
    let (body, key) = (number(value, 0, 9), number(value, 9, 2));
    let year = u16::from(d[0]) * 10 + u16::from(d[1]);
    let fits = |front: u64| 97 - (front + body) % 97 == key;
    let year = match (fits(0), fits(2_000_000_000)) {
        (true, _) => 1900 + year,
        (_, true) if 2000 + year <= REFERENCE_YEAR => 2000 + year,
        _ => return Err(Invalid::Checksum),
    };
    let (month, day, serial) = (d[2] * 10 + d[3], d[4] * 10 + d[5], number(value, 6, 3));
    let born = match month % 20 {
        0 => None,
        _ if day == 0 => None,
        month => Some(Date::new(year, month, day).ok_or(Invalid::Component)?),
    };
    if matches!(serial, 0 | 999) || month % 20 > 12 {
        return Err(Invalid::Component);
    }
    let gender = (!(20..40).contains(&month)).then(|| Gender::from_odd(d[8]));
    Ok(Facts { birth_date: born, gender, ..Facts::default() })
}
