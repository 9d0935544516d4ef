//! Birth date and gender in Canadian provinces' numbers that end with, or hold, `YYMMDD` where the month is
//! 50 higher for women: the health insurance number of Quebec (`LLLLYYMMDDNN`) and the driver's licence of
//! Ontario (`LNNNNNNNNYYMMDD`).
//!
//! Source: Régie de l'assurance maladie du Québec, "Carte d'assurance maladie"; Ontario, Ministry of
//! Transportation, "Driver's licence card".

use super::prelude::*;

/// The twelve characters of a health insurance number, or the fifteen of a licence.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let at = match value.len() {
        12 => 4,
        15 => 9,
        _ => return Err(Invalid::Length),
    };
    let d = digits::<6>(value.get(at..at + 6).ok_or(Invalid::Format)?)?;
    let month = d[2] * 10 + d[3];
    let (gender, month) = if month > 50 { (Gender::Female, month - 50) } else { (Gender::Male, month) };
    let born = Date::recent(d[0] * 10 + d[1], month, d[4] * 10 + d[5]).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), gender: Some(gender), century_inferred: true, ..Facts::default() })
}
