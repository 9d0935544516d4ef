//! The order of the functions of a module: similar ones next to each other.
//!
//! A web server compresses with a window of 32 KiB. wasm-bindgen writes functions by their size, so copies of generic code lie far
//! apart. The core of a page becomes smaller by a hundredth, and runs as before.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use wasm_encoder::{NameMap, NameSection, Section as _};
use wasmparser::{Parser, Payload, TypeRef};

/// The length of the sequences that two functions share, in bytes: shorter ones are in most functions.
const SEQUENCE: usize = 6;
/// The number of functions in which a sequence says nothing of what is similar.
const EVERYWHERE: usize = 300;
/// The number of preceding functions that the next one is compared with.
const NEAR: usize = 8;

/// Adds names to a module, whose alphabetical order is the order that its functions should have.
///
/// # Errors
/// If it is not a module.
pub(crate) fn name_by_order(module: &mut Vec<u8>) -> Result<()> {
    let (mut imported, mut bodies) = (0, Vec::new());
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += u32::from(matches!(import?.ty, TypeRef::Func(_) | TypeRef::FuncExact(_)));
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(body.as_bytes()),
            _ => {}
        }
    }
    let mut ranks: Vec<(usize, usize)> =
        order(&bodies).into_iter().enumerate().map(|(rank, at)| (at, rank)).collect();
    ranks.sort_unstable();
    let mut names = NameMap::new();
    for (at, rank) in ranks {
        names.append(imported + at as u32, &format!("{rank:06}"));
    }
    let mut section = NameSection::new();
    section.functions(&names);
    section.append_to(module);
    Ok(())
}

/// Returns the functions so that each follows those that it shares most with.
fn order(bodies: &[&[u8]]) -> Vec<usize> {
    let sequences: Vec<BTreeSet<&[u8]>> =
        bodies.iter().map(|body| body.windows(SEQUENCE).collect()).collect();
    let mut holders: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
    for (at, own) in sequences.iter().enumerate() {
        for sequence in own {
            holders.entry(sequence).or_default().push(at);
        }
    }
    holders.retain(|_, holders| (2..=EVERYWHERE).contains(&holders.len()));
    let mut left: BTreeSet<usize> = (0..bodies.len()).collect();
    let mut order: Vec<usize> = Vec::with_capacity(bodies.len());
    while let Some(first) = left.first().copied() {
        let mut shared: BTreeMap<usize, f64> = BTreeMap::new();
        for (distance, near) in order.iter().rev().take(NEAR).enumerate() {
            for holders in sequences.get(*near).into_iter().flatten().filter_map(|one| holders.get(one)) {
                let weight = 1.0 / (1.0 + distance as f64 / 4.0) / (holders.len() as f64).ln_1p();
                for other in holders.iter().filter(|other| left.contains(other)) {
                    *shared.entry(*other).or_default() += weight;
                }
            }
        }
        let likeness = |(at, shared): &(usize, f64)| {
            shared / (sequences.get(*at).map_or(0, BTreeSet::len) as f64 + 20.0).sqrt()
        };
        let next = shared.into_iter().max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
        let next = next.map_or(first, |(at, _)| at);
        left.remove(&next);
        order.push(next);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_functions_are_neighbours() {
        let bodies: Vec<Vec<u8>> =
            (0..6).map(|at| (0..40).map(|byte| byte + 50 * (at % 3)).collect()).collect();
        let order = order(&bodies.iter().map(Vec::as_slice).collect::<Vec<_>>());
        assert_eq!(order, [0, 3, 1, 4, 2, 5]);
    }
}
