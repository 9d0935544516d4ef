//! The Romanian trade register number: `J40/1234/2005`, the kind of the company, county, serial and year or
//! date. Since July 2024 a letter, the year, six digits of the serial, the county and a check digit in one run.
//!
//! Source: Legea nr. 265/2022; Oficiul Național al Registrului Comerțului.

use super::prelude::*;
use crate::api::limits::REFERENCE_YEAR;

/// The number with its slashes.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let number = value.strip_prefix(['J', 'F', 'C']).ok_or(Invalid::Format)?;
    let digits = |part: &str| part.parse::<u64>().map_err(|_| Invalid::Format);
    let mut parts = number.split('/');
    let (county, serial, year) = match (parts.next(), parts.next(), parts.next()) {
        (Some(run), None, None) => {
            if run.len() != 13 {
                return Err(Invalid::Length);
            }
            let year = digits(run.get(..4).ok_or(Invalid::Length)?)?;
            // since then the companies of all counties are counted together, as those of county 0
            let county = match (digits(run.get(10..12).ok_or(Invalid::Length)?)?, year) {
                (0, 2024..) => 1,
                (0, _) | (_, 2025..) => return Err(Invalid::Component),
                (county, _) => county,
            };
            // the last digit of the letter's code counts, too
            let letter = value.bytes().next().map_or(0, |letter| u32::from(letter % 10));
            let mut counts = run.bytes().map(|digit| u32::from(digit.wrapping_sub(b'0')));
            let sum: u32 = counts.clone().take(12).sum::<u32>() + letter;
            if counts.next_back() != Some(sum % 10) {
                return Err(Invalid::Checksum);
            }
            (county, 1, year)
        }
        (Some(county), Some(serial), Some(date)) => {
            let year = match date.len() {
                4 => date,
                8 => date.get(4..).ok_or(Invalid::Format)?,
                _ => return Err(Invalid::Length),
            };
            match digits(year)? {
                // the last of this form
                2025.. => return Err(Invalid::Component),
                year => (digits(county)?, digits(serial)?, year),
            }
        }
        _ => return Err(Invalid::Format),
    };
    let known = matches!(county, 1..=40 | 51 | 52)
        && serial > 0
        && (1990..=u64::from(REFERENCE_YEAR)).contains(&year);
    if known { Ok(Facts::default()) } else { Err(Invalid::Component) }
}
