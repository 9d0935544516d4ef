//! What a word may be a sign of. One look at one table tells it of each word, as it is read: what is looked for in a
//! text is then looked for at few of its words.

use textveil_phrase::Phrase;

use crate::table::bits;

include!(concat!(env!("OUT_DIR"), "/signs.rs"));

/// What a word may be a sign of: several of these. Some words are none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signs(u8);

impl Signs {
    /// A legal form may begin with it.
    pub const FORM: Self = Self(1);
    /// A name may stand right behind it, in whatever letters: `my name is`, `name`.
    pub const NAMING: Self = Self(1 << 1);
    /// What a name is told behind within a sentence may have it as its last word but one, or as its only one.
    pub const TELLING: Self = Self(1 << 2);
    /// A number in words may begin with it, or the name of a month, or it makes a number one.
    pub const NUMBER: Self = Self(1 << 3);

    /// What a word is a sign of.
    #[inline]
    pub fn of(word: Phrase) -> Self {
        Self(bits::<4, _>(&SIGNS, word))
    }

    /// Whether it is a sign of this.
    #[inline]
    pub fn has(self, sign: Self) -> bool {
        self.0 & sign.0 != 0
    }
}
