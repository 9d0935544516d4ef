//! Checks: a tree in the engine, and in `wit/`, which has no recursive types, a list whose entries
//! refer to one another.

use std::borrow::Cow;

use textveil_engine::schema::{Check, Integer, Weighted};

use super::types;

/// Adds a check and the checks inside it to the list, and returns its index.
///
/// # Errors
/// Returns the fault of the check.
pub(super) fn into_list(check: Check, list: &mut Vec<types::Check>) -> Result<u32, &'static str> {
    let place = list.len();
    // a check precedes the checks inside it
    list.push(types::Check::None);
    let entry = match check {
        Check::None => types::Check::None,
        Check::Luhn { prefix } => types::Check::Luhn(prefix.into_owned()),
        Check::Weighted(check) => types::Check::Weighted(weighted(check)),
        Check::Integer(check) => types::Check::Integer(integer(check)),
        Check::Mod97 { residue } => types::Check::Mod97(residue),
        Check::Mod11_10 => types::Check::HybridMod11,
        Check::Mod11_2 => types::Check::PureMod11,
        Check::Mod37_36 => types::Check::HybridMod37,
        Check::Verhoeff => types::Check::Verhoeff,
        Check::Part { from, to, check } => {
            let inner = check.first().cloned().ok_or("is missing")?;
            types::Check::Part(types::PartCheck { from, to, check: into_list(inner, list)? })
        }
        Check::All { checks } => types::Check::All(all(checks, list)?),
        Check::Any { checks } => types::Check::Any(all(checks, list)?),
        Check::ByLength { lengths } => {
            let lengths = lengths.into_owned().into_iter();
            let places: Result<_, &'static str> =
                lengths.map(|(length, check)| Ok((length, into_list(check, list)?))).collect();
            types::Check::ByLength(places?)
        }
        Check::Function { .. } => return Err("names a function; send a rule of data"),
    };
    if let Some(reserved) = list.get_mut(place) {
        *reserved = entry;
    }
    Ok(u32::try_from(place).unwrap_or(u32::MAX))
}

fn all(checks: Cow<'static, [Check]>, list: &mut Vec<types::Check>) -> Result<Vec<u32>, &'static str> {
    checks.into_owned().into_iter().map(|check| into_list(check, list)).collect()
}

fn weighted(check: Weighted) -> types::WeightedCheck {
    types::WeightedCheck {
        weights: check.weights.into_owned(),
        modulus: check.modulus,
        residues: check.residues.into_owned(),
        check: check.check.into_owned(),
        at: check.at,
        offset: check.offset,
        product: check.product.into(),
        then: check.then.into_owned(),
        alphabet: check.alphabet.into_owned(),
        cyclic: check.cyclic,
    }
}

fn integer(check: Integer) -> types::IntegerCheck {
    types::IntegerCheck {
        modulus: check.modulus,
        residues: check.residues.into_owned(),
        check_len: check.check_len,
        complement: check.complement,
        check: check.check.into_owned(),
    }
}
