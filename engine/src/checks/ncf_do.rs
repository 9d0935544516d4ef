//! The kind of document in the number of a Dominican fiscal receipt.
//!
//! `B` and ten digits, `E` and twelve of an electronic one: the first two digits are the kind. Until 2018 `A` or
//! `P` and eighteen digits, the ninth and tenth of which are the kind.
//!
//! Source: Dirección General de Impuestos Internos, Norma General 06-2018, art. 4; Norma General 01-2020.

use super::prelude::*;

/// The number contains no facts about its holder.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let kinds: &[u64] = match (value.as_bytes().first(), value.len()) {
        (Some(b'E'), 13) => &[31, 32, 33, 34, 41, 43, 44, 45, 46, 47],
        (Some(b'B'), 11) | (Some(b'A' | b'P'), 19) => &[1, 2, 3, 4, 11, 12, 13, 14, 15, 16, 17],
        _ => return Err(Invalid::Format),
    };
    let at = if value.len() == 19 { 9 } else { 1 };
    if kinds.contains(&number(value, at, 2)) { Ok(Facts::default()) } else { Err(Invalid::Component) }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("E310000000005", Ok(())),
        ("B0100000005", Ok(())),
        ("A020010210100000005", Ok(())),
        ("E420000000005", Err(Invalid::Component)),
        ("B3100000005", Err(Invalid::Component)), // electronic only
        ("A020010219900000005", Err(Invalid::Component)),
        ("B310000000005", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
