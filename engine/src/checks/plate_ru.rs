//! The registration number of a Russian vehicle: `A123BC 77`, or `AB123 77` for taxis and buses; only
//! letters that look the same in both scripts, never 000, two or three digits of the region.
//!
//! Source: ГОСТ Р 50577-2018.

use super::prelude::*;

/// The letters and digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let letter = |byte: &u8| b"ABEKMHOPCTYX".contains(byte);
    let (number, region) = match value.as_bytes() {
        [a, x, y, z, b, c, region @ ..] if x.is_ascii_digit() => {
            if ![a, b, c].into_iter().all(letter) {
                return Err(Invalid::Format);
            }
            ([*x, *y, *z], region)
        }
        [a, b, x, y, z, region @ ..] => {
            if ![a, b].into_iter().all(letter) {
                return Err(Invalid::Format);
            }
            ([*x, *y, *z], region)
        }
        _ => return Err(Invalid::Length),
    };
    if !number.iter().chain(region).all(u8::is_ascii_digit) {
        return Err(Invalid::Format);
    }
    let known = number != *b"000" && !matches!(region, b"00" | b"000");
    if known { Ok(Facts::default()) } else { Err(Invalid::Component) }
}
