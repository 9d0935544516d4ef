//! Birth date and gender in the Armenian public services number: `DDMMYYSSSC`, the day 10 higher for men
//! and 50 higher for women.
//!
//! Source: ՀՀ օրենք Հանրային ծառայությունների համարանիշի մասին, 2011.

use super::prelude::*;

/// Facts of the ten digits. How the last is made is not published.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<10>(value)?;
    let (gender, day) = match d[0] * 10 + d[1] {
        day @ 11..=41 => (Gender::Male, day - 10),
        day @ 51..=81 => (Gender::Female, day - 50),
        _ => return Err(Invalid::Component),
    };
    let born = Date::recent(d[4] * 10 + d[5], d[2] * 10 + d[3], day).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), century_inferred: true, gender: Some(gender), ..Facts::default() })
}
