//! The last digits of a longer number, which say too little for most readers to be that number.
//!
//! Source: PCI DSS, requirement 3.4.1; 26 CFR 301.6109-4.

use super::prelude::*;

/// Any digits may be the last ones, and say nothing more.
pub fn facts(_value: &str) -> Result<Facts, Invalid> {
    Ok(Facts::default())
}

/// Every value is impersonal: a caller asks for parts of numbers by their type.
pub fn is_impersonal(_value: &str) -> bool {
    true
}

#[cfg(test)]
#[test]
fn verdicts() {
    assert!(facts("4410").is_ok() && is_impersonal("4410"));
}
