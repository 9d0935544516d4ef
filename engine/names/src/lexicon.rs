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
    let group = bucket / GROUP * GROUP;
    let before: usize = COUNTS.get(group..bucket)?.iter().map(|count| usize::from(*count)).sum();
    let start = *STARTS.get(bucket / GROUP)? as usize + before;
    let end = start + usize::from(*COUNTS.get(bucket)?);
    let mut keys = LOWS.get(start..end)?.iter().zip(HIGHS.get(start..end)?);
    let at = start + keys.position(|key| key == (&low, &high))?;
    let kind = KIND.get(usize::from(*KINDS.get(at)?))?;
    Some((*kind, COUNTRY.get(usize::from(*COUNTRIES.get(at)?))?))
}

/// The least length of a family name before its ending, in bytes: two letters.
const BEFORE_ENDING: usize = 6;

/// Whether a word of a script without capitals ends like a family name: `კაპანაძე`, `მაისურაძემ`.
pub(crate) fn has_family_ending(word: &str) -> bool {
    FAMILY_ENDINGS.iter().any(|ending| word.len() >= ending.len() + BEFORE_ENDING && word.ends_with(ending))
}
