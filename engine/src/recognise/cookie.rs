//! Finds cookies of sessions in a header, and in an option of `curl`: values that a program gave out, each without its name.

use super::{
    quoting::quoted,
    scan::Scanner,
    secret::{self, SecretPlace},
    table::Recognise,
};
use crate::{catalogue, checks::credential, text::order::has_word};

/// The longest header, in bytes.
const MAX_HEADER: usize = 4_096;
/// The shortest value of a session, in bytes.
const MIN_VALUE: usize = 8;
/// The attributes of a cookie, which are settings.
const ATTRIBUTES: &str = "expires max-age domain path samesite httponly secure version partitioned priority";
/// Parts of the names of sessions.
const SESSIONS: [&str; 7] = ["sess", "sid", "auth", "token", "jwt", "csrf", "xsrf"];

/// Cookies of sessions, in headers that a label begins. The state is the end of the last header.
pub(super) struct SessionCookies;

impl Recognise for SessionCookies {
    type State = usize;
}

/// Reads the cookies behind the sign of a header: `Cookie: a=b; c=d`.
pub(super) fn read_header(scanner: &mut Scanner<'_>, at: usize) {
    let before = scanner.bytes.get(..at).unwrap_or_default().trim_ascii_end();
    let name = before.len().checked_sub("cookie".len()).and_then(|start| before.get(start..));
    if at < scanner.states.cookie || !name.is_some_and(|name| name.eq_ignore_ascii_case(b"cookie")) {
        return;
    }
    let text = scanner.text.get(at + 1..).unwrap_or_default();
    let value = text.trim_start_matches([' ', '\t']);
    let from = scanner.text.len() - value.len();
    let (start, len) = match quoted(value, MAX_HEADER) {
        Some(inside) => (from + inside.start, inside.len()),
        None => {
            let read = value.get(..value.floor_char_boundary(MAX_HEADER)).unwrap_or(value);
            (from, read.find(['\n', '"', '\'', '\\']).unwrap_or(read.len()))
        }
    };
    read_list(scanner, start, start + len);
}

/// Reads the cookies of a list.
pub(super) fn read_list(scanner: &mut Scanner<'_>, start: usize, end: usize) {
    let Some(list) = scanner.text.get(start..end) else { return };
    scanner.count(list.len());
    scanner.states.cookie = end;
    let mut at = start;
    for pair in list.split(';') {
        let from = at;
        at += pair.len() + 1;
        let Some((name, value)) = pair.split_once('=') else { continue };
        let value = value.trim_matches([' ', '\r']);
        if !is_session(name.trim(), value) {
            continue;
        }
        let start = from + pair.rfind(value).unwrap_or_default();
        let place = SecretPlace { start, end: start + value.len(), quoted: true, alone: false };
        secret::push(scanner, catalogue::COOKIE, place, (from, from + name.len()));
    }
}

/// Whether a cookie is that of a session: a program gave its value out, or its name says so.
fn is_session(name: &str, value: &str) -> bool {
    if value.len() < MIN_VALUE
        || !value.bytes().all(|byte| byte.is_ascii_graphic())
        || has_word(ATTRIBUTES, name)
    {
        return false;
    }
    let mut from_digit = value.bytes().skip_while(|byte| !byte.is_ascii_digit());
    let is_generated = from_digit.any(|byte| byte.is_ascii_alphabetic());
    let is_date =
        value.as_bytes().get(4) == Some(&b'-') && value.bytes().take(4).all(|byte| byte.is_ascii_digit());
    let lower = name.to_ascii_lowercase();
    let is_named = SESSIONS.iter().any(|part| lower.contains(part));
    !is_date && credential::facts(value).is_ok() && (is_generated || is_named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_and_settings() {
        for (name, value, want) in [
            ("PHPSESSID", "tq8k2n7r5m1v9c4x0b3z6d8f1g", true),
            ("sid", "abcd12345", true),
            ("x", "8fhK29dkLmQp73nZ", true),
            ("theme", "darkmode1", false),
            ("consent", "2031-05-12T10:00:00Z", false),
            ("locale", "en-GB-utf8", false),
            ("Path", "/a8b9c0d1/e2", false),
            ("token", "$SESSION_TOKEN", false),
            ("sid", "short1", false),
        ] {
            assert_eq!(is_session(name, value), want, "{name}={value}");
        }
    }
}
