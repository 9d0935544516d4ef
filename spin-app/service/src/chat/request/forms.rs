//! The forms of values that are not text: keywords, identifiers, seals of providers, encoded content.

use serde_json::Value;

/// The longest keyword, in bytes.
const MAX_KEYWORD: usize = 128;

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
        word.len() <= MAX_KEYWORD && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
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

pub(in crate::chat) fn digits(number: &str) -> usize {
    number.bytes().filter(u8::is_ascii_digit).count()
}

/// The prefixes of identifiers that providers and their clients make.
const ID_PREFIXES: [&str; 26] = [
    "call_",
    "chatcmpl-",
    "ci_",
    "cmp_",
    "conv_",
    "ctc_",
    "cu_",
    "fc_",
    "file-",
    "file_",
    "fs_",
    "ig_",
    "lsh_",
    "mcp_",
    "mcpl_",
    "mcpr_",
    "mcptoolu_",
    "msg_",
    "req_",
    "resp_",
    "rs_",
    "run-",
    "srvtoolu_",
    "toolu_",
    "tsc_",
    "ws_",
];

/// Words between a prefix and the random characters: the platform or the kind of the identifier.
const ID_WORDS: [&str; 4] = ["00", "bdrk", "tool", "vrtx"];

/// The random characters of an identifier: at least this many.
const MIN_RANDOM: usize = 16;
/// At most this many.
const MAX_RANDOM: usize = 128;
/// So many are as long as a hash or a key, and have long runs of digits by chance.
const MIN_HASH: usize = 32;

/// Whether a text has the form of an identifier that a provider made: a known prefix and random characters, or a
/// UUID. Findings in it are accidental; an identifier of another form may be a person's.
pub(in crate::chat) fn is_id(text: &str) -> bool {
    let rest = text.strip_prefix(id_prefix(text)).filter(|rest| rest.len() < text.len());
    let Some(rest) = rest else { return is_uuid(text) };
    let word = rest.split_once(['_', '-']).filter(|(word, _)| ID_WORDS.contains(word));
    let rest = word.map_or(rest, |(_, rest)| rest);
    is_random(rest) || is_uuid(rest)
}

/// Returns the prefix of an identifier; empty for another text.
pub(in crate::chat) fn id_prefix(text: &str) -> &'static str {
    ID_PREFIXES.into_iter().find(|prefix| text.starts_with(prefix)).unwrap_or_default()
}

/// Whether a text is letters and digits in an order that nobody would choose: a digit is before a letter.
fn is_random(text: &str) -> bool {
    let before_number = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let has = |of: fn(&u8) -> bool| before_number.bytes().any(|byte| of(&byte));
    let longest = text.split(|letter: char| !letter.is_ascii_digit()).map(str::len).max().unwrap_or_default();
    let is_hash = text.len() >= MIN_HASH && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (MIN_RANDOM..=MAX_RANDOM).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && has(u8::is_ascii_alphabetic)
        && has(u8::is_ascii_digit)
        && longest < if is_hash { MIN_RANDOM } else { MIN_NUMBER_DIGITS }
}

fn is_uuid(text: &str) -> bool {
    let has_letter = text.bytes().any(|byte| byte.is_ascii_alphabetic());
    text.len() == 36 && has_letter && uuid::Uuid::try_parse(text).is_ok()
}

/// The most digits that a number has in full: no personal number is longer.
const MAX_WHOLE_DIGITS: i64 = 40;

/// Writes a whole number of JSON in full, without a fraction of zeros and without an exponent:
/// `4.111111111111111e15` and `4111111111111111.0` are `4111111111111111`. `None` for any other number, and for one
/// that is written in full.
pub(in crate::chat) fn whole_number(number: &str) -> Option<String> {
    let (sign, unsigned) = match number.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", number),
    };
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if fraction.is_empty() && mantissa.len() == unsigned.len() {
        return None;
    }
    let exponent: i64 = exponent.parse().ok()?;
    let written = format!("{whole}{fraction}");
    let digits = written.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    // places of the last significant digit before the point
    let dropped = i64::try_from(digits.len() - significant.len()).ok()?;
    let zeros = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?.checked_add(dropped)?;
    let len = zeros.checked_add(i64::try_from(significant.len()).ok()?)?;
    if significant.is_empty() || zeros < 0 || len > MAX_WHOLE_DIGITS {
        return None;
    }
    Some(format!("{sign}{significant}{}", "0".repeat(usize::try_from(zeros).ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_those_of_providers() {
        for (text, want) in [
            ("call_zqHD4ndf4bXZYyHJpSwUwQUN", true),
            ("call_00_zqHD4ndf4bXZYyHJpSwUwQUN", true),
            ("chatcmpl-tool-3f1c7b0e9d8a4f5e8b6c2d1a0f9e8d7c", true),
            ("toolu_01T1x1fJ34qAmk2tNTrN7Up6", true),
            ("toolu_vrtx_01T1x1fJ34qAmk2tNTrN7Up6", true),
            ("msg_013Zva2CMHLNnXjNJJKqJ2EF", true),
            ("resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b", true),
            ("rs_68af4030baa48193b0b43b4c2a176a1a0e6967589f080e78", true),
            ("file-BK7bzQj3FfZFXr7DbL6xJwfo", true),
            ("123e4567-e89b-12d3-a456-426614174000", true),
            ("run-123e4567-e89b-12d3-a456-426614174000", true),
            ("chatcmpl-123e4567-e89b-12d3-a456-426614174000", true),
            // forms that a caller chooses
            ("call_1", false),
            ("call_jan_novak", false),
            ("call_JanNovakFromPrague", false),
            ("call_JanNovakFromPrague12", false),
            ("call_44051401359", false),
            ("call_4111111111111111", false),
            ("call_card4111111111111111", false),
            ("call_pesel44051401359x", false),
            ("toolu_eva.novak@example.com", false),
            ("jan.novak", false),
            ("customer-44051401359", false),
            ("zqHD4ndf4bXZYyHJpSwUwQUN", false),
            ("00000000-0000-0000-0000-044051401359", false),
            ("msg_44051401359440514013594405140135a", false),
        ] {
            assert_eq!(is_id(text), want, "{text}");
        }
    }

    #[test]
    fn numbers_are_written_in_full() {
        for (number, want) in [
            ("4111111111111111.0", Some("4111111111111111")),
            ("4111111111111111.000", Some("4111111111111111")),
            ("4.111111111111111e15", Some("4111111111111111")),
            ("4.111111111111111E+15", Some("4111111111111111")),
            ("411111111111111100e-2", Some("4111111111111111")),
            ("-6.01123456e8", Some("-601123456")),
            ("44051401359e0", Some("44051401359")),
            ("0.44051401359e11", Some("44051401359")),
            ("1e6", Some("1000000")),
            ("4111111111111111", None),
            ("3.14159265358979", None),
            ("4.111111111111111e14", None),
            ("1e-7", None),
            ("1e999999999999", None),
            ("1e99999999999999999999999", None),
            ("0.0", None),
            ("0e5", None),
        ] {
            assert_eq!(whole_number(number).as_deref(), want, "{number}");
        }
    }
}
