//! The entities of HTML that can spell a URL or a placeholder.

use textveil_phrase::references::named;

/// Longest entity that is read, in bytes.
pub const MAX_LEN: usize = 12;

/// Reads the entity at the beginning of a text: its character and its length in bytes.
///
/// A numeric entity may lack its semicolon, as in browsers.
pub fn read(text: &str) -> Option<(char, usize)> {
    let rest = text.strip_prefix('&')?;
    let Some(number) = rest.strip_prefix('#') else {
        let end = rest.bytes().take(MAX_LEN).position(|byte| byte == b';')?;
        let name = rest.get(..end)?;
        return named(name).map(|letter| (letter, end + 2));
    };
    let (digits, radix, start) = match number.strip_prefix(['x', 'X']) {
        Some(hex) => (hex, 16, 3),
        None => (number, 10, 2),
    };
    let len = digits.bytes().take(MAX_LEN).take_while(|byte| char::from(*byte).is_digit(radix)).count();
    let letter = char::from_u32(u32::from_str_radix(digits.get(..len)?, radix).ok()?)?;
    let has_end = digits.as_bytes().get(len) == Some(&b';');
    Some((letter, start + len + usize::from(has_end)))
}

/// Whether a text may be the beginning of an entity.
pub fn may_begin(text: &str) -> bool {
    let name = text.strip_prefix('&').map(|name| name.strip_prefix('#').unwrap_or(name));
    text.len() < MAX_LEN && name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities() {
        for (text, want) in [
            ("&#91;x", Some(('[', 5))),
            ("&#x5B;x", Some(('[', 6))),
            ("&#x5bx", Some(('[', 5))),
            ("&#58//", Some((':', 4))),
            ("&lsqb;", Some(('[', 6))),
            ("&amp;amp;", Some(('&', 5))),
            ("&nothing;", None),
            ("&#;", None),
            ("&#xd800;", None),
            ("& b", None),
            ("x", None),
        ] {
            assert_eq!(read(text), want, "{text}");
        }
        assert!(
            may_begin("&") && may_begin("&#x5") && may_begin("&lsq") && !may_begin("& ") && !may_begin("x")
        );
    }
}
