//! Tokens in documents that are read as plain text: some of their characters are escaped there.
//!
//! The readers of documents write a character of a token in the form that the original had at its index: `t\u006fk_…`,
//! `&#0000000116;ok_…`, `%74ok_…`, `tok\_…`, or with a fold of a line before it. Here they are read as parsers would read them.

/// The characters of a token up to its sealed value: `tok_`, country, type, and numbers.
const HEAD: usize = 112;
/// The longest sealed value, in digits, with a check digit.
const LONGEST: usize = 32 * 32 * 32;

/// The longest reference of a character of a token, in bytes.
const LONGEST_REFERENCE: usize = 16;

/// A token as parsers read it.
pub(super) struct Marked {
    pub text: String,
    /// The end of each character where it is written, in bytes.
    ends: Vec<usize>,
}

impl Marked {
    /// Returns the length of so many characters where they are written, in bytes.
    pub fn written_len(&self, chars: usize) -> usize {
        chars.checked_sub(1).and_then(|last| self.ends.get(last)).copied().unwrap_or_default()
    }
}

/// Whether a text may have escapes or folds in it.
pub(super) fn may_have_marks(text: &str) -> bool {
    text.contains(['\\', '%']) || text.contains("&#") || text.contains("\n ") || text.contains("\n\t")
}

/// Returns the place of the next `tok_` of which characters are escaped.
pub(super) fn find(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_start = |at: &usize| match bytes.get(*at) {
        // a fold follows the first character at the earliest
        Some(b't') => bytes.get(at + 1).is_some_and(|next| b"o\\&%\r\n".contains(next)),
        Some(b'\\' | b'&' | b'%') => true,
        _ => false,
    };
    let begins = |at: &usize| {
        let begins =
            text.get(*at..).is_some_and(|rest| read(rest, 4, 4).is_some_and(|read| read.text == "tok_"));
        begins && !text.get(*at..).is_some_and(|rest| rest.starts_with("tok_"))
    };
    (0..bytes.len()).filter(is_start).find(begins)
}

/// Reads the characters of a token at the start of a text; `None` if none is escaped.
pub(super) fn marked(text: &str) -> Option<Marked> {
    read(text, HEAD, LONGEST)
        .filter(|read| read.ends.iter().enumerate().any(|(index, end)| *end != index + 1))
}

/// Reads at most `head` characters of words, and behind them digits of base32, of which a sealed value is.
fn read(text: &str, head: usize, most: usize) -> Option<Marked> {
    let mut marked = Marked { text: String::new(), ends: Vec::new() };
    let mut at = 0;
    while marked.ends.len() < most {
        let rest = text.get(at..)?;
        let fold = if at == 0 { 0 } else { folds(rest) };
        let Some((letter, length)) = rest.get(fold..).and_then(letter) else { break };
        let is_word = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        if !(is_word || letter == '_' && marked.ends.len() < head) {
            break;
        }
        at += fold + length;
        marked.text.push(letter);
        marked.ends.push(at);
    }
    (!marked.ends.is_empty()).then_some(marked)
}

/// Returns the length of the folds at the start of a text: a line break with a space behind it, or one behind a backslash.
fn folds(text: &str) -> usize {
    let mut rest = text;
    loop {
        let line = rest.strip_prefix('\\').unwrap_or(rest);
        let Some(behind) = line.strip_prefix("\r\n").or_else(|| line.strip_prefix('\n')) else { break };
        rest = match behind.strip_prefix([' ', '\t']) {
            _ if line.len() < rest.len() => behind.trim_start_matches([' ', '\t', '\r', '\n']),
            Some(behind) => behind,
            None => break,
        };
    }
    text.len() - rest.len()
}

/// Returns the character at the start of a text and the length in which it is written.
fn letter(text: &str) -> Option<(char, usize)> {
    let hex = |prefix: &str, digits: usize| {
        let written = text.strip_prefix(prefix)?.get(..digits)?;
        let letter = char::from_u32(u32::from_str_radix(written, 16).ok()?)?;
        Some((letter, prefix.len() + digits))
    };
    match text.as_bytes().first()? {
        // the mark of cells in CSV with quotes behind backslashes
        b'\\' if text.starts_with("\\_") => Some(('_', 2)),
        b'\\' => hex("\\u", 4).or_else(|| hex("\\x", 2)).or_else(|| hex("\\U", 8)),
        b'%' => hex("%", 2),
        b'&' => {
            let near = text.as_bytes().get(..text.len().min(LONGEST_REFERENCE))?;
            let end = near.iter().position(|byte| *byte == b';')?;
            let written = text.get(..end)?.strip_prefix("&#")?;
            let code = match written.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => written.parse(),
            };
            Some((char::from_u32(code.ok()?)?, end + 1))
        }
        byte => Some((char::from(*byte), 1)).filter(|_| byte.is_ascii()),
    }
}

#[cfg(test)]
#[allow(clippy::string_slice, clippy::indexing_slicing, reason = "a test may fail")]
mod tests {
    use crate::{
        Keyring,
        api::options::{DetectOptions, Mode, ProtectOptions},
        protect, restore,
    };

    #[test]
    fn escaped_tokens_are_restored() {
        let keys = Keyring::new(0, b"a secret of 16 bytes or more").unwrap();
        let tokenize = ProtectOptions { mode: Mode::Tokenize, ..ProtectOptions::default() };
        let token =
            protect("jan.novak@example.com", &DetectOptions::default(), &tokenize, Some(&keys)).unwrap().text;
        let at = |index: usize, form: &str| format!("{}{form}{}", &token[..index], &token[index + 1..]);
        let last = token.len() - 1;
        let code = u32::from(token.as_bytes()[last]);
        for written in [
            at(0, "\\u0074"),
            at(1, "\\x6F"),
            at(2, "&#x6b;"),
            at(2, "&#000000107;"),
            at(3, "%5f"),
            at(5, "\\U00000078"),
            at(3, "\\_"),
            at(last, &format!("&#{code};")),
            at(9, &format!("\r\n {}", &token[9..10])),
            at(9, &format!("\\\n    {}", &token[9..10])),
        ] {
            let text = format!("a \\ to {written}, {token}_{written}\n end");
            let restored = restore(&text, &keys).unwrap();
            let mail = "jan.novak@example.com";
            assert_eq!(restored.text, format!("a \\ to {mail}, {mail}_{mail}\n end"), "{text}");
            assert_eq!((restored.restored, restored.unknown), (3, 0));
        }
        let other = format!("\\u0074ok_xx t\nok_ %74ok &#116; \\ {}", at(9, "\\u0030"));
        assert_eq!(restore(&other, &keys).unwrap().text, other);
    }

    /// Would take minutes if its time were not linear.
    #[test]
    fn hostile_texts_take_linear_time() {
        let keys = Keyring::new(0, b"a secret of 16 bytes or more").unwrap();
        for part in
            ["\\u0074ok_xx_a_1a777", "\\", "&#", "t\n ", "%74", "\\u0074ok_", "tok_\\u0061a_a_1a777aaaaaa"]
        {
            let text = part.repeat(200_000);
            assert_eq!(restore(&text, &keys).unwrap().text, text);
        }
    }
}
