//! Check digits: the algorithms that many identifiers share, and the interpreter of the catalogue's
//! checks.

mod iso7064;
mod luhn;
pub(crate) mod special;
mod verhoeff;
mod weighted;

use textveil_schema::place;

use crate::api::schema::Check;

pub(crate) use iso7064::{hybrid_check, mod97};
pub(crate) use luhn::luhn;
pub(crate) use verhoeff::verhoeff;

/// Check digits that a compact value must have.
pub(crate) trait CheckDigits {
    /// Whether the check digits of a compact value hold. A value that the rule cannot read fails.
    fn holds(&self, value: &str) -> bool;
}

impl CheckDigits for Check {
    fn holds(&self, value: &str) -> bool {
        match self {
            Self::None => true,
            Self::Luhn { prefix } => luhn(prefix.bytes().chain(value.bytes())),
            Self::Weighted(rule) => rule.holds(value),
            Self::Integer(rule) => rule.holds(value),
            Self::Mod97 { residue } => mod97(value.bytes()) == Some(u32::from(*residue)),
            Self::Mod11_10 => iso7064::hybrid(value, 10),
            Self::Mod11_2 => iso7064::pure(value, 11),
            Self::Mod37_36 => iso7064::hybrid(value, 36),
            Self::Verhoeff => verhoeff(value),
            Self::Part { from, to, check } => {
                let start = place(*from, value.len());
                let end = to.map_or(value.len(), |to| place(to, value.len()));
                value.get(start..end).is_some_and(|part| check.iter().all(|check| check.holds(part)))
            }
            Self::All { checks } => checks.iter().all(|check| check.holds(value)),
            Self::Any { checks } => checks.iter().any(|check| check.holds(value)),
            Self::ByLength { lengths } => {
                let named = lengths.iter().find(|(length, _)| usize::from(*length) == value.len());
                named.is_none_or(|(_, check)| check.holds(value))
            }
            Self::Function { call, .. } => call.is_some_and(|call| call(value)),
        }
    }
}

/// A digit as it is, a letter as 10 to 35.
fn code(byte: u8) -> Option<u32> {
    char::from(byte).to_digit(36)
}
