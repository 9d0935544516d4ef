//! Checks: a tree in the engine, and in `wit/`, which has no recursive types, a list whose entries
//! refer to one another.

use std::borrow::Cow;

use textveil_engine::schema::{Check, Integer, Weighted};

use crate::generated::exports::textveil::engine::types;

/// Most entries of a list; it bounds how deep a tree can be.
const MOST: usize = 64;

/// Returns the check that a list describes; `None` for an empty list.
///
/// # Errors
/// Returns the fault of the list.
pub(super) fn from_list(list: Vec<types::Check>) -> Result<Option<Check>, &'static str> {
    if list.is_empty() {
        return Ok(None);
    }
    if list.len() > MOST {
        return Err("has more than 64 entries; send fewer");
    }
    Entries(list.into_iter().map(Some).collect()).take(0).map(Some)
}

/// The entries that are not yet part of the tree.
struct Entries(Vec<Option<types::Check>>);

impl Entries {
    /// Each entry is used once, so the tree has no cycle and is not larger than its list.
    fn take(&mut self, place: u32) -> Result<Check, &'static str> {
        let entry = self.0.get_mut(place as usize).and_then(Option::take);
        let entry = entry.ok_or("refers to an entry that is not there or used twice; refer to each once")?;
        Ok(match entry {
            types::Check::None => Check::None,
            types::Check::Luhn(prefix) => Check::Luhn { prefix: prefix.into() },
            types::Check::Weighted(check) => Check::Weighted(weighted(check)),
            types::Check::Integer(check) => Check::Integer(integer(check)),
            types::Check::Mod97(residue) => Check::Mod97 { residue },
            types::Check::HybridMod11 => Check::Mod11_10,
            types::Check::PureMod11 => Check::Mod11_2,
            types::Check::HybridMod37 => Check::Mod37_36,
            types::Check::Verhoeff => Check::Verhoeff,
            types::Check::Part(types::PartCheck { from, to, check }) => {
                Check::Part { from, to, check: vec![self.take(check)?].into() }
            }
            types::Check::All(places) => Check::All { checks: self.all(places)? },
            types::Check::Any(places) => Check::Any { checks: self.all(places)? },
            types::Check::ByLength(places) => {
                let lengths: Result<Vec<_>, &'static str> =
                    places.into_iter().map(|(length, place)| Ok((length, self.take(place)?))).collect();
                Check::ByLength { lengths: lengths?.into() }
            }
        })
    }

    fn all(&mut self, places: Vec<u32>) -> Result<Cow<'static, [Check]>, &'static str> {
        let checks: Result<Vec<_>, _> = places.into_iter().map(|place| self.take(place)).collect();
        Ok(checks?.into())
    }
}

fn weighted(check: types::WeightedCheck) -> Weighted {
    Weighted {
        weights: check.weights.into(),
        modulus: check.modulus,
        residues: check.residues.into(),
        check: check.check.into(),
        at: check.at,
        offset: check.offset,
        product: check.product.into(),
        then: check.then.into(),
        alphabet: check.alphabet.into(),
        cyclic: check.cyclic,
    }
}

fn integer(check: types::IntegerCheck) -> Integer {
    Integer {
        modulus: check.modulus,
        residues: check.residues.into(),
        check_len: check.check_len,
        complement: check.complement,
        check: check.check.into(),
    }
}
