//! The names and places that are known: a hash a word, and what the word is.

use textveil_phrase::Phrase;

include!(concat!(env!("OUT_DIR"), "/entries.rs"));

/// Buckets that share an entry of [`STARTS`].
const GROUP: usize = 16;

/// The kinds of a word in the lexicon. Each frequency is from 0 (not this kind) to 3 (frequent).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NameEntry {
    /// A bit for male names and one for female ones.
    pub gender: u8,
    pub given: u8,
    pub family: u8,
    pub city: u8,
    /// Always written with diacritics.
    pub accented: bool,
    /// It is also an ordinary word of a language.
    pub word: bool,
}

impl NameEntry {
    /// Returns its frequency as a name, given or of a family.
    pub fn name(&self) -> u8 {
        self.given.max(self.family)
    }
}

/// Returns the kinds of a phrase, and the country in which it is most frequent: upper case, empty if unknown.
pub(crate) fn lookup(phrase: Phrase) -> Option<(NameEntry, &'static str)> {
    let key = phrase.value();
    let bits = COUNTS.len().trailing_zeros();
    let bucket = (key >> (32 - bits)) as usize;
    let [low, high] = ((key >> (16 - bits)) as u16).to_le_bytes();
    let (start, count) = entries(bucket)?;
    let lows = LOWS.get(start..start + count)?;
    let at = (start..).zip(lows).find(|(at, of)| **of == low && HIGHS.get(*at) == Some(&high))?.0;
    let kind = KIND.get(usize::from(*KINDS.get(at)?))?;
    Some((*kind, COUNTRY.get(usize::from(*COUNTRIES.get(at)?))?))
}

/// Returns the place of the first entry of a bucket, and their number.
#[inline]
fn entries(bucket: usize) -> Option<(usize, usize)> {
    let counts = COUNTS.as_chunks::<GROUP>().0.get(bucket / GROUP)?;
    let count = *counts.get(bucket % GROUP)?;
    // the counts of the buckets before it, added up in the highest byte
    let before = u128::from_le_bytes(*counts) & ((1 << (bucket % GROUP * 8)) - 1);
    let added = (before as u64).wrapping_mul(EACH) + ((before >> 64) as u64).wrapping_mul(EACH);
    let before = added >> 56;
    Some((*STARTS.get(bucket / GROUP)? as usize + before as usize, count.into()))
}

/// A number with 1 in each byte.
const EACH: u64 = u64::MAX / 0xff;

/// The entries of a group are fewer than a byte counts.
#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const _: () = {
    let (mut bucket, mut entries) = (0, 0);
    while bucket < COUNTS.len() {
        entries = if bucket % GROUP == 0 { 0 } else { entries } + COUNTS[bucket] as u32;
        assert!(entries <= u8::MAX as u32);
        bucket += 1;
    }
};

/// The least length of a family name before its ending, in bytes: two letters.
const BEFORE_ENDING: usize = 6;

/// Whether a word of a script without capitals ends like a family name: `კაპანაძე`, `მაისურაძემ`.
pub(crate) fn has_family_ending(word: &str) -> bool {
    FAMILY_ENDINGS.iter().any(|ending| word.len() >= ending.len() + BEFORE_ENDING && word.ends_with(ending))
}
