//! Birth date and gender in the Swedish personal identity number and the coordination number.
//!
//! `YYMMDDSSSC`, or with the century in front; the third digit of the serial is odd for men. The day of a
//! coordination number is 60 higher.
//!
//! Source: Skatteverket, SKV 704 and SKV 707.

use super::prelude::*;

/// Facts of the ten or twelve digits; the check digit and which days are of which number are the
/// catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let (century, short) = match value.len() {
        12 => value.split_at_checked(2).ok_or(Invalid::Format)?,
        _ => ("", value),
    };
    let d = digits::<10>(short)?;
    let (year, month, day) = (d[0] * 10 + d[1], d[2] * 10 + d[3], d[4] * 10 + d[5]);
    let day = if day > 60 { day - 60 } else { day };
    let born = match century {
        "" => Date::recent(year, month, day),
        "18" => Date::new(1800 + u16::from(year), month, day),
        "19" => Date::new(1900 + u16::from(year), month, day),
        "20" => Date::new(2000 + u16::from(year), month, day),
        _ => None,
    };
    let birth_date = Some(born.ok_or(Invalid::Component)?);
    let gender = Some(Gender::from_odd(d[8]));
    Ok(Facts { birth_date, century_inferred: century.is_empty(), gender, ..Facts::default() })
}
