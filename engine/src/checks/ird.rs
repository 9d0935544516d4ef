//! The New Zealand IRD number: 10-000-000 to 149-999-999, the last digit a check digit. Where the first
//! weights leave no digit, others are tried, and where these do not either, the number is not issued.
//!
//! Source: Inland Revenue, "Resident withholding tax and non-resident withholding tax specification".

use super::prelude::*;

const FIRST: [u32; 8] = [3, 2, 7, 6, 5, 4, 3, 2];
const SECOND: [u32; 8] = [7, 4, 3, 2, 5, 2, 7, 6];

/// The eight or nine digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<9>(&format!("{value:0>9}"))?;
    if !matches!(number(value, 0, value.len()), 10_000_000..150_000_000) {
        return Err(Invalid::Component);
    }
    let check = |weights: [u32; 8]| {
        let sum: u32 = d.iter().zip(weights).map(|(digit, weight)| u32::from(*digit) * weight).sum();
        (11 - sum % 11) % 11
    };
    let first = check(FIRST);
    let digit = if first == 10 { check(SECOND) } else { first };
    if digit == u32::from(d[8]) { Ok(Facts::default()) } else { Err(Invalid::Checksum) }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("49091850", Ok(())), // the examples of the specification
        ("35901981", Ok(())),
        ("136410132", Ok(())),
        ("49098576", Ok(())),
        ("136410133", Err(Invalid::Checksum)),
        ("9125568", Err(Invalid::Component)), // below the range
        ("305054674", Err(Invalid::Component)),
        ("4909185X", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
