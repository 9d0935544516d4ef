//! The number of a German register and the suffix that some courts append.
//!
//! Up to six digits. Courts that merged several registers distinguish them by letters: `B` in Berlin, `FF` in
//! Frankfurt (Oder), `HB` in Bremen.
//!
//! Source: Handelsregisterverordnung § 13; the register portal of the federal states.

use super::prelude::*;

/// Suffixes: Berlin, Brandenburg, Bremen, Schleswig-Holstein.
const SUFFIXES: &str = "B P CB FF NP HB BHV VER FL HL KI PI";

/// The number contains no facts about its holder.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let (body, suffix) = value.split_at_checked(digits).ok_or(Invalid::Format)?;
    if !(1..=6).contains(&body.len()) {
        return Err(Invalid::Length);
    }
    if !suffix.is_empty() && !SUFFIXES.split(' ').any(|known| known == suffix) {
        return Err(Invalid::Format);
    }
    if number(body, 0, 6) == 0 { Err(Invalid::Component) } else { Ok(Facts::default()) }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("4711", Ok(())),
        ("123456B", Ok(())),
        ("1234FF", Ok(())),
        ("0", Err(Invalid::Component)),
        ("1234IN", Err(Invalid::Format)), // "HRB 1234 in Berlin"
        ("1234567", Err(Invalid::Length)),
        ("B", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
