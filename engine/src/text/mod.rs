//! Text as it is searched: the folded copy, escapes, the offsets of callers, sorted lists.

pub mod escape;
pub(crate) mod fold;
pub(crate) mod offsets;
pub(crate) mod order;
