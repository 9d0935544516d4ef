//! The registration number of a vehicle in Great Britain.
//!
//! Since 2001 `AB12 CDE`: two letters for the place (no I, Q or Z), two digits for the half-year (02 to
//! 50 from March, 51 to 99 and 00 from September), three letters (no I or Q). Before, `A123 BCD` and
//! `ABC 123D`, where the single letter is the year (no I, O, Q, U or Z).
//!
//! Source: DVLA, INF104 and V796.

use super::prelude::*;

/// The letters and digits without the space.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if !(5..=7).contains(&value.len()) {
        return Err(Invalid::Length);
    }
    let place = |byte: &u8| byte.is_ascii_uppercase() && !b"IQZ".contains(byte);
    let letter = |byte: &u8| byte.is_ascii_uppercase() && !b"IQ".contains(byte);
    let year = |byte: &u8| byte.is_ascii_uppercase() && !b"IOQUZ".contains(byte);
    let serial = |bytes: &[u8]| (1..=3).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_digit);
    match value.as_bytes() {
        [a, b, tens @ b'0'..=b'9', ones @ b'0'..=b'9', letters @ ..]
            if letters.len() == 3 && b.is_ascii_uppercase() =>
        {
            if !place(a) || !place(b) || !letters.iter().all(letter) {
                return Err(Invalid::Format);
            }
            if [*tens, *ones] == *b"01" { Err(Invalid::Component) } else { Ok(Facts::default()) }
        }
        [first, middle @ .., a, b, c]
            if serial(middle) && year(first) && [a, b, c].into_iter().all(letter) =>
        {
            leading(middle)
        }
        [a, b, c, middle @ .., last] if serial(middle) && year(last) && [a, b, c].into_iter().all(letter) => {
            leading(middle)
        }
        _ => Err(Invalid::Format),
    }
}

/// The serial numbers of the older series do not begin with 0.
fn leading(serial: &[u8]) -> Result<Facts, Invalid> {
    if serial.first() == Some(&b'0') { Err(Invalid::Component) } else { Ok(Facts::default()) }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("AB12CDE", Ok(())),
        ("BD51SMR", Ok(())),
        ("A123ABC", Ok(())),
        ("ABC123D", Ok(())),
        ("P1BCD", Ok(())),
        ("QI12CDE", Err(Invalid::Format)),
        ("AB12CIE", Err(Invalid::Format)),
        ("AB01CDE", Err(Invalid::Component)),
        ("A023ABC", Err(Invalid::Component)),
        ("AB12", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
