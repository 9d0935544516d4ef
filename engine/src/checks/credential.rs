//! A value that a program gave out, after a word such as `secret`: letters and digits, many of them
//! different. Names of variables, words and paths have no digits or few characters.

use super::{prelude::*, reference::is_reference, structure::is_random};

/// Checks the value as written.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let has = |is: fn(&u8) -> bool| value.as_bytes().iter().any(is);
    if has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && is_random(value) && !is_reference(value) {
        Ok(Facts::default())
    } else {
        Err(Invalid::Format)
    }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("boZHhDpCzNNzf1iHZrvx4RRydXjycfMT", Ok(())),
        ("process.env.MY_SECRET_VARIABLE", Err(Invalid::Format)),
        ("1234567890123456", Err(Invalid::Format)),
        ("projects/my-app/secrets/db/versions/1", Err(Invalid::Format)),
        ("xxxxxxxxxxxxxxx1", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
