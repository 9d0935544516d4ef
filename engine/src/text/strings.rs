//! Escapes of strings in plain text: line breaks and tabs of JSON and C, and quoted-printable.
//!
//! A log line or a dump is read as a text, and its strings have escapes: `\r\nPiotr`, `anna=40example.com`.
//! The copy has the character instead, so that an escape is no part of a word, and a finding never begins or ends within one.
//! Escaped quotes and backslashes stay, since they say where a value ends (`recognise/quoting.rs`).
//!
//! Each rule reads a bounded number of bytes around its escape, so a stream finds the same as the whole text.

/// The number of bytes before an escape that tell a path.
const PATH: usize = 48;
/// The longest line of quoted-printable, without its line break.
const LINE: usize = 76;
/// The letters of escapes, those of C, JSON and SQL.
const LETTERS: &[u8] = b"nrtbfuxave0\"'/\\`";

/// The place of an escape, its character, if it has one, and its length in bytes.
pub(super) type StringEscape = (usize, Option<char>, usize);

/// The first byte of each kind of escape.
const MARKS: [char; 2] = ['\\', '='];

/// The escapes of the strings of a text, in order.
pub(super) struct Strings<'t> {
    text: &'t str,
    /// The next byte of each kind.
    marks: [usize; MARKS.len()],
    /// The number of such bytes that were read.
    pub read: usize,
}

impl<'t> Strings<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, marks: MARKS.map(|mark| text.find(mark).unwrap_or(text.len())), read: 0 }
    }

    fn go_to(&mut self, at: usize) {
        let text = self.text;
        let rest = text.get(at..).unwrap_or_default();
        for (place, mark) in self.marks.iter_mut().zip(MARKS) {
            if *place < at {
                *place = rest.find(mark).map_or(text.len(), |found| at + found);
            }
        }
    }

    /// Returns the first escape at or behind a place. The places of calls ascend.
    pub(super) fn next(&mut self, from: usize) -> Option<StringEscape> {
        let bytes = self.text.as_bytes();
        self.go_to(from);
        loop {
            let at = *self.marks.iter().min()?;
            self.read += 1;
            let found = match bytes.get(at)? {
                b'\\' => backslash(bytes, at),
                _ => printable(bytes, at),
            };
            match found {
                Ok(escape) => return Some(escape),
                Err(end) => self.go_to(end),
            }
        }
    }
}

/// Whether a text, with its line break, ends with a soft line break of quoted-printable.
pub(crate) fn breaks_off(text: &str) -> bool {
    let line = text.strip_suffix('\n').unwrap_or(text);
    let line = line.strip_suffix('\r').unwrap_or(line).as_bytes();
    line.split_last().is_some_and(|(last, before)| *last == b'=' && is_printable(before))
}

/// Reads the escape at some backslashes, of which each level of quoting doubles the number. Otherwise, returns where to read on.
fn backslash(bytes: &[u8], start: usize) -> Result<StringEscape, usize> {
    let end = start + bytes.iter().skip(start).take_while(|byte| **byte == b'\\').count();
    let rest = bytes.get(end..).unwrap_or_default();
    let letter = match rest.first() {
        Some(b'n' | b'r') => '\n',
        Some(b't') => '\t',
        Some(b'/') => '/',
        other => return Err(end + usize::from(other.is_some_and(u8::is_ascii))),
    };
    let is_word = rest.first().is_some_and(u8::is_ascii_alphabetic);
    if is_word && (is_path(bytes, start) || is_command(bytes, start, rest)) {
        return Err(end + 1);
    }
    Ok((start, Some(letter), end + 1 - start))
}

/// Whether the word that ends before a backslash is a folder, a drive, or the domain of a login: `C:\new`, `CORP\nina`.
fn is_path(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(at.saturating_sub(PATH)..at).unwrap_or_default();
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`<>|()[]{},;=".contains(byte);
    let word = before.rsplit(is_end).next().unwrap_or_default();
    let is_folder = |pair: &[u8]| matches!(pair, [b'\\', letter] if !LETTERS.contains(letter));
    let has_drive = |three: &[u8]| matches!(three, [drive, b':', b'\\'] if drive.is_ascii_alphabetic());
    let next = bytes.get(at..).unwrap_or_default().iter().find(|byte| **byte != b'\\');
    let is_login = word.len() > 1
        && word.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'-')
        && next.is_some_and(|letter| letter.is_ascii_lowercase())
        && bytes.get(at + 2).is_some_and(u8::is_ascii_lowercase);
    let is_drive = matches!(word, [drive, b':'] if drive.is_ascii_alphabetic());
    is_drive || is_login || word.windows(3).any(has_drive) || word.windows(2).any(is_folder)
}

/// Whether a backslash begins a command of TeX: `\name{…}`.
fn is_command(bytes: &[u8], at: usize, rest: &[u8]) -> bool {
    let is_inside = |byte: &&u8| byte.is_ascii_alphabetic();
    let length = rest.iter().take(16).take_while(is_inside).count();
    let begins = at
        .checked_sub(1)
        .and_then(|before| bytes.get(before))
        .is_none_or(|byte| !byte.is_ascii_alphanumeric());
    begins && length > 1 && matches!(rest.get(length), Some(b'{' | b'['))
}

/// Reads an escape of quoted-printable. Otherwise, returns where to read on.
fn printable(bytes: &[u8], at: usize) -> Result<StringEscape, usize> {
    let before = bytes.get(..at).unwrap_or_default();
    let rest = bytes.get(at + 1..).unwrap_or_default();
    let is_behind_word = before.last().is_some_and(u8::is_ascii_alphanumeric);
    let escape = |length: usize, letter| Ok((at, letter, 1 + length));
    match rest {
        [b'\n', ..] if is_printable(before) => escape(1, None),
        [b'\r', b'\n', ..] if is_printable(before) => escape(2, None),
        [b'3', b'D', next, ..]
            if is_behind_word && (next.is_ascii_alphanumeric() || matches!(next, b'"' | b'\'')) =>
        {
            escape(2, Some('='))
        }
        [b'4', b'0', ..] if is_behind_word && is_domain(rest.get(2..).unwrap_or_default()) => {
            escape(2, Some('@'))
        }
        [b'C'..=b'F', ..] => {
            let (length, letter) = beyond_ascii(rest).ok_or(at + 1)?;
            escape(length, Some(letter))
        }
        _ => Err(at + 1),
    }
}

/// Whether a line breaks off within a word, and is quoted-printable: it has an escape, or is as long as such lines are.
fn is_printable(before: &[u8]) -> bool {
    let line = before.get(before.len().saturating_sub(LINE + 1)..).unwrap_or_default();
    let line = line.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_escape = |three: &[u8]| matches!(three, [b'=', high, low] if [high, low].iter().all(|digit| digit.is_ascii_digit() || (b'A'..=b'F').contains(digit)));
    let is_long = (LINE - 6..LINE).contains(&line.len()) && line.contains(&b' ');
    line.last().is_some_and(|byte| *byte != b'=') && (is_long || line.windows(3).any(is_escape))
}

/// Whether a domain begins here, which a soft line break may cut.
fn is_domain(rest: &[u8]) -> bool {
    let length =
        rest.iter().take(64).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    length > 0
        && matches!(rest.get(length..), Some([b'.', letter, ..] | [b'=', letter @ (b'\r' | b'\n'), ..]) if !letter.is_ascii_digit())
}

/// Reads a byte in two digits.
fn byte(digits: &[u8]) -> Option<u8> {
    let digit = |byte: &u8| u8::try_from(char::from(*byte).to_digit(16)?).ok();
    match digits {
        [high, low, ..] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    }
}

/// Reads the bytes of a character beyond ASCII, from behind the first `=`.
fn beyond_ascii(rest: &[u8]) -> Option<(usize, char)> {
    let mut letter = [0; 4];
    let (first, rest) = (byte(rest)?, rest.get(2..)?);
    let count = first.leading_ones() as usize;
    let (head, tail) = letter.get_mut(..count)?.split_first_mut()?;
    *head = first;
    for (place, escape) in tail.iter_mut().zip(rest.chunks(3)) {
        *place = byte(escape.strip_prefix(b"=")?)?;
    }
    let decoded = std::str::from_utf8(letter.get(..count)?).ok()?.chars().next()?;
    Some((3 * count - 1, decoded)).filter(|_| count > 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{phrase::work::Work, text::fold::Folded};

    #[test]
    fn escapes_read_as_their_characters() {
        for (text, copy) in [
            (r"a\r\nPiotr", "a\n\nPiotr"),
            (r"x\tanna", "x\tanna"),
            (r"Ren\u00e9\nM\u00FCller %40\n&amp;\tx", "René\nMüller @\n&\tx"),
            (r#"{\"b\":\"to\\nPiotr\"}"#, "{\\\"b\\\":\\\"to\nPiotr\\\"}"),
            (r"https:\/\/example.com", "https://example.com"),
            ("anna=40example.com", "anna@example.com"),
            ("title=3Dklaus1@example.com", "title=klaus1@example.com"),
            ("M=C3=BCller =E6=BC=A2", "Müller 漢"),
            ("anna=40exam=\r\nple.com", "anna@example.com"),
        ] {
            assert_eq!(Folded::new(text, &Work::default()).text, copy, "{text}");
        }
    }

    #[test]
    fn what_is_no_escape_stays() {
        for text in [
            r"C:\new\table",
            r"C:\Users\nina\texts",
            r"\\server\nina",
            r"src\Data\new",
            r"CORP\nina",
            r"\name{Anna} \textbf{x}",
            r"\d+\.\w",
            r#""a\"b""#,
            r"a\\b",
            r"'it''s', O''Brien, O\'Brien",
            "width=40px a=40 b=3D",
            "KEY=\nNEXT=1",
            "color=C3C3C3 =FF",
            "aGVsbG8=\n",
            r"\",
            "=",
            "'",
        ] {
            assert_eq!(Folded::new(text, &Work::default()).text, text);
        }
    }

    #[test]
    fn places_are_those_of_whole_escapes() {
        for (text, part, original) in [
            (r"a\r\nPiotr Nowak\r\n", "Piotr Nowak", "Piotr Nowak"),
            (r"to Ren\u00e9\n", "René", r"Ren\u00e9"),
            (r"\u00c9ric", "Éric", r"\u00c9ric"),
            ("x anna=40exam=\nple.com", "anna@example.com", "anna=40exam=\nple.com"),
        ] {
            let folded = Folded::new(text, &Work::default());
            let at = folded.text.find(part).unwrap();
            let (start, end) = folded.original(at, at + part.len());
            assert_eq!(text.get(start..end), Some(original), "{text}");
            assert_eq!(folded.copied(start), at, "{text}");
        }
    }

    #[test]
    fn a_soft_line_break_keeps_its_lines_together() {
        for (text, breaks) in [
            ("a=40exam=\r\n", true),
            ("a=40exam=\n", true),
            ("KEY=\n", false),
            ("a=40exam\n", false),
            ("==\n", false),
        ] {
            assert_eq!(breaks_off(text), breaks, "{text:?}");
        }
    }
}
