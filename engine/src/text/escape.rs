//! Characters that are written as escapes: `%40`, `&#64;`, `&ouml;`, `\u0040`, `\x40`, and tag characters of Unicode.

use textveil_phrase::references::named;

/// The most backslashes before an escape: each level of quoting doubles them.
const MAX_BACKSLASHES: usize = 15;
/// The longest character reference, in bytes, with `&` and `;`.
const MAX_REFERENCE: usize = 12;
/// The number of bytes that are compared with the signs at once.
const BLOCK: usize = 64;

/// Reads the escape at the start of a text.
///
/// Returns its character, and its length in bytes.
///
/// An escape may itself be escaped once more: `%2540`, `&amp;#64;`, `\\u0040`. The time does not depend on the rest of
/// the text.
///
/// # Examples
/// ```
/// use textveil_engine::escape;
///
/// assert_eq!(escape("%C3%A1b"), Some(('á', 6)));
/// assert_eq!(escape("&#64;"), Some(('@', 5)));
/// assert_eq!(escape(r"\u0040"), Some(('@', 6)));
/// assert_eq!(escape("50 %"), None);
/// ```
pub fn escape(text: &str) -> Option<(char, usize)> {
    match text.as_bytes().first()? {
        b'\\' => backslash(text),
        b'%' => percent(text),
        b'&' => reference(text),
        0xf3 => text.chars().next().and_then(|letter| Some((tag(letter)?, letter.len_utf8()))),
        _ => None,
    }
}

/// Returns the first escape from `at` on: where it begins, its character and its length in bytes.
pub(crate) fn next_escape(text: &str, mut at: usize) -> Option<(usize, char, usize)> {
    loop {
        at += next_sign(text.as_bytes().get(at..)?)?;
        match text.get(at..).and_then(escape) {
            Some((letter, length)) if !is_of_flag(text, at) => return Some((at, letter, length)),
            _ => at += 1,
        }
    }
}

/// The longest code of a flag: the country, and the part of it (Unicode UTS #51, emoji tag sequences).
const MAX_FLAG: usize = 6;

/// Whether the character at `at` is a tag character of a flag, as in that of Scotland: no text is hidden in it.
fn is_of_flag(text: &str, at: usize) -> bool {
    let is_code = |letter: &char| tag(*letter).is_some_and(|copied| copied.is_ascii_alphanumeric());
    let (before, after) = text.split_at_checked(at).unwrap_or_default();
    let first = before.chars().rev().take(MAX_FLAG).take_while(is_code).count();
    let rest = after.chars().take(MAX_FLAG - first).take_while(is_code).count();
    rest > 0
        && before.chars().rev().nth(first) == Some('\u{1f3f4}')
        && after.chars().nth(rest) == Some('\u{e007f}')
}

/// Returns the offset of the first byte that may begin an escape.
fn next_sign(bytes: &[u8]) -> Option<usize> {
    let is_sign = |byte: &u8| matches!(byte, b'%' | b'&' | b'\\' | 0xf3);
    // without an exit in a block, the compiler compares its bytes at once
    let clear = bytes
        .chunks(BLOCK)
        .take_while(|block| !block.iter().fold(false, |found, byte| found | is_sign(byte)))
        .count();
    let from = (clear * BLOCK).min(bytes.len());
    bytes.get(from..)?.iter().position(is_sign).map(|sign| from + sign)
}

/// The character that a tag character of Unicode copies.
fn tag(letter: char) -> Option<char> {
    let copied = u32::from(letter).checked_sub(0xe_0000)?;
    char::from_u32(copied).filter(|copied| matches!(copied, ' '..='~'))
}

/// Reads an escape with a backslash, or with several.
fn backslash(text: &str) -> Option<(char, usize)> {
    let signs = text.bytes().take(MAX_BACKSLASHES + 1).take_while(|byte| *byte == b'\\').count();
    let last = text.get(signs - 1..)?;
    let (letter, length) = unicode(last).or_else(|| braced(last)).or_else(|| byte(last))?;
    Some((letter, signs - 1 + length))
}

/// Reads `\u00e1`, or two of this form that are a pair.
fn unicode(text: &str) -> Option<(char, usize)> {
    const LEN: usize = r"\u00e1".len();
    let first = hex(text.strip_prefix(r"\u")?, 4)?;
    if let Some(letter) = char::from_u32(first) {
        return Some((letter, LEN));
    }
    let rest = text.get(LEN..)?;
    let second = rest.trim_start_matches('\\');
    let signs = rest.len() - second.len();
    let unit = hex(second.strip_prefix('u').filter(|_| (1..=MAX_BACKSLASHES).contains(&signs))?, 4)?;
    let pair = [first as u16, unit as u16];
    let letter = char::decode_utf16(pair).next()?.ok()?;
    Some((letter, 2 * LEN + signs - 1))
}

/// Reads `\u{e1}`.
fn braced(text: &str) -> Option<(char, usize)> {
    let inside = text.strip_prefix(r"\u{")?;
    let digits = inside.bytes().take(7).take_while(u8::is_ascii_hexdigit).count();
    let letter = char::from_u32(hex(inside, digits)?)?;
    inside.get(digits..)?.starts_with('}').then_some((letter, digits + r"\u{}".len()))
}

/// Reads `\x40`, in ASCII.
fn byte(text: &str) -> Option<(char, usize)> {
    let letter = char::from_u32(hex(text.strip_prefix(r"\x")?, 2)?)?;
    matches!(letter, ' '..='~').then_some((letter, r"\x40".len()))
}

/// Reads `%C3%A1`, or the same with `%25` in place of each `%`.
fn percent(text: &str) -> Option<(char, usize)> {
    percent_signed(text, "%25").or_else(|| percent_signed(text, "%"))
}

/// Reads the bytes of a character in UTF-8, each in two digits behind a sign.
fn percent_signed(text: &str, sign: &str) -> Option<(char, usize)> {
    let step = sign.len() + 2;
    let byte = |number: usize| hex(text.get(number * step..)?.strip_prefix(sign)?, 2);
    let first = byte(0)?;
    let len = match first {
        0x09 | 0x0a | 0x0d | 0x20..=0x7e => return char::from_u32(first).map(|letter| (letter, step)),
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let mut bytes = [0; 4];
    for (number, place) in bytes.iter_mut().enumerate().take(len) {
        *place = byte(number)? as u8;
    }
    let letter = std::str::from_utf8(bytes.get(..len)?).ok()?.chars().next()?;
    Some((letter, len * step))
}

/// Reads a character reference of HTML: `&#64;`, `&#x40;`, `&ouml;`, and with `&amp;` in place of `&`.
fn reference(text: &str) -> Option<(char, usize)> {
    let inside = text.strip_prefix("&amp;").filter(|inside| inside.starts_with('#')).or(text.get(1..))?;
    let before = text.len() - inside.len();
    let length = inside.bytes().take(MAX_REFERENCE).position(|byte| byte == b';')?;
    let name = inside.get(..length)?;
    let letter = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => hex(digits, digits.len())?,
                None if number.bytes().all(|digit| digit.is_ascii_digit()) => number.parse().ok()?,
                None => return None,
            };
            char::from_u32(code)
                .filter(|letter| !letter.is_control() || matches!(letter, '\t' | '\n' | '\r'))?
        }
        None => named(name)?,
    };
    Some((letter, before + length + 1))
}

/// Reads a number of so many hexadecimal digits.
fn hex(text: &str, digits: usize) -> Option<u32> {
    let written =
        text.get(..digits).filter(|written| written.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
    u32::from_str_radix(written, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        for (text, expected) in [
            ("%40x", Some(('@', 3))),
            ("%2540", Some(('@', 5))),
            ("%25 off", Some(('%', 3))),
            ("%C3%B6r", Some(('ö', 6))),
            ("%25C3%25B6", Some(('ö', 10))),
            ("%E2%82%AC", Some(('€', 9))),
            ("%C3", None),
            ("%C3%20", None),
            ("%ff%ff", None),
            ("%00", None),
            ("%zz", None),
            ("%4", None),
            ("100", None),
            ("&#64;", Some(('@', 5))),
            ("&#x40;", Some(('@', 6))),
            ("&#X40;", Some(('@', 6))),
            ("&amp;#64;", Some(('@', 9))),
            ("&amp;#x40;", Some(('@', 10))),
            ("&amp; Co", Some(('&', 5))),
            ("&ouml;", Some(('ö', 6))),
            ("&yuml;", Some(('ÿ', 6))),
            ("&Agrave;", Some(('À', 8))),
            ("&nbsp;", Some(('\u{a0}', 6))),
            ("&commat;", Some(('@', 8))),
            ("&nosuch;", None),
            ("&#0;", None),
            ("&#xd800;", None),
            ("&#+64;", None),
            ("&;", None),
            ("&T", None),
            (r"\u0040", Some(('@', 6))),
            (r"\\u0040", Some(('@', 7))),
            (r"\u{40}", Some(('@', 6))),
            (r"\u{}", None),
            (r"\u{4000000}", None),
            (r"\ud83d\ude00", Some(('\u{1f600}', 12))),
            (r"\\ud83d\\ude00", Some(('\u{1f600}', 14))),
            (r"\ud83d", None),
            (r"\ud83d\u0040", None),
            (r"\x40", Some(('@', 4))),
            (r"\x07", None),
            (r"\users", None),
            (r"\n", None),
            ("\u{e0040}", Some(('@', 4))),
            ("\u{e007f}", None),
            ("", None),
        ] {
            assert_eq!(escape(text), expected, "{text}");
        }
    }

    #[test]
    fn names_of_letters() {
        assert_eq!(reference("&szlig;"), Some(('ß', 7)));
        assert_eq!(reference("&divide;"), Some(('÷', 8)));
    }

    #[test]
    fn the_next_escape() {
        let long = format!("{}%40", "a & b % ".repeat(40));
        for (text, from, expected) in [
            ("jan%40x", 0, Some((3, '@', 3))),
            ("5 % of a&b &#64;", 0, Some((11, '@', 5))),
            ("jan%40x", 4, None),
            ("é\u{e0040}", 0, Some((2, '@', 4))),
            (&long, 0, Some((320, '@', 3))),
            // a flag, and what only begins or continues like one
            ("\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", 0, None),
            ("\u{1f3f4}\u{e0067}\u{e0062}\u{e0065} a", 0, Some((4, 'g', 4))),
            ("\u{1f3f4}\u{e0067}\u{e0040}\u{e0062}\u{e007f}", 0, Some((4, 'g', 4))),
            (
                "\u{1f3f4}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e007f}",
                0,
                Some((4, 'a', 4)),
            ),
            ("", 0, None),
        ] {
            assert_eq!(next_escape(text, from), expected, "{text}");
        }
    }
}
