//! Birth date, gender and place of birth in the Mexican voter key: six consonants of the names, `YYMMDD`,
//! two digits of the state, `H` or `M`, three digits.
//!
//! Source: Instituto Nacional Electoral, "Credencial para votar: clave de elector".

use super::prelude::*;

/// Facts of the eighteen characters.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<8>(value.get(6..14).ok_or(Invalid::Length)?)?;
    let gender = match value.as_bytes().get(14) {
        Some(b'H') => Gender::Male,
        Some(b'M') => Gender::Female,
        _ => return Err(Invalid::Format),
    };
    let born =
        Date::recent(d[0] * 10 + d[1], d[2] * 10 + d[3], d[4] * 10 + d[5]).ok_or(Invalid::Component)?;
    let state = u64::from(d[6] * 10 + d[7]);
    // 87 and 88 are those born abroad
    let region = numbered(STATES, state);
    if region.is_none() && !matches!(state, 33 | 87 | 88) {
        return Err(Invalid::Component);
    }
    Ok(Facts {
        birth_date: Some(born),
        gender: Some(gender),
        century_inferred: true,
        other: region.map(|region| ("region", region)),
        ..Facts::default()
    })
}

/// The states in the order of their electoral numbers, as ISO 3166-2 has them.
const STATES: &str = "MX-AGU MX-BCN MX-BCS MX-CAM MX-COA MX-COL MX-CHP MX-CHH MX-CMX MX-DUR MX-GUA MX-GRO MX-HID MX-JAL MX-MEX \
    MX-MIC MX-MOR MX-NAY MX-NLE MX-OAX MX-PUE MX-QUE MX-ROO MX-SLP MX-SIN MX-SON MX-TAB MX-TAM MX-TLA MX-VER \
    MX-YUC MX-ZAC";
