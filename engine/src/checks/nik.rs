//! Birth date, gender and place of registration in the NIK, the Indonesian population number.
//!
//! Sixteen digits: province, regency and district of the first registration (two each), `DDMMYY` where the
//! day is 40 higher for women, a serial from 0001.
//!
//! Source: Undang-Undang 24/2013, article 13; Permendagri 137/2017, codes of the regions.

use super::prelude::*;

/// Facts of the sixteen digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<16>(value)?;
    let day = d[6] * 10 + d[7];
    let (gender, day) = if day > 40 { (Gender::Female, day - 40) } else { (Gender::Male, day) };
    let born = Date::recent(d[10] * 10 + d[11], d[8] * 10 + d[9], day).ok_or(Invalid::Component)?;
    if number(value, 2, 2) == 0 || number(value, 4, 2) == 0 || number(value, 12, 4) == 0 {
        return Err(Invalid::Component);
    }
    let province = value.get(..2).ok_or(Invalid::Format)?;
    let region = meaning(PROVINCES, province).ok_or(Invalid::Component)?;
    Ok(Facts {
        birth_date: Some(born),
        gender: Some(gender),
        century_inferred: true,
        other: Some(("region", region)),
        ..Facts::default()
    })
}

/// Codes of the provinces, each with its ISO 3166-2 code.
const PROVINCES: &str = "11ID-AC 12ID-SU 13ID-SB 14ID-RI 15ID-JA 16ID-SS 17ID-BE 18ID-LA 19ID-BB 21ID-KR 31ID-JK 32ID-JB \
    33ID-JT 34ID-YO 35ID-JI 36ID-BT 51ID-BA 52ID-NB 53ID-NT 61ID-KB 62ID-KT 63ID-KS 64ID-KI 65ID-KU 71ID-SA 72ID-ST \
    73ID-SN 74ID-SG 75ID-GO 76ID-SR 81ID-MA 82ID-MU 91ID-PA 92ID-PB 93ID-PS 94ID-PT 95ID-PE 96ID-PD";
