//! Birth date in the Mauritian national identity number: the initial of the surname, `DDMMYY`, a serial of
//! six, a check character.
//!
//! Source: Civil Status Division, "National Identity Card"; National Identity Card Act 1985.

use super::prelude::*;

/// Facts of the fourteen characters; the check character is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let d = digits::<6>(value.get(1..7).ok_or(Invalid::Length)?)?;
    let born =
        Date::recent(d[4] * 10 + d[5], d[2] * 10 + d[3], d[0] * 10 + d[1]).ok_or(Invalid::Component)?;
    Ok(Facts { birth_date: Some(born), century_inferred: true, ..Facts::default() })
}
