//! Place of birth and gender in the Vietnamese citizen identity number.
//!
//! Twelve digits: the province where the birth was registered (three), century and sex (0 and 1 for the
//! 1900s, 2 and 3 for the 2000s …, even for men), two digits of the year, a serial of six. There is no day
//! of birth, so no birth date is given.
//!
//! Source: Nghị định 137/2015/NĐ-CP, article 13; Thông tư 59/2021/TT-BCA, annex I.

use super::prelude::*;

/// Facts of the twelve digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<12>(value)?;
    let code = value.get(..3).ok_or(Invalid::Format)?;
    let region = meaning(PROVINCES, code).ok_or(Invalid::Component)?;
    let gender = if d[3].is_multiple_of(2) { Gender::Male } else { Gender::Female };
    Ok(Facts { gender: Some(gender), other: Some(("region", region)), ..Facts::default() })
}

/// Codes of provinces, each with its ISO 3166-2 code, as they were when the numbers were given.
const PROVINCES: &str = "001VN-HN 002VN-03 004VN-04 006VN-53 008VN-07 010VN-02 011VN-71 012VN-01 014VN-05 015VN-06 \
    017VN-14 019VN-69 020VN-09 022VN-13 024VN-54 025VN-68 026VN-70 027VN-56 030VN-61 031VN-HP 033VN-66 034VN-20 \
    035VN-63 036VN-67 037VN-18 038VN-21 040VN-22 042VN-23 044VN-24 045VN-25 046VN-26 048VN-DN 049VN-27 051VN-29 \
    052VN-31 054VN-32 056VN-34 058VN-36 060VN-40 062VN-28 064VN-30 066VN-33 067VN-72 068VN-35 070VN-58 072VN-37 \
    074VN-57 075VN-39 077VN-43 079VN-SG 080VN-41 082VN-46 083VN-50 084VN-51 086VN-49 087VN-45 089VN-44 091VN-47 \
    092VN-CT 093VN-73 094VN-52 095VN-55 096VN-59";
