//! Birth date and gender in the Sri Lankan identity card number.
//!
//! Twelve digits since 2016, the year of birth first; before, nine and a letter, with two digits of the
//! year. Then the day of the year, 500 higher for women. Every year counts 366 days.
//!
//! Source: Department for Registration of Persons, "NIC number".

use super::prelude::*;

/// Facts of the twelve digits, or of the nine and the letter.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let (year, day) = match value.len() {
        12 => (number(value, 0, 4), number(value, 4, 3)),
        10 => (1900 + number(value, 0, 2), number(value, 2, 3)),
        _ => return Err(Invalid::Length),
    };
    if !matches!(year, 1900..=2099) {
        return Err(Invalid::Component);
    }
    let (gender, mut day) = if day > 500 { (Gender::Female, day - 500) } else { (Gender::Male, day) };
    let mut month = 1;
    for days in [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if day <= days {
            break;
        }
        (day, month) = (day - days, month + 1);
    }
    let (Ok(year), Ok(day)) = (u16::try_from(year), u8::try_from(day)) else {
        return Err(Invalid::Component);
    };
    let born = Date::new(year, month, day).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), gender: Some(gender), ..Facts::default() })
}
