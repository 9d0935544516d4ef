//! The Belgian enterprise number: ten digits, the first 0 or 1, the last two 97 less the rest of the
//! others by 97. Numbers of nine digits, in use until 2005, have lost their leading 0.
//!
//! Source: Code of Economic Law, art. III.17; European Commission, VIES, algorithms of the member states.

use super::prelude::*;

/// The number contains no facts about its holder.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Invalid::Format);
    }
    let key = value.len().checked_sub(2).filter(|length| (7..=8).contains(length)).ok_or(Invalid::Length)?;
    if value.len() == 10 && !value.starts_with(['0', '1']) || number(value, 0, key) == 0 {
        return Err(Invalid::Component);
    }
    let fits = 97 - number(value, 0, key) % 97 == number(value, key, 2);
    if fits { Ok(Facts::default()) } else { Err(Invalid::Checksum) }
}
