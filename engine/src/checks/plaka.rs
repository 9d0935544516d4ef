//! The province of a Turkish vehicle registration number: two digits 01 to 81, one to three letters (no Q,
//! W and X), two to five digits.
//!
//! Source: Karayolları Trafik Yönetmeliği, arts. 53–54; ISO 3166-2:TR, whose codes are those of the plates.

use super::prelude::*;

/// ISO 3166-2 codes of the provinces 1 to 81, concatenated.
const PROVINCES: &str = "TR-01TR-02TR-03TR-04TR-05TR-06TR-07TR-08TR-09TR-10TR-11TR-12TR-13TR-14TR-15TR-16\
    TR-17TR-18TR-19TR-20TR-21TR-22TR-23TR-24TR-25TR-26TR-27TR-28TR-29TR-30TR-31TR-32TR-33TR-34TR-35TR-36\
    TR-37TR-38TR-39TR-40TR-41TR-42TR-43TR-44TR-45TR-46TR-47TR-48TR-49TR-50TR-51TR-52TR-53TR-54TR-55TR-56\
    TR-57TR-58TR-59TR-60TR-61TR-62TR-63TR-64TR-65TR-66TR-67TR-68TR-69TR-70TR-71TR-72TR-73TR-74TR-75TR-76\
    TR-77TR-78TR-79TR-80TR-81";

/// Facts of the letters and digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let (province, rest) = value.split_at_checked(2).ok_or(Invalid::Length)?;
    let d = digits::<2>(province)?;
    if rest.bytes().any(|byte| b"QWX".contains(&byte)) {
        return Err(Invalid::Format);
    }
    let at = usize::from(d[0] * 10 + d[1]).checked_sub(1).ok_or(Invalid::Component)? * 5;
    let region = PROVINCES.get(at..at + 5).ok_or(Invalid::Component)?;
    Ok(Facts { other: Some(("region", region)), ..Facts::default() })
}
