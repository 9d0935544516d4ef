//! The interface for callers: options, answers, errors, limits, the shapes of JSON. No work is done here.

pub mod answer;
pub mod entity;
pub mod error;
pub mod facts;
pub mod limits;
pub mod options;
pub mod wire;

pub use textveil_schema::tree;

/// Contains the check digits of custom detectors.
///
/// A file of the catalogue has the same.
pub mod schema {
    pub use textveil_schema::{Check, Integer, Part, Product, Weighted};
}
