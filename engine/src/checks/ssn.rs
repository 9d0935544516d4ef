//! Social security numbers that the administration has declared void, because they were printed in
//! advertisements.
//!
//! Source: Social Security Administration, "Social Security Cards Issued by Woolworth" and POMS
//! RM 10201.035.

use super::prelude::*;

/// The nine digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    digits::<9>(value)?;
    if matches!(value, "078051120" | "219099999") { Err(Invalid::Component) } else { Ok(Facts::default()) }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("536904399", Ok(())),
        ("078051120", Err(Invalid::Component)),
        ("53690439", Err(Invalid::Length)),
        ("53690439X", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
