//! The birth date in the Austrian social insurance number (Sozialversicherungsnummer).
//!
//! `SSSCDDMMYY`: a serial that does not begin with 0, the check digit, the date of birth with a year of
//! two digits. The months 13 to 15 are used where the date is not known or its serials were used up.
//!
//! Source: Dachverband der Sozialversicherungsträger, "Sozialversicherungsnummer"; ASVG § 30c.

use super::prelude::*;

/// Facts of the ten digits; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<10>(value)?;
    let (day, month, year) = (d[4] * 10 + d[5], d[6] * 10 + d[7], d[8] * 10 + d[9]);
    if d[0] == 0 {
        return Err(Invalid::Component);
    }
    if matches!((day, month), (1..=31, 13..=15)) {
        return Ok(Facts::default());
    }
    let born = Date::recent(year, month, day).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), century_inferred: true, ..Facts::default() })
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("1237010180", Ok(Some("1980-01-01"))),
        ("5556150605", Ok(Some("2005-06-15"))),
        ("9879311299", Ok(Some("1999-12-31"))),
        ("1234011380", Ok(None)),                // month 13: no date
        ("0234010180", Err(Invalid::Component)), // the serial begins with 0
        ("1237310280", Err(Invalid::Component)), // 31 February
        ("1237011680", Err(Invalid::Component)), // month 16
        ("123701018", Err(Invalid::Length)),
        ("123701018X", Err(Invalid::Format)),
    ] {
        let got = facts(value).map(|facts| facts.birth_date.map(|date| date.iso()));
        assert_eq!(got, want.map(|date| date.map(str::to_owned)), "{value}");
    }
}
