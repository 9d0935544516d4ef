//! The forms of values that are not text: keywords, identifiers, seals of providers, encoded content.

use serde_json::Value;

/// The longest identifier that is skipped, in bytes.
pub(in crate::chat) const MAX_ID: usize = 128;

/// The length of the shortest signature, in Base64 characters.
pub(in crate::chat) const MIN_SEAL: usize = 22;

/// Numbers with fewer digits are not personal data.
pub(in crate::chat) const MIN_NUMBER_DIGITS: usize = 7;

/// Returns a string; empty if the value is absent.
pub(in crate::chat) fn string(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

/// Whether a value is one of these words.
pub(in crate::chat) fn is_one_of(value: &Value, words: &[&str]) -> bool {
    value.as_str().is_some_and(|word| words.contains(&word))
}

/// Whether a value has the form of an API keyword, which is not text of the caller.
pub(in crate::chat) fn is_name(value: &Value) -> bool {
    let letters = |word: &str| {
        word.len() <= MAX_ID && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    value.as_str().is_some_and(letters)
}

/// Whether a value has the form of a provider's signature or ciphertext: at least 16 bytes in Base64 of
/// either alphabet, with letters of both cases and digits. Findings in it are accidental.
pub(in crate::chat) fn is_seal(value: &Value) -> bool {
    let Some(text) = value.as_str() else { return false };
    let bytes = text.trim_end_matches('=');
    let has = |of: fn(&u8) -> bool| bytes.bytes().any(|byte| of(&byte));
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
    let is_whole = text.len() - bytes.len() <= 2 && bytes.len() % 4 != 1;
    bytes.len() >= MIN_SEAL
        && is_whole
        && bytes.bytes().all(letter)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

/// Whether a link contains its content.
pub(in crate::chat) fn is_encoded(link: &Value) -> bool {
    link.as_str().and_then(|link| link.get(..5)).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// Whether a text is a link that contains a file: `data:image/png;base64,` and the content.
pub(in crate::chat) fn holds_a_file(text: &str) -> bool {
    let Some((head, _)) = text.split_once(',') else { return false };
    let head = head.to_ascii_lowercase();
    head.strip_prefix("data:").is_some_and(|kind| kind.ends_with(";base64") && !kind.contains(' '))
}

/// Whether a list contains this word.
pub(in crate::chat) fn holds(list: &Value, word: &str) -> bool {
    list.as_array().is_some_and(|list| list.iter().any(|value| value == word))
}

/// Whether a value consists of a long run of digits.
pub(in crate::chat) fn is_digits(value: &Value) -> bool {
    let has_letter = |text: &str| text.bytes().any(|byte| byte.is_ascii_alphabetic());
    value.as_str().is_some_and(|text| !has_letter(text) && digits(text) >= MIN_NUMBER_DIGITS)
}

pub(in crate::chat) fn digits(number: &str) -> usize {
    number.bytes().filter(u8::is_ascii_digit).count()
}
