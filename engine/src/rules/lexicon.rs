//! Terms of closed lists, by the beginnings of their words: a statement behind its label speaks of one, or it
//! is none. Letters are compared as labels are, without case and diacritics.

use super::prelude::*;
use crate::phrase::fold;

/// Whether a word of the statement begins with an entry of the list, which has a space before each.
pub(super) fn facts_of(value: &str, list: &str) -> Result<Facts, Invalid> {
    let folded: String = value.chars().flat_map(fold).collect();
    let known = |word: &str| {
        list.split_ascii_whitespace().any(|entry| match entry.strip_suffix('.') {
            Some(whole) => word == whole,
            None => word.starts_with(entry),
        })
    };
    let mut words = folded.split(|letter: char| !letter.is_alphanumeric());
    if words.any(known) { Ok(Facts::default()) } else { Err(Invalid::Format) }
}
