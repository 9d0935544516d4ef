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

/// A long list of keys.
pub(crate) struct Keys<const N: usize, const BLOCKS: usize> {
    /// In their order.
    pub keys: [u32; N],
    /// How far those of a block are, more or less, from where they would be if all were spread without fail.
    pub drifts: [i8; BLOCKS],
    /// How far a key is at most from there.
    pub near: usize,
}

impl<const N: usize, const BLOCKS: usize> Keys<N, BLOCKS> {
    /// Where a phrase stands in the list. Keys are hashes, so each says where that is about.
    pub fn find(&self, phrase: Phrase) -> Option<usize> {
        let key = phrase.value();
        let share = |of: usize| ((u64::from(key) * of as u64) >> 32) as usize;
        let about = share(N).saturating_add_signed((*self.drifts.get(share(BLOCKS))?).into());
        let from = about.saturating_sub(self.near);
        let near = self.keys.get(from..N.min(about + self.near + 1))?;
        near.binary_search(&key).ok().map(|at| from + at)
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

/// Which of so many sets, four or eight, have a phrase: a bit each, side by side at the end of its hash; some others have
/// such bits, too.
#[inline]
pub(crate) fn bits<const SETS: usize, const N: usize>(filter: &[u64; N], phrase: Phrase) -> u8 {
    let bit = phrase.value() as usize % (N * 64 / SETS) * SETS;
    let bits = filter.get(bit / 64).copied().unwrap_or_default() >> (bit % 64);
    (bits & ((1 << SETS) - 1)) as u8
}
