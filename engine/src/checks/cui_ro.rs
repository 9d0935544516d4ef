//! The Romanian identification code of companies: up to nine digits, weighted from the right, and a check
//! digit, ten times the sum modulo 11.
//!
//! Source: European Commission, VIES, algorithms of the member states.

use super::{digits::special::weighted, prelude::*};

/// Two to ten digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Invalid::Format);
    }
    if !(2..=10).contains(&value.len()) {
        return Err(Invalid::Length);
    }
    if value.starts_with('0') {
        return Err(Invalid::Component);
    }
    let sum = weighted(&format!("{value:0>10}"), &[7, 5, 3, 2, 1, 7, 5, 3, 2]);
    let fits = u64::from(sum * 10 % 11 % 10) == number(value, value.len() - 1, 1);
    if fits { Ok(Facts::default()) } else { Err(Invalid::Checksum) }
}
