//! Birth date, gender and province in the Chinese resident identity number.
//!
//! Eighteen characters: six digits of the county of the first registration, `YYYYMMDD`, a serial of three
//! that is odd for men, a check character.
//!
//! Source: GB 11643-1999; GB/T 2260, codes of the administrative divisions.

use super::prelude::*;

/// Facts of the eighteen characters; the check character is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<17>(value.get(..17).ok_or(Invalid::Length)?)?;
    let province = value.get(..2).ok_or(Invalid::Format)?;
    let region = meaning(PROVINCES, province).ok_or(Invalid::Component)?;
    let year = number(value, 6, 4);
    if !matches!(year, 1850..=2099) {
        return Err(Invalid::Component);
    }
    let born = Date::new(year as u16, d[10] * 10 + d[11], d[12] * 10 + d[13]).ok_or(Invalid::Component)?;
    Ok(Facts {
        birth_date: Some(born),
        gender: Some(Gender::from_odd(d[16])),
        other: Some(("region", region)),
        ..Facts::default()
    })
}

/// Codes of the provinces, each with its ISO 3166-2 code. 81 to 83 are the residence permits of those from
/// Hong Kong, Macao and Taiwan.
const PROVINCES: &str = "11CN-BJ 12CN-TJ 13CN-HE 14CN-SX 15CN-NM 21CN-LN 22CN-JL 23CN-HL 31CN-SH 32CN-JS 33CN-ZJ 34CN-AH \
    35CN-FJ 36CN-JX 37CN-SD 41CN-HA 42CN-HB 43CN-HN 44CN-GD 45CN-GX 46CN-HI 50CN-CQ 51CN-SC 52CN-GZ 53CN-YN 54CN-XZ \
    61CN-SN 62CN-GS 63CN-QH 64CN-NX 65CN-XJ 71CN-TW 81CN-HK 82CN-MO 83CN-TW";
