//! Birth date, gender and place of birth in the CURP, the Mexican population registry code.
//!
//! Eighteen characters: four letters of the names, `YYMMDD`, `H`, `M` or `X`, two letters of the state,
//! three consonants, one character that tells people of one name apart (a digit for those born before
//! 2000, a letter after), a check digit.
//!
//! Source: Registro Nacional de Población, "Instructivo normativo para la asignación de la CURP" (Diario
//! Oficial de la Federación, 18 October 2021).

use super::prelude::*;

/// Facts of the eighteen characters; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<6>(value.get(4..10).ok_or(Invalid::Length)?)?;
    let bytes: &[u8; 18] = value.as_bytes().try_into().map_err(|_| Invalid::Length)?;
    let gender = match bytes[10] {
        b'H' => Some(Gender::Male),
        b'M' => Some(Gender::Female),
        b'X' => None,
        _ => return Err(Invalid::Format),
    };
    let century = if bytes[16].is_ascii_digit() { 1900 } else { 2000 };
    let year = century + u16::from(d[0] * 10 + d[1]);
    let born = Date::new(year, d[2] * 10 + d[3], d[4] * 10 + d[5]).ok_or(Invalid::Component)?;
    let state = value.get(11..13).ok_or(Invalid::Format)?;
    let region = meaning(STATES, state);
    if region.is_none() && state != "NE" {
        return Err(Invalid::Component);
    }
    let other = region.map(|region| ("region", region));
    Ok(Facts { birth_date: Some(born), gender, other, ..Facts::default() })
}

/// Letters of the states, each with its ISO 3166-2 code; `NE` (born abroad) has no code.
const STATES: &str = "ASMX-AGU BCMX-BCN BSMX-BCS CCMX-CAM CLMX-COA CMMX-COL CSMX-CHP CHMX-CHH DFMX-CMX DGMX-DUR GTMX-GUA \
    GRMX-GRO HGMX-HID JCMX-JAL MCMX-MEX MNMX-MIC MSMX-MOR NTMX-NAY NLMX-NLE OCMX-OAX PLMX-PUE QTMX-QUE QRMX-ROO \
    SPMX-SLP SLMX-SIN SRMX-SON TCMX-TAB TSMX-TAM TLMX-TLA VZMX-VER YNMX-YUC ZSMX-ZAC";
