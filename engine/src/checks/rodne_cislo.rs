//! Birth date and gender in the rodné číslo, the Czech and Slovak birth number.
//!
//! `YYMMDDSSS` for births before 1954, without a check digit; `YYMMDDSSSC` since. The month is 50
//! higher for women; since 2004, when a day has no serials left, 20 higher still. The ten digits are
//! divisible by 11. Where the first nine leave the remainder 10, the check digit is 0; such numbers were
//! given until 1985 and no longer.
//!
//! Source: Act 133/2000 Coll., §§ 13–17 (Czechia); Act 301/1995 Coll. (Slovakia).

use super::prelude::*;

/// The first year of birth whose numbers have ten digits.
const TEN_DIGITS: u16 = 1954;
/// The last year of birth whose numbers may leave the remainder 10.
const REMAINDER_TEN: u16 = 1985;
/// The first year in which months were raised by 20.
const RAISED_MONTHS: u16 = 2004;

/// Facts of the nine or ten digits; that the check digit fits at all is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let (year, month, day) = match value.len() {
        9 => before_1954(digits(value)?)?,
        _ => since_1954(digits(value)?),
    };
    let (gender, month) = if month > 50 { (Gender::Female, month - 50) } else { (Gender::Male, month) };
    let month = if month > 20 && year >= RAISED_MONTHS { month - 20 } else { month };
    let born = Date::new(year, month, day).ok_or(Invalid::Component)?;
    if year > REMAINDER_TEN && value.len() == 10 && number(value, 0, 9) % 11 == 10 {
        return Err(Invalid::Checksum);
    }
    Ok(Facts { birth_date: Some(born), gender: Some(gender), ..Facts::default() })
}

/// Year, raised month and day. The numbers came in 1946: the oldest holders were born in the 1880s.
fn before_1954(d: [u8; 9]) -> Result<(u16, u8, u8), Invalid> {
    let year = u16::from(d[0]) * 10 + u16::from(d[1]);
    let century = match year {
        0..54 => 1900,
        80.. => 1800,
        _ => return Err(Invalid::Length),
    };
    Ok((century + year, d[2] * 10 + d[3], d[4] * 10 + d[5]))
}

fn since_1954(d: [u8; 10]) -> (u16, u8, u8) {
    let year = 1900 + u16::from(d[0]) * 10 + u16::from(d[1]);
    let year = if year < TEN_DIGITS { year + 100 } else { year };
    (year, d[2] * 10 + d[3], d[4] * 10 + d[5])
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("530101123", Ok(("1953-01-01", Gender::Male))),
        ("995312456", Ok(("1899-03-12", Gender::Female))),
        ("8001011238", Ok(("1980-01-01", Gender::Male))),
        ("8551011238", Ok(("1985-01-01", Gender::Female))),
        ("0421010018", Ok(("2004-01-01", Gender::Male))),
        ("0471010023", Ok(("2004-01-01", Gender::Female))),
        ("7801233100", Ok(("1978-01-23", Gender::Male))), // the first nine leave 10
        ("8601010100", Err(Invalid::Checksum)),           // they do, but after 1985
        ("0321010019", Err(Invalid::Component)),          // month 21 before 2004
        ("8013011237", Err(Invalid::Component)),          // month 13
        ("530100123", Err(Invalid::Component)),           // day 0
        ("540101123", Err(Invalid::Length)),              // nine digits in 1954
        ("80010112381", Err(Invalid::Length)),
        ("80010112X8", Err(Invalid::Format)),
    ] {
        let got = facts(value).map(|facts| (facts.birth_date.unwrap().iso(), facts.gender.unwrap()));
        assert_eq!(got, want.map(|(date, gender)| (date.to_owned(), gender)), "{value}");
    }
}
