//! The day in a date of birth in digits: year first or last, day before month or after it.
//!
//! Dots put the day first, everywhere; with strokes the day is first or the month is, and where both
//! could be months the value does not say which day it is, so both are given. Six digits are day, month and year, or
//! year, month and day. A year of two digits lies in the latest century that is not in the future.
//!
//! Source: ISO 8601; CLDR, short date formats.

use super::prelude::*;
use crate::api::limits::REFERENCE_YEAR;

/// The earliest plausible year of birth.
const EARLIEST: u16 = 1880;

/// The date with its separators, or six or eight digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let mut parts = value.split(['.', '/', '-', ' ']).filter(|part| !part.is_empty());
    let parts = [parts.next(), parts.next(), parts.next(), parts.next()];
    let dates = match parts {
        [Some(first), Some(second), Some(third), None] => match (first.len(), third.len()) {
            (4, 1..=2) => [day(first, second, third), None],
            (1..=2, 2 | 4) if value.contains('/') || value.contains('-') => {
                [day(third, second, first), day(third, first, second)]
            }
            (1..=2, 2 | 4) => [day(third, second, first), None],
            _ => return Err(Invalid::Length),
        },
        [Some(run), None, None, None] => {
            let part = |from: usize, to: usize| run.get(from..to).unwrap_or_default();
            match run.len() {
                6 => {
                    digits::<6>(run)?;
                    let [first, second, third] = [part(0, 2), part(2, 4), part(4, 6)];
                    [day(third, second, first), day(first, second, third)]
                }
                _ => {
                    digits::<8>(run)?;
                    [day(part(0, 4), part(4, 6), part(6, 8)), day(part(4, 8), part(2, 4), part(0, 2))]
                }
            }
        }
        _ => return Err(Invalid::Length),
    };
    let century_inferred = !value.split(['.', '/', '-', ' ']).any(|part| part.len() >= 4);
    match dates {
        [None, None] => Err(Invalid::Component),
        [Some(a), Some(b)] if a != b => {
            Ok(Facts { either_date: Some([a, b]), century_inferred, ..Facts::default() })
        }
        [a, b] => Ok(Facts { birth_date: a.or(b), century_inferred, ..Facts::default() }),
    }
}

fn day(year: &str, month: &str, day: &str) -> Option<Date> {
    let (month, day) = (month.parse().ok()?, day.parse().ok()?);
    let date = match year.len() {
        2 => Date::recent(year.parse().ok()?, month, day)?,
        _ => Date::new(year.parse().ok()?, month, day)?,
    };
    (EARLIEST..=REFERENCE_YEAR).contains(&date.year()).then_some(date)
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("1980-01-31", Ok(Some("1980-01-31"))),
        ("31.1.1980", Ok(Some("1980-01-31"))),
        ("31. 1. 1980", Ok(Some("1980-01-31"))),
        ("01/31/1980", Ok(Some("1980-01-31"))),
        ("31/01/1980", Ok(Some("1980-01-31"))),
        ("05/05/1980", Ok(Some("1980-05-05"))),
        ("05/06/1980", Ok(None)),
        ("5.6.80", Ok(Some("1980-06-05"))),
        ("19800131", Ok(Some("1980-01-31"))),
        ("310180", Ok(Some("1980-01-31"))),
        ("800131", Ok(Some("1980-01-31"))),
        ("030478", Ok(Some("1978-04-03"))),
        ("801331", Err(Invalid::Component)),
        ("30.02.1980", Err(Invalid::Component)),
        ("31.12.1799", Err(Invalid::Component)),
        ("1980-01", Err(Invalid::Length)),
    ] {
        let found = facts(value).map(|facts| facts.birth_date.map(Date::iso));
        assert_eq!(found, want.map(|date| date.map(str::to_owned)), "{value}");
    }
    // the fifth of June, or the sixth of May
    let either = facts("05/06/1980").ok().and_then(|facts| facts.either_date);
    assert_eq!(
        either.map(|dates| dates.map(Date::iso)),
        Some(["1980-06-05", "1980-05-06"].map(str::to_owned))
    );
}
