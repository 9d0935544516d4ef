//! Gender and place of birth in the NIR, the French social security number.
//!
//! Fifteen characters `SYYMMDDCCCOOOKK`: sex, year and month of birth, department (`2A` and `2B` for
//! Corsica, 97 and 98 overseas with the next digit, 99 abroad), commune, order, key. The key is 97 less
//! the rest of the other thirteen by 97, where Corsica counts as 19 and 18. There is no day of birth, so
//! no birth date is given.
//!
//! Source: INSEE, "Numéro de sécurité sociale"; décret n° 82-103, art. 4.

use super::prelude::*;

/// Facts of the fifteen characters, or of the thirteen without the key.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let (person, key) = match value.len() {
        13 => (value, None),
        15 => value.split_at_checked(13).map(|(person, key)| (person, Some(key))).ok_or(Invalid::Format)?,
        _ => return Err(Invalid::Length),
    };
    let bytes: [u8; 13] = person.as_bytes().try_into().map_err(|_| Invalid::Format)?;
    let corsica = match [bytes[5], bytes[6]] {
        [b'2', b'A'] => Some(19),
        [b'2', b'B'] => Some(18),
        _ => None,
    };
    let is_digit = |(at, byte): (usize, &u8)| byte.is_ascii_digit() || (at == 6 && corsica.is_some());
    if !bytes.iter().enumerate().all(is_digit) {
        return Err(Invalid::Format);
    }
    let sex = bytes[0] - b'0';
    let department = corsica.unwrap_or_else(|| number(person, 5, 2));
    let known = matches!(sex, 1..=4 | 7 | 8)
        && matches!(number(person, 3, 2), 1..=12 | 20..=42 | 50..=99)
        && department != 0
        && number(person, 7, 3) != 0
        && number(person, 10, 3) != 0;
    if !known {
        return Err(Invalid::Component);
    }
    if let Some(key) = key {
        let [tens, ones] = digits::<2>(key)?;
        let head = number(person, 0, 5) * 100 + department;
        let body = head * 1_000_000 + number(person, 7, 6);
        if u64::from(tens * 10 + ones) != 97 - body % 97 {
            return Err(Invalid::Checksum);
        }
    }
    let region = match person.get(5..7) {
        Some("2A") => Some("FR-2A"),
        Some("2B") => Some("FR-2B"),
        Some("97") => overseas(number(person, 5, 3)),
        _ => numbered(DEPARTMENTS, department),
    };
    let other = region.map(|region| ("region", region));
    Ok(Facts { gender: Some(Gender::from_odd(sex)), other, ..Facts::default() })
}

/// ISO 3166-2 codes of the departments 1 to 95. Number 20 was Corsica as a whole, until 1976.
const DEPARTMENTS: &str = "FR-01 FR-02 FR-03 FR-04 FR-05 FR-06 FR-07 FR-08 FR-09 FR-10 FR-11 FR-12 FR-13 FR-14 FR-15 FR-16 FR-17 FR-18 \
    FR-19 FR-20R FR-21 FR-22 FR-23 FR-24 FR-25 FR-26 FR-27 FR-28 FR-29 FR-30 FR-31 FR-32 FR-33 FR-34 FR-35 FR-36 \
    FR-37 FR-38 FR-39 FR-40 FR-41 FR-42 FR-43 FR-44 FR-45 FR-46 FR-47 FR-48 FR-49 FR-50 FR-51 FR-52 FR-53 FR-54 \
    FR-55 FR-56 FR-57 FR-58 FR-59 FR-60 FR-61 FR-62 FR-63 FR-64 FR-65 FR-66 FR-67 FR-68 FR-69 FR-70 FR-71 FR-72 \
    FR-73 FR-74 FR-75 FR-76 FR-77 FR-78 FR-79 FR-80 FR-81 FR-82 FR-83 FR-84 FR-85 FR-86 FR-87 FR-88 FR-89 FR-90 \
    FR-91 FR-92 FR-93 FR-94 FR-95";

fn overseas(department: u64) -> Option<&'static str> {
    match department {
        971 => Some("FR-971"),
        972 => Some("FR-972"),
        973 => Some("FR-973"),
        974 => Some("FR-974"),
        976 => Some("FR-976"),
        _ => None,
    }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("185057800608491", Ok((Some(Gender::Male), Some(("region", "FR-78"))))),
        ("185052A00412356", Ok((Some(Gender::Male), Some(("region", "FR-2A"))))), // Corsica
        ("299129212345657", Ok((Some(Gender::Female), Some(("region", "FR-92"))))),
        ("2991292123456", Ok((Some(Gender::Female), Some(("region", "FR-92"))))), // without its key
        ("254029997400121", Ok((Some(Gender::Female), None))),                    // born abroad
        ("299129212345675", Err(Invalid::Checksum)),
        ("299139212345673", Err(Invalid::Component)), // month 13, the key is right
        ("185052C00412356", Err(Invalid::Format)),
        ("29912921234565", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(|facts| (facts.gender, facts.other)), want, "{value}");
    }
}
