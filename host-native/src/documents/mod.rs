//! The documents of a command: sources and destinations.

mod source;
mod target;

pub use source::{Progress, Source, Sources, Walking};
pub use target::{Target, Targets};
