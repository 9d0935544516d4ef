//! Birth date and gender in the German pension insurance number (Rentenversicherungsnummer).
//!
//! `AADDMMYYLSSC`: the insurer's area, the date of birth with a year of two digits, the initial of the
//! name at birth, a serial of 00–49 for men and 50–99 for women, the check digit. The day is 50 higher
//! where the serials of a date were used up.
//!
//! Source: Versicherungsnummern-, Kontoführungs- und Versicherungsverlaufsverordnung (VKVV), §§ 2–4.

use super::prelude::*;

/// Facts of the twelve characters; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let bytes: [u8; 12] = value.as_bytes().try_into().map_err(|_| Invalid::Length)?;
    let fits =
        |(at, byte): (usize, u8)| if at == 8 { byte.is_ascii_uppercase() } else { byte.is_ascii_digit() };
    if !bytes.into_iter().enumerate().all(fits) {
        return Err(Invalid::Format);
    }
    let pair = |at| number(value, at, 2) as u8;
    let day = if pair(2) > 50 { pair(2) - 50 } else { pair(2) };
    let born = Date::recent(pair(6), pair(4), day).ok_or(Invalid::Component)?;
    let gender = if pair(9) < 50 { Gender::Male } else { Gender::Female };
    Ok(Facts { birth_date: Some(born), century_inferred: true, gender: Some(gender), ..Facts::default() })
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("65170839J003", Ok(("1939-08-17", Gender::Male))),
        ("15070649C103", Ok(("1949-06-07", Gender::Male))),
        ("15570649C508", Ok(("1949-06-07", Gender::Female))), // day 57
        ("15320649C103", Err(Invalid::Component)),            // day 32
        ("15071349C103", Err(Invalid::Component)),            // month 13
        ("15070649C10", Err(Invalid::Length)),
        ("150706493103", Err(Invalid::Format)),
        ("15070649CX03", Err(Invalid::Format)),
    ] {
        let got = facts(value).map(|facts| (facts.birth_date.unwrap().iso(), facts.gender.unwrap()));
        assert_eq!(got, want.map(|(date, gender)| (date.to_owned(), gender)), "{value}");
    }
}
