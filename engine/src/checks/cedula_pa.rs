//! The first part of a Panamanian identity number: one of 13 provinces, alone or with `AV` (born before the
//! register) or `PI` (indigenous), or `E` (foreigner), `N` (naturalised), `PE` (born abroad); then book and entry.
//!
//! Source: Tribunal Electoral, "Cédula de identidad personal"; Ley 108 de 1973.

use super::prelude::*;

/// The number with its hyphens.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let place = value.trim_end_matches(|letter: char| letter.is_ascii_digit()).trim_end_matches('-');
    let place = place.trim_end_matches(|letter: char| letter.is_ascii_digit()).trim_end_matches('-');
    let letters = place.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let province = place.strip_suffix(letters).unwrap_or_default();
    let known = match letters.trim_start_matches('-') {
        "" | "AV" | "PI" => matches!(province.parse(), Ok(1..=13)),
        "E" | "N" | "PE" => province.is_empty() || matches!(province.parse(), Ok(0)),
        _ => false,
    };
    if known { Ok(Facts::default()) } else { Err(Invalid::Component) }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("8-123-4567", Ok(())),
        ("PE-12-345", Ok(())),
        ("4AV-12-345", Ok(())),
        ("4-PI-12-345", Ok(())),
        ("E-8-12345", Ok(())),
        ("14-123-4567", Err(Invalid::Component)),
        ("XX-123-4567", Err(Invalid::Component)),
        ("4PE-12-345", Err(Invalid::Component)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
