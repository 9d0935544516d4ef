//! Hexadecimal digits only, of any length.

use super::prelude::*;

/// The characters.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if value.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Ok(Facts::default())
    } else {
        Err(Invalid::Format)
    }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in
        [("00005E005301", Ok(())), ("00005e005301", Ok(())), ("00005G005301", Err(Invalid::Format))]
    {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
