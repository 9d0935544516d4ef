//! [`Document`]: a document that arrives in pieces.

use anyhow::{Result, bail};

use crate::{
    Format, Record,
    format::Input,
    parts::{Collector, Parts},
    unread::Start,
};

/// Longest document that is held in memory because its format cannot be read in pieces, in bytes.
pub(crate) const LONGEST: usize = 64 << 20;

/// A document that arrives in pieces.
pub struct Document {
    input: Input,
    /// The pieces of a document that is read as a whole.
    held: Vec<u8>,
    start: Start,
    collector: Collector,
}

impl Document {
    /// Opens a document.
    pub fn open(format: Format) -> Self {
        Self::of(format.input(None, false))
    }

    /// Opens a document of a format that is text; `None` for one that is read as a whole.
    ///
    /// A program that calls only this has no readers of messages and Word documents in it.
    pub fn open_text(format: Format) -> Option<Self> {
        format.reader(None, false).map(|reader| Self::of(Input::Text(reader)))
    }

    fn of(input: Input) -> Self {
        Self { input, held: Vec::new(), start: Start::default(), collector: Collector::default() }
    }

    /// Takes the next piece and returns the records that are complete.
    ///
    /// # Errors
    /// If the document is malformed; the error names the line and quotes nothing. If it is of a format that is not read.
    pub fn push(&mut self, text: &str) -> Result<Vec<Record>> {
        match &mut self.input {
            Input::Text(reader) => {
                self.start.read(text.as_bytes())?;
                reader.read(text, &mut self.collector)?;
            }
            Input::Whole(_) => self.hold(text.as_bytes())?,
        }
        Ok(self.collector.complete())
    }

    /// Takes the next bytes of a document that is read as a whole: a message or a Word document.
    ///
    /// # Errors
    /// If the document is longer than 64 MiB, or its format is text, whose encoding is not known here.
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        match self.input {
            Input::Whole(_) => self.hold(bytes),
            Input::Text(_) => bail!("a document of this format is text; decode it first"),
        }
    }

    fn hold(&mut self, bytes: &[u8]) -> Result<()> {
        self.held.extend_from_slice(bytes);
        fits(self.held.len())
    }

    /// Returns the remaining records.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn finish(&mut self) -> Result<Vec<Record>> {
        match &mut self.input {
            Input::Text(reader) => reader.end(&mut self.collector)?,
            Input::Whole(read) => read(&std::mem::take(&mut self.held), &mut self.collector)?,
        }
        self.collector.end_record();
        Ok(self.collector.complete())
    }
}

/// Fails for a document that is too long to be read as a whole.
pub(crate) fn fits(length: usize) -> Result<()> {
    if length > LONGEST {
        bail!("the document is longer than 64 MiB");
    }
    Ok(())
}
