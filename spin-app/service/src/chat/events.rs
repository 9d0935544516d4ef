//! Server-sent events (HTML standard §9.2): bytes in, events out, and a writer.
//!
//! Bytes may be cut anywhere, even inside a character. A line ends with LF, CR or CRLF; a byte order mark at
//! the start and comments are skipped; several `data` lines are one text.

use std::{borrow::Cow, fmt, mem};

use serde_json::{Map, Value};

use super::surrogates::Surrogates;

/// An event.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// Its type; none for `message`.
    pub name: Option<String>,
    /// Its text.
    pub data: String,
    /// Its id, if it has one.
    pub id: Option<String>,
}

impl SseEvent {
    /// An event without a name.
    pub fn data(data: impl Into<String>) -> Self {
        Self { data: data.into(), ..Self::default() }
    }

    /// Returns the event with this object as its text.
    pub(super) fn with(self, members: Map<String, Value>) -> Self {
        Self { data: Value::Object(members).to_string(), ..self }
    }

    /// The event as bytes on the wire.
    pub fn write(&self) -> String {
        let mut out = String::with_capacity(self.data.len() + 16);
        for (field, value) in [("event", &self.name), ("id", &self.id)] {
            if let Some(value) = value {
                // a line break would end the field
                let line = value.replace(['\r', '\n'], " ");
                out.push_str(&format!("{field}: {line}\n"));
            }
        }
        for line in self.data.replace("\r\n", "\n").split(['\n', '\r']) {
            out.push_str("data: ");
            out.push_str(line);
            out.push('\n');
        }
        out.push('\n');
        out
    }
}

/// The text stays out: only its length is shown.
impl fmt::Debug for SseEvent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SseEvent({} bytes)", self.data.len())
    }
}

/// Why a stream of events cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// An event is larger than the reader allows.
    TooLarge,
    /// A line is not UTF-8, so it cannot be inspected.
    NotUtf8,
}

/// Reads events from bytes that arrive in pieces.
pub struct EventReader {
    /// Most bytes of one event, its comments included.
    limit: usize,
    line: Vec<u8>,
    event: SseEvent,
    /// The event has a `data` line.
    has_data: bool,
    /// Bytes of the event so far.
    size: usize,
    /// The last byte was a CR: a following LF belongs to it.
    after_cr: bool,
    /// No line has ended yet.
    at_start: bool,
    /// Joins characters that were cut in two, if the texts are JSON.
    surrogates: Option<Surrogates>,
}

impl EventReader {
    /// A reader of events of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            event: SseEvent::default(),
            has_data: false,
            size: 0,
            after_cr: false,
            at_start: true,
            surrogates: None,
        }
    }

    /// A reader of events whose texts are JSON, with whole characters only.
    pub fn of_json(limit: usize) -> Self {
        Self { surrogates: Some(Surrogates::default()), ..Self::new(limit) }
    }

    /// Adds bytes and returns the events that end in them in `events`.
    ///
    /// # Errors
    /// [`Unreadable`]; the rest of the stream must not be read then. `events` contains the events before
    /// that.
    pub fn push(&mut self, bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), Unreadable> {
        let mut rest = bytes;
        if mem::take(&mut self.after_cr) {
            self.after_cr = rest.is_empty();
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, ending) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            self.extend(line)?;
            events.extend(self.end_line()?);
            let crlf = ending.strip_prefix(b"\r\n");
            self.after_cr = ending == b"\r";
            rest = crlf.or(ending.get(1..)).unwrap_or_default();
        }
        self.extend(rest)
    }

    fn extend(&mut self, line: &[u8]) -> Result<(), Unreadable> {
        self.size = self.size.saturating_add(line.len());
        if self.size > self.limit {
            return Err(Unreadable::TooLarge);
        }
        self.line.extend_from_slice(line);
        Ok(())
    }

    /// Reads a line; the event, if an empty one ends it.
    fn end_line(&mut self) -> Result<Option<SseEvent>, Unreadable> {
        let line = mem::take(&mut self.line);
        let line = std::str::from_utf8(&line).map_err(|_| Unreadable::NotUtf8)?;
        let first = mem::take(&mut self.at_start);
        let line = if first { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line };
        if line.is_empty() {
            self.size = 0;
            let mut event = mem::take(&mut self.event);
            if let Some(Cow::Owned(mended)) = self.surrogates.as_mut().map(|halves| halves.mend(&event.data))
            {
                event.data = mended;
            }
            return Ok(mem::take(&mut self.has_data).then_some(event));
        }
        // each line of an event counts, or an endless row of empty fields would be kept
        self.size = self.size.saturating_add(1);
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        self.field(field, value.strip_prefix(' ').unwrap_or(value));
        Ok(None)
    }

    fn field(&mut self, field: &str, value: &str) {
        match field {
            "data" => {
                if mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            "event" => self.event.name = Some(value.to_owned()),
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            // comments, `retry`, and what the standard ignores
            _ => {}
        }
    }
}

/// The text stays out: only its length is shown.
impl fmt::Debug for EventReader {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "EventReader({} bytes held)", self.size)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Each event as `name:id:data`.
    fn read(pieces: &[&[u8]]) -> Result<Vec<String>, Unreadable> {
        let mut reader = EventReader::new(64);
        let mut out = Vec::new();
        for piece in pieces {
            let mut events = Vec::new();
            reader.push(piece, &mut events)?;
            out.extend(events.into_iter().map(|event| {
                let [name, id] = [event.name, event.id].map(Option::unwrap_or_default);
                format!("{name}:{id}:{}", event.data)
            }));
        }
        Ok(out)
    }

    const STREAMS: [(&str, &[&str]); 13] = [
        ("data: a\r\ndata: b\r\n\r\n", &["::a\nb"]),
        ("data: a\n\ndata: b\n\n", &["::a", "::b"]),
        ("data: a\r\n\r\ndata:b\r\n\r\n", &["::a", "::b"]),
        ("data: a\r\rdata:  b\r\r", &["::a", ":: b"]),
        ("data: a\r\n\rdata: b\n\r\n", &["::a", "::b"]),
        ("\u{feff}data: a\n\n", &["::a"]),
        ("data: a\n\u{feff}data: b\n\n", &["::a"]),
        (": comment\ndata: a\n: more\ndata\ndata: b\n\n", &["::a\n\nb"]),
        ("event: ping\nid: 7\nretry: 1\nother\ndata: {}\n\n", &["ping:7:{}"]),
        ("event: ping\n\ndata: a\n\n", &["::a"]),
        ("data: žluťoučký 👩\n\n", &["::žluťoučký 👩"]),
        ("data\n\n\n\n", &["::"]),
        ("data: unfinished\n", &[]),
    ];

    #[test]
    fn framings() {
        for (stream, want) in STREAMS {
            assert_eq!(read(&[stream.as_bytes()]).unwrap(), want, "{stream:?}");
        }
    }

    /// Cut at any two places, and byte by byte.
    #[test]
    fn cuts_do_not_matter() {
        for (stream, want) in STREAMS {
            let bytes = stream.as_bytes();
            for first in 0..=bytes.len() {
                for second in first..=bytes.len() {
                    let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                    assert_eq!(read(&pieces).unwrap(), want, "{stream:?} at {first}, {second}");
                }
            }
            let each: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(read(&each).unwrap(), want, "{stream:?} byte by byte");
        }
    }

    #[test]
    fn what_cannot_be_read() {
        let long = "x".repeat(65);
        let lines = ":\n".repeat(40);
        for (stream, want) in [
            (format!("data: {long}").into_bytes(), Unreadable::TooLarge),
            (format!("data: a\n: {long}").into_bytes(), Unreadable::TooLarge),
            (lines.into_bytes(), Unreadable::TooLarge),
            (b"data: \xff\n\n".to_vec(), Unreadable::NotUtf8),
        ] {
            assert_eq!(read(&[&stream]), Err(want));
        }
        // small events may be many
        assert_eq!(read(&["data: 123456789\n\n".repeat(100).as_bytes()]).unwrap().len(), 100);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(data in "[^\r]{0,20}", name in proptest::option::of("[a-z]{1,5}")) {
            let event = SseEvent { name, data, id: None };
            let written = event.write();
            let mut read = Vec::new();
            EventReader::new(1_000).push(written.as_bytes(), &mut read).unwrap();
            prop_assert_eq!(read, vec![event]);
        }
    }
}
