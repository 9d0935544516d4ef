//! Gender and place in the Taiwanese national identity number and in the number of foreign residents.
//!
//! A letter of the place of registration, a digit of the kind (1 and 2 citizens, 8 and 9 foreigners, odd
//! kinds and 8 being men), seven digits, a check digit. Until 2021 foreigners had a letter A to D for the
//! kind, men A and C. The letter counts as two digits, those of the list below.
//!
//! Source: Ministry of the Interior, "國民身分證統一編號編碼規則"; National Immigration Agency, "外來人口統一證號".

use super::prelude::*;

/// The letters in the order of their numbers, which begin at 10.
const LETTERS: &[u8; 26] = b"ABCDEFGHJKLMNPQRSTUVXYWZIO";
/// The places of the letters A to Z, as ISO 3166-2 has them today.
const PLACES: &str = "TW-TPE TW-TXG TW-KEE TW-TNN TW-KHH TW-NWT TW-ILA TW-TAO TW-CYI TW-HSQ TW-MIA TW-TXG TW-NAN TW-CHA TW-HSZ \
    TW-YUN TW-CYQ TW-TNN TW-KHH TW-PIF TW-HUA TW-TTT TW-KIN TW-PEN TW-NWT TW-LIE";

/// Facts of the ten characters.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let bytes: &[u8; 10] = value.as_bytes().try_into().map_err(|_| Invalid::Length)?;
    let place = LETTERS.iter().position(|letter| *letter == bytes[0]).ok_or(Invalid::Format)? as u32 + 10;
    let (kind, gender) = match bytes[1] {
        digit @ (b'1' | b'2') => (digit - b'0', Gender::from_odd(digit)),
        digit @ (b'8' | b'9') => (digit - b'0', Gender::from_odd(digit + 1)),
        letter @ b'A'..=b'D' => (letter - b'A', Gender::from_odd(letter)),
        _ => return Err(Invalid::Format),
    };
    let d = digits::<8>(value.get(2..).ok_or(Invalid::Format)?)?;
    let serial: u32 =
        d[..7].iter().zip((1..=7).rev()).map(|(digit, weight)| u32::from(*digit) * weight).sum();
    let sum = place / 10 + place % 10 * 9 + u32::from(kind) * 8 + serial + u32::from(d[7]);
    if !sum.is_multiple_of(10) {
        return Err(Invalid::Checksum);
    }
    let region = numbered(PLACES, u64::from(bytes[0] - b'A') + 1).map(|place| ("region", place));
    Ok(Facts { gender: Some(gender), other: region, ..Facts::default() })
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("A123456789", Ok((Gender::Male, "TW-TPE"))),
        ("A800000014", Ok((Gender::Male, "TW-TPE"))), // specimen of the agency
        ("AC01234567", Ok((Gender::Male, "TW-TPE"))),
        ("F912345678", Ok((Gender::Female, "TW-NWT"))),
        ("A123456788", Err(Invalid::Checksum)),
        ("A323456789", Err(Invalid::Format)),
        ("A12345678", Err(Invalid::Length)),
    ] {
        let got = facts(value).map(|facts| (facts.gender.unwrap(), facts.other.unwrap().1));
        assert_eq!(got, want, "{value}");
    }
}
