//! Documents: read record by record, split into values for the engine, and written back with only the changed
//! values replaced.

#[cfg(feature = "charset")]
mod charset;
mod contacts;
mod csv;
mod document;
mod docx;
mod flow;
mod format;
mod ini;
mod json;
mod lines;
mod mail;
mod markup;
mod office;
mod parts;
mod passage;
mod places;
mod record;
#[cfg(feature = "charset")]
mod records;
mod references;
mod spelling;
mod sql;
mod strings;
mod subtitles;
mod syntax;
mod text;
mod toml;
mod unread;
mod value;
mod yaml;

#[cfg(test)]
mod tests;

#[cfg(feature = "charset")]
pub use charset::{Chunks, encoding};
pub use document::Document;
#[cfg(feature = "charset")]
pub use encoding_rs::{Encoding, UTF_8};
pub use format::Format;
pub use passage::{Analysis, Finding, Passage, Replaced, add_countries, analyse, passages, pieces};
pub use record::{Positions, Record};
#[cfg(feature = "charset")]
pub use records::{Reading, Records};
pub use syntax::tokens;
#[cfg(feature = "charset")]
pub use unread::refusal;
pub use unread::{Unread, unread};
pub use value::{Edit, Gap, Value, edited};
