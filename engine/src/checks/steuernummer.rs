//! The federal state of a Steuernummer, the German tax number.
//!
//! Ten or eleven digits as the states write it (`93815/08152`, `181/815/08155`, `133/8150/8159`), or
//! thirteen in the federal scheme of electronic tax returns: the four digits of the tax office, whose
//! beginning is the state, then 0, then eight more.
//!
//! Source: KONSENS, "Prüfung der Steuer- und Steueridentifikationsnummer" (ELSTER), chapter 2.

use super::prelude::*;

/// Beginnings of the tax offices' numbers, with the state's code of ISO 3166-2.
const STATES: &str = "10DE-SL 11DE-BE 21DE-SH 22DE-HH 23DE-NI 24DE-HB 26DE-HE 27DE-RP 28DE-BW 30DE-BB 31DE-ST 32DE-SN \
    40DE-MV 41DE-TH 5DE-NW 9DE-BY";

/// Returns the state, if the number has thirteen digits, which include it.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    match value.len() {
        10 => digits::<10>(value).map(|_| Facts::default()),
        11 => digits::<11>(value).map(|_| Facts::default()),
        _ => {
            let d = digits::<13>(value)?;
            let width = if matches!(d[0], 5 | 9) { 1 } else { 2 };
            let code = value.get(..width).and_then(|beginning| meaning(STATES, beginning));
            let code = code.filter(|_| d[4] == 0).ok_or(Invalid::Component)?;
            Ok(Facts { other: Some(("region", code)), ..Facts::default() })
        }
    }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("9381508152", Ok(None)),
        ("18181508155", Ok(None)),
        ("2893081508152", Ok(Some(("region", "DE-BW")))),
        ("9181081508155", Ok(Some(("region", "DE-BY")))),
        ("2993081508152", Err(Invalid::Component)), // no state has 29
        ("2893181508152", Err(Invalid::Component)), // no 0 behind the tax office
        ("289308150815", Err(Invalid::Length)),
        ("28930815X8152", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(|facts| facts.other), want, "{value}");
    }
}
