//! Birth date, gender and place of birth in the Egyptian national number.
//!
//! Fourteen digits `CYYMMDDGGSSSSK`: 2 for the 1900s and 3 for the 2000s, the date, the governorate (88
//! abroad), a serial whose last digit is odd for men, a check digit whose rule is not published.
//!
//! Source: Ministry of Interior, Civil Status Organization; Law 143 of 1994.

use super::prelude::*;

/// Facts of the fourteen digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<14>(value)?;
    let century = match d[0] {
        2 => 1900,
        3 => 2000,
        _ => return Err(Invalid::Component),
    };
    let year = century + u16::from(d[1] * 10 + d[2]);
    let born = Date::new(year, d[3] * 10 + d[4], d[5] * 10 + d[6]).ok_or(Invalid::Component)?;
    let governorate = value.get(7..9).ok_or(Invalid::Format)?;
    let region = meaning(GOVERNORATES, governorate);
    if region.is_none() && governorate != "88" {
        return Err(Invalid::Component);
    }
    Ok(Facts {
        birth_date: Some(born),
        gender: Some(Gender::from_odd(d[12])),
        other: region.map(|region| ("region", region)),
        ..Facts::default()
    })
}

/// Numbers of the governorates, each with its ISO 3166-2 code.
const GOVERNORATES: &str = "01EG-C 02EG-ALX 03EG-PTS 04EG-SUZ 11EG-DT 12EG-DK 13EG-SHR 14EG-KB 15EG-KFS 16EG-GH 17EG-MNF \
    18EG-BH 19EG-IS 21EG-GZ 22EG-BNS 23EG-FYM 24EG-MN 25EG-AST 26EG-SHG 27EG-KN 28EG-ASN 29EG-LX 31EG-BA 32EG-WAD \
    33EG-MT 34EG-SIN 35EG-JS";
