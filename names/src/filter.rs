//! Filters of words: a bit for each, at the end of its hash, so that most words that are not in a table cost one probe.

use textveil_phrase::Phrase;

/// Whether a filter has a word; some others have its bit, too. `build/tables.rs` makes them.
#[inline]
pub(crate) fn may_have<const N: usize>(filter: &[u64; N], word: Phrase) -> bool {
    let bit = word.value() as usize % (N * 64);
    filter.get(bit / 64).is_some_and(|bits| bits >> (bit % 64) & 1 == 1)
}
