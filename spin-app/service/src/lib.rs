//! The HTTP behaviour of Textveil's service, as functions over traits.

pub mod credentials;
pub mod limits;
