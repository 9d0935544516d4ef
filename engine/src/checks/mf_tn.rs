//! The codes of a Tunisian tax registration number: seven digits, a control letter, the kind of value added
//! tax (A, P, B, D, N), the category of the taxpayer (M, P, C, N, E), three digits of the establishment. All
//! but the first two may be missing.
//!
//! Source: Direction Générale des Impôts, "Matricule fiscal".

use super::prelude::*;

/// The number without separators.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    // a leading 0 of the seven digits may be omitted
    let serial = value.bytes().take_while(u8::is_ascii_digit).count();
    match value.as_bytes().get(serial) {
        Some(b'I' | b'O' | b'U') | None => return Err(Invalid::Format),
        _ if serial < 7 && value.len() > serial + 1 => return Err(Invalid::Length),
        _ => {}
    }
    let codes = value.get(8..).unwrap_or_default().trim_end_matches(|letter: char| letter.is_ascii_digit());
    let establishment = value.get(8 + codes.len()..).unwrap_or_default();
    let category = |byte: &u8| b"MPCNE".contains(byte);
    let known = match codes.as_bytes() {
        [] => true,
        [one] => category(one) || b"ABPDN".contains(one),
        // only an establishment has a number
        [tax, kind] => {
            b"ABPDN".contains(tax) && category(kind) && (*kind == b'E' || matches!(establishment, "" | "000"))
        }
        _ => false,
    };
    if known { Ok(Facts::default()) } else { Err(Invalid::Component) }
}
