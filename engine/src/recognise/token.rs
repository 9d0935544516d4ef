//! Tokens and placeholders of our own: left alone, and never found to be something else.

/// The longest token or placeholder, in bytes.
const MAX: usize = 512;

/// The token `tok_<country>_<type>_<id>` at the beginning of the text: its length in bytes.
pub(crate) fn token(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("tok_")?;
    let word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let len = rest.bytes().take(MAX).position(|byte| !word(byte)).unwrap_or(rest.len().min(MAX));
    let body = rest.get(..len)?;
    let (country, rest) = body.split_once('_')?;
    let (kind, id) = rest.rsplit_once('_')?;
    let valid = country.len() == 2
        && country.bytes().all(|byte| byte.is_ascii_lowercase())
        && !kind.is_empty()
        && id.len() >= 8
        && id.bytes().all(|byte| byte.is_ascii_lowercase() || (b'2'..=b'7').contains(&byte));
    valid.then_some(4 + len)
}

/// The placeholder `[[TYPE_xxxxxx]]` or `[REDACTED]` at the beginning of the text: its length in bytes.
pub(crate) fn placeholder(text: &str) -> Option<usize> {
    if text.starts_with("[REDACTED]") {
        return Some("[REDACTED]".len());
    }
    let rest = text.strip_prefix("[[")?;
    let end = rest.bytes().take(MAX).position(|byte| byte == b']')?;
    let (kind, id) = rest.get(..end)?.rsplit_once('_')?;
    let valid = !kind.is_empty()
        && kind.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && id.len() >= 6
        && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    (valid && rest.get(end..)?.starts_with("]]")).then_some(end + 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_words() {
        for (text, length) in [
            ("tok_cz_rodne_cislo_abcdefgh234 x", Some(30)),
            ("tok_xx_email_abcdefgh", Some(21)),
            ("tok_email_abcdefgh", None),
            ("tok_xx_email_short", None),
            ("tok_", None),
        ] {
            assert_eq!(token(text), length, "{text}");
        }
        for (text, length) in
            [("[[EMAIL_x7k2qd]] ok", Some(16)), ("[REDACTED]", Some(10)), ("[[email_x7k2qd]]", None), ("[[EMAIL_x]]", None), ("[[", None)]
        {
            assert_eq!(placeholder(text), length, "{text}");
        }
    }
}
