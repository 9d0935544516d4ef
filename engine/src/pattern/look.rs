//! Conditions on a place between two characters.

/// A condition on a place. Words and their boundaries are those of ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// The beginning of the text.
    Start,
    /// The end of the text.
    End,
    /// The beginning of a line.
    LineStart,
    /// The end of a line.
    LineEnd,
    /// The beginning of a line that ends with `\n`, `\r` or `\r\n`.
    AnyLineStart,
    /// The end of a line that ends with `\n`, `\r` or `\r\n`.
    AnyLineEnd,
    /// The beginning or the end of a word.
    Word,
    /// No boundary of a word.
    NotWord,
    /// The beginning of a word.
    WordStart,
    /// The end of a word.
    WordEnd,
    /// A place that no character of a word precedes.
    WordStartHalf,
    /// A place that no character of a word follows.
    WordEndHalf,
}

impl Look {
    /// Whether the condition holds at a byte offset.
    pub fn holds(self, text: &[u8], at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| text.get(before)).copied();
        let after = text.get(at).copied();
        let is_word =
            |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        match self {
            Self::Start => before.is_none(),
            Self::End => after.is_none(),
            Self::LineStart => matches!(before, None | Some(b'\n')),
            Self::LineEnd => matches!(after, None | Some(b'\n')),
            Self::AnyLineStart => match before {
                None | Some(b'\n') => true,
                Some(b'\r') => after != Some(b'\n'),
                Some(_) => false,
            },
            Self::AnyLineEnd => match after {
                None | Some(b'\r') => true,
                Some(b'\n') => before != Some(b'\r'),
                Some(_) => false,
            },
            Self::Word => is_word(before) != is_word(after),
            Self::NotWord => is_word(before) == is_word(after),
            Self::WordStart => !is_word(before) && is_word(after),
            Self::WordEnd => is_word(before) && !is_word(after),
            Self::WordStartHalf => !is_word(before),
            Self::WordEndHalf => !is_word(after),
        }
    }
}
