//! A per-word Bloom filter: one probe classifies a word as it is read. Expensive searches then start at few
//! words.

use textveil_phrase::Phrase;

use crate::table::bits;

include!(concat!(env!("OUT_DIR"), "/signs.rs"));

/// A set of signs of a word; empty for most words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signs(u8);

impl Signs {
    /// The empty set.
    pub const NONE: Self = Self(0);
    /// A legal form may begin with it.
    pub const FORM: Self = Self(1);
    /// A phrase directly before a name in any letter case may end with it: `my name is`, `name`.
    pub const NAMING: Self = Self(1 << 1);
    /// It may be the last word but one, or the only one, of a phrase that introduces a name within a
    /// sentence.
    pub const TELLING: Self = Self(1 << 2);
    /// A number in words or the name of a month may begin with it, or it may make a number a month.
    pub const NUMBER: Self = Self(1 << 3);

    /// Returns the signs of a word.
    #[inline]
    pub fn of(word: Phrase) -> Self {
        Self(bits::<4, _>(&SIGNS, word))
    }

    /// Whether the set contains one of these signs.
    #[inline]
    pub fn has(self, signs: Self) -> bool {
        self.0 & signs.0 != 0
    }

    /// Returns the union of two sets.
    pub const fn or(self, of: Self) -> Self {
        Self(self.0 | of.0)
    }
}
