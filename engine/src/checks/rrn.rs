//! Birth date and gender in the Korean resident registration number, and in that of foreigners.
//!
//! Thirteen digits `YYMMDDSNNNNNC`. S is the century and the sex: 1 and 2 the 1900s, 3 and 4 the 2000s, 9
//! and 0 the 1800s, 5 and 6, 7 and 8 the same for foreigners; odd for men. Since October 2020 the six
//! digits behind S are random: those born since have no check digit, and of a foreigner nobody can tell.
//!
//! Source: Ministry of the Interior and Safety, enforcement rules of the Resident Registration Act (주민등록법
//! 시행규칙), article 2; Immigration Act, enforcement rules.

use super::prelude::*;

/// The highest code of a place.
const LAST_PLACE: u64 = 96;
/// The first month without check digits.
const RANDOM: (u16, u8) = (2020, 10);

/// Facts of the thirteen digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<13>(value)?;
    let century = match d[6] {
        1 | 2 | 5 | 6 => 1900,
        3 | 4 | 7 | 8 => 2000,
        _ => 1800,
    };
    let (year, month) = (century + u16::from(d[0] * 10 + d[1]), d[2] * 10 + d[3]);
    let born = Date::new(year, month, d[4] * 10 + d[5]).ok_or(Invalid::Component)?;
    if !matches!(d[6], 5..=8) && (year, month) < RANDOM {
        // the place of the first registration
        if number(value, 7, 2) > LAST_PLACE {
            return Err(Invalid::Component);
        }
        let weighted = d[..12].iter().zip([2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
        let sum: u32 = weighted.map(|(digit, weight)| u32::from(*digit) * weight).sum();
        if (11 - sum % 11) % 10 != u32::from(d[12]) {
            return Err(Invalid::Checksum);
        }
    }
    Ok(Facts { birth_date: Some(born), gender: Some(Gender::from_odd(d[6])), ..Facts::default() })
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("9701011000012", Ok("1997-01-01")),
        ("9701011000013", Err(Invalid::Checksum)),
        ("2009304000002", Err(Invalid::Checksum)),
        ("2010014000002", Ok("2020-10-01")), // random digits
        ("0101015123451", Ok("1901-01-01")), // a foreigner
        ("9702301000018", Err(Invalid::Component)),
        ("7005112985881", Err(Invalid::Component)), // no place 98
        ("970101100001", Err(Invalid::Length)),
        ("970101100001X", Err(Invalid::Format)),
    ] {
        let got = facts(value).map(|facts| facts.birth_date.unwrap().iso());
        assert_eq!(got, want.map(str::to_owned), "{value}");
    }
}
