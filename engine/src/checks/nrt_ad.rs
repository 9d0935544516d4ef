//! The Andorran tax number: a letter for the kind of taxpayer, six digits, a letter. Residents (F) have
//! numbers up to 699999, companies (A, L) 700000 to 799999.
//!
//! Source: OECD, Andorra, Tax Identification Numbers.

use super::prelude::*;

/// The eight characters.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let serial = number(value, 1, 6);
    let known = match value.as_bytes().first() {
        Some(b'F') => serial < 700_000,
        Some(b'A' | b'L') => (700_000..800_000).contains(&serial),
        Some(b'C' | b'D' | b'E' | b'G' | b'O' | b'P' | b'U') => true,
        _ => return Err(Invalid::Format),
    };
    if known { Ok(Facts::default()) } else { Err(Invalid::Component) }
}
