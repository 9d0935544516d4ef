//! The check digit of a vehicle identification number.
//!
//! Seventeen letters and digits without I, O and Q. Letters count 1 to 9 along the alphabet; the ninth
//! character is the weighted sum modulo 11, with X for 10. It is mandatory in North America and China; makers
//! elsewhere use the position freely, so a genuine number may fail. A number of digits only is rejected,
//! because no maker issues one.
//!
//! Source: ISO 3779; 49 CFR 565.15.

use super::prelude::*;

/// The seventeen characters.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    const WEIGHTS: [u32; 17] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    let bytes: [u8; 17] = value.as_bytes().try_into().map_err(|_| Invalid::Length)?;
    let mut sum = 0;
    for (byte, weight) in bytes.into_iter().zip(WEIGHTS) {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'A'..=b'H' => byte - b'A' + 1,
            b'J'..=b'N' => byte - b'J' + 1,
            b'P' => 7,
            b'R' => 9,
            b'S'..=b'Z' => byte - b'S' + 2,
            _ => return Err(Invalid::Format),
        };
        sum += u32::from(digit) * weight;
    }
    if bytes.iter().all(u8::is_ascii_digit) {
        return Err(Invalid::Component);
    }
    let holds = match bytes[8] {
        b'X' => sum % 11 == 10,
        digit => digit.is_ascii_digit() && sum % 11 == u32::from(digit - b'0'),
    };
    if holds { Ok(Facts::default()) } else { Err(Invalid::Checksum) }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("1M8GDM9AXKP042788", Ok(())), // the example of the regulation
        ("1HGCM82633A004352", Ok(())),
        ("1M8GDM9A1KP042788", Err(Invalid::Checksum)),
        ("WVWZZZ1JZ3W386752", Err(Invalid::Checksum)), // a European number
        ("1M8GDM9AXKP0427I8", Err(Invalid::Format)),
        ("11111111111111111", Err(Invalid::Component)),
        ("1M8GDM9AXKP04278", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
