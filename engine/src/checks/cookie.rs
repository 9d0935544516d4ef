//! A cookie whose value a program gave out, in its HTTP header: sessions have such, settings have words.
//!
//! Source: RFC 6265, section 4.2.

use super::{credential, prelude::*};

/// The header's name, the cookie's name and its value; or the value alone.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let Some((_, cookie)) = value.split_once(": ") else { return credential::facts(value) };
    let (_, value) = cookie.split_once('=').ok_or(Invalid::Format)?;
    credential::facts(value)
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("Cookie: sessionid=TFnaK2qUnefoDkrEJH25sVWdc97226W5", Ok(())),
        ("Cookie: theme=darkmode", Err(Invalid::Format)),
        ("Cookie: banner", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
