//! Birth date, gender and county in the CNP, the Romanian personal numerical code.
//!
//! `SYYMMDDJJNNNC`: the first digit says the century and is odd for men (7 to 9 for those who are not
//! Romanian, without a century), then date, county, serial, check digit.
//!
//! Source: H.G. nr. 64/2011, annex; ISO 3166-2:RO.

use super::prelude::*;

/// ISO 3166-2 codes of the counties 1 to 40.
const COUNTIES: &str = "RO-AB RO-AR RO-AG RO-BC RO-BH RO-BN RO-BT RO-BV RO-BR RO-BZ RO-CS RO-CJ RO-CT RO-CV RO-DB RO-DJ RO-GL RO-GJ \
    RO-HR RO-HD RO-IL RO-IS RO-IF RO-MM RO-MH RO-MS RO-NT RO-OT RO-PH RO-SM RO-SJ RO-SB RO-SV RO-TR RO-TM RO-TL \
    RO-VS RO-VL RO-VN RO-B";

/// Facts of the thirteen digits; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<13>(value)?;
    let (year, month, day) = (d[1] * 10 + d[2], d[3] * 10 + d[4], d[5] * 10 + d[6]);
    let born = match d[0] {
        1 | 2 => Date::new(1900 + u16::from(year), month, day),
        3 | 4 => Date::new(1800 + u16::from(year), month, day),
        5 | 6 => Date::new(2000 + u16::from(year), month, day),
        7..=9 => Date::recent(year, month, day),
        _ => None,
    };
    let region = match number(value, 7, 2) {
        county @ 1..=40 => numbered(COUNTIES, county),
        // the sectors of Bucharest
        41..=48 => Some("RO-B"),
        51 => Some("RO-CL"),
        52 => Some("RO-GR"),
        // registered abroad or by the new system
        70 | 80..=83 => None,
        _ => return Err(Invalid::Component),
    };
    Ok(Facts {
        birth_date: Some(born.ok_or(Invalid::Component)?),
        century_inferred: d[0] >= 7,
        gender: (d[0] < 9).then(|| Gender::from_odd(d[0])),
        other: region.map(|region| ("region", region)),
        ..Facts::default()
    })
}
