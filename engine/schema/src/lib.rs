//! Defines the schema of the catalogue's files.
//!
//! The build compiles the files (`engine/catalogue/`) into tables, the engine's custom detectors use parts of
//! the same language, and tests and the evaluation read the files again. All of them share these types.
//! `engine/catalogue/README.md` documents the keys.
//!
//! - [`Check`] and [`Part`]: check digits and the contents of fixed places, in a file and in a custom detector.
//! - [`tree`]: the reader of requests, which reads checks and parts too.
//! - [`nearest`]: the known name that an unknown one was probably meant to be.
//! - `file` (feature `files`): a whole file, and the folder of the catalogue.

// Functions that the engine uses are generic or `#[inline]`: the compiler then optimises them with their callers,
// and a web page downloads 400 bytes less.

mod check;
#[cfg(feature = "files")]
pub mod file;
mod nearest;
mod part;
pub mod tree;

pub use check::{Check, Integer, Product, Weighted};
pub use nearest::nearest;
pub use part::{Part, place};
