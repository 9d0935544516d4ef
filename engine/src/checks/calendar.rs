//! A date in digits that the calendar has: year first or last, day before month or after it.
//!
//! Source: ISO 8601; CLDR, short date formats.

use super::prelude::*;

/// The date with its separators, or eight digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let mut parts = value.split(['.', '/', '-', ' ']).filter(|part| !part.is_empty());
    let (first, second, third) = match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(first), Some(second), Some(third), None) => (first, second, third),
        (Some(run), None, None, None) => return compact(run),
        _ => return Err(Invalid::Length),
    };
    if !value.bytes().all(|byte| byte.is_ascii_digit() || b"./- ".contains(&byte)) {
        return Err(Invalid::Format);
    }
    let known = match (first.len(), third.len()) {
        (4, 1..=2) => known(first, second, third),
        (1..=2, 2 | 4) => known(third, second, first) || known(third, first, second),
        _ => return Err(Invalid::Length),
    };
    if known { Ok(Facts::default()) } else { Err(Invalid::Component) }
}

/// Eight digits, year first or last.
fn compact(run: &str) -> Result<Facts, Invalid> {
    digits::<8>(run)?;
    let part = |from: usize, to: usize| run.get(from..to).unwrap_or_default();
    let plausible = |year: &str| (1900..=2099).contains(&number(year, 0, 4));
    let year_first = plausible(part(0, 4)) && known(part(0, 4), part(4, 6), part(6, 8));
    let year_last = plausible(part(4, 8)) && known(part(4, 8), part(2, 4), part(0, 2));
    if year_first || year_last { Ok(Facts::default()) } else { Err(Invalid::Component) }
}

/// Whether the calendar has this day. A year of two digits is one of this century.
fn known(year: &str, month: &str, day: &str) -> bool {
    let (Ok(year), Ok(month), Ok(day)) = (year.parse::<u16>(), month.parse(), day.parse()) else {
        return false;
    };
    Date::new(if year < 100 { 2000 + year } else { year }, month, day).is_some()
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("2024-05-06", Ok(())),
        ("2024-02-29", Ok(())),
        ("31.12.2024", Ok(())),
        ("31. 12. 2024", Ok(())),
        ("12/31/2024", Ok(())),
        ("5/6/24", Ok(())),
        ("20240506", Ok(())),
        ("06052024", Ok(())),
        ("2023-02-29", Err(Invalid::Component)),
        ("31.13.2024", Err(Invalid::Component)),
        ("20241301", Err(Invalid::Component)),
        ("18240506", Err(Invalid::Component)),
        ("2024-05", Err(Invalid::Length)),
        ("123-05-06", Err(Invalid::Length)),
        ("2024-05-0X", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
