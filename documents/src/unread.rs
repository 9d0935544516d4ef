//! Files that are not read, told by their first bytes: a table of formats with what to do instead.
//!
//! Such a file must be an error that names it. A PDF, for one, may have no zero byte, and would pass as a text in which
//! nothing is found.

use std::fmt;

/// The bytes of a file that tell its format.
pub(crate) const MARK: usize = 512;

/// A format that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unread {
    name: &'static str,
    advice: &'static str,
}

impl fmt::Display for Unread {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the file is {}, which is not read; {}", self.name, self.advice)
    }
}

impl std::error::Error for Unread {}

const EXTRACT: &str = "extract its text first, for example with pdftotext";
const PICTURE: &str = "text in pictures is not found";
const SOUND: &str = "transcribe it first";
const UNPACK: &str = "unpack it first";
const EXPORT: &str = "export it as CSV, JSON or SQL first";
const OFFICE: &str = "save it without a password as .docx, .xlsx or .pptx first";
const RESAVE: &str = "save it as .docx or as plain text first";
const PROGRAM: &str = "leave it out";
const CONVERT: &str = "convert it to UTF-8 first";

/// A format, what to do instead, and the bytes at their places that tell it. Where several rows match, the first counts.
pub(crate) type Row = (&'static str, &'static str, &'static [(usize, &'static [u8])]);

/// The formats.
pub(crate) const ROWS: &[Row] = &[
    ("a PDF document", EXTRACT, &[(0, b"%PDF-")]),
    ("a PDF document", EXTRACT, &[(0, b"\xef\xbb\xbf"), (3, b"%PDF-")]),
    ("an RTF document", RESAVE, &[(0, b"{\\rtf")]),
    (
        "an Office document of an old format, or an encrypted one",
        OFFICE,
        &[(0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")],
    ),
    ("a mailbox of Outlook", "export its messages as .eml first", &[(0, b"!BDN")]),
    ("an image (PNG)", PICTURE, &[(0, b"\x89PNG\r\n\x1a\n")]),
    ("an image (JPEG)", PICTURE, &[(0, b"\xff\xd8\xff")]),
    ("an image (GIF)", PICTURE, &[(0, b"GIF87a")]),
    ("an image (GIF)", PICTURE, &[(0, b"GIF89a")]),
    ("an image (TIFF)", PICTURE, &[(0, b"II*\0")]),
    ("an image (TIFF)", PICTURE, &[(0, b"MM\0*")]),
    ("an image (WebP)", PICTURE, &[(0, b"RIFF"), (8, b"WEBP")]),
    ("an image (HEIF)", PICTURE, &[(0, b"\0\0"), (4, b"ftyphei")]),
    ("an image (HEIF)", PICTURE, &[(0, b"\0\0"), (4, b"ftypmif1")]),
    ("an image (AVIF)", PICTURE, &[(0, b"\0\0"), (4, b"ftypavi")]),
    ("an image (icon)", PICTURE, &[(0, b"\0\0\x01\0")]),
    ("an image (Photoshop)", PICTURE, &[(0, b"8BPS\0")]),
    ("a video (MP4)", SOUND, &[(0, b"\0\0"), (4, b"ftyp")]),
    ("a video (Matroska)", SOUND, &[(0, b"\x1aE\xdf\xa3")]),
    ("a video (AVI)", SOUND, &[(0, b"RIFF"), (8, b"AVI LIST")]),
    ("a sound (WAV)", SOUND, &[(0, b"RIFF"), (8, b"WAVEfmt ")]),
    ("a sound (MP3)", SOUND, &[(0, b"ID3\x02")]),
    ("a sound (MP3)", SOUND, &[(0, b"ID3\x03")]),
    ("a sound (MP3)", SOUND, &[(0, b"ID3\x04")]),
    ("a sound (MP3)", SOUND, &[(0, b"\xff\xfb")]),
    ("a sound (Ogg)", SOUND, &[(0, b"OggS\0")]),
    ("a sound (FLAC)", SOUND, &[(0, b"fLaC\0")]),
    ("a ZIP archive", UNPACK, &[(0, b"PK\x03\x04")]),
    ("a ZIP archive", UNPACK, &[(0, b"PK\x05\x06")]),
    ("a gzip archive", UNPACK, &[(0, b"\x1f\x8b\x08")]),
    ("a bzip2 archive", UNPACK, &[(0, b"BZh"), (4, b"1AY&SY")]),
    ("an xz archive", UNPACK, &[(0, b"\xfd7zXZ\0")]),
    ("a Zstandard archive", UNPACK, &[(0, b"\x28\xb5\x2f\xfd")]),
    ("an LZ4 archive", UNPACK, &[(0, b"\x04\x22\x4d\x18")]),
    ("a 7z archive", UNPACK, &[(0, b"7z\xbc\xaf\x27\x1c")]),
    ("a RAR archive", UNPACK, &[(0, b"Rar!\x1a\x07")]),
    ("a tar archive", UNPACK, &[(257, b"ustar")]),
    ("an SQLite database", EXPORT, &[(0, b"SQLite format 3\0")]),
    ("a dump of PostgreSQL in its own format", "write it with pg_dump --format=plain", &[(0, b"PGDMP")]),
    ("an Access database", EXPORT, &[(4, b"Standard Jet DB\0")]),
    ("an Access database", EXPORT, &[(4, b"Standard ACE DB\0")]),
    ("a Parquet file", EXPORT, &[(0, b"PAR1")]),
    ("an Avro file", EXPORT, &[(0, b"Obj\x01")]),
    ("an ORC file", EXPORT, &[(0, b"ORC\x0a")]),
    ("an Arrow file", EXPORT, &[(0, b"ARROW1\0")]),
    ("an HDF5 file", EXPORT, &[(0, b"\x89HDF\r\n\x1a\n")]),
    ("an array of NumPy", EXPORT, &[(0, b"\x93NUMPY")]),
    ("a pickle of Python", EXPORT, &[(0, b"\x80\x04\x95")]),
    ("a pickle of Python", EXPORT, &[(0, b"\x80\x05\x95")]),
    ("a property list in its binary format", "convert it with plutil -convert xml1", &[(0, b"bplist00")]),
    ("a log of Windows events", "export it as XML or CSV first", &[(0, b"ElfFile\0")]),
    ("a capture of packets", "export it as text first", &[(0, b"\xd4\xc3\xb2\xa1")]),
    ("a capture of packets", "export it as text first", &[(0, b"\x0a\x0d\x0d\x0a")]),
    ("a font", PROGRAM, &[(0, b"wOFF")]),
    ("a font", PROGRAM, &[(0, b"wOF2")]),
    ("a font", PROGRAM, &[(0, b"OTTO\0")]),
    ("a font", PROGRAM, &[(0, b"\0\x01\0\0\0")]),
    ("a program", PROGRAM, &[(0, b"\x7fELF")]),
    ("a program", PROGRAM, &[(0, b"\0asm")]),
    ("a program", PROGRAM, &[(0, b"\xca\xfe\xba\xbe")]),
    ("a program", PROGRAM, &[(0, b"\xcf\xfa\xed\xfe")]),
    ("a program", PROGRAM, &[(0, b"MZ\x90\0")]),
    ("text in UTF-32", CONVERT, &[(0, b"\xff\xfe\0\0")]),
    ("text in UTF-32", CONVERT, &[(0, b"\0\0\xfe\xff")]),
];

/// Returns the format that the first bytes of a file tell, if it is one that is not read.
///
/// A Word document is a ZIP archive: a file whose format is given is asked for that only where it is text.
///
/// # Examples
/// ```
/// let pdf = textveil_documents::unread(b"%PDF-1.7\n").unwrap();
/// assert!(pdf.to_string().contains("pdftotext"));
/// assert!(textveil_documents::unread(b"PDF").is_none());
/// ```
pub fn unread(start: &[u8]) -> Option<Unread> {
    let is_there = |(at, mark): &(usize, &[u8])| start.get(*at..).is_some_and(|rest| rest.starts_with(mark));
    let row = ROWS.iter().find(|(.., marks)| marks.iter().all(is_there));
    row.map(|(name, advice, _)| Unread { name, advice })
}

/// Returns why a file cannot be read in a format, by its first bytes; `None` if it may be.
///
/// # Examples
/// ```
/// use textveil_documents::{Format, refusal};
///
/// assert_eq!(refusal(b"id,name\n", Format::Csv), None);
/// assert!(refusal(b"\x89PNG\r\n\x1a\n", Format::Text).unwrap().contains("PNG"));
/// assert!(refusal(b"a\0b", Format::Text).unwrap().contains("zero byte"));
/// ```
#[cfg(feature = "charset")]
pub fn refusal(start: &[u8], format: crate::Format) -> Option<String> {
    let is_package = format.is_package();
    match unread(start) {
        Some(_) if is_package && start.starts_with(b"PK") => None,
        Some(unread) => Some(unread.to_string()),
        None if is_package || !start.contains(&0) || crate::charset::is_utf16(start) => None,
        None => Some("the file has a zero byte, which text does not have".to_owned()),
    }
}

/// The first bytes of a file that arrives in pieces, until they have told what they can.
#[derive(Default)]
pub(crate) struct Start {
    bytes: Vec<u8>,
    is_known: bool,
}

impl Start {
    /// Whether nothing has come yet.
    #[cfg(feature = "charset")]
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Adds the next bytes.
    ///
    /// # Errors
    /// If the file is of a format that is not read.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<(), Unread> {
        if self.is_known || bytes.is_empty() {
            return Ok(());
        }
        let wanted = MARK - self.bytes.len();
        self.bytes.extend_from_slice(bytes.get(..wanted.min(bytes.len())).unwrap_or_default());
        self.is_known = self.bytes.len() >= MARK;
        unread(&self.bytes).map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_named_with_what_to_do() {
        let tar = [&[b'a'; 257][..], b"ustar\0"].concat();
        for (start, name) in [
            (&b"%PDF-1.4\n1 0 obj\n"[..], "PDF"),
            (b"\xef\xbb\xbf%PDF-1.4", "PDF"),
            (b"{\\rtf1\\ansi", "RTF"),
            (b"\x89PNG\r\n\x1a\n\0\0", "PNG"),
            (b"RIFF\x24\0\0\0WAVEfmt ", "WAV"),
            (b"\0\0\0\x20ftypisom", "MP4"),
            (b"\0\0\0\x20ftypheic", "HEIF"),
            (b"PK\x03\x04\x14\0", "ZIP"),
            (b"\x1f\x8b\x08\0", "gzip"),
            (b"BZh91AY&SY", "bzip2"),
            (&tar, "tar"),
            (b"SQLite format 3\0\x10", "SQLite"),
            (b"PAR1\x15", "Parquet"),
            (b"\xff\xfe\0\0a\0\0\0", "UTF-32"),
        ] {
            let message = unread(start).unwrap().to_string();
            assert!(message.contains(name) && message.contains("which is not read; "), "{message}");
        }
        for text in [
            "",
            "PDF files",
            "a %PDF-1.4",
            "{\"rtf\": 1}",
            "PAR2",
            "MZ is a code",
            "BZh is",
            "ID3 tags",
            "ORCs",
        ] {
            assert_eq!(unread(text.as_bytes()), None, "{text}");
        }
        // UTF-16 with a mark
        assert_eq!(unread(b"\xff\xfea\0b\0"), None);
    }

    #[test]
    fn a_mark_may_come_in_pieces() {
        let mut start = Start::default();
        let told: Vec<_> = b"%PDF-1.4".iter().map(|byte| start.read(&[*byte]).is_err()).collect();
        assert_eq!(told, [false, false, false, false, true, true, true, true]);
        let mut start = Start::default();
        start.read(&[b'a'; MARK]).unwrap();
        start.read(b"%PDF-").unwrap();
        assert_eq!(start.bytes.len(), MARK);
    }
}
