//! The parts of a Polish vehicle registration.
//!
//! Two letters of a city or three of a county, then five characters, or four to five. The letters B, D,
//! I, O, Q and Z never stand among those, because they look like digits.
//!
//! Source: Rozporządzenie Ministra Infrastruktury w sprawie rejestracji i oznaczania pojazdów, annex 1.

use super::prelude::*;

/// A registration has no facts.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if !value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()) {
        return Err(Invalid::Format);
    }
    let district = value.bytes().take(3).take_while(u8::is_ascii_uppercase).count();
    let rest = value.bytes().skip(district);
    match (district, rest.len()) {
        (2, 5) | (3, 4 | 5) => {}
        (2 | 3, _) => return Err(Invalid::Length),
        _ => return Err(Invalid::Format),
    }
    if rest.clone().all(|byte| byte.is_ascii_uppercase())
        || rest.clone().any(|byte| b"BDIOQZ".contains(&byte))
    {
        return Err(Invalid::Component);
    }
    Ok(Facts::default())
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("WA12345", Ok(())),
        ("KRA1A23", Ok(())),
        ("WPI12345", Ok(())),
        ("WA1234O", Err(Invalid::Component)), // the letter O
        ("KRAHJKL", Err(Invalid::Component)), // no digit
        ("WA1234", Err(Invalid::Length)),
        ("W12345", Err(Invalid::Format)),
        ("WA12-45", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
