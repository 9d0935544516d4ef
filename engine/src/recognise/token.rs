//! The engine's own tokens and placeholders: left unchanged, and never part of a finding.
//!
//! Their ids end with a check digit, so that other text in brackets, such as `[[CARD_4111111111111111]]`, is
//! read like any text.

use super::{scan::Scanner, table::Recognise};
use crate::checks::digits::hybrid_check;

/// Digits of base32 (RFC 4648 §6), in lower case.
pub(crate) const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// The number of digits of an id that encode the length of the sealed value.
pub(crate) const LENGTH_DIGITS: usize = 3;
/// The first character of the id of a token with a check digit; it is not a digit of base32.
pub(crate) const CHECKED: char = '1';
/// The shortest sealed value, in digits: that of one byte.
const MIN_SEALED: usize = 28;
/// The longest type of a token and the longest placeholder, in bytes.
const MAX: usize = 96;
/// The number of digits in the id of a placeholder, with its check digit.
const PLACEHOLDER_DIGITS: usize = 11;

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
    /// Its check digit holds. Tokens of version 0.1 are without one.
    pub is_checked: bool,
}

/// Returns the token `tok_<country>_<type>_<id>` at the start of the text.
///
/// The id is [`CHECKED`], one base32 digit for the key's version, three for the length of the sealed value, the
/// sealed value, and a check digit. So the end of a token does not depend on the text after it. In version 0.1 an id
/// had neither the first character nor the last.
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
        let checked = id.strip_prefix(CHECKED);
        let Some((version, sealed, after)) = id_at(checked.unwrap_or(id)) else { continue };
        let len = text.len() - after.len();
        let Some(numbered) = checked else {
            return Some(Token { len, country, kind, version, sealed, is_checked: false });
        };
        let digits = numbered.get(..numbered.len() - after.len()).and_then(check_digit);
        if digits.is_some_and(|digit| after.starts_with(digit)) {
            return Some(Token { len: len + 1, country, kind, version, sealed, is_checked: true });
        }
    }
    None
}

/// Returns the version, the sealed value, and the text after them, of the numbers at the start of the text.
fn id_at(text: &str) -> Option<(u8, &str, &str)> {
    let digit = |byte: &u8| BASE32.iter().position(|known| known == byte);
    let version = digit(text.as_bytes().first()?)?;
    let length = text
        .as_bytes()
        .get(1..=LENGTH_DIGITS)?
        .iter()
        .try_fold(0, |length, byte| Some(length * 32 + digit(byte)?))?;
    let (sealed, after) = text.get(1 + LENGTH_DIGITS..)?.split_at_checked(length)?;
    let valid = length >= MIN_SEALED && sealed.bytes().all(|byte| BASE32.contains(&byte));
    valid.then_some((u8::try_from(version).ok()?, sealed, after))
}

/// Returns the check digit of digits of base32: the hybrid system of ISO 7064, modulo 33 and 32.
///
/// Returns `None` for a character that is not a digit of base32.
pub(crate) fn check_digit(digits: &str) -> Option<char> {
    let value = |byte| BASE32.iter().position(|known| *known == byte).map(|value| value as u32);
    let check = hybrid_check(digits.bytes().map(value), BASE32.len() as u32)?;
    BASE32.get(check as usize).copied().map(char::from)
}

/// Returns the id of a placeholder, ended by its check digit.
///
/// `digits` are ten digits of base32. Returns `None` for another number of digits, and for an id without a letter: a number is never an id.
///
/// # Examples
/// ```
/// use textveil_engine::{DetectOptions, detect, placeholder_id};
///
/// let id = placeholder_id("x7k2qd3mab").unwrap_or_default();
/// assert_eq!(id, "x7k2qd3maba");
/// // neither the placeholder nor a part of it is a finding
/// let text = format!("password: [[PASSWORD_{id}]]");
/// assert!(detect(&text, &DetectOptions::default())?.entities.is_empty());
/// # Ok::<(), textveil_engine::Error>(())
/// ```
pub fn placeholder_id(digits: &str) -> Option<String> {
    let id = format!("{digits}{}", check_digit(digits)?);
    is_placeholder_id(&id).then_some(id)
}

/// Whether an id is one of the engine's placeholders: its check digit holds, and it has a letter.
fn is_placeholder_id(id: &str) -> bool {
    let digits = id.get(..PLACEHOLDER_DIGITS - 1).filter(|_| id.len() == PLACEHOLDER_DIGITS);
    let check = digits.and_then(check_digit);
    check.is_some_and(|check| id.ends_with(check)) && id.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Returns the length in bytes of the placeholder `[[TYPE_<id>]]` or `[REDACTED]` at the start of the text.
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
        && is_placeholder_id(id);
    (valid && rest.get(end..)?.starts_with("]]")).then_some(end + 4)
}

/// The engine's own tokens and placeholders.
pub(super) struct OwnTokens;

impl Recognise for OwnTokens {
    type State = ();

    const MARKS: &'static [u8] = b"_[";

    fn at_mark(scanner: &mut Scanner<'_>, at: usize, byte: u8) {
        if byte == b'[' {
            read_placeholder(scanner, at);
        } else {
            read_token(scanner, at);
        }
    }
}

/// Reserves one of the engine's own tokens, from its first `_`; it may follow a word without a separator.
fn read_token(scanner: &mut Scanner<'_>, at: usize) {
    let start = at.wrapping_sub(3);
    if scanner.bytes.get(start..at) == Some(b"tok")
        && let Some(token) = scanner.text.get(start..).and_then(token).filter(|token| token.is_checked)
    {
        reserve(scanner, start, start + token.len);
    }
}

/// Reserves a placeholder of the engine.
fn read_placeholder(scanner: &mut Scanner<'_>, at: usize) {
    if let Some(len) = scanner.text.get(at..).and_then(placeholder) {
        reserve(scanner, at, at + len);
    }
}

/// Reserves a range that no finding may overlap.
fn reserve(scanner: &mut Scanner<'_>, start: usize, end: usize) {
    scanner.states.prefixed.done = end;
    scanner.out.reserved.push((start as u32, end as u32));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_words() {
        let sealed = "abcdefghijklmnopqrstuvwxyz23";
        let id = format!("1baa4{sealed}{}", check_digit(&format!("baa4{sealed}")).unwrap());
        let other = id.replace("cde", "cdf");
        for (text, kind) in [
            (format!("tok_cz_rodne_cislo_{id} x"), Some(("rodne_cislo", true))),
            (format!("tok_xx_email_{id}_x"), Some(("email", true))),
            (format!("tok_xx_email_{id}tok_"), Some(("email", true))),
            (format!("tok_xx_email_{other}"), None),
            (format!("tok_email_{id}"), None),
            (format!("tok_xx_email_{id}").replace("baa4", "baa5"), None),
            (format!("tok_xx_email_{id}").replace('g', "G"), None),
            // of version 0.1
            (format!("tok_cz_rodne_cislo_baa4{sealed} x"), Some(("rodne_cislo", false))),
            (format!("tok_xx_email_baa4{sealed}tok_"), Some(("email", false))),
            (format!("tok_email_baa4{sealed}"), None),
            (format!("tok_xx_email_baa5{sealed}"), None),
            (format!("tok_xx_email_baa4{sealed}").replace('g', "G"), None),
            ("tok_xx_email_short".to_owned(), None),
            ("tok_".to_owned(), None),
        ] {
            let found = token(&text);
            assert_eq!(found.map(|token| (token.kind, token.is_checked)), kind, "{text}");
            assert!(found.is_none_or(|token| token.sealed == sealed && token.version == 1), "{text}");
            let whole = found.map(|token| &text[..token.len]);
            let end = if text.contains("_1") { id.as_str() } else { sealed };
            assert!(whole.is_none_or(|whole| whole.ends_with(end)), "{text}");
        }
        for (text, length) in [
            ("[[EMAIL_x7k2qd3maba]] ok", Some(21)),
            ("[REDACTED]", Some(10)),
            ("[[email_x7k2qd3maba]]", None),
            ("[[EMAIL_x7k2qd3mab9]]", None),
            ("[[EMAIL_x7k2qd]]", None),
            ("[[EMAIL_x7k2qd3maba", None),
            ("[[A_4111111111111111]]", None),
            ("[[", None),
        ] {
            assert_eq!(placeholder(text), length, "{text}");
        }
    }

    /// A number is not an id, though its check digit holds.
    #[test]
    fn ids_have_letters() {
        let numbers = b"234567".map(|last| format!("223344556{}", char::from(last)));
        let (ids, checks) = (
            numbers.clone().map(|digits| placeholder_id(&digits)),
            numbers.map(|digits| check_digit(&digits)),
        );
        let letters = checks.map(|check| check.filter(char::is_ascii_lowercase).is_some());
        assert_eq!(ids.map(|id| id.is_some()), letters);
        assert!(letters.contains(&true) && letters.contains(&false), "{letters:?}");
        for digits in ["x7k2qd", "x7k2qd3mab7", "x7k2qd3ma1", "X7K2QD3MAB"] {
            assert_eq!(placeholder_id(digits), None, "{digits}");
        }
    }
}
