//! The engine's own tokens and placeholders: left unchanged, and never part of a finding.

use super::scan::Scanner;

/// Digits of base32 (RFC 4648 §6), in lower case.
pub(crate) const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// The number of digits of an id that encode the length of the sealed value.
pub(crate) const LENGTH_DIGITS: usize = 3;
/// The shortest sealed value, in digits: that of one byte.
const MIN_SEALED: usize = 28;
/// The longest type of a token and the longest placeholder, in bytes.
const MAX: usize = 96;

/// The parts of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    /// The total length, in bytes.
    pub len: usize,
    pub country: &'t str,
    pub kind: &'t str,
    /// The version of the key.
    pub version: u8,
    /// The sealed original, in base32.
    pub sealed: &'t str,
}

/// Returns the token `tok_<country>_<type>_<id>` at the start of the text.
///
/// The id is one base32 digit for the key's version, three for the length of the sealed value, and the sealed
/// value. So the end of a token does not depend on the text after it.
pub(crate) fn token(text: &str) -> Option<Token<'_>> {
    let rest = text.strip_prefix("tok_")?;
    let (country, rest) = (rest.get(..2)?, rest.get(2..)?.strip_prefix('_')?);
    if !country.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let ends = rest
        .bytes()
        .take(MAX)
        .enumerate()
        .take_while(|(_, byte)| word(*byte))
        .filter(|(at, byte)| *at > 0 && *byte == b'_');
    for (at, _) in ends {
        let (Some(kind), Some(id)) = (rest.get(..at), rest.get(at + 1..)) else { continue };
        if let Some((version, sealed)) = id_at(id) {
            let len = text.len() - rest.len() + at + 2 + LENGTH_DIGITS + sealed.len();
            return Some(Token { len, country, kind, version, sealed });
        }
    }
    None
}

/// Returns the version and the sealed value of the id at the start of the text.
fn id_at(text: &str) -> Option<(u8, &str)> {
    let digit = |byte: &u8| BASE32.iter().position(|known| known == byte);
    let version = digit(text.as_bytes().first()?)?;
    let length = text
        .as_bytes()
        .get(1..=LENGTH_DIGITS)?
        .iter()
        .try_fold(0, |length, byte| Some(length * 32 + digit(byte)?))?;
    let sealed = text.get(1 + LENGTH_DIGITS..)?.get(..length)?;
    let valid = length >= MIN_SEALED && sealed.bytes().all(|byte| BASE32.contains(&byte));
    valid.then_some((u8::try_from(version).ok()?, sealed))
}

/// Returns the length in bytes of the placeholder `[[TYPE_xxxxxx]]` or `[REDACTED]` at the start of the text.
pub(crate) fn placeholder(text: &str) -> Option<usize> {
    if text.starts_with("[REDACTED]") {
        return Some("[REDACTED]".len());
    }
    let rest = text.strip_prefix("[[")?;
    let name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let end = rest.bytes().take(MAX).position(|byte| !name(byte))?;
    let (kind, id) = rest.get(..end)?.rsplit_once('_')?;
    let valid = !kind.is_empty()
        && kind.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && id.len() >= 6
        && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    (valid && rest.get(end..)?.starts_with("]]")).then_some(end + 4)
}

impl Scanner<'_> {
    /// Reserves one of the engine's own tokens, from its first `_`; it may follow a word without a separator.
    pub(super) fn own_token(&mut self, at: usize) {
        let start = at.wrapping_sub(3);
        if self.bytes.get(start..at) == Some(b"tok")
            && let Some(token) = self.text.get(start..).and_then(token)
        {
            self.reserve(start, start + token.len);
        }
    }

    /// Reserves a placeholder of the engine. Returns whether one begins here.
    pub(super) fn own_placeholder(&mut self, at: usize) -> bool {
        let found = self.text.get(at..).and_then(placeholder);
        if let Some(len) = found {
            self.reserve(at, at + len);
        }
        found.is_some()
    }

    /// Reserves a range that no finding may overlap.
    pub(super) fn reserve(&mut self, start: usize, end: usize) {
        self.done.token = end;
        self.out.reserved.push((start as u32, end as u32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_words() {
        let sealed = "abcdefghijklmnopqrstuvwxyz23";
        for (text, kind) in [
            (format!("tok_cz_rodne_cislo_baa4{sealed} x"), Some("rodne_cislo")),
            (format!("tok_xx_email_baa4{sealed}_x"), Some("email")),
            (format!("tok_xx_email_baa4{sealed}tok_"), Some("email")),
            (format!("tok_email_baa4{sealed}"), None),
            (format!("tok_xx_email_baa5{sealed}"), None),
            (format!("tok_xx_email_baa4{sealed}").replace('g', "G"), None),
            ("tok_xx_email_short".to_owned(), None),
            ("tok_".to_owned(), None),
        ] {
            let found = token(&text);
            assert_eq!(found.map(|token| token.kind), kind, "{text}");
            assert!(found.is_none_or(|token| token.sealed == sealed
                && token.version == 1
                && text[..token.len].ends_with(sealed)));
        }
        for (text, length) in [
            ("[[EMAIL_x7k2qd]] ok", Some(16)),
            ("[REDACTED]", Some(10)),
            ("[[email_x7k2qd]]", None),
            ("[[EMAIL_x]]", None),
            ("[[", None),
        ] {
            assert_eq!(placeholder(text), length, "{text}");
        }
    }
}
