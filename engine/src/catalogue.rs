//! The catalogue as constant tables: the detectors, and the ways to look them up.
#![allow(clippy::approx_constant, reason = "the build writes the logarithms of chances")]

use std::borrow::Cow;

use crate::{
    entity::{Category, Country},
    facts::{Facts, Invalid},
    phrase::Phrase,
    schema::{Check, Part},
    shape::Signature,
};

include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));

/// A rule of `rules/`: checks the structure of a compact value and says what it tells.
pub(crate) type Rule = fn(&str) -> Result<Facts, Invalid>;

/// One identifier, as its catalogue file says.
#[derive(Debug)]
pub(crate) struct Detector {
    pub name: &'static str,
    pub kind: &'static str,
    pub description: &'static str,
    pub region: &'static str,
    pub country: Option<Country>,
    pub also: &'static [Country],
    pub category: Category,
    pub aliases: &'static [&'static str],
    /// Claims its place and is not reported.
    pub suppressor: bool,
    /// Its letters are upper case only.
    pub upper: bool,
    /// Its letters stay as they stand, in the compact value too.
    pub exact: bool,
    /// Nothing inside it is reported.
    pub container: bool,
    /// Separators that stay in the compact value.
    pub keep: &'static str,
    pub shapes: &'static [&'static str],
    pub starts: &'static [&'static str],
    pub pattern: Option<&'static str>,
    pub recogniser: Option<Recogniser>,
    pub parts: &'static [Part],
    pub regions: Option<Regions>,
    pub check: Option<Check>,
    pub rule: Option<Rule>,
    /// What it adds to the log-odds when parts, check and rule hold.
    pub llr: f32,
    /// Log-odds of the file, for what is not found by its shape.
    pub prior: Option<f32>,
    /// It has check digits.
    pub checksummed: bool,
}

impl Detector {
    /// Whether a compact value of that length, without its literal beginning, has check digits.
    pub fn has_check_digits(&self, length: usize) -> bool {
        self.checksummed
            && (self.rule.is_some() || self.check.as_ref().is_none_or(|check| check.applies(length)))
    }

    /// Whether it is an identifier of this country.
    pub fn of(&self, country: Country) -> bool {
        self.country == Some(country) || self.also.contains(&country)
    }
}

/// The places of a compact value that say the region.
#[derive(Debug)]
pub(crate) struct Regions {
    pub at: u8,
    pub len: u8,
    /// As [`crate::rules::meaning`] reads it: codes, each with its ISO 3166-2 code or with nothing.
    pub codes: &'static str,
}

impl Regions {
    /// The region that a value says, empty where its code has none. None where the code is not one of them.
    pub fn of(&self, value: &str) -> Option<&'static str> {
        let at = usize::from(self.at);
        crate::rules::meaning(self.codes, value.get(at..at + usize::from(self.len))?)
    }
}

/// What finds an identifier that its shape alone does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recogniser {
    Date,
    Email,
    Iban,
    Ipv6,
    Labelled,
    Phone,
    Url,
}

/// A detector with a layout of this signature.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    pub detector: u16,
    /// Log-odds of the layout.
    pub prior: f32,
    /// Found only with one of the detector's words next to it.
    pub labelled: bool,
    /// The literal beginning, upper case.
    pub literal: &'static str,
}

/// A language, and what it says about the country.
pub(crate) struct Language {
    pub code: &'static str,
    /// With the share of its weight that each country gets.
    pub countries: &'static [(Country, f32)],
}

/// The detector of that number.
pub(crate) fn detector(index: u16) -> Option<&'static Detector> {
    DETECTORS.get(usize::from(index))
}

/// The detectors with a layout of this signature. None where no layout even begins like this.
#[inline]
pub(crate) fn fits(signature: Signature) -> Option<&'static [Fit]> {
    let (start, len) = probe(&LAYOUTS, signature.value())?;
    FITS.get(start..start + len)
}

/// The detectors that this phrase speaks for, each with whether it is only a word that stands near.
#[inline]
pub(crate) fn label(phrase: Phrase) -> Option<&'static [u16]> {
    let (start, len) = probe(&LABELS, phrase.value())?;
    LABEL_USES.get(start..start + len)
}

/// One use of a label: the detector, and whether it is only a word that stands near.
#[inline]
pub(crate) fn label_use(packed: u16) -> (u16, bool) {
    (packed >> 1, packed & 1 == 1)
}

/// What [`label_use`] takes apart.
#[inline]
pub(crate) fn packed_use(detector: u16, weak: bool) -> u16 {
    detector << 1 | u16::from(weak)
}

/// Whether a label of a date is English: such dates have the day first, or the month.
pub(crate) fn is_english_date_label(phrase: Phrase) -> bool {
    ENGLISH_DATE_LABELS.contains(&phrase.value())
}

/// The country that a use stands for, where the phrase is the name of one.
#[inline]
pub(crate) fn country_named(detector: u16) -> Option<Country> {
    NAMED.get(usize::from(detector.checked_sub(NAMES)?)).copied()
}

/// The languages that this word is common in, and behind them what [`spoken_for`] tells.
#[inline]
pub(crate) fn languages(word: Phrase) -> Option<&'static [u8]> {
    let (start, len) = probe(&LANGUAGE_WORDS, word.value())?;
    LANGUAGE_USES.get(start..start + len)
}

/// The country that a use of a word stands for where it is no language, and whether it is a place.
#[inline]
pub(crate) fn spoken_for(word_use: u8) -> Option<(Country, bool)> {
    let at = usize::from(word_use).checked_sub(LANGUAGES.len())?;
    SPOKEN_FOR.get(at).map(|country| (*country, at < PLACES))
}

/// The languages that this letter, lower case, is a mark of.
pub(crate) fn languages_with(letter: char) -> &'static [u8] {
    find(LETTERS, letter).unwrap_or_default()
}

/// The countries whose currency has this sign.
pub(crate) fn currency_sign(sign: char) -> &'static [Country] {
    find(CURRENCY_SIGNS, sign).unwrap_or_default()
}

/// The countries whose currency has this name.
pub(crate) fn currency_name(name: Phrase) -> &'static [Country] {
    find(CURRENCY_NAMES, name.value()).unwrap_or_default()
}

/// Looks a key up in a sorted table.
fn find<K: Ord, V>(table: &'static [(K, &'static [V])], key: K) -> Option<&'static [V]> {
    let at = table.binary_search_by(|(known, _)| known.cmp(&key)).ok()?;
    table.get(at).map(|(_, values)| *values)
}

/// Whether a literal beginning of some token may start with these three bytes.
#[inline]
pub(crate) fn may_start(bytes: [u8; 3]) -> bool {
    let [a, b, c] = bytes.map(u32::from);
    let bit = (a | b << 8 | c << 16).wrapping_mul(0x9e37_79b1) >> 20;
    START_FILTER.get(bit as usize >> 6).is_some_and(|word| word >> (bit & 63) & 1 == 1)
}

/// A slot of a hash table: a key without its last byte, how many entries it has, and where they start.
type Slot = ([u8; 3], u8, u16);

/// Looks a key up: where its entries start, and how many there are.
#[inline]
fn probe(table: &[Slot], key: u32) -> Option<(usize, usize)> {
    let mask = table.len().wrapping_sub(1);
    let [_, wanted @ ..] = key.to_le_bytes();
    let mut at = key as usize & mask;
    loop {
        let (found, len, start) = *table.get(at)?;
        if len == u8::MAX {
            return None;
        }
        if found == wanted {
            return Some((usize::from(start), usize::from(len)));
        }
        at = (at + 1) & mask;
    }
}

/// A type by its name or by a name that other tools know it by, in any case; the detectors that have it.
pub(crate) fn by_type(name: &str) -> impl Iterator<Item = &'static Detector> {
    numbered_by_type(name).map(|(_, detector)| detector)
}

/// As [`by_type`], each detector with its number.
pub(crate) fn numbered_by_type(name: &str) -> impl Iterator<Item = (u16, &'static Detector)> {
    let wanted = name.trim().to_ascii_lowercase();
    (0_u16..).zip(&DETECTORS).filter(move |(_, detector)| {
        detector.kind == wanted || detector.name == wanted || detector.aliases.contains(&wanted.as_str())
    })
}
