//! Tables of phrases by their hashes, and filters that keep most phrases away from them. `build/tables.rs` makes both.

use textveil_phrase::Phrase;

/// Numbers by phrases.
pub(crate) struct Table<const N: usize> {
    /// In their order.
    pub keys: [u32; N],
    pub values: [u8; N],
}

impl<const N: usize> Table<N> {
    /// The number of a phrase.
    pub fn get(&self, phrase: Phrase) -> Option<u8> {
        let at = self.keys.binary_search(&phrase.value()).ok()?;
        self.values.get(at).copied()
    }
}

/// Whether a list of keys in their order has a phrase.
pub(crate) fn has(keys: &[u32], phrase: Phrase) -> bool {
    keys.binary_search(&phrase.value()).is_ok()
}

/// Whether a filter has a phrase: a bit at the end of its hash; some others have that bit, too.
#[inline]
pub(crate) fn may_have<const N: usize>(filter: &[u64; N], phrase: Phrase) -> bool {
    let bit = phrase.value() as usize % (N * 64);
    filter.get(bit / 64).is_some_and(|bits| bits >> (bit % 64) & 1 == 1)
}
