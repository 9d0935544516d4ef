//! Words and what they stand for: labels of detectors, names of countries, words of languages, currencies.
//!
//! A detector is a number here: its place in the catalogue.

#[cfg(any(small, test))]
#[cfg_attr(not(test), allow(dead_code, reason = "the build encodes the lists"))]
mod front_coding;
#[cfg_attr(not(any(small, test)), allow(dead_code, reason = "the build makes the tables"))]
pub(crate) mod table;
pub(crate) mod vocabulary;

use crate::{
    api::entity::Country,
    phrase::{Phrase, case::lower, is_letter, is_mark},
    text::order,
};
use table::PhraseTable;
#[cfg(not(small))]
use table::Table;

include!(concat!(env!("OUT_DIR"), "/lexicon.rs"));

/// The longest word of a list of single words, in bytes.
const LONGEST_WORD: usize = 40;

/// A language, with its weights for countries.
pub(crate) struct Language {
    pub code: &'static str,
    /// Its countries, with each one's share of its weight.
    pub countries: &'static [(Country, f32)],
}

/// Returns the uses of a label, as [`label_use`] reads them.
///
/// `written` is the text of the phrase. Its letters are compared, so that a hash collision never makes a label.
/// The list is empty for a possible prefix of a longer label.
#[inline]
pub(crate) fn label(phrase: Phrase, written: &str) -> Option<&'static [u16]> {
    LABELS.get(phrase, written)
}

/// Whether a text is a label.
pub(crate) fn is_label(written: &str) -> bool {
    label(Phrase::EMPTY.with(written), written).is_some_and(|uses| !uses.is_empty())
}

/// Returns one use of a label: the detector, and whether the label is only a context word.
#[inline]
pub(crate) fn label_use(packed: u16) -> (u16, bool) {
    (packed >> 1, packed & 1 == 1)
}

/// The inverse of [`label_use`].
#[inline]
pub(crate) fn packed_use(detector: u16, weak: bool) -> u16 {
    detector << 1 | u16::from(weak)
}

/// Whether a label of a date is English: such dates may begin with the day or with the month.
pub(crate) fn is_english_date_label(phrase: Phrase) -> bool {
    ENGLISH_DATE_LABELS.contains(&phrase.value())
}

/// Returns the country of a use, if the phrase is a country's name.
#[inline]
pub(crate) fn country_named(detector: u16) -> Option<Country> {
    NAMED.get(usize::from(detector.checked_sub(NAMES)?)).copied()
}

/// Returns the languages that a word is common in, followed by the uses that [`spoken_for`] reads.
///
/// `written` is the text of the word.
#[inline]
pub(crate) fn languages(word: Phrase, written: &str) -> Option<&'static [u8]> {
    LANGUAGE_WORDS.get(word, written)
}

/// The tables of phrases, built from their lists on first use: a page downloads only the lists.
#[cfg(small)]
static LABELS: std::sync::LazyLock<PhraseTable<u16>> = std::sync::LazyLock::new(|| LABEL_LIST.table());
#[cfg(small)]
static LANGUAGE_WORDS: std::sync::LazyLock<PhraseTable<u8>> =
    std::sync::LazyLock::new(|| LANGUAGE_WORD_LIST.table());

/// Sorted phrases, each with a list.
#[cfg(small)]
struct PhraseList<T: 'static> {
    /// The phrases in front coding.
    phrases: &'static str,
    /// The encoded lists.
    lengths: &'static [u8],
    items: &'static [T],
    marks: &'static [T],
}

#[cfg(small)]
impl<T: Copy + PartialEq> PhraseList<T> {
    /// Builds the table of these phrases.
    fn table(&self) -> PhraseTable<T> {
        let lists = front_coding::decode_lists(self.lengths, self.items, self.marks);
        PhraseTable::new(front_coding::decode(self.phrases).lines().zip(lists.iter().map(Vec::as_slice)))
    }
}

/// Returns the country of a use of a word that is not a language, and whether the word is a place.
#[inline]
pub(crate) fn spoken_for(word_use: u8) -> Option<(Country, bool)> {
    let at = usize::from(word_use).checked_sub(LANGUAGES.len())?;
    SPOKEN_FOR.get(at).map(|country| (*country, at < PLACES))
}

/// Returns the languages that this lower-case letter is typical of.
pub(crate) fn languages_with(letter: char) -> &'static [u8] {
    find(LETTERS, letter).unwrap_or_default()
}

/// Returns the countries whose currency has this sign.
pub(crate) fn currency_sign(sign: char) -> &'static [Country] {
    find(CURRENCY_SIGNS, sign).unwrap_or_default()
}

/// Returns the countries whose currency has this name.
pub(crate) fn currency_name(name: Phrase) -> &'static [Country] {
    find(CURRENCY_NAMES, name.value()).unwrap_or_default()
}

/// Single words in lower case.
#[derive(Debug)]
pub(crate) struct WordList {
    /// Most words of a text are in no list.
    filter: Filter,
    /// The words, sorted, separated by spaces.
    words: &'static str,
}

impl WordList {
    /// Returns the length of the word that a text begins with, in bytes, if it is in the list.
    pub fn leading_word(&self, text: &str) -> Option<usize> {
        let is_of_word = |letter: &char| match letter.is_ascii() {
            true => letter.is_ascii_alphabetic(),
            false => is_letter(*letter) || is_mark(*letter),
        };
        let (mut written, mut phrase) = (0, Phrase::EMPTY);
        for letter in text.chars().take_while(is_of_word) {
            written += letter.len_utf8();
            phrase = phrase.with_letter(letter);
            // no further than a word of a list can be
            if written > LONGEST_WORD {
                return None;
            }
        }
        let word = text.get(..written).filter(|word| !word.is_empty())?;
        if !may_have(&self.filter, phrase) {
            return None;
        }
        let mut lowered = [0; LONGEST_WORD];
        let mut length = 0;
        for letter in word.chars().map(lower) {
            letter.encode_utf8(lowered.get_mut(length..length + letter.len_utf8())?);
            length += letter.len_utf8();
        }
        let lowered = lowered.get(..length)?;
        order::find_word(self.words, |known| known.cmp(lowered)).map(|_| written)
    }
}

/// One bit for the hash of each word of a set.
type Filter = [u64; 32];

/// Whether a word may be in the set of a filter.
fn may_have(filter: &Filter, word: Phrase) -> bool {
    let bit = word.value() as usize % (64 * filter.len());
    filter.get(bit / 64).is_some_and(|bits| bits >> (bit % 64) & 1 == 1)
}

/// Looks a key up in a sorted table.
fn find<K: Ord, V>(table: &'static [(K, &'static [V])], key: K) -> Option<&'static [V]> {
    let at = table.binary_search_by(|(known, _)| known.cmp(&key)).ok()?;
    table.get(at).map(|(_, values)| *values)
}

/// Whether a label before an ordinary value may end with this word.
#[inline]
pub(crate) fn may_end_label(word: Phrase) -> bool {
    may_have(&LAST_WORDS, word)
}
