//! The Bulgarian identification code of companies, and the ten digits used instead in the VAT number of a
//! person: a civil number, the number of a foreigner, or one of the tax office.
//!
//! Source: European Commission, VIES, algorithms of the member states.

use super::{digits::special::weighted, prelude::*};

/// Whether the first six digits are a date as civil numbers have them: the month is 20 higher for the 1800s and 40 for
/// the 2000s.
fn is_civil_number(value: &str) -> bool {
    let pair = |at| number(value, at, 2);
    let (century, month) = match pair(2) {
        month @ 41.. => (2000, month - 40),
        month @ 21.. => (1800, month - 20),
        month => (1900, month),
    };
    Date::new(century + pair(0) as u16, month as u8, pair(4) as u8).is_some()
}

/// The nine or ten digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Invalid::Format);
    }
    let last = u64::from(value.bytes().last().unwrap_or_default().wrapping_sub(b'0'));
    let rest = |weights: &[u32], modulus: u32| u64::from(weighted(value, weights) % modulus);
    let fits = match value.len() {
        9 => match rest(&[1, 2, 3, 4, 5, 6, 7, 8], 11) {
            10 => rest(&[3, 4, 5, 6, 7, 8, 9, 10], 11) % 10 == last,
            rest => rest == last,
        },
        10 => {
            rest(&[2, 4, 8, 5, 10, 9, 7, 3, 6], 11) % 10 == last && is_civil_number(value)
                || rest(&[21, 19, 17, 13, 11, 9, 7, 3, 1], 10) == last
                || rest(&[4, 3, 2, 7, 6, 5, 4, 3, 2, 1], 11) == 0
        }
        _ => return Err(Invalid::Length),
    };
    if fits { Ok(Facts::default()) } else { Err(Invalid::Checksum) }
}
