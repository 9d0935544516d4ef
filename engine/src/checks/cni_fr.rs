//! The number of the French identity card.
//!
//! Cards until 2021: twelve digits, year and month of issue, department, serial. Cards since 2021: nine
//! letters and digits, both of them present.
//!
//! Source: PRADO, FRA-BO-02003 and FRA-BO-03001; arrêté du 1er février 2021.

use super::prelude::*;

/// The twelve digits or the nine characters.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    match value.len() {
        12 => {
            digits::<12>(value)?;
            if (1..=12).contains(&number(value, 2, 2)) {
                Ok(Facts::default())
            } else {
                Err(Invalid::Component)
            }
        }
        9 => {
            let has = |is: fn(&u8) -> bool| value.as_bytes().iter().any(is);
            let known = value.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
            if known && has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) {
                Ok(Facts::default())
            } else {
                Err(Invalid::Format)
            }
        }
        _ => Err(Invalid::Length),
    }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("880692310285", Ok(())), // the specimen of the old card
        ("X4RTBPFW4", Ok(())),    // the specimen of the new card
        ("881392310285", Err(Invalid::Component)),
        ("FRANCAISE", Err(Invalid::Format)),
        ("88069231028", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
