//! The digits after `SK` in a Slovak VAT number (IČ DPH).
//!
//! Ten digits. A number that a tax office assigned has 2, 3, 4, 7, 8 or 9 in the third place, does not
//! begin with 0 and is divisible by 11; any other is its holder's rodné číslo.
//!
//! Source: Act 222/2004 Coll., § 4; European Commission, VIES.

use super::{prelude::*, rodne_cislo};

/// Facts of the ten digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<10>(value)?;
    if !matches!(d[2], 2..=4 | 7..=9) {
        return rodne_cislo::facts(value);
    }
    if d[0] == 0 {
        return Err(Invalid::Component);
    }
    // The catalogue's check lets the remainder 10 of old birth numbers pass.
    if !number(value, 0, 10).is_multiple_of(11) {
        return Err(Invalid::Checksum);
    }
    Ok(Facts::default())
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("2022749619", Ok(None)),
        ("2120000124", Ok(None)),
        ("8551011238", Ok(Some(Gender::Female))),
        ("0022749617", Err(Invalid::Component)), // begins with 0
        ("2013749617", Err(Invalid::Component)), // neither assigned nor a birth number: month 13
        ("2022749618", Err(Invalid::Checksum)),
        ("202274961", Err(Invalid::Length)),
        ("202274961X", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(|facts| facts.gender), want, "{value}");
    }
}
