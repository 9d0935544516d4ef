//! The Salvadoran tax number: the municipality of birth or of foundation (`9` first for those abroad),
//! `DDMMYY` of birth or foundation, a serial of three, a check digit. Serials up to 100 have weights of
//! their own.
//!
//! Whether the holder is a person is not said, so no birth date is given.
//!
//! Source: Ministerio de Hacienda, Dirección General de Impuestos Internos, "NIT".

use super::prelude::*;

const OLD: [u32; 13] = [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2];
const NEW: [u32; 13] = [2, 7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2];

/// The fourteen digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<14>(value)?;
    if !matches!(d[0], 0 | 1 | 9)
        || Date::recent(d[8] * 10 + d[9], d[6] * 10 + d[7], d[4] * 10 + d[5]).is_none()
    {
        return Err(Invalid::Component);
    }
    let sum = |weights: [u32; 13]| -> u32 {
        d.iter().zip(weights).map(|(digit, weight)| u32::from(*digit) * weight).sum()
    };
    let check = if number(value, 10, 3) <= 100 { sum(OLD) % 11 } else { (11 - sum(NEW) % 11) % 11 };
    if check % 10 == u32::from(d[13]) { Ok(Facts::default()) } else { Err(Invalid::Checksum) }
}
