//! `X-Request-Id`: the caller's id if it is safe to repeat, otherwise a new one.

use http::{HeaderMap, HeaderName};

use crate::{
    limits::{MAX_REQUEST_ID_BYTES, MIN_REQUEST_ID_BYTES},
    system::System,
};

/// The header that carries the id.
pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// Fewest digits in a row that can be a person's number: of a telephone, a card, an identity.
const DIGITS_OF_A_NUMBER: usize = 7;

/// Returns the caller's id, or a new one of 32 hex digits.
pub(crate) fn of(headers: &HeaderMap, system: &impl System) -> String {
    of_caller(headers).map_or_else(|| format!("{:032x}", system.random()), str::to_owned)
}

/// Returns the caller's id if it is safe to repeat.
///
/// The id goes to logs, audit records and answers. So it has 8 to 64 letters, digits, `-` and `_`, and it cannot be a
/// person's number. Host and service decide by this function.
///
/// ```
/// use http::{HeaderMap, HeaderValue};
/// use textveil_service::request_id::{HEADER, of_caller};
///
/// let mut headers = HeaderMap::new();
/// assert_eq!(of_caller(&headers), None);
/// headers.insert(HEADER, HeaderValue::from_static("order-4711"));
/// assert_eq!(of_caller(&headers), Some("order-4711"));
/// headers.insert(HEADER, HeaderValue::from_static("pesel-44051401359"));
/// assert_eq!(of_caller(&headers), None);
/// ```
pub fn of_caller(headers: &HeaderMap) -> Option<&str> {
    let id = headers.get(HEADER)?.to_str().ok()?;
    (is_plain(id) && is_no_number(id)).then_some(id)
}

fn is_plain(id: &str) -> bool {
    (MIN_REQUEST_ID_BYTES..=MAX_REQUEST_ID_BYTES).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Whether an id cannot be a person's number.
///
/// It has a letter and no seven digits in a row, with or without separators. A UUID, a hex number of 16 or 32
/// digits and a ULID, with a prefix or without, contain such digits by chance.
fn is_no_number(id: &str) -> bool {
    let shaped = id.trim_start_matches(|one: char| one.is_ascii_alphabetic());
    let shaped = shaped.strip_prefix(['_', '-']).unwrap_or(id);
    has_letter(id) && !has_number(id) || [id, shaped].into_iter().any(|id| has_letter(id) && is_random(id))
}

fn has_letter(id: &str) -> bool {
    id.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn has_number(id: &str) -> bool {
    let digits = |part: &str| part.bytes().filter(u8::is_ascii_digit).count();
    id.split(|one: char| one.is_ascii_alphabetic()).any(|part| digits(part) >= DIGITS_OF_A_NUMBER)
}

fn is_random(id: &str) -> bool {
    let is_hex = id.bytes().all(|byte| byte.is_ascii_hexdigit());
    // Crockford's base 32; 128 bits begin with 7 at most
    let is_ulid = || {
        id.bytes().all(|byte| byte.is_ascii_alphanumeric() && !b"ILOUilou".contains(&byte))
            && id.starts_with(|first| ('0'..='7').contains(&first))
    };
    match id.len() {
        16 | 32 => is_hex,
        26 => is_ulid(),
        36 => uuid::Uuid::try_parse(id).is_ok(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_seen() {
        for (id, want) in [
            ("x", true),
            ("change-4711", true),
            ("order-123456", true),
            ("checkout.2026-11-23", false),
            ("checkout.2026-11", true),
            ("A-b_c.d:e/f+g=", true),
            // by chance
            ("123e4567-e89b-12d3-a456-426614174000", true),
            ("req-123e4567-e89b-12d3-a456-426614174000", true),
            ("abcdef12-3456-7890-1234-567890123456", true),
            ("4bf92f3577b34da6a3ce929d01234567", true),
            ("4BF92F3577B34DA6A3CE929D01234567", true),
            ("0123456789abcdef", true),
            ("fpi_0123456789abcdef", true),
            ("01HX5K8Z3Q2345678YV9W6T4RN", true),
            ("req_01HX5K8Z3Q2345678YV9W6T4RN", true),
            // no letter
            ("7", false),
            ("44051401359", false),
            ("+48.601.123.456", false),
            ("601-123-456", false),
            ("2001:4860:4860::8888", false),
            ("00000000-0000-0000-0000-044051401359", false),
            ("00000000000000000000044051401359", false),
            ("00000000000000044051401359", false),
            ("req_00000000000000000000044051401359", false),
            // a number with a letter
            ("pesel44051401359", false),
            ("pesel-44051401359", false),
            ("id=440514/01359", false),
            ("tel:+48601123456", false),
            ("tel:601-123-456", false),
            ("AB1234567", false),
            ("12345678Z", false),
            ("card.4111-1111-1111-1111", false),
            // neither hex nor a ULID
            ("4bf92f3577b34da6a3ce929d0123456", false),
            ("4bf92f3577b34da6a3ce929g01234567", false),
            ("81HX5K8Z3Q2345678YV9W6T4RN", false),
            ("01HX5K8Z3Q2345678YV9W6T4RU", false),
        ] {
            assert_eq!(is_no_number(id), want, "{id}");
        }
    }
}
