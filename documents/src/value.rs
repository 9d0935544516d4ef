//! The values of a document.

use std::ops::Range;

use crate::syntax::Syntax;

/// A value of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// Its bytes in the raw text, quotes included.
    pub place: Range<usize>,
    /// Its column, key or field.
    pub label: Option<String>,
    /// Its text, without quotes, escapes and references.
    pub text: String,
    /// Its place in an Office document: `Sheet1!B2`, `slide 3, Title 1`. Absent elsewhere.
    pub location: Option<String>,
    /// The gap between it and the preceding value.
    pub gap: Gap,
    /// Whether the values before and after it are read without it: an attribute inside a sentence.
    pub is_aside: bool,
    /// Whether it is a key, which is read in front of the next value.
    pub(crate) is_key: bool,
    /// The syntax in which its replacement is written.
    pub(crate) syntax: Syntax,
}

/// Longest label, in bytes. A longer one is no name that people gave, and is left out: each of many values would copy it.
pub(crate) const MAX_LABEL: usize = 100;

/// The label that a column, key or element is, if it may be one.
pub(crate) fn label(name: &str) -> Option<String> {
    (name.len() <= MAX_LABEL).then(|| name.to_owned())
}

/// The gap between a value and the preceding one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gap {
    /// Nothing: they are parts of one line.
    None,
    /// A space.
    Space,
    /// A tab: they are cells of one row.
    Tab,
    /// A line break.
    #[default]
    Line,
}

impl Gap {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Space => " ",
            Self::Tab => "\t",
            Self::Line => "\n",
        }
    }
}

/// A replacement inside a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Bytes of the value's text.
    pub place: Range<usize>,
    /// The new text.
    pub text: String,
}

impl Edit {
    /// The edit between two texts; `None` if they are equal. It leaves their common prefix and suffix.
    pub fn between(old: &str, new: &str) -> Option<Self> {
        if old == new {
            return None;
        }
        let start = common(old.chars(), new.chars());
        let (old_rest, new_rest) = (old.get(start..)?, new.get(start..)?);
        let end = common(old_rest.chars().rev(), new_rest.chars().rev());
        let text = new_rest.get(..new_rest.len() - end)?.to_owned();
        Some(Self { place: start..old.len() - end, text })
    }
}

/// Returns the length of the common prefix of two texts, in bytes.
fn common(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

impl Value {
    /// A value that is written as it reads, with its label if it has one.
    pub fn plain(label: Option<String>, text: String) -> Self {
        Self { label, text, ..Self::default() }
    }

    /// Writes the value with its edits, which are in order and do not overlap. `raw` is how it is written now.
    pub(crate) fn written(&self, raw: &str, edits: &[Edit]) -> String {
        self.syntax.written(raw, &self.text, edits)
    }
}

/// Returns the text with its edits, which are in order and do not overlap.
pub fn edited(text: &str, edits: &[Edit]) -> String {
    let mut new = String::with_capacity(text.len());
    let mut done = 0;
    for Edit { place, text: replacement } in edits {
        new.push_str(text.get(done..place.start).unwrap_or_default());
        new.push_str(replacement);
        done = place.end;
    }
    new.push_str(text.get(done..).unwrap_or_default());
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edit_between_two_texts_is_small() {
        for (old, new, place, text) in [
            ("a b c", "a x c", 2..3, "x"),
            ("čb", "čšb", 2..2, "š"),
            ("aa", "a", 1..2, ""),
            ("", "a", 0..0, "a"),
            ("žš", "šž", 0..4, "šž"),
        ] {
            assert_eq!(Edit::between(old, new), Some(Edit { place, text: text.into() }), "{old} {new}");
        }
        assert_eq!(Edit::between("same", "same"), None);
    }
}
