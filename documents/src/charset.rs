//! Bytes as text, in the encoding that they are in.

use std::io::Read;

use anyhow::{Result, bail};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8};

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
        }
    }

    /// The encoding that the text was found to be in, once it has other characters than ASCII.
    pub fn encoding(&self) -> Option<&'static Encoding> {
        self.decoder.as_ref().map(Decoder::encoding)
    }

    /// The next piece, never empty; `None` at the end.
    ///
    /// # Errors
    /// If the reader fails, or the text is not in its encoding.
    pub fn next_chunk(&mut self) -> Result<Option<String>> {
        loop {
            if self.is_decoded {
                return Ok(None);
            }
            if !self.has_ended {
                self.fill(1)?;
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
            self.has_ended = read == 0;
        }
        Ok(())
    }

    /// Chooses the encoding, once a byte tells it. ASCII is the same in all that have no byte order mark.
    fn choose(&mut self) -> Result<()> {
        let encoding = match self.given {
            Some(encoding) => encoding,
            None if self.held.is_ascii() => return Ok(()),
            None => {
                self.fill(CHUNK)?;
                let start = self.held.get(..self.held.len().min(CHUNK)).unwrap_or_default();
                let is_all = self.has_ended && self.held.len() <= CHUNK;
                match (Encoding::for_bom(start), std::str::from_utf8(start)) {
                    (Some((encoding, _)), _) => encoding,
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
        for (bytes, given, text, name) in [
            ("číslo 🦀 e\u{301}\r\n".as_bytes().to_vec(), None, "číslo 🦀 e\u{301}\r\n", Some("UTF-8")),
            (b"plain\n".to_vec(), None, "plain\n", None),
            (b"".to_vec(), None, "", None),
            ("\u{feff}a".as_bytes().to_vec(), None, "\u{feff}a", Some("UTF-8")),
            (utf16, None, "\u{feff}číslo 🦀\n", Some("UTF-16LE")),
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
        assert!(text_of(Chunks::new(&b"a\0b"[..], None)).is_err());
    }
}
