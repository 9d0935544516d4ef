//! Province in the NUSS, the Spanish social security number.
//!
//! Two digits of the province, eight of the number, two of the key: province and number modulo 97. A number
//! below ten million counts without its leading zeros.
//!
//! Source: Tesorería General de la Seguridad Social; Real Decreto 84/1996, art. 21.

use super::{codigo_postal_es::province, prelude::*};

/// Facts of the twelve digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    digits::<12>(value)?;
    let (office, serial) = (number(value, 0, 2), number(value, 2, 8));
    // 53 and 66 are offices without a province
    if !matches!(office, 1..=53 | 66) {
        return Err(Invalid::Component);
    }
    let shift = if serial < 10_000_000 { 10_000_000 } else { 100_000_000 };
    if (office * shift + serial) % 97 != number(value, 10, 2) {
        return Err(Invalid::Checksum);
    }
    Ok(Facts { other: province(office).map(|region| ("region", region)), ..Facts::default() })
}
