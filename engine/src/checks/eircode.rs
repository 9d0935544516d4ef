//! The Eircode, the Irish postal code: a routing key, a letter and two digits (but `D6W`), and four letters
//! and digits. Letters that look like others are not used.
//!
//! Source: Eircode, Product Guide.

use super::prelude::*;

/// The seven letters and digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let letter = |byte: &u8| b"ACDEFHKNPRTVWXY".contains(byte);
    let fits = match value.as_bytes() {
        [a, b, c, rest @ ..] if rest.len() == 4 => {
            let key = letter(a) && b.is_ascii_digit() && (c.is_ascii_digit() || [*a, *b, *c] == *b"D6W");
            key && rest.iter().all(|byte| letter(byte) || byte.is_ascii_digit())
        }
        _ => return Err(Invalid::Length),
    };
    if fits { Ok(Facts::default()) } else { Err(Invalid::Format) }
}
