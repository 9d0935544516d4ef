//! The documents of a command: sources, formats and destinations.

mod source;
mod target;

use std::{io::BufRead, path::Path};

use clap::ValueEnum;
use textveil_documents::{Blocks, Documents, Records, Rows};

pub use source::{Progress, Source, Sources};
pub use target::{Target, Targets};

/// How a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Plain text, logs, source code: everything may change
    Text,
    /// Comma-separated values, or any other delimiter: only cells change
    Csv,
    /// One JSON document: only keys, strings and numbers change; a number becomes a string
    Json,
    /// One JSON document a line: only keys, strings and numbers change
    Ndjson,
}

impl Format {
    /// Returns the format of a file by its extension; plain text for an unknown one.
    pub fn of(path: &Path) -> Self {
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        match extension.as_ref().and_then(|extension| extension.to_str()) {
            Some("csv" | "tsv" | "tab") => Self::Csv,
            Some("json") => Self::Json,
            Some("ndjson" | "jsonl") => Self::Ndjson,
            _ => Self::Text,
        }
    }
}

/// The records of a document of a format. `whole` keeps a plain text in one piece; `delimiter` is
/// that of CSV, found by looking when none.
pub fn records<'a>(
    input: Box<dyn BufRead + 'a>,
    format: Format,
    whole: bool,
    delimiter: Option<u8>,
) -> Box<dyn Records + 'a> {
    match format {
        Format::Text => Box::new(Blocks::new(input, whole)),
        Format::Csv => Box::new(Rows::new(input, delimiter)),
        Format::Json => Box::new(Documents::whole(input)),
        Format::Ndjson => Box::new(Documents::lines(input)),
    }
}
