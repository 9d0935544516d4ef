//! The Norwegian organisation number: nine digits, the first 8 or 9, the last a check digit modulo 11,
//! followed by `MVA` in the VAT register.
//!
//! Source: Enhetsregisterloven § 5; Brønnøysundregistrene.

use super::{digits::special::weighted, prelude::*};

/// The number contains no facts about its holder.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let (number, suffix) = value.split_at_checked(9).ok_or(Invalid::Length)?;
    let d = digits::<9>(number)?;
    if !matches!(suffix, "" | "MVA") {
        return Err(Invalid::Format);
    }
    if !matches!(d[0], 8 | 9) {
        return Err(Invalid::Component);
    }
    let fits = weighted(number, &[3, 2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11);
    if fits { Ok(Facts::default()) } else { Err(Invalid::Checksum) }
}
