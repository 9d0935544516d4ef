//! The federal state of a Steuernummer, the German tax number.
//!
//! Ten or eleven digits as the states write it (`93815/08152`, `181/815/08155`, `133/8150/8159`), or
//! thirteen in the federal scheme of electronic tax returns: the four digits of the tax office, whose
//! beginning is the state, then 0, then eight more.
//!
//! Source: KONSENS, "Prüfung der Steuer- und Steueridentifikationsnummer" (ELSTER), chapter 2.

use super::prelude::*;

/// Beginnings of the tax offices' numbers, with the state's code of ISO 3166-2.
const STATES: [(&str, &str); 16] = [
    ("10", "DE-SL"),
    ("11", "DE-BE"),
    ("21", "DE-SH"),
    ("22", "DE-HH"),
    ("23", "DE-NI"),
    ("24", "DE-HB"),
    ("26", "DE-HE"),
    ("27", "DE-RP"),
    ("28", "DE-BW"),
    ("30", "DE-BB"),
    ("31", "DE-ST"),
    ("32", "DE-SN"),
    ("40", "DE-MV"),
    ("41", "DE-TH"),
    ("5", "DE-NW"),
    ("9", "DE-BY"),
];

/// The state, where the number has the thirteen digits that tell it.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    match value.len() {
        10 => digits::<10>(value).map(|_| Facts::default()),
        11 => digits::<11>(value).map(|_| Facts::default()),
        _ => {
            let d = digits::<13>(value)?;
            let state = STATES.iter().find(|(beginning, _)| value.starts_with(beginning));
            let (_, code) = state.filter(|_| d[4] == 0).ok_or(Invalid::Component)?;
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
