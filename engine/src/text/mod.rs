//! Text as it is searched: the folded copy, escapes, base64, the offsets of callers, sorted lists.

pub mod encoded;
pub mod escape;
pub(crate) mod fold;
pub(crate) mod offsets;
pub(crate) mod order;
pub(crate) mod reread;
pub(crate) mod strings;
