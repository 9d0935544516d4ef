//! The suffix after the UID in a Swiss VAT number: MWST, TVA, IVA or TPV.
//!
//! Source: Mehrwertsteuergesetz (SR 641.20), art. 66; Federal Tax Administration.

use super::prelude::*;

/// Nine digits and the suffix; the check digit is the catalogue's.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    match value.get(9..) {
        Some("MWST" | "TVA" | "IVA" | "TPV") => Ok(Facts::default()),
        _ => Err(Invalid::Format),
    }
}
