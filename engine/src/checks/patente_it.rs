//! The two forms of an Italian driving licence number.
//!
//! `AA1234567B`, the first two the province or a series, or of the central office `U1`, seven letters and
//! digits without vowels, and a letter.
//!
//! Source: Ministero delle Infrastrutture e dei Trasporti; Directive 2006/126/EC, annex I.

use super::prelude::*;

/// The ten characters, or those after the `U` of the central office.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let bytes = value.as_bytes();
    let fits = match bytes {
        [b'1', serial @ .., last] if bytes.len() == 9 => {
            last.is_ascii_uppercase() && !serial.iter().any(|byte| b"AEIOU".contains(byte))
        }
        [a, b, serial @ .., last] if bytes.len() == 10 => {
            [a, b, last].iter().all(|byte| byte.is_ascii_uppercase()) && serial.iter().all(u8::is_ascii_digit)
        }
        _ if bytes.len() == 9 => false,
        _ => return Err(Invalid::Length),
    };
    if fits { Ok(Facts::default()) } else { Err(Invalid::Format) }
}
