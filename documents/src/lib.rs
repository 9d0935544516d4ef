//! Documents: read record by record, split into values for the engine, and written back with only the changed
//! values replaced.

mod charset;
mod csv;
mod docx;
mod format;
mod json;
mod mail;
mod markup;
mod offsets;
mod parts;
mod passage;
mod records;
mod references;
mod text;
mod value;

#[cfg(test)]
mod tests;

pub use charset::{Chunks, encoding};
pub use encoding_rs::{Encoding, UTF_8};
pub use format::Format;
pub use offsets::Offsets;
pub use passage::{Analysis, Finding, Passage, add_countries, analyse, passages, pieces};
pub use records::{Document, Positions, Reading, Record, Records};
pub use value::{Edit, Gap, Value, edited};
