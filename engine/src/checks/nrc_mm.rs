//! The parts of a Myanmar registration number: one of 14 states and regions, a township of letters, the
//! kind of citizenship in brackets, six digits.
//!
//! Source: Ministry of Immigration and Population, Citizenship Scrutiny Card; Burma Citizenship Law 1982.

use super::prelude::*;

/// The number with its slash and its opening bracket.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let (state, rest) = value.split_once('/').ok_or(Invalid::Format)?;
    let (_, rest) = rest.split_once('(').ok_or(Invalid::Format)?;
    let kind = rest.trim_end_matches(|letter: char| letter.is_ascii_digit());
    // citizen, associate, naturalised, resident, temporary, religious
    let known = matches!(kind, "N" | "E" | "P" | "A" | "T" | "Y" | "NAI" | "C" | "NAING");
    if known && matches!(state.parse(), Ok(1..=14)) { Ok(Facts::default()) } else { Err(Invalid::Component) }
}
