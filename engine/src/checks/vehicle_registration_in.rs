//! The state of an Indian vehicle registration, or of a driving licence: its first two letters.
//!
//! Source: Motor Vehicles Act 1988, section 41(6); Ministry of Road Transport, notification S.O. 444(E).

use super::prelude::*;

/// Returns the state. A registration of the `BH` series, which begins with the year, has no state.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if value.bytes().next().is_some_and(|byte| byte.is_ascii_digit()) {
        let bharat = value.get(2..4) == Some("BH");
        return if bharat { Ok(Facts::default()) } else { Err(Invalid::Format) };
    }
    let state = value.get(..2).ok_or(Invalid::Length)?;
    let region = meaning(STATES, state).ok_or(Invalid::Component)?;
    Ok(Facts { other: Some(("region", region)), ..Facts::default() })
}

/// Letters of the states, each with its ISO 3166-2 code, including former letters.
const STATES: &str = "ANIN-AN APIN-AP ARIN-AR ASIN-AS BRIN-BR CGIN-CG CHIN-CH DDIN-DH DLIN-DL DNIN-DH GAIN-GA GJIN-GJ \
    HPIN-HP HRIN-HR JHIN-JH JKIN-JK KAIN-KA KLIN-KL LAIN-LA LDIN-LD MHIN-MH MLIN-ML MNIN-MN MPIN-MP MZIN-MZ NLIN-NL \
    ODIN-OD ORIN-OD PBIN-PB PYIN-PY RJIN-RJ SKIN-SK TGIN-TS TNIN-TN TRIN-TR TSIN-TS UAIN-UK UKIN-UK UPIN-UP WBIN-WB";
