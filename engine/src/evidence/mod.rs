//! Evidence for a candidate: the candidate with its weights, the words around it, and the list that it is in.

pub(crate) mod hypothesis;
pub(crate) mod labels;
pub(crate) mod siblings;
pub(crate) mod tables;
pub(crate) mod words;
