//! The letters of a text as programs read them: entities, percent-encoding and backslashes are decoded.
//!
//! A browser reads `https&#58;//`, `https\://` and `?u=https%3A%2F%2F` as URLs, so all of them are. A letter that was
//! encoded never ends anything: `%20` is not a space, and `\)` does not close a link.

use std::mem;

use crate::entities;

/// The most layers of percent-encoding that are read: `%252F` has two.
const MAX_LAYERS: usize = 8;

/// One letter of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Letter {
    pub letter: char,
    /// It is written as it is, so that it may end a construct.
    pub is_raw: bool,
}

/// Decodes a text that arrives in pieces.
#[derive(Clone, Default)]
pub(crate) struct Letters {
    /// An incomplete entity, or a backslash with what follows it.
    escape: String,
    /// `%` and the digits after it.
    percent: String,
}

impl Letters {
    /// Reads more of the text.
    pub fn push(&mut self, text: &str, take: &mut dyn FnMut(Letter)) {
        for letter in text.chars() {
            self.letter(letter, take);
        }
    }

    /// Ends the text: what is incomplete is no escape.
    pub fn flush(&mut self, take: &mut dyn FnMut(Letter)) {
        while !self.escape.is_empty() {
            self.literal(take);
        }
        self.end_percent(take);
    }

    fn letter(&mut self, letter: char, take: &mut dyn FnMut(Letter)) {
        if self.escape.is_empty() && !matches!(letter, '&' | '\\') {
            return self.decoded(Letter { letter, is_raw: true }, take);
        }
        self.escape.push(letter);
        let read = if self.escape.starts_with('&') { entity(&self.escape) } else { backslash(&self.escape) };
        match read {
            Read::Partial => {}
            Read::Letter(letter, len) => {
                let rest = self.escape.split_off(len);
                self.escape.clear();
                self.decoded(Letter { letter, is_raw: false }, take);
                self.push(&rest, take);
            }
            Read::Other => self.literal(take),
        }
    }

    /// Takes the first letter of a wrong escape as it is, and reads the others again.
    fn literal(&mut self, take: &mut dyn FnMut(Letter)) {
        let escape = mem::take(&mut self.escape);
        let mut letters = escape.chars();
        match letters.next() {
            // browsers read `\` as `/` in URLs
            Some('\\') => self.decoded(Letter { letter: '/', is_raw: false }, take),
            Some(letter) => self.decoded(Letter { letter, is_raw: true }, take),
            None => {}
        }
        self.push(letters.as_str(), take);
    }

    fn decoded(&mut self, letter: Letter, take: &mut dyn FnMut(Letter)) {
        if self.percent.is_empty() {
            return match letter.letter {
                '%' => self.percent.push('%'),
                _ => take(letter),
            };
        }
        if !letter.letter.is_ascii_hexdigit() {
            self.end_percent(take);
            return self.decoded(letter, take);
        }
        self.percent.push(letter.letter);
        let digits = self.percent.get(1..).unwrap_or_default();
        if digits.len() % 2 == 1 {
            return;
        }
        let last = digits.get(digits.len() - 2..).unwrap_or_default();
        if last == "25" && digits.len() < 2 * MAX_LAYERS {
            return;
        }
        let byte = u8::from_str_radix(last, 16).unwrap_or_default();
        self.percent.clear();
        take(Letter { letter: char::from(byte), is_raw: false });
    }

    fn end_percent(&mut self, take: &mut dyn FnMut(Letter)) {
        for letter in mem::take(&mut self.percent).chars() {
            take(Letter { letter, is_raw: true });
        }
    }
}

/// The beginning of an escape.
enum Read {
    Letter(char, usize),
    Partial,
    Other,
}

fn entity(text: &str) -> Read {
    match entities::read(text) {
        Some((_, len)) if len == text.len() && !text.ends_with(';') => Read::Partial,
        Some((letter, len)) => Read::Letter(letter, len),
        None if entities::may_begin(text) => Read::Partial,
        None => Read::Other,
    }
}

/// Reads the escapes of Markdown (`\:`) and of JSON (`\u003a`).
fn backslash(text: &str) -> Read {
    let mut letters = text.chars().skip(1);
    match letters.next() {
        None => Read::Partial,
        Some('u') => {
            let hex = text.get(2..).unwrap_or_default();
            let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
            match u32::from_str_radix(hex, 16)
                .ok()
                .filter(|_| is_hex && hex.len() == 4)
                .and_then(char::from_u32)
            {
                Some(letter) => Read::Letter(letter, 6),
                None if is_hex && hex.len() < 4 => Read::Partial,
                None => Read::Other,
            }
        }
        Some(letter) if letter.is_ascii_punctuation() && letter != '\\' => Read::Letter(letter, 2),
        Some(_) => Read::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let (mut out, mut letters) = (String::new(), Letters::default());
        let mut take = |letter: Letter| out.push(letter.letter);
        letters.push(text, &mut take);
        letters.flush(&mut take);
        out
    }

    #[test]
    fn escapes_are_read() {
        for (text, want) in [
            ("https&#58;//a", "https://a"),
            ("https&#58//a", "https://a"),
            ("h&#116;tps&colon;&sol;&sol;a", "https://a"),
            ("https\\:\\/\\/a", "https://a"),
            ("https:\\\\a", "https://a"),
            ("https\\u003a//a", "https://a"),
            ("https%3A%2F%2fa", "https://a"),
            ("https%253A%25252Fa", "https:/a"),
            ("C:\\Users\\x\\", "C:/Users/x/"),
            ("a & b &c; &#; 100% %2 %zz \\users", "a & b &c; &#; 100% %2 %zz /users"),
            ("&&amp;", "&&"),
        ] {
            assert_eq!(read(text), want, "{text}");
        }
    }

    #[test]
    fn what_was_encoded_ends_nothing() {
        let mut raw = Vec::new();
        Letters::default().push("\\) %20 &#32; ", &mut |letter| raw.push(letter.is_raw));
        assert_eq!(raw, [false, true, false, true, false, true]);
    }
}
