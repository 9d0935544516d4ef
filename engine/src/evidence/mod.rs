//! Evidence for a candidate: the candidate with its weights, and the words around it.

pub(crate) mod hypothesis;
pub(crate) mod labels;
pub(crate) mod tables;
pub(crate) mod words;
