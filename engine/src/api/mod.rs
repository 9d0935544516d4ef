//! The interface for callers: options, answers, errors, limits, the shapes of JSON. No work is done here.

pub mod answer;
pub mod entity;
pub mod error;
pub mod facts;
pub mod limits;
pub mod options;
pub mod schema;
pub mod tree;
pub mod wire;
