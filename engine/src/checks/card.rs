//! The brand of a payment card, from its issuer identification number.
//!
//! Thirteen to nineteen digits; the first ones identify the brand, and each brand has its lengths.
//!
//! Source: ISO/IEC 7812-1; the ranges that the card schemes publish.

use super::prelude::*;

/// First and last number of a range, its digits, the shortest and the longest card, the brand.
type Range = (u32, u32, usize, usize, usize, &'static str);

/// The narrower ranges come before the wider ones.
#[rustfmt::skip]
const RANGES: [Range; 28] = [
    (2200, 2204, 4, 16, 19, "mir"),
    (2221, 2720, 4, 16, 16, "mastercard"),
    (300, 305, 3, 14, 19, "diners_club"),
    (3095, 3095, 4, 14, 19, "diners_club"),
    (34, 34, 2, 15, 15, "amex"),
    (3528, 3589, 4, 16, 19, "jcb"),
    (36, 36, 2, 14, 19, "diners_club"),
    (37, 37, 2, 15, 15, "amex"),
    (38, 39, 2, 14, 19, "diners_club"),
    (4, 4, 1, 13, 13, "visa"),
    (4, 4, 1, 16, 16, "visa"),
    (4, 4, 1, 19, 19, "visa"),
    (5018, 5018, 4, 13, 19, "maestro"),
    (5020, 5020, 4, 13, 19, "maestro"),
    (5038, 5038, 4, 13, 19, "maestro"),
    (51, 55, 2, 16, 16, "mastercard"),
    (5893, 5893, 4, 13, 19, "maestro"),
    (6011, 6011, 4, 16, 19, "discover"),
    (6304, 6304, 4, 13, 19, "maestro"),
    (644, 649, 3, 16, 19, "discover"),
    (6521, 6522, 4, 16, 16, "rupay"),
    (65, 65, 2, 16, 19, "discover"),
    (6759, 6759, 4, 13, 19, "maestro"),
    (6761, 6763, 4, 13, 19, "maestro"),
    (60, 60, 2, 16, 16, "rupay"),
    (62, 62, 2, 16, 19, "unionpay"),
    (81, 81, 2, 16, 19, "unionpay"),
    (9792, 9792, 4, 16, 16, "troy"),
];

/// The brand; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let bytes = value.as_bytes();
    if !bytes.iter().all(u8::is_ascii_digit) {
        return Err(Invalid::Format);
    }
    if !(13..=19).contains(&bytes.len()) {
        return Err(Invalid::Length);
    }
    if bytes.iter().all(|byte| Some(byte) == bytes.first()) {
        return Err(Invalid::Component);
    }
    let mut refused = Invalid::Component;
    for (first, last, len, shortest, longest, brand) in RANGES {
        if (u64::from(first)..=u64::from(last)).contains(&number(value, 0, len)) {
            if (shortest..=longest).contains(&bytes.len()) {
                return Ok(Facts { other: Some(("brand", brand)), ..Facts::default() });
            }
            refused = Invalid::Length;
        }
    }
    Err(refused)
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("4111111111111111", Ok("visa")),
        ("4222222222222", Ok("visa")),
        ("5555555555554444", Ok("mastercard")),
        ("2223003122003222", Ok("mastercard")),
        ("378282246310005", Ok("amex")),
        ("6011111111111117", Ok("discover")),
        ("30569309025904", Ok("diners_club")),
        ("3566002020360505", Ok("jcb")),
        ("6200000000000005", Ok("unionpay")),
        ("6304000000000000", Ok("maestro")),
        ("2200700000000005", Ok("mir")),
        ("9792020000000001", Ok("troy")),
        ("4444444444444444", Err(Invalid::Component)),
        ("1234567812345670", Err(Invalid::Component)), // no brand
        ("411111111111111", Err(Invalid::Length)),
        ("411111111111", Err(Invalid::Length)),
        ("411111111111111X", Err(Invalid::Format)),
    ] {
        let brand = facts(value).map(|facts| facts.other.map_or("", |(_, brand)| brand));
        assert_eq!(brand, want, "{value}");
    }
}
