//! URLs, from their `://` or their `www.` (RFC 3986 as people write them).

/// The longest scheme, in bytes.
const MAX_SCHEME: usize = 20;
/// The shortest number that is a cell of its own behind a URL, in digits.
const NUMBER: usize = 7;

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
    let url = text.find(stop).and_then(|end| text.get(..end)).unwrap_or(text);
    let mut url = cell_end(url).and_then(|end| url.get(..end)).unwrap_or(url);
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

/// Where the cell that a URL fills ends in a row such as `https://example.com/a;jan@example.com`: before a mark that a
/// cell of its own follows. A parameter is none, `;version=2`, and neither is what a URL has commas for.
fn cell_end(url: &str) -> Option<usize> {
    let mut marks = url.match_indices([';', ',']);
    let ends = marks.find(|(at, mark)| {
        let (before, behind) = url.split_at_checked(*at).unwrap_or_default();
        let behind = behind.get(1..).unwrap_or_default();
        let next = behind.split([';', ',']).next().unwrap_or_default();
        let digits = next.strip_prefix('+').unwrap_or(next);
        let number = digits.len() >= NUMBER && digits.bytes().all(|byte| byte.is_ascii_digit());
        // `?a=1&amp;b=2`
        let word = before.rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
        let escaped = before.strip_suffix(word).is_some_and(|before| before.ends_with(['&', '#']));
        let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '-' | ':' | '\'' | '_');
        let date = |letter: char| letter.is_ascii_digit() || letter == '/';
        let cell = *mark == ";" && !escaped && (next.chars().all(plain) || next.chars().all(date));
        number || cell || next.contains("://") || next.contains('@') && next.contains('.')
    });
    ends.map(|(at, _)| at)
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
            ("https://example.com/a;jan@example.com", Some("https://example.com/a")),
            ("https://example.com/a,jan@example.com,1", Some("https://example.com/a")),
            ("https://example.com/a;4111111111111111", Some("https://example.com/a")),
            ("https://example.com/a,+420601123456", Some("https://example.com/a")),
            ("https://example.com/a,https://example.com/b", Some("https://example.com/a")),
            ("https://example.com/a;;x", Some("https://example.com/a")),
            ("https://example.com/a;Jan;Novák", Some("https://example.com/a")),
            ("https://example.com/a;16/05/2021;x", Some("https://example.com/a")),
            ("https://example.com/?a=b;%0Ac;+d", Some("https://example.com/?a=b;%0Ac;+d")),
            ("https://example.com/a;v=1;w=2/b", Some("https://example.com/a;v=1;w=2/b")),
            ("https://example.com/?a=1&amp;b=2", Some("https://example.com/?a=1&amp;b=2")),
            ("https://example.com/@50.08,14.4378,15z", Some("https://example.com/@50.08,14.4378,15z")),
            ("https://example.com/a,b/c,123.html", Some("https://example.com/a,b/c,123.html")),
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
