//! Finds user names by their place.
//!
//! - in the log of a web server: `203.0.113.7 - mkowalski [03/Jun/2025:08:01:12 +0000] "GET / …"`. Source: the Common Log
//!   Format of the NCSA HTTPd, which Apache and nginx write.
//! - before the hash of a password: `mkowalski:$apr1$…`. Source: the file of users of Apache's `htpasswd`.
//! - in a note of source code: `TODO(mkowalski): …`.
//! - behind its label, without a sign: `my login mkowalski_82`.

use std::sync::OnceLock;

use textveil_weights::prior as weights;

use super::{labelled::named, scan::Scanner, table::Recognise};
use crate::{catalogue, evidence::candidate::Verdict};

/// The longest text before the time of a request, in bytes.
const MAX: usize = 160;
/// The number of bytes of a user name.
const LEN: std::ops::RangeInclusive<usize> = 2..=32;
/// The words before the brackets with the author of a note.
const NOTES: [&str; 4] = ["TODO", "FIXME", "HACK", "XXX"];

/// User names by their place.
pub(super) struct UserNames;

impl Recognise for UserNames {
    type State = ();

    const MARKS: &'static [u8] = b"_[(";

    fn at_mark(scanner: &mut Scanner<'_>, at: usize, byte: u8) {
        match byte {
            b'_' => read_behind_label(scanner, at),
            b'[' => read_of_log(scanner, at),
            _ => read_author(scanner, at),
        }
    }
}

/// Reads the user before the bracket that the time of a request begins with.
fn read_of_log(scanner: &mut Scanner<'_>, at: usize) {
    let day = scanner.bytes.get(at + 1..at + 8);
    if !matches!(day, Some([one, two, b'/', month, _, _, b'/'])
        if one.is_ascii_digit() && two.is_ascii_digit() && month.is_ascii_alphabetic())
    {
        return;
    }
    scanner.count(MAX / 8);
    if let Some((start, end)) = user(scanner.text, at) {
        push(scanner, start, end);
    }
}

/// Reads the user before the hash of a password that begins at `at`.
pub(super) fn read_before_hash(scanner: &mut Scanner<'_>, at: usize) {
    let Some(end) = at.checked_sub(1).filter(|colon| scanner.bytes.get(*colon) == Some(&b':')) else {
        return;
    };
    let start = end - name_before(scanner, end);
    let before = start.checked_sub(1).and_then(|before| scanner.bytes.get(before));
    if before.is_none_or(|before| matches!(before, b'\n' | b' ' | b'=' | b'"' | b'\'' | b',')) {
        push(scanner, start, end);
    }
}

/// Reads the author of a note, whose bracket is at `at`.
fn read_author(scanner: &mut Scanner<'_>, at: usize) {
    let before = scanner.text.get(..at).unwrap_or_default();
    if !NOTES.iter().any(|note| before.ends_with(note)) {
        return;
    }
    let start = at + 1;
    let end = start + name_behind(scanner, start);
    let first = scanner.bytes.get(start).is_some_and(u8::is_ascii_lowercase);
    // `TODO(#123)` and `TODO(refactor this)` name none
    if first && scanner.bytes.get(end) == Some(&b')') {
        push(scanner, start, end);
    }
}

/// Reads the user name with the underscore at `at`, if its label is directly before it.
fn read_behind_label(scanner: &mut Scanner<'_>, at: usize) {
    let start = at - name_before(scanner, at);
    let end = at + name_behind(scanner, at);
    if start == at || scanner.bytes.get(start.wrapping_sub(1)) != Some(&b' ') {
        return;
    }
    // names in source code have no digit behind the underscore
    let has_digit = scanner.bytes.get(at..end).is_some_and(|name| name.iter().any(u8::is_ascii_digit));
    if has_digit && username().is_some_and(|index| named(scanner.text, start, false).contains(&index)) {
        push(scanner, start, end);
    }
}

/// Returns the number of bytes of a user name that ends at `end`.
fn name_before(scanner: &Scanner<'_>, end: usize) -> usize {
    let before = scanner.bytes.get(..end).unwrap_or_default();
    before.iter().rev().take(*LEN.end()).take_while(|byte| is_of_name(byte)).count()
}

/// Returns the number of bytes of a user name that begins at `start`.
fn name_behind(scanner: &Scanner<'_>, start: usize) -> usize {
    let behind = scanner.bytes.get(start..).unwrap_or_default();
    behind.iter().take(*LEN.end()).take_while(|byte| is_of_name(byte)).count()
}

fn push(scanner: &mut Scanner<'_>, start: usize, end: usize) {
    if let Some(index) = username().filter(|_| LEN.contains(&(end - start))) {
        scanner.push(index, start, end, Verdict::Unchecked, weights::USER);
    }
}

fn is_of_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Returns the place of the third word of the line before a bracket: host, identity, user.
fn user(text: &str, at: usize) -> Option<(usize, usize)> {
    let before = text.get(text.floor_char_boundary(at.saturating_sub(MAX))..at)?;
    let line = before.rsplit('\n').next()?.strip_suffix(' ')?;
    let mut words = line.split(' ');
    let (host, _, user) = (words.next()?, words.next()?, words.next()?);
    let is_user = words.next().is_none() && host.contains(['.', ':']) && user != "-" && !user.contains('@');
    is_user.then(|| (at - 1 - user.len(), at - 1))
}

/// Returns the detector of user names.
fn username() -> Option<u16> {
    static USERNAME: OnceLock<Option<u16>> = OnceLock::new();
    let find =
        || catalogue::DETECTORS.iter().position(|known| known.name() == "username").map(|at| at as u16);
    *USERNAME.get_or_init(find)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users() {
        for (line, expected) in [
            ("203.0.113.7 - mkowalski [03/Jun/2025:08:01:12 +0000]", Some("mkowalski")),
            ("x\n2001:db8::7 ident jürgen [03/Jun/2025:08:01:12 +0000]", Some("jürgen")),
            ("www.example.com - b.ivanova [03/Jun/2025", Some("b.ivanova")),
            ("203.0.113.7 - - [03/Jun/2025:08:01:12 +0000]", None),
            ("see also page 3 [03/Jun/2025]", None),
            ("on it [03/Jun/2025]", None),
            ("[03/Jun/2025]", None),
        ] {
            let at = line.find('[').unwrap();
            assert_eq!(user(line, at).map(|(start, end)| &line[start..end]), expected, "{line}");
        }
    }
}
