//! Types of findings: their names, and how many were found of each.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Serialize;
use textveil_engine::{Entity, types_named, wire::protected_type};

/// Whether two names mean the same types: names of the catalogue, or of custom detectors.
pub(crate) fn is_same_type(one: &str, other: &str) -> bool {
    let types = types_named(one);
    one.eq_ignore_ascii_case(other) || (!types.is_empty() && types == types_named(other))
}

/// The name that findings of a type are counted under: that of a type which a caller named is the caller's
/// text, and is not shown.
#[expect(clippy::ptr_arg, reason = "whether it is borrowed says whose name it is")]
pub(crate) fn counted_as(kind: &Cow<'static, str>) -> &'static str {
    match kind {
        Cow::Borrowed(kind) => kind,
        Cow::Owned(_) => "custom",
    }
}

/// [`counted_as`], by the name of a type in protection.
pub(crate) fn protected_as(kind: Cow<'static, str>) -> &'static str {
    counted_as(&protected_type(kind))
}

/// Findings by type, as [`counted_as`] names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct Counts(BTreeMap<&'static str, usize>);

impl Counts {
    pub(crate) fn add(&mut self, entity: &Entity) {
        self.add_many(counted_as(&entity.kind), 1);
    }

    /// Adds findings of a type, as [`counted_as`] names it.
    pub(crate) fn add_many(&mut self, kind: &'static str, count: usize) {
        *self.0.entry(kind).or_default() += count;
    }

    pub(crate) fn extend(&mut self, others: &Self) {
        for (kind, count) in others.iter() {
            *self.0.entry(kind).or_default() += count;
        }
    }

    /// Types and how many were found of each.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.0.iter().map(|(kind, count)| (*kind, *count))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
