//! The countries that a text is about: inference, and what they are evidence for.

pub(crate) mod apply;
pub(crate) mod context;
pub(crate) mod infer;
