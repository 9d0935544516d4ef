//! Birth date and gender in the henkilötunnus, the Finnish personal identity code.
//!
//! `DDMMYY`, a sign of the century, a serial that is odd for men, a check character: day, month, year and
//! serial as one number modulo 31. Serials from 900 on are for tests.
//!
//! Source: Government Decree 128/2010, §§ 2–3; Digital and Population Data Services Agency, on the signs
//! added in 2023.

use super::prelude::*;

/// Facts of the eleven characters.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let [day, month, year, sign, serial, check] =
        [(0, 2), (2, 4), (4, 6), (6, 7), (7, 10), (10, 11)].map(|(from, to)| value.get(from..to));
    let (Some(sign), Some(check), 11) = (sign, check, value.len()) else { return Err(Invalid::Length) };
    let number = |part: Option<&str>| {
        let digits = part.filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
        digits.and_then(|digits| digits.parse::<u16>().ok()).ok_or(Invalid::Format)
    };
    let (day, month, year, serial) = (number(day)?, number(month)?, number(year)?, number(serial)?);
    let century = match sign {
        "A" | "B" | "C" | "D" | "E" | "F" => 2000,
        "-" | "U" | "V" | "W" | "X" | "Y" => 1900,
        _ => return Err(Invalid::Format),
    };
    let born = Date::new(century + year, month as u8, day as u8).ok_or(Invalid::Component)?;
    if serial < 2 {
        return Err(Invalid::Component);
    }
    let whole = u32::from(day) * 10_000_000 + u32::from(month) * 100_000 + u32::from(year) * 1000;
    let expected = "0123456789ABCDEFHJKLMNPRSTUVWXY".get(((whole + u32::from(serial)) % 31) as usize..);
    if !expected.is_some_and(|expected| expected.starts_with(check)) {
        return Err(Invalid::Checksum);
    }
    let gender = Some(Gender::from_odd((serial % 10) as u8));
    Ok(Facts { birth_date: Some(born), gender, ..Facts::default() })
}
