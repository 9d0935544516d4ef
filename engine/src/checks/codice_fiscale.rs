//! Birth date and gender in the codice fiscale, the Italian tax code of persons.
//!
//! Three letters of the surname, three of the name; two digits of the year, a letter for the month, two
//! digits of the day (40 more for women); the code of the place of birth (a letter and three digits), a
//! check letter. Where two people would have one code, digits from the right on become letters
//! (`0` L, `1` M, … `9` V).
//!
//! Source: D.M. 23 dicembre 1976, artt. 1–6 and its tables.

use super::prelude::*;

/// The kind of character at each position: a letter, a digit, the letter of the month.
const PLACES: &[u8; 16] = b"AAAAAADDMDDADDDA";
/// The letters of January to December.
const MONTHS: &[u8; 12] = b"ABCDEHLMPRST";
/// The letters that replace 0 to 9.
const DIGITS: &[u8; 10] = b"LMNPQRSTUV";
/// The value of a character in the odd places, by its position in the alphabet; a digit has the value of the
/// letter at that position.
const ODD: [u8; 26] =
    [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/// Facts of the sixteen characters.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let code: [u8; 16] = value.as_bytes().try_into().map_err(|_| Invalid::Length)?;
    let mut sum = 0;
    for (at, (byte, place)) in code.iter().zip(PLACES).enumerate() {
        let fits = match place {
            b'A' => byte.is_ascii_uppercase(),
            b'D' => digit(*byte).is_some(),
            _ => MONTHS.contains(byte),
        };
        if !fits {
            return Err(Invalid::Format);
        }
        let counts = if byte.is_ascii_digit() { byte - b'0' } else { byte - b'A' };
        let odd = ODD.get(usize::from(counts)).copied().unwrap_or_default();
        sum += match at {
            15 => 0,
            _ if at % 2 == 0 => u16::from(odd),
            _ => u16::from(counts),
        };
    }
    let pair = |tens: u8, ones: u8| digit(tens).unwrap_or_default() * 10 + digit(ones).unwrap_or_default();
    let day = pair(code[9], code[10]);
    let (gender, day) = if day > 40 { (Gender::Female, day - 40) } else { (Gender::Male, day) };
    let month = MONTHS.iter().zip(1..).find(|(letter, _)| **letter == code[8]).map_or(0, |(_, month)| month);
    let born = Date::recent(pair(code[6], code[7]), month, day).ok_or(Invalid::Component)?;
    if u16::from(code[15] - b'A') != sum % 26 {
        return Err(Invalid::Checksum);
    }
    Ok(Facts { birth_date: Some(born), century_inferred: true, gender: Some(gender), ..Facts::default() })
}

/// Returns the digit of a character, or of the letter that replaces it.
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        _ => DIGITS.iter().zip(0..).find(|(letter, _)| **letter == byte).map(|(_, digit)| digit),
    }
}
