//! The letters of a British company number, which identify the register and the legal form.
//!
//! Source: Companies House, "Uniform Resource Identifiers customer guide", annex A.

use super::prelude::*;

/// Eight characters; the leading zero of eight digits may be missing.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let digits_after = |letters: usize| value.bytes().skip(letters).all(|byte| byte.is_ascii_digit());
    match value.len() {
        7 if digits_after(0) => Ok(Facts::default()),
        8 if digits_after(0) => Ok(Facts::default()),
        8 if digits_after(2) => {
            let prefix = value.get(..2).ok_or(Invalid::Format)?;
            if PREFIXES.split(' ').any(|known| known == prefix) {
                Ok(Facts::default())
            } else {
                Err(Invalid::Component)
            }
        }
        7 | 8 => Err(Invalid::Format),
        _ => Err(Invalid::Length),
    }
}

const PREFIXES: &str = "AC CE CS FC FE GE GN GS IC IP LP NA NC NF NI NL NO NP NR NV NZ OC OE PC R0 RC RS SA SC SE \
    SF SG SI SL SO SP SR SZ ZC";

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("01234567", Ok(())),
        ("1234567", Ok(())),
        ("SC123456", Ok(())),
        ("R0123456", Ok(())),
        ("SX123456", Err(Invalid::Component)),
        ("SC12345A", Err(Invalid::Format)),
        ("SC1234567", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
