//! Text as it is searched: the folded copy, the offsets of callers, sorted lists.

pub(crate) mod fold;
pub(crate) mod offsets;
pub(crate) mod order;
