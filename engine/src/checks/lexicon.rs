//! Terms of closed lists, by word prefixes: a statement after its label must contain one of them. Letters are
//! compared like those of labels, ignoring case and diacritics.

use super::prelude::*;
use crate::phrase::fold;

/// Whether a word of the statement begins with an entry of the list; a space precedes each entry.
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
