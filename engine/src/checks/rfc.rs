//! The date in the RFC, the Mexican tax registry number: four letters and `YYMMDD` of birth for persons,
//! three and the date of foundation for companies, then three characters, the last a check digit.
//!
//! Source: Servicio de Administración Tributaria; Código Fiscal de la Federación, article 27.

use super::prelude::*;

/// Facts of a person's thirteen characters; a company's twelve characters have no facts.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let letters =
        value.len().checked_sub(9).filter(|letters| matches!(letters, 3 | 4)).ok_or(Invalid::Length)?;
    let d = digits::<6>(value.get(letters..letters + 6).ok_or(Invalid::Format)?)?;
    let date =
        Date::recent(d[0] * 10 + d[1], d[2] * 10 + d[3], d[4] * 10 + d[5]).ok_or(Invalid::Component)?;
    match letters {
        4 => Ok(Facts { birth_date: Some(date), century_inferred: true, ..Facts::default() }),
        _ => Ok(Facts::default()),
    }
}
