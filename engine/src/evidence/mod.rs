//! Evidence for a candidate: the candidate with its weights, the words around it, the list that it is in, and the people of
//! the text.

pub(crate) mod candidate;
pub(crate) mod labels;
pub(crate) mod persons;
pub(crate) mod siblings;
pub(crate) mod tables;
pub(crate) mod words;
