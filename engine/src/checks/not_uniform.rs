//! A number whose digits are not all the same: `000000000` and its like are typed, not issued, and many
//! checks let them pass.

use super::prelude::*;

/// The digits, however many.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let uniform = value.bytes().all(|byte| Some(byte) == value.bytes().next());
    if uniform { Err(Invalid::Component) } else { Ok(Facts::default()) }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [("9434765919", Ok(())), ("6666666666", Err(Invalid::Component))] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
