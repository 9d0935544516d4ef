//! A key of Mailchimp: 32 hexadecimal digits, and the data centre that it belongs to (`us12`).
//!
//! Source: Mailchimp, Marketing API, "Authentication".

use super::prelude::*;

/// The characters without the hyphen.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let (key, centre) = value.split_at_checked(32).ok_or(Invalid::Length)?;
    let number = centre.strip_prefix("US").or_else(|| centre.strip_prefix("us")).ok_or(Invalid::Format)?;
    let formed = key.bytes().all(|byte| byte.is_ascii_hexdigit())
        && (1..=2).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit());
    if formed { Ok(Facts::default()) } else { Err(Invalid::Format) }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("4330F445902AA7D3FB5D3B649CF41694US12", Ok(())),
        ("4330F445902AA7D3FB5D3B649CF41694EU12", Err(Invalid::Format)),
        ("G330F445902AA7D3FB5D3B649CF41694US12", Err(Invalid::Format)),
        ("4330F445902AA7D3FB5D3B649CF4169", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
