//! Messages (RFC 5322) with their parts (MIME, RFC 2045).
//!
//! A message comes out in UTF-8: a part that is encoded, or in another character set, is written as it reads, and its
//! fields say so. Fields that change are written as RFC 6532 has them.

use std::{cell::Cell, collections::HashSet, ops::Range};

use anyhow::{Context, Result, anyhow, bail};
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::{Encoding, Header, HeaderName, Message, MessageParser, MessagePart, MimeHeaders, PartType};

use crate::{Format, Value, parts::Parts, places::Places, syntax::Syntax, unread::unread};

/// Deepest message inside a message.
const DEEPEST: usize = 8;

/// Why a part or a field with an unknown character set is rejected.
const UNKNOWN: &str = "is in an unknown character set; convert it to UTF-8";

/// Types that an error names. Any other is what the message says, which may be personal data.
const NAMED: [&str; 12] = [
    "application/json",
    "application/msword",
    "application/octet-stream",
    "application/pdf",
    "application/zip",
    "audio/mpeg",
    "image/gif",
    "image/jpeg",
    "image/png",
    "text/html",
    "text/plain",
    "video/mp4",
];

/// Hands over a whole message.
///
/// # Errors
/// If a part is no text, or cannot be read, with its line.
pub(crate) fn read(bytes: &[u8], parts: &mut dyn Parts) -> Result<()> {
    if let Some(other) = unread(bytes) {
        return Err(other.into());
    }
    Mail::read(bytes, 1, 0, parts)
}

struct Mail<'a> {
    bytes: &'a [u8],
    /// The line that the message begins on.
    line: usize,
    /// A place, and how many lines precede it: parts are read in order.
    counted: Cell<(usize, usize)>,
    depth: usize,
    /// The boundaries between parts.
    boundaries: HashSet<String>,
}

impl<'a> Mail<'a> {
    fn read(bytes: &'a [u8], line: usize, depth: usize, parts: &mut dyn Parts) -> Result<()> {
        let parser = MessageParser::new().default_header_text().with_mime_headers();
        let message = parser.parse(bytes).with_context(|| format!("line {line} does not begin a message"))?;
        let boundaries = message.parts.iter().filter_map(|part| {
            part.content_type()?.attribute("boundary").map(|boundary| format!("--{boundary}"))
        });
        let boundaries = boundaries.collect();
        Self { bytes, line, counted: Cell::default(), depth, boundaries }.message(&message, parts)
    }

    fn message(&self, message: &Message, parts: &mut dyn Parts) -> Result<()> {
        let mut all: Vec<_> = message.parts.iter().collect();
        all.sort_by_key(|part| part.offset_header);
        let mut done = 0;
        for part in all {
            let (header, body, end) = (at(part.offset_header), at(part.offset_body), at(part.offset_end));
            self.between(done..header, parts)?;
            self.fields(part, header..body, parts)?;
            done = body;
            if !matches!(part.body, PartType::Multipart(_)) {
                self.body(part, body..end, parts)?;
                done = end.max(body);
            }
        }
        self.between(done..self.bytes.len(), parts)
    }

    /// Hands over what precedes, separates and follows parts: lines that are no separators may hold anything.
    fn between(&self, place: Range<usize>, parts: &mut dyn Parts) -> Result<()> {
        for line in self.text(place)?.split_inclusive('\n') {
            let content = line.trim_end();
            let boundary = content.strip_suffix("--").unwrap_or(content);
            if self.boundaries.contains(content) || self.boundaries.contains(boundary) {
                parts.keep(line);
            } else {
                plain(line, parts);
            }
        }
        Ok(())
    }

    fn fields(&self, part: &MessagePart, place: Range<usize>, parts: &mut dyn Parts) -> Result<()> {
        let mut done = place.start;
        for header in &part.headers {
            let (start, end) = (at(header.offset_start), at(header.offset_end));
            self.between(done..at(header.offset_field), parts)?;
            parts.keep(self.text(at(header.offset_field)..start)?);
            done = end;
            let raw = self.text(start..end)?;
            let content = raw.trim_end_matches(['\r', '\n']);
            match &header.name {
                HeaderName::ContentTransferEncoding if is_written_anew(part) => parts.keep(" 8bit"),
                HeaderName::ContentTransferEncoding | HeaderName::MimeVersion => parts.keep(content),
                HeaderName::ContentType => content_type(content, part, parts),
                _ => field(content, header, parts)
                    .map_err(|error| anyhow!("the field on line {} {error}", self.line_of(start)))?,
            }
            parts.keep(raw.get(content.len()..).unwrap_or_default());
        }
        self.between(done..place.end, parts)
    }

    fn body(&self, part: &MessagePart, place: Range<usize>, parts: &mut dyn Parts) -> Result<()> {
        let kind = media_type(part);
        let start = place.start;
        let named = NAMED.iter().find(|named| **named == kind);
        let of_type = named.map_or(String::new(), |named| format!(", of type {named},"));
        let unread = |what: &str| format!("the part on line {}{of_type} {what}", self.line_of(start));
        match &part.body {
            PartType::Text(text) | PartType::Html(text) => {
                if charset(part).is_some_and(|charset| !is_known(charset)) {
                    bail!(unread(UNKNOWN));
                }
                if part.is_encoding_problem || text.contains('\u{fffd}') {
                    bail!(unread("is not in the encoding that it names"));
                }
                let format = Format::of_media_type(&kind).unwrap_or(Format::Text);
                let text = if is_written_anew(part) { text.as_ref() } else { self.text(place)? };
                let mut reader = format.reader(None, false).with_context(|| unread("cannot be read"))?;
                reader
                    .read(text, parts)
                    .and_then(|()| reader.end(parts))
                    .with_context(|| unread("is malformed"))?;
                Ok(())
            }
            PartType::Message(_) if part.encoding == Encoding::None && self.depth < DEEPEST => {
                let bytes = self.bytes.get(place).unwrap_or_default();
                Self::read(bytes, self.line_of(start), self.depth + 1, parts)
            }
            PartType::Multipart(_) => Ok(()),
            _ => bail!(unread("cannot be inspected; remove it from the message")),
        }
    }

    /// Some bytes of the message, which are text.
    fn text(&self, place: Range<usize>) -> Result<&'a str> {
        let bytes = self.bytes.get(place.clone()).unwrap_or_default();
        std::str::from_utf8(bytes).map_err(|error| {
            let line = self.line_of(place.start + error.valid_up_to());
            anyhow!("line {line} is not UTF-8, and no field says what it is")
        })
    }

    fn line_of(&self, place: usize) -> usize {
        let (at, lines) = Some(self.counted.get()).filter(|(at, _)| *at <= place).unwrap_or_default();
        let between = self.bytes.get(at..place).unwrap_or_default();
        let lines = lines + between.iter().filter(|byte| **byte == b'\n').count();
        self.counted.set((place, lines));
        self.line + lines
    }
}

fn at(offset: u32) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

fn media_type(part: &MessagePart) -> String {
    let default = || if is_text(part) { "text/plain" } else { "application/octet-stream" }.to_owned();
    part.content_type().map_or_else(default, |kind| match kind.subtype() {
        Some(subtype) => format!("{}/{subtype}", kind.ctype()).to_ascii_lowercase(),
        None => kind.ctype().to_ascii_lowercase(),
    })
}

fn is_text(part: &MessagePart) -> bool {
    matches!(part.body, PartType::Text(_) | PartType::Html(_))
}

fn charset<'p>(part: &'p MessagePart) -> Option<&'p str> {
    part.content_type().and_then(|kind| kind.attribute("charset"))
}

/// Whether a character set is UTF-8, or a part of it.
fn is_utf8(charset: &str) -> bool {
    ["utf-8", "utf8", "us-ascii", "ascii"].iter().any(|same| charset.eq_ignore_ascii_case(same))
}

/// Whether the parser knows a character set. It reads any other as UTF-8, and without `encoding_rs` those of several
/// bytes a character as well, in which no character begins with these bytes.
fn is_known(charset: &str) -> bool {
    match charset_decoder(charset.as_bytes()) {
        Some(decoder) => cfg!(feature = "charset") || !decoder(&[0xe8, b'A']).contains('\u{fffd}'),
        None => is_utf8(charset),
    }
}

/// Whether a part is written as it reads: it is encoded, or in another character set.
fn is_written_anew(part: &MessagePart) -> bool {
    is_text(part) && (part.encoding != Encoding::None || !charset(part).is_none_or(is_utf8))
}

/// Hands over the content of a field, which its name labels.
///
/// # Errors
/// If it has a word in an unknown character set, or not in the one that it names (RFC 2047).
fn field(content: &str, header: &Header, parts: &mut dyn Parts) -> Result<()> {
    let space = content.len() - content.trim_start().len();
    let (space, content) = content.split_at(space);
    parts.keep(space);
    if content.is_empty() {
        return Ok(());
    }
    if !charsets(content).all(is_known) {
        bail!(UNKNOWN);
    }
    let (text, syntax) = match header.value.as_text().filter(|_| content.contains("=?")) {
        Some(text) => (text.to_owned(), Syntax::anew()),
        None => unfolded(content),
    };
    if text.contains('\u{fffd}') && !content.contains('\u{fffd}') {
        bail!("is not in the encoding that it names");
    }
    let label = Some(header.name.as_str().to_owned());
    parts.value(content, Value { label, text, syntax, ..Value::default() });
    Ok(())
}

/// The character sets of the encoded words of a field: `=?iso-8859-2*cs?Q?…?=`.
fn charsets(content: &str) -> impl Iterator<Item = &str> {
    content.split("=?").skip(1).filter_map(|word| {
        let (charset, rest) = word.split_once('?')?;
        let is_word = ["Q?", "q?", "B?", "b?"].iter().any(|encoding| rest.starts_with(encoding));
        is_word.then(|| charset.split('*').next().unwrap_or_default())
    })
}

/// A field on one line (RFC 5322, 2.2.3).
fn unfolded(content: &str) -> (String, Syntax) {
    let (mut text, mut places, mut done) = (String::with_capacity(content.len()), Places::default(), 0);
    for line in content.split_inclusive('\n') {
        text.push_str(line.trim_end_matches(['\r', '\n']));
        done += line.len();
        if line.ends_with('\n') {
            places.leave_out(text.len(), done);
        }
    }
    (text, Syntax::placed(places))
}

/// Hands over the type of a part: its boundary stays, and the character set is that of the written text.
fn content_type(content: &str, part: &MessagePart, parts: &mut dyn Parts) {
    let (mut done, mut has_charset) = (0, false);
    for (start, parameter) in parameters(content) {
        let name = parameter.split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
        let new = match name.as_str() {
            "boundary" => parameter.to_owned(),
            "charset" if is_written_anew(part) => " charset=utf-8".to_owned(),
            _ => continue,
        };
        has_charset |= name == "charset";
        plain(content.get(done..start).unwrap_or_default(), parts);
        parts.keep(&new);
        done = start + parameter.len();
    }
    plain(content.get(done..).unwrap_or_default(), parts);
    if is_written_anew(part) && !has_charset {
        parts.keep("; charset=utf-8");
    }
}

/// The parameters of a field after its first semicolon, and where they start. One in quotes may have semicolons.
fn parameters(content: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let (mut start, mut is_quoted) = (0, false);
    for (at, byte) in content.bytes().enumerate().chain([(content.len(), b';')]) {
        is_quoted ^= byte == b'"';
        if byte == b';' && (!is_quoted || at == content.len()) {
            found.push((start, content.get(start..at).unwrap_or_default()));
            start = at + 1;
        }
    }
    found.drain(..found.len().min(1));
    found
}

fn plain(raw: &str, parts: &mut dyn Parts) {
    if raw.trim().is_empty() {
        parts.keep(raw);
    } else {
        parts.value(raw, Value { text: raw.to_owned(), is_aside: true, ..Value::default() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Record, parts::Collector, tests::rewritten};

    fn records_of(message: &[u8]) -> Result<Vec<Record>> {
        let mut collector = Collector::default();
        read(message, &mut collector)?;
        collector.end_record();
        Ok(std::iter::from_fn(|| collector.next()).collect())
    }

    /// The message with `old` replaced in each value.
    fn replaced(message: &[u8], old: &str, new: &str) -> String {
        let records = records_of(message).unwrap();
        let change = |record: &Record| {
            let texts: Vec<_> = record.values.iter().map(|value| value.text.replace(old, new)).collect();
            rewritten(record, &texts.iter().map(|text| Some(text.as_str())).collect::<Vec<_>>())
        };
        records.iter().map(change).collect()
    }

    const PLAIN: &str = "From: Jan <jan@example.cz>\r\nSubject: Hello\r\n there\r\nMIME-Version: 1.0\r\n\
        Content-Type: text/plain; charset=utf-8\r\n\r\nHello jan@example.cz!\r\n";

    #[test]
    fn what_does_not_change_stays() {
        assert_eq!(replaced(PLAIN.as_bytes(), "none", "x"), PLAIN);
        assert_eq!(replaced(PLAIN.as_bytes(), "jan@example.cz", "X"), PLAIN.replace("jan@example.cz", "X"));
        let records = records_of(PLAIN.as_bytes()).unwrap();
        let values: Vec<_> =
            records[0].values.iter().map(|v| (v.label.as_deref(), v.text.as_str())).collect();
        assert_eq!(values[..2], [(Some("From"), "Jan <jan@example.cz>"), (Some("Subject"), "Hello there")]);
    }

    #[test]
    fn parts_that_are_encoded_are_written_as_they_read() {
        let message = "Subject: =?iso-8859-2?Q?=C8apek?=\nContent-Type: multipart/alternative; boundary=\"b 4111111111111111\"\n\n\
            Preamble of jan@example.cz\n--b 4111111111111111\nContent-Type: text/plain; charset=iso-8859-2\n\
            Content-Transfer-Encoding: quoted-printable\n\n=C8apek jan=40example.cz\n--b 4111111111111111\n\
            Content-Type: text/html\nContent-Transfer-Encoding: base64\n\nPGI+amFuQGV4YW1wbGUuY3o8L2I+\n\
            --b 4111111111111111--\n";
        let expected = "Subject: =?iso-8859-2?Q?=C8apek?=\nContent-Type: multipart/alternative; boundary=\"b 4111111111111111\"\n\n\
            Preamble of X\n--b 4111111111111111\nContent-Type: text/plain; charset=utf-8\n\
            Content-Transfer-Encoding: 8bit\n\nČapek X\n--b 4111111111111111\n\
            Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n<b>X</b>\n\
            --b 4111111111111111--\n";
        assert_eq!(replaced(message.as_bytes(), "jan@example.cz", "X"), expected);
        let texts = records_of(message.as_bytes()).unwrap();
        assert_eq!(texts[0].values[0].text, "Čapek");
    }

    #[test]
    fn messages_inside_messages_are_read() {
        let message = format!("Content-Type: message/rfc822\r\n\r\n{PLAIN}");
        assert_eq!(
            replaced(message.as_bytes(), "jan@example.cz", "X"),
            message.replace("jan@example.cz", "X")
        );
    }

    #[test]
    fn an_error_names_no_type_that_may_be_personal_data() {
        let error = records_of(b"Content-Type: image/44051401359\n\nx\n").unwrap_err().to_string();
        assert_eq!(error, "the part on line 3 cannot be inspected; remove it from the message");
    }

    #[test]
    fn what_cannot_be_inspected_is_refused() {
        for (message, what) in [
            (
                "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n",
                "line 4, of type image/png, cannot be inspected",
            ),
            ("Content-Type: application/json\n\n{\n", "cannot be inspected"),
            ("Content-Type: text/plain; charset=utf-8\n\n\u{fffd}\n", "is not in the encoding"),
            (
                "Content-Type: text/plain; charset=x-own\n\nx\n",
                "the part on line 3, of type text/plain, is in an unknown character set",
            ),
            (
                "A: b\nSubject: =?x-own?Q?=C8apek?=\n\nx\n",
                "the field on line 2 is in an unknown character set",
            ),
            ("Subject: =?utf-8*cs?B?/w==?=\n\nx\n", "the field on line 1 is not in the encoding"),
        ] {
            let error = records_of(message.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
        assert!(
            records_of(b"Subject: \xff\n\nx\n").unwrap_err().to_string().starts_with("line 1 is not UTF-8")
        );
    }
}
