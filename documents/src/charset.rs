//! Bytes as text, in the encoding that they are in.

use std::io::Read;

use anyhow::{Result, bail};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::unread::Start;

/// Bytes read at once. The part by which an encoding is detected is at most this long.
const CHUNK: usize = 64 << 10;

/// The encoding of a name, such as `windows-1250` (WHATWG Encoding Standard).
///
/// # Errors
/// If no encoding has this name.
pub fn encoding(name: &str) -> Result<&'static Encoding> {
    match Encoding::for_label(name.as_bytes()) {
        Some(encoding) => Ok(encoding),
        None => bail!("the encoding must have a known name, such as utf-8 or windows-1250"),
    }
}

/// The text of a reader in pieces as they come, cut between characters. A byte order mark is kept.
///
/// Without a given encoding, the text is in that of its byte order mark, or in UTF-8, or else in the one that its first
/// 64 KiB with other bytes than ASCII are most likely in. Text that is not in its encoding is rejected: a replaced
/// character may hide personal data.
pub struct Chunks<R> {
    input: R,
    given: Option<&'static Encoding>,
    decoder: Option<Decoder>,
    /// Bytes that were read and not decoded.
    held: Vec<u8>,
    has_ended: bool,
    /// Whether the last byte was decoded: a decoder must not be used again.
    is_decoded: bool,
    line: usize,
    start: Start,
}

impl<R: Read> Chunks<R> {
    /// Of this reader, in this encoding if it is known.
    pub fn new(input: R, encoding: Option<&'static Encoding>) -> Self {
        Self {
            input,
            given: encoding,
            decoder: None,
            held: Vec::new(),
            has_ended: false,
            is_decoded: false,
            line: 1,
            start: Start::default(),
        }
    }

    /// The encoding that the text was found to be in, once it has other characters than ASCII.
    pub fn encoding(&self) -> Option<&'static Encoding> {
        self.decoder.as_ref().map(Decoder::encoding)
    }

    /// The next piece, never empty; `None` at the end.
    ///
    /// # Errors
    /// If the reader fails, the text is not in its encoding, or the file is of a format that is not read.
    pub fn next_chunk(&mut self) -> Result<Option<String>> {
        loop {
            if self.is_decoded {
                return Ok(None);
            }
            if !self.has_ended {
                // at first a whole unit of UTF-16, which is told by its zero byte
                self.fill(if self.start.is_empty() { 2 } else { 1 })?;
            }
            if self.decoder.is_none() {
                self.choose()?;
            }
            let text = self.decode()?;
            self.line += text.bytes().filter(|byte| *byte == b'\n').count();
            if !text.is_empty() {
                return Ok(Some(text));
            }
        }
    }

    /// Reads until at least so many bytes are held, or the input has ended.
    fn fill(&mut self, wanted: usize) -> Result<()> {
        while self.held.len() < wanted && !self.has_ended {
            let start = self.held.len();
            self.held.resize(start + CHUNK, 0);
            let read = match self.input.read(self.held.get_mut(start..).unwrap_or_default()) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {
                    self.held.truncate(start);
                    continue;
                }
                read => read?,
            };
            self.held.truncate(start + read);
            self.start.read(self.held.get(start..).unwrap_or_default())?;
            self.has_ended = read == 0;
        }
        Ok(())
    }

    /// Chooses the encoding, once a byte tells it. ASCII is the same in all that have no byte order mark.
    fn choose(&mut self) -> Result<()> {
        let encoding = match self.given {
            Some(encoding) => encoding,
            None if self.held.is_ascii() && !self.held.iter().any(is_control) => return Ok(()),
            None => {
                self.fill(CHUNK)?;
                let start = self.held.get(..self.held.len().min(CHUNK)).unwrap_or_default();
                let is_all = self.has_ended && self.held.len() <= CHUNK;
                let utf16 = Encoding::for_bom(start).map(|(encoding, _)| encoding);
                match (utf16.or_else(|| unmarked_utf16(start)), std::str::from_utf8(start)) {
                    (Some(encoding), _) => encoding,
                    // the last character may continue after the inspected part
                    (None, Err(error)) if error.error_len().is_some() || is_all => guess(start, is_all),
                    (None, _) => UTF_8,
                }
            }
        };
        self.decoder = Some(encoding.new_decoder_without_bom_handling());
        Ok(())
    }

    fn decode(&mut self) -> Result<String> {
        self.is_decoded = self.has_ended;
        let Some(decoder) = &mut self.decoder else {
            let text = String::from_utf8(std::mem::take(&mut self.held)).unwrap_or_default();
            return without_zeros(text, self.line);
        };
        let most = decoder.max_utf8_buffer_length_without_replacement(self.held.len()).unwrap_or(CHUNK);
        let mut text = String::with_capacity(most);
        let (result, read) =
            decoder.decode_to_string_without_replacement(&self.held, &mut text, self.has_ended);
        self.held.drain(..read);
        let line = self.line + text.bytes().filter(|byte| *byte == b'\n').count();
        let name = decoder.encoding().name();
        if let DecoderResult::Malformed(..) = result {
            bail!("line {line} is not {name}; say which encoding it is in, such as windows-1250");
        }
        without_zeros(text, self.line)
    }
}

/// Rejects files that are not text: programs, pictures, archives.
fn without_zeros(text: String, line: usize) -> Result<String> {
    if let Some((before, _)) = text.split_once('\0') {
        let line = line + before.bytes().filter(|byte| *byte == b'\n').count();
        bail!("line {line} has a zero byte, which text does not have");
    }
    Ok(text)
}

/// The encoding of a text in UTF-16 without a byte order mark; `None` for any other.
///
/// Text in any other encoding has no control characters, and UTF-16 has some as halves of its units: line breaks, spaces and
/// digits have a zero byte. Read in the right order, it has no control characters, and nearly all of it are letters, digits,
/// spaces and punctuation.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let is_cut = bytes.len() % 2 == 1 && bytes.len() < CHUNK;
    if bytes.len() < 2 || is_cut || !bytes.iter().any(is_control) {
        return None;
    }
    let (units, _) = bytes.as_chunks();
    // in pairs, ASCII reads as Chinese
    let is_pair = |unit: &&[u8; 2]| unit.iter().all(|byte| matches!(byte, b' '..=b'~'));
    if 2 * units.iter().filter(is_pair).count() >= units.len() {
        return None;
    }
    let read = |order: Order, encoding| {
        let (usual, ascii) = usual_units(units.iter().map(|unit| order(*unit)));
        (10 * usual >= 9 * units.len(), ascii, usual, encoding)
    };
    let (little, big) = (read(u16::from_le_bytes, UTF_16LE), read(u16::from_be_bytes, UTF_16BE));
    let (is_text, .., encoding) =
        if (big.0, big.1, big.2) > (little.0, little.1, little.2) { big } else { little };
    is_text.then_some(encoding)
}

/// The order of the bytes of a unit.
type Order = fn([u8; 2]) -> u16;

/// Counts the units of UTF-16 that are letters, digits and the like, and those in ASCII; both are 0 where a character does not
/// occur in texts.
fn usual_units(units: impl Iterator<Item = u16>) -> (usize, usize) {
    let (mut usual, mut ascii, mut is_half) = (0, 0, false);
    for letter in char::decode_utf16(units) {
        let Ok(letter) = letter else {
            // the last one may be cut
            is_half = true;
            continue;
        };
        let is_private = ('\u{fff0}'..'\u{10000}').contains(&letter);
        if is_half || is_private || letter.is_control() && !matches!(letter, '\t' | '\r' | '\n') {
            return (0, 0);
        }
        if letter.is_alphanumeric() || letter.is_whitespace() || letter.is_ascii_punctuation() {
            usual += letter.len_utf16();
        }
        ascii += usize::from(letter.is_ascii());
    }
    (usual, ascii)
}

/// Whether a text is in UTF-16, with a byte order mark or without one.
pub(crate) fn is_utf16(start: &[u8]) -> bool {
    let marked = Encoding::for_bom(start).is_some_and(|(encoding, _)| encoding != UTF_8);
    marked || unmarked_utf16(start).is_some()
}

/// Whether a byte is a control character that texts do not have.
fn is_control(byte: &u8) -> bool {
    *byte < b' ' && !matches!(byte, b'\t'..=b'\r' | 0x1b)
}

fn guess(bytes: &[u8], is_all: bool) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, is_all);
    detector.guess(None, Utf8Detection::Deny)
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

    /// The text, and the name of its encoding.
    fn text_of(mut chunks: Chunks<impl Read>) -> Result<(String, Option<&'static str>)> {
        let mut text = String::new();
        while let Some(chunk) = chunks.next_chunk()? {
            text.push_str(&chunk);
        }
        Ok((text, chunks.encoding().map(Encoding::name)))
    }

    #[test]
    fn encodings_are_found() {
        let czech = "Příliš žluťoučký kůň úpěl ďábelské ódy. Vážený pane, děkujeme za Vaši žádost.\r\n";
        let encoded = |name: &str| encoding(name).unwrap().encode(czech).0.into_owned();
        let utf16: Vec<u8> = "\u{feff}číslo 🦀\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let little = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let big = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
        let chinese = "我叫王小明，住在北京市朝阳区建国路八十八号。我的电话是一三八";
        let russian = "Меня зовут Иван Петров, я живу в Москве.\r\n";
        for (bytes, given, text, name) in [
            ("číslo 🦀 e\u{301}\r\n".as_bytes().to_vec(), None, "číslo 🦀 e\u{301}\r\n", Some("UTF-8")),
            (b"plain\n".to_vec(), None, "plain\n", None),
            (b"".to_vec(), None, "", None),
            ("\u{feff}a".as_bytes().to_vec(), None, "\u{feff}a", Some("UTF-8")),
            (utf16, None, "\u{feff}číslo 🦀\n", Some("UTF-16LE")),
            (little("id,name\n1,Anna\n"), None, "id,name\n1,Anna\n", Some("UTF-16LE")),
            (big("hi"), None, "hi", Some("UTF-16BE")),
            (little(russian), None, russian, Some("UTF-16LE")),
            (big(russian), None, russian, Some("UTF-16BE")),
            (little(chinese), None, chinese, Some("UTF-16LE")),
            (big(chinese), None, chinese, Some("UTF-16BE")),
            (encoded("windows-1250"), None, czech, Some("windows-1250")),
            (encoded("iso-8859-2"), Some("iso-8859-2"), czech, Some("ISO-8859-2")),
        ] {
            let given = given.map(|name| encoding(name).unwrap());
            assert_eq!(text_of(Chunks::new(&*bytes, given)).unwrap(), (text.to_owned(), name));
            assert_eq!(text_of(Chunks::new(Slow(&bytes), given)).unwrap(), (text.to_owned(), name));
        }
        assert!(encoding("utf-99").is_err());
    }

    #[test]
    fn what_is_not_in_its_encoding_is_refused_with_its_line() {
        for (bytes, encoding) in [(&b"a\nb\n\xff"[..], UTF_8), (b"a\nb\n\xc5", UTF_8)] {
            let error = text_of(Chunks::new(Slow(bytes), Some(encoding))).unwrap_err().to_string();
            assert!(error.starts_with("line 3 is not UTF-8"), "{error}");
        }
        let late = [&"é".as_bytes().repeat(CHUNK)[..], b"\n\xff"].concat();
        let error = text_of(Chunks::new(&*late, None)).unwrap_err().to_string();
        assert!(error.starts_with("line 2 is not UTF-8"), "{error}");
        for (bytes, what) in [
            (&b"a\0b c"[..], "zero byte"),
            (b"\0a@example.cz", "zero byte"),
            (b"\x01\0\xff\xd8 and \0\0\0\x07", "zero byte"),
            (
                b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\n",
                "PDF document, which is not read; extract its text",
            ),
            (b"PK\x03\x04", "ZIP archive"),
        ] {
            let error = text_of(Chunks::new(bytes, None)).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
        assert!(text_of(Chunks::new(Slow(b"%PDF-1.4\n"), None)).is_err());
    }
}
