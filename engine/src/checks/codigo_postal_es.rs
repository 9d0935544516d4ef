//! The province of a Spanish postal code.
//!
//! Source: Correos; INE, codes of the provinces; ISO 3166-2:ES.

use super::prelude::*;

/// ISO 3166-2 codes of the provinces 1 to 50, Ceuta and Melilla.
const PROVINCES: &str = "ES-VI ES-AB ES-A ES-AL ES-AV ES-BA ES-PM ES-B ES-BU ES-CC ES-CA ES-CS ES-CR ES-CO ES-C ES-CU ES-GI ES-GR \
    ES-GU ES-SS ES-H ES-HU ES-J ES-LE ES-L ES-LO ES-LU ES-M ES-MA ES-MU ES-NA ES-OR ES-O ES-P ES-GC ES-PO ES-SA \
    ES-TF ES-S ES-SG ES-SE ES-SO ES-T ES-TE ES-TO ES-V ES-VA ES-BI ES-ZA ES-Z ES-CE ES-ML";

/// Facts of the five digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    digits::<5>(value)?;
    let region = province(number(value, 0, 2)).ok_or(Invalid::Component)?;
    Ok(Facts { other: Some(("region", region)), ..Facts::default() })
}

/// The province of that number.
pub fn province(number: u64) -> Option<&'static str> {
    numbered(PROVINCES, number)
}
