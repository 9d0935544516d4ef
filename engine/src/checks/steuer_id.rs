//! The digits that a Steuer-Identifikationsnummer, the German tax identification number, may repeat.
//!
//! Eleven digits, the first not 0 (0 marks test numbers), the last a check digit. Of the first ten
//! exactly one occurs twice, or, since 2016, three times, but never three times in a row; no other
//! occurs more than once.
//!
//! Source: Abgabenordnung § 139b; Steueridentifikationsnummerverordnung § 1; BZSt and KONSENS,
//! "Prüfung der Steueridentifikationsnummer".

use super::prelude::*;

/// The number contains no facts about its holder; the catalogue checks the check digit.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<11>(value)?;
    let body = &d[..10];
    let occurs = |digit: u8| body.iter().filter(|other| **other == digit).count();
    let mut repeated = (0..=9).map(occurs).filter(|times| *times > 1);
    let one_repeated = matches!((repeated.next(), repeated.next()), (Some(2 | 3), None));
    let in_a_row = body.windows(3).any(|three| matches!(three, [a, b, c] if a == b && b == c));
    if d[0] == 0 || !one_repeated || in_a_row {
        return Err(Invalid::Component);
    }
    Ok(Facts::default())
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("86095742719", Ok(())),                  // one digit twice
        ("65929970489", Ok(())),                  // one digit three times
        ("02476291358", Err(Invalid::Component)), // begins with 0
        ("12345678903", Err(Invalid::Component)), // no digit twice
        ("11223456785", Err(Invalid::Component)), // two digits twice
        ("11123456786", Err(Invalid::Component)), // three in a row
        ("12131415168", Err(Invalid::Component)), // five times
        ("8609574271", Err(Invalid::Length)),
        ("8609574271X", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
