//! The digits after `CZ` in a Czech tax number (DIČ).
//!
//! A company's IČO (eight digits, the first never 9), a person's rodné číslo (nine or ten digits), or
//! nine digits that begin with 6 for those who have neither.
//!
//! Source: Act 280/2009 Coll., § 130; European Commission, VIES.

use super::{prelude::*, rodne_cislo};

/// Returns the facts of the number after `CZ`; the catalogue checks the check digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if value.len() == 8 {
        let d = digits::<8>(value)?;
        return if d[0] == 9 { Err(Invalid::Component) } else { Ok(Facts::default()) };
    }
    if value.len() == 9 && value.starts_with('6') {
        return digits::<9>(value).map(|_| Facts::default());
    }
    rodne_cislo::facts(value)
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("25596641", Ok(None)),
        ("640903926", Ok(None)),
        ("8551011238", Ok(Some(Gender::Female))),
        ("530101123", Ok(Some(Gender::Male))),
        ("92345678", Err(Invalid::Component)), // an IČO never begins with 9
        ("8513011232", Err(Invalid::Component)),
        ("2559664", Err(Invalid::Length)),
        ("2559664X", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(|facts| facts.gender), want, "{value}");
    }
}
