//! URLs, from their `://` or their `www.` (RFC 3986 as people write them).

/// The longest scheme, in bytes.
const MAX_SCHEME: usize = 20;

/// The URL whose `://` stands at `colon`, in bytes of the text.
pub(crate) fn around(text: &str, colon: usize) -> Option<(usize, usize)> {
    let before = text.get(..colon)?;
    let scheme_len = before
        .bytes()
        .rev()
        .take(MAX_SCHEME)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'))
        .count();
    let scheme = before.get(colon - scheme_len..)?;
    let scheme = scheme.trim_start_matches(|letter: char| !letter.is_ascii_alphabetic());
    if scheme.len() < 2 {
        return None;
    }
    let start = colon - scheme.len();
    let authority = colon + 3;
    let rest = text.get(authority..)?;
    if !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '[') {
        return None;
    }
    let end = authority + tail(rest);
    (end > authority).then_some((start, end))
}

/// Whether a URL without a scheme starts with `www.` at `start`, and where what was looked at ends.
pub(crate) fn bare(text: &str, start: usize) -> (bool, usize) {
    let rest = text.get(start..).unwrap_or_default();
    let end = tail(rest);
    let host =
        rest.get(..end).and_then(|url| url.get(4..)).and_then(|host| host.split(['/', '?', '#', ':']).next());
    let found = host.is_some_and(|host| {
        let top = host.rsplit('.').next().unwrap_or_default();
        host.contains('.') && super::email::known_top(top)
    });
    (found, start + end.max(1))
}

/// Where the URL that begins the text ends: before a space, a quote or a bracket, and before the
/// punctuation of the sentence around it.
fn tail(text: &str) -> usize {
    let stop = |letter: char| {
        letter.is_whitespace()
            || matches!(
                letter,
                '"' | '<' | '>' | '`' | '{' | '}' | '|' | '\\' | '^' | '„' | '“' | '”' | '»' | '«'
            )
    };
    let mut url = text.find(stop).and_then(|end| text.get(..end)).unwrap_or(text);
    let (mut open, mut close) = (count(url, '(') + count(url, '['), count(url, ')') + count(url, ']'));
    while let Some(last) = url.chars().next_back() {
        match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' => {}
            ')' | ']' if close > open => close -= 1,
            '(' | '[' => open -= 1,
            _ => break,
        }
        url = url.strip_suffix(last).unwrap_or_default();
    }
    url.len()
}

fn count(text: &str, letter: char) -> usize {
    text.matches(letter).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        for (text, want) in [
            ("see https://example.com/a?b=c#d.", Some("https://example.com/a?b=c#d")),
            ("(https://example.com/wiki/A_(b))", Some("https://example.com/wiki/A_(b)")),
            ("postgres://user:secret@db:5432/x", Some("postgres://user:secret@db:5432/x")),
            ("\"ftp://example.org\",", Some("ftp://example.org")),
            ("http://[2001:db8::1]/", Some("http://[2001:db8::1]/")),
            ("https://пример.испытание/путь", Some("https://пример.испытание/путь")),
            ("a://b", None),
            ("://example.com", None),
            ("http:// example", None),
        ] {
            let found = around(text, text.find("://").unwrap()).map(|(start, end)| &text[start..end]);
            assert_eq!(found, want, "{text}");
        }
        assert_eq!(bare("www.example.com/x, or", 0), (true, 17));
        assert_eq!(bare("www.example", 0), (false, 11));
    }
}
