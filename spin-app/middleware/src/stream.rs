//! Bodies that pass chunk by chunk.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::task::AtomicWaker;
use http_body::{Body, Frame};
use textveil_documents::{Document, Format, Record};
use textveil_engine::Stream;

use crate::{
    config::Config,
    filter::{Filter, NOT_TEXT, malformed},
    refusal::Refusal,
};

/// Longest line of a text whose tokens are restored, in bytes. A longer one is cut at a space.
const MAX_TEXT_LINE: usize = 64 << 10;

/// The reason for which a body that passes through was broken off, for the answer to the caller.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    refusal: Mutex<Option<Refusal>>,
    waker: AtomicWaker,
}

impl Faults {
    fn note(&self, refusal: &Refusal) {
        self.0.refusal.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| refusal.clone());
        self.0.waker.wake();
    }

    /// Waits until the body is broken off, which may be never. One at a time may wait.
    pub(crate) fn poll(&self, context: &Context<'_>) -> Poll<Refusal> {
        self.0.waker.register(context.waker());
        let refusal = self.0.refusal.lock().unwrap_or_else(PoisonError::into_inner).clone();
        refusal.map_or(Poll::Pending, Poll::Ready)
    }
}

/// The answer's body, which is aborted if the request's is.
pub(crate) struct Guarded<B> {
    body: B,
    faults: Faults,
}

impl<B> Guarded<B> {
    pub(crate) fn new(body: B, faults: Faults) -> Self {
        Self { body, faults }
    }
}

impl<B> Body for Guarded<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Data = Bytes;
    type Error = Refusal;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Refusal>>> {
        if let Poll::Ready(refusal) = self.faults.poll(context) {
            return Poll::Ready(Some(Err(refusal)));
        }
        let frame = Pin::new(&mut self.body).poll_frame(context);
        frame.map(|frame| frame.map(|frame| frame.map_err(|_| Refusal::BrokenOff)))
    }
}

/// Filters chunks; the joined output does not depend on where the input is cut.
pub(crate) struct Chunks {
    /// Bytes of a character, or of a line, that is not complete.
    held: Vec<u8>,
    by: By,
}

enum By {
    /// The stream of the engine decides what is final.
    Text(Box<Stream>),
    /// The reader of a document decides where a record ends.
    Document {
        filter: Filter,
        document: Box<Document>,
    },
    Lines {
        filter: Filter,
        max_line: usize,
        is_json: bool,
    },
}

impl Chunks {
    /// Protects a text.
    ///
    /// # Errors
    /// `Misconfigured`.
    pub(crate) fn text(config: &Arc<Config>) -> Result<Self, Refusal> {
        let Config { finder, protection, keys, .. } = &**config;
        let stream = finder.stream(protection, keys.clone())?;
        Ok(Self { held: Vec::new(), by: By::Text(Box::new(stream)) })
    }

    /// Filters a document record by record.
    ///
    /// # Errors
    /// `Unsupported` for a format that is no text.
    pub(crate) fn document(filter: Filter, format: Format) -> Result<Self, Refusal> {
        let document = Box::new(Document::open_text(format).ok_or(NOT_TEXT)?);
        Ok(Self { held: Vec::new(), by: By::Document { filter, document } })
    }

    /// Filters line by line.
    pub(crate) fn lines(filter: Filter, max_line: usize, is_json: bool) -> Self {
        Self { held: Vec::new(), by: By::Lines { filter, max_line, is_json } }
    }

    /// Adds a chunk, and returns the text that is final.
    ///
    /// # Errors
    /// If the body must be aborted; none of the part at fault was returned.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> Result<Vec<u8>, Refusal> {
        self.held.extend_from_slice(chunk);
        match &mut self.by {
            By::Text(stream) => Ok(stream.push(&complete(&mut self.held)?)?.into_bytes()),
            By::Document { filter, document } => {
                let records = document.push(&complete(&mut self.held)?).map_err(malformed)?;
                written(filter, &records)
            }
            By::Lines { filter, max_line, is_json } => {
                let mut out = Vec::with_capacity(chunk.len());
                let mut done = 0;
                while let Some(line) = self.held.get(done..).and_then(|rest| next_line(rest, *is_json)) {
                    // a line is too long however it arrives
                    if line > *max_line {
                        return Err(Refusal::TooLarge(*max_line));
                    }
                    let end = done + line;
                    let line = self.held.get(done..end).unwrap_or_default();
                    out.extend(filtered_line(filter, line, *is_json)?);
                    done = end;
                }
                self.held.drain(..done);
                if self.held.len() > *max_line {
                    return Err(Refusal::TooLarge(*max_line));
                }
                Ok(out)
            }
        }
    }

    /// Gives the rest.
    ///
    /// # Errors
    /// As [`Chunks::push`].
    pub(crate) fn finish(&mut self) -> Result<Vec<u8>, Refusal> {
        let held = std::mem::take(&mut self.held);
        match &mut self.by {
            By::Text(_) | By::Document { .. } if !held.is_empty() => Err(NOT_UTF8),
            By::Document { filter, document } => written(filter, &document.finish().map_err(malformed)?),
            By::Text(stream) => Ok(stream.finish()?.into_bytes()),
            By::Lines { filter, is_json, .. } => filtered_line(filter, &held, *is_json),
        }
    }
}

/// Takes the characters that are complete.
fn complete(held: &mut Vec<u8>) -> Result<String, Refusal> {
    let complete = match std::str::from_utf8(held) {
        Ok(text) => text.len(),
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => return Err(NOT_UTF8),
    };
    let text = held.drain(..complete).collect();
    String::from_utf8(text).map_err(|_| NOT_UTF8)
}

fn written(filter: &Filter, records: &[Record]) -> Result<Vec<u8>, Refusal> {
    let mut out = Vec::new();
    for record in records {
        out.extend_from_slice(filter.record(record)?.as_bytes());
    }
    Ok(out)
}

const NOT_UTF8: Refusal = Refusal::Malformed("the body is not valid UTF-8");

fn utf8(bytes: &[u8]) -> Result<&str, Refusal> {
    std::str::from_utf8(bytes).map_err(|_| NOT_UTF8)
}

/// Returns the length of the first line with its line break. An overlong line of text ends after a space.
fn next_line(bytes: &[u8], is_json: bool) -> Option<usize> {
    if let Some(newline) = bytes.iter().position(|byte| *byte == b'\n') {
        return Some(newline + 1);
    }
    let long = bytes.get(..MAX_TEXT_LINE).filter(|_| !is_json)?;
    // a token has no space
    long.iter().rposition(|byte| *byte == b' ').map(|space| space + 1)
}

fn filtered_line(filter: &Filter, line: &[u8], is_json: bool) -> Result<Vec<u8>, Refusal> {
    let text = utf8(line)?;
    if text.trim().is_empty() {
        return Ok(line.to_vec());
    }
    let filtered = if is_json { filter.document(text, Format::Json)? } else { filter.text(text)? };
    Ok(filtered.into_bytes())
}

/// A body whose chunks are filtered while they pass.
///
/// If a chunk must not pass, the body ends with an error, so that it does not seem complete.
pub(crate) struct Filtered<B> {
    body: B,
    /// Absent after the end.
    chunks: Option<Chunks>,
    faults: Faults,
}

impl<B> Filtered<B> {
    pub(crate) fn new(body: B, chunks: Chunks, faults: Faults) -> Self {
        Self { body, chunks: Some(chunks), faults }
    }

    fn checked(&mut self, filtered: Result<Vec<u8>, Refusal>) -> Result<Vec<u8>, Refusal> {
        filtered.inspect_err(|refusal| {
            self.chunks = None;
            self.faults.note(refusal);
        })
    }
}

impl<B> Body for Filtered<B>
where
    B: Body<Data = Bytes> + Unpin,
{
    type Data = Bytes;
    type Error = Refusal;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Refusal>>> {
        let this = &mut *self;
        loop {
            let Some(chunks) = &mut this.chunks else { return Poll::Ready(None) };
            let filtered = match Pin::new(&mut this.body).poll_frame(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => chunks.push(&data),
                    // trailers are not part of the text
                    Err(_) => continue,
                },
                Poll::Ready(Some(Err(_))) => Err(Refusal::BrokenOff),
                Poll::Ready(None) => {
                    let rest = chunks.finish();
                    this.chunks = None;
                    rest
                }
            };
            match this.checked(filtered) {
                Ok(data) if data.is_empty() => {}
                Ok(data) => return Poll::Ready(Some(Ok(Frame::data(data.into())))),
                Err(refusal) => return Poll::Ready(Some(Err(refusal))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::filter::Task;

    fn config(variables: &'static [(&'static str, &'static str)]) -> Arc<Config> {
        let value = async |name: &str| {
            let given = variables.iter().chain(&[("textveil_options", "{}")]);
            Ok(given.into_iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
        };
        Config::read(value).now_or_never().unwrap().unwrap()
    }

    /// Returns the output for a body that is cut into chunks of `length` bytes.
    fn filtered(mut chunks: Chunks, body: &[u8], length: usize) -> Result<Vec<u8>, Refusal> {
        let mut out = Vec::new();
        for chunk in body.chunks(length) {
            out.extend(chunks.push(chunk)?);
        }
        out.extend(chunks.finish()?);
        Ok(out)
    }

    #[test]
    fn the_output_does_not_depend_on_the_chunks() {
        let config = config(&[("textveil_max_body", "40")]);
        let text = "é jan.novak@example.com\nPESEL 44051401359 🦀\r\n\nend";
        let lines = "{\"é\":\"jan.novak@example.com\"}\n\n[44051401359]\n\"🦀\"";
        let faulty = "a\n\"\u{e9}\"\n{\n";
        let long = "\"a\"\n\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"\n";
        let table = "id;mail\n1;\"jan.novak@example.com\"\n2;x\n";
        let page = "<p title='jan.novak@example.com'>PESEL 440514<b>01359</b> é</p>";
        let of_lines = || Chunks::lines(Filter::new(&config, Task::Protect), config.max_body, true);
        let of = |format| Chunks::document(Filter::new(&config, Task::Protect), format).unwrap();
        for (body, make) in [
            (text, &(|| Chunks::text(&config).unwrap()) as &dyn Fn() -> Chunks),
            (lines, &of_lines),
            (faulty, &of_lines),
            (long, &of_lines),
            (table, &|| of(Format::Csv)),
            (page, &|| of(Format::Html)),
        ] {
            let whole = filtered(make(), body.as_bytes(), body.len());
            for length in 1..body.len() {
                assert_eq!(filtered(make(), body.as_bytes(), length), whole, "{length} bytes a chunk");
            }
        }
        let want = "é [REDACTED]\nPESEL [REDACTED] 🦀\r\n\nend";
        assert_eq!(filtered(Chunks::text(&config).unwrap(), text.as_bytes(), 3).unwrap(), want.as_bytes());
        let want = "id;mail\n1;\"[REDACTED]\"\n2;x\n";
        assert_eq!(filtered(of(Format::Csv), table.as_bytes(), 3).unwrap(), want.as_bytes());
        let want = "<p title='[REDACTED]'>PESEL [REDACTED]<b>[REDACTED]</b> é</p>";
        assert_eq!(filtered(of(Format::Html), page.as_bytes(), 3).unwrap(), want.as_bytes());
        assert_eq!(filtered(of_lines(), long.as_bytes(), 3), Err(Refusal::TooLarge(40)));
        for half in [&b"caf\xc3"[..], b"caf\xff!"] {
            assert_eq!(filtered(Chunks::text(&config).unwrap(), half, 2), Err(NOT_UTF8));
        }
    }

    #[test]
    fn a_token_in_a_long_line_is_not_cut() {
        let config = config(&[
            ("textveil_options", r#"{"mode":"tokenize"}"#),
            ("textveil_secrets", "1:000102030405060708090a0b0c0d0e0f"),
        ]);
        let plain = "write to jan.novak@example.com or ".repeat(3_000);
        let tokens = filtered(Chunks::text(&config).unwrap(), plain.as_bytes(), 1_000).unwrap();
        assert!(!tokens.windows(4).any(|word| word == b"jan."));
        for length in [1_000, 70_001, tokens.len()] {
            let chunks = Chunks::lines(Filter::new(&config, Task::Restore), config.max_body, false);
            assert!(filtered(chunks, &tokens, length).unwrap() == plain.as_bytes(), "{length} bytes a chunk");
        }
    }
}
