//! [`Records`]: the records of a document, read from bytes in any encoding.

use std::io::Read;

use anyhow::{Context, Result};
use encoding_rs::Encoding;

use crate::{
    Chunks, Format, Record,
    document::{LONGEST, fits},
    format::{Input, ReadWhole},
    parts::{Collector, Parts, Reader},
};

/// Options for reading a document.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Its format.
    pub format: Format,
    /// Whether a plain text is one record; otherwise it is cut to pieces that each fit one call of the engine.
    pub is_whole: bool,
    /// The separator between cells of CSV; detected when absent.
    pub delimiter: Option<u8>,
    /// The encoding of the text; found by looking if absent.
    pub encoding: Option<&'static Encoding>,
}

/// The records of a document, in order.
pub struct Records<R> {
    source: Source<R>,
    collector: Collector,
}

enum Source<R> {
    /// Read in pieces.
    Text {
        chunks: Chunks<R>,
        reader: Box<dyn Reader>,
    },
    /// Read as a whole.
    Bytes {
        input: R,
        read: ReadWhole,
    },
    Ended {
        encoding: Option<&'static Encoding>,
    },
}

impl<R: Read> Records<R> {
    /// Opens a document.
    pub fn open(input: R, Reading { format, is_whole, delimiter, encoding }: Reading) -> Self {
        let source = match format.input(delimiter, is_whole) {
            Input::Text(reader) => Source::Text { chunks: Chunks::new(input, encoding), reader },
            Input::Whole(read) => Source::Bytes { input, read },
        };
        Self { source, collector: Collector::default() }
    }

    /// The encoding that the text was found to be in; `None` for ASCII, and where the format has encodings of its own.
    pub fn encoding(&self) -> Option<&'static Encoding> {
        match &self.source {
            Source::Text { chunks, .. } => chunks.encoding(),
            Source::Bytes { .. } => None,
            Source::Ended { encoding } => *encoding,
        }
    }

    /// Returns the next record; `None` at the end.
    ///
    /// # Errors
    /// If the document cannot be read or is malformed; the error names the line and quotes nothing.
    pub fn next_record(&mut self) -> Result<Option<Record>> {
        loop {
            if let Some(record) = self.collector.next() {
                return Ok(Some(record));
            }
            match &mut self.source {
                Source::Ended { .. } => return Ok(None),
                Source::Text { chunks, reader } => match chunks.next_chunk()? {
                    Some(chunk) => {
                        reader.read(&chunk, &mut self.collector)?;
                        continue;
                    }
                    None => reader.end(&mut self.collector)?,
                },
                Source::Bytes { input, read } => {
                    let mut bytes = Vec::new();
                    let read_at_most = input.take(LONGEST as u64 + 1).read_to_end(&mut bytes);
                    fits(read_at_most.context("the document cannot be read")?)?;
                    read(&bytes, &mut self.collector)?;
                }
            }
            let encoding = self.encoding();
            self.collector.end_record();
            self.source = Source::Ended { encoding };
        }
    }
}
