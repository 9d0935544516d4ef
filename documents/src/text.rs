//! Plain text.

use std::io::{BufRead, Read};

use anyhow::{Result, bail};
use textveil_engine::limits::MAX_TEXT_CHARS;

use super::{Record, Records, Value, passage::pieces};

/// Bytes read at once.
const CHUNK: usize = 64 << 10;
/// The size in bytes of at least one piece, whatever its characters.
const PIECE: usize = 4 * MAX_TEXT_CHARS + 4;

/// The text of a reader in pieces as they come, cut between characters.
pub struct Chunks<R> {
    input: R,
    /// Room for a chunk; its first bytes may be the start of a character whose rest is yet to come.
    buffer: Vec<u8>,
    held: usize,
    line: usize,
}

impl<R: Read> Chunks<R> {
    /// Of this reader.
    pub fn new(input: R) -> Self {
        Self { input, buffer: vec![0; CHUNK], held: 0, line: 1 }
    }

    /// The next piece, never empty; none at the end.
    ///
    /// # Errors
    /// Where the reader fails, or what it reads is not UTF-8.
    pub fn next_chunk(&mut self) -> Result<Option<String>> {
        loop {
            let room = self.buffer.get_mut(self.held..).unwrap_or_default();
            let read = match self.input.read(room) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            let bytes = self.buffer.get(..self.held + read).unwrap_or_default();
            let complete = match std::str::from_utf8(bytes) {
                Ok(text) => text.len(),
                // a character may go on in the next chunk, but not after the end
                Err(error) if error.error_len().is_none() && read > 0 => error.valid_up_to(),
                Err(error) => {
                    let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
                    return Err(not_utf8(self.line + newlines(before)));
                }
            };
            let text = String::from_utf8_lossy(bytes.get(..complete).unwrap_or_default()).into_owned();
            self.held = bytes.len() - complete;
            self.buffer.copy_within(complete..complete + self.held, 0);
            self.line += newlines(text.as_bytes());
            if !text.is_empty() {
                return Ok(Some(text));
            }
            if read == 0 {
                return Ok(None);
            }
        }
    }
}

/// Blocks of lines, each as long as one call of the engine takes; or the whole text as one.
pub struct Blocks<R> {
    chunks: Chunks<R>,
    whole: bool,
    ended: bool,
    pending: String,
    line: usize,
}

impl<R: BufRead> Blocks<R> {
    /// Of this input; `whole` keeps it in one record.
    pub fn new(input: R, whole: bool) -> Self {
        Self { chunks: Chunks::new(input), whole, ended: false, pending: String::new(), line: 1 }
    }
}

impl<R: BufRead> Records for Blocks<R> {
    fn next(&mut self) -> Result<Option<Record>> {
        // always as much as fits, so that how fast the input arrives makes no difference
        while !self.ended && (self.whole || self.pending.len() < PIECE) {
            match self.chunks.next_chunk()? {
                Some(chunk) => self.pending.push_str(&chunk),
                None => self.ended = true,
            }
        }
        let end =
            if self.whole { self.pending.len() } else { pieces(&self.pending).next().unwrap_or(0..0).end };
        if end == 0 {
            return Ok(None);
        }
        let rest = self.pending.split_off(end);
        let raw = std::mem::replace(&mut self.pending, rest);
        let line = self.line;
        self.line += newlines(raw.as_bytes());
        let value = Value { place: 0..raw.len(), label: None, text: raw.clone() };
        Ok(Some(Record { raw, line, values: vec![value] }))
    }

    fn encode(&self, _old: &str, text: &str) -> String {
        text.to_owned()
    }
}

/// Reads a line, its end included; false at the end.
///
/// # Errors
/// Where it cannot be read, is not UTF-8, or is longer than `most` bytes.
pub(crate) fn read_line(
    input: &mut dyn BufRead,
    into: &mut String,
    line: usize,
    most: usize,
) -> Result<bool> {
    let mut bytes = Vec::new();
    input.take(most as u64 + 1).read_until(b'\n', &mut bytes)?;
    if bytes.len() > most {
        bail!("line {line} is longer than {most} bytes; is it of another format? Say which with --format");
    }
    into.push_str(std::str::from_utf8(&bytes).map_err(|_| not_utf8(line))?);
    Ok(!bytes.is_empty())
}

pub(crate) fn not_utf8(line: usize) -> anyhow::Error {
    anyhow::anyhow!(
        "line {line} is not UTF-8; convert the document first, for example with `iconv -f WINDOWS-1250 -t UTF-8`"
    )
}

fn newlines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            self.0.read(&mut into[..1])
        }
    }

    #[test]
    fn characters_are_never_cut() {
        let text = "číslo 🦀 e\u{301}\r\n";
        let mut chunks = Chunks::new(Slow(text.as_bytes()));
        let mut joined = String::new();
        while let Some(chunk) = chunks.next_chunk().unwrap() {
            joined.push_str(&chunk);
        }
        assert_eq!(joined, text);
    }

    #[test]
    fn what_is_not_utf8_is_refused_with_its_line() {
        for bytes in [&b"a\nb\n\xff"[..], b"a\nb\n\xc5"] {
            let mut chunks = Chunks::new(Slow(bytes));
            let error = loop {
                match chunks.next_chunk() {
                    Ok(chunk) => assert!(chunk.is_some(), "no error"),
                    Err(error) => break error,
                }
            };
            assert!(error.to_string().starts_with("line 3 is not UTF-8"), "{error}");
        }
    }

    #[test]
    fn blocks_fit_one_call_and_join_to_the_text() {
        let text = "žluťoučký kůň\n".repeat(20_000);
        let mut blocks = Blocks::new(text.as_bytes(), false);
        let mut joined = String::new();
        let mut count = 0;
        while let Some(record) = blocks.next().unwrap() {
            assert_eq!(record.line, joined.matches('\n').count() + 1);
            assert!(record.raw.chars().count() <= MAX_TEXT_CHARS);
            assert!(record.raw.ends_with('\n'));
            joined.push_str(&record.raw);
            count += 1;
        }
        assert_eq!(joined, text);
        assert_eq!(count, 6);
    }
}
