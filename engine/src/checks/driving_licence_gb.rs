//! Birth date and gender in the driver number of Great Britain.
//!
//! Sixteen characters: five of the surname (filled up with 9), the birth date as `YMMDDY` (decade, month,
//! day, year; 50 is added to the month for women), two initials (a missing second one is 9), one
//! character and two letters against doubles. Cards add two digits for the issue.
//!
//! Source: DVLA, INF1D; DVLA, "The driver number explained".

use super::prelude::*;

/// Facts of the sixteen or eighteen characters.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if !matches!(value.len(), 16 | 18) {
        return Err(Invalid::Length);
    }
    let part = |from: usize, to: usize| value.get(from..to).ok_or(Invalid::Format);
    let letter = |byte: u8| byte.is_ascii_uppercase();
    let surname = part(0, 5)?.trim_end_matches('9');
    let [decade, month_tens, month_ones, day_tens, day_ones, year] = digits::<6>(part(5, 11)?)?;
    let mut rest = part(11, 16)?.bytes();
    let mut is = |allowed: fn(u8) -> bool| rest.next().is_some_and(allowed);
    let formed = !surname.is_empty()
        && surname.bytes().all(letter)
        && is(|byte| byte.is_ascii_uppercase())
        && is(|byte| byte.is_ascii_uppercase() || byte == b'9')
        && is(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
        && is(|byte| byte.is_ascii_uppercase())
        && is(|byte| byte.is_ascii_uppercase())
        && value.bytes().skip(16).all(|byte| byte.is_ascii_digit());
    if !formed {
        return Err(Invalid::Format);
    }
    let month = month_tens * 10 + month_ones;
    let (month, gender) = if month > 50 { (month - 50, Gender::Female) } else { (month, Gender::Male) };
    let born = Date::recent(decade * 10 + year, month, day_tens * 10 + day_ones).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), century_inferred: true, gender: Some(gender), ..Facts::default() })
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        // the specimen of the DVLA
        ("MORGA657054SM9IJ", Ok((Date::new(1964, 7, 5), Some(Gender::Female)))),
        ("JONES710153J99EF", Ok((Date::new(1973, 10, 15), Some(Gender::Male)))),
        ("FOX99551208A99AB35", Ok((Date::new(1958, 1, 20), Some(Gender::Female)))), // with the issue
        ("MORGA613054SM9IJ", Err(Invalid::Component)),                              // month 13
        ("MORGA657324SM9IJ", Err(Invalid::Component)),                              // day 32
        ("MOR9A657054SM9IJ", Err(Invalid::Format)),
        ("MORGA65705XSM9IJ", Err(Invalid::Format)),
        ("MORGA657054SM9I", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(|facts| (facts.birth_date, facts.gender)), want, "{value}");
    }
}
