//! Birth date and gender in the CHI number, the health number of Scotland.
//!
//! Ten digits `DDMMYYSSGC`: date of birth, serial, a digit that is even for women, check digit.
//!
//! Source: Public Health Scotland, Data Dictionary, "CHI Number".

use super::prelude::*;

/// Facts of the ten digits; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<10>(value)?;
    let born =
        Date::recent(d[4] * 10 + d[5], d[2] * 10 + d[3], d[0] * 10 + d[1]).ok_or(Invalid::Component)?;
    let gender = Some(Gender::from_odd(d[8]));
    Ok(Facts { birth_date: Some(born), century_inferred: true, gender, ..Facts::default() })
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("0101010028", Ok((Date::new(2001, 1, 1), Some(Gender::Female)))),
        ("3112991230", Ok((Date::new(1999, 12, 31), Some(Gender::Male)))),
        ("3113991230", Err(Invalid::Component)), // month 13
        ("010101002", Err(Invalid::Length)),
        ("01010100A8", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(|facts| (facts.birth_date, facts.gender)), want, "{value}");
    }
}
