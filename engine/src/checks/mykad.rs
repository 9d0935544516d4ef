//! Birth date, gender and place of birth in the Malaysian identity card number.
//!
//! Twelve digits `YYMMDD-PB-SSSG`: the date, the state or country of birth, a serial whose last digit is odd
//! for men.
//!
//! Source: Jabatan Pendaftaran Negara, "Kod negeri dan negara".

use super::prelude::*;

/// Facts of the twelve digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<12>(value)?;
    let born =
        Date::recent(d[0] * 10 + d[1], d[2] * 10 + d[3], d[4] * 10 + d[5]).ok_or(Invalid::Component)?;
    let place = d[6] * 10 + d[7];
    let region = match place {
        1 | 21..=24 => Some("MY-01"),
        2 | 25..=27 => Some("MY-02"),
        3 | 28 | 29 => Some("MY-03"),
        4 | 30 => Some("MY-04"),
        5 | 31 | 59 => Some("MY-05"),
        6 | 32 | 33 => Some("MY-06"),
        7 | 34 | 35 => Some("MY-07"),
        8 | 36..=39 => Some("MY-08"),
        9 | 40 => Some("MY-09"),
        10 | 41..=44 => Some("MY-10"),
        11 | 45 | 46 => Some("MY-11"),
        12 | 47..=49 => Some("MY-12"),
        13 | 50..=53 => Some("MY-13"),
        14 | 54..=57 => Some("MY-14"),
        15 | 58 => Some("MY-15"),
        16 => Some("MY-16"),
        60..=68 | 71 | 72 | 74..=79 | 82..=93 | 98 | 99 => None,
        _ => return Err(Invalid::Component),
    };
    Ok(Facts {
        birth_date: Some(born),
        gender: Some(Gender::from_odd(d[11])),
        century_inferred: true,
        other: region.map(|region| ("region", region)),
        ..Facts::default()
    })
}
