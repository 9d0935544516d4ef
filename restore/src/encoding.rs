//! Writes a restored value so that it neither ends nor extends the construct around it.

use std::{borrow::Cow, fmt::Write};

/// The encoding of a restored value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Encoding {
    /// As it is.
    Plain,
    /// As text of HTML.
    Html,
    /// Percent-encoded, as a part of a URL. Addresses of mail stay readable.
    Url,
    /// Percent-encoded, as a placeholder is that was written so.
    Strict,
}

impl Encoding {
    /// Writes a value in this encoding.
    pub fn encode<'v>(self, value: &'v str) -> Cow<'v, str> {
        match self {
            Self::Plain => Cow::Borrowed(value),
            Self::Html => html(value).into(),
            Self::Url => percent(value, "-._~@:,").into(),
            Self::Strict => percent(value, "-._~").into(),
        }
    }
}

fn html(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for letter in value.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(letter),
        }
    }
    out
}

/// Percent-encodes all but letters and digits of ASCII and the signs to `keep`.
fn percent(value: &str, keep: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for byte in value.bytes() {
        let letter = char::from(byte);
        if byte.is_ascii_alphanumeric() || byte.is_ascii() && keep.contains(letter) {
            out.push(letter);
        } else {
            // writing to a string cannot fail
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_encoded() {
        for (encoding, want) in [
            (Encoding::Plain, "a@b.example \"ř\" <&'>/"),
            (Encoding::Html, "a@b.example &quot;ř&quot; &lt;&amp;&#39;&gt;/"),
            (Encoding::Url, "a@b.example%20%22%C5%99%22%20%3C%26%27%3E%2F"),
            (Encoding::Strict, "a%40b.example%20%22%C5%99%22%20%3C%26%27%3E%2F"),
        ] {
            assert_eq!(encoding.encode("a@b.example \"ř\" <&'>/"), want);
        }
    }
}
