//! The catalogue as constant tables: the detectors, and the ways to look them up.
#![allow(clippy::approx_constant, reason = "the build writes the logarithms of chances")]

use std::{borrow::Cow, cmp::Ordering};

#[cfg(any(not(small), test))]
use crate::table::Table;
use crate::{
    entity::{Category, Country, Metadata},
    facts::{Facts, Invalid},
    layouts::Layouts,
    order,
    part::{Part, Test},
    phrase::Phrase,
    schema::Check,
    table::PhraseTable,
};

include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));

/// A rule of `rules/`: checks the structure of a compact value and says what it tells.
pub(crate) type Rule = fn(&str) -> Result<Facts, Invalid>;

/// Writes what a value tells beside the facts of its rule.
pub(crate) type Details = fn(&str, &mut Metadata);

/// One identifier, as its catalogue file says.
#[derive(Debug)]
pub(crate) struct Detector {
    /// Type, name (empty where it is the type), description, region, aliases, shapes, shapes that need a label, and
    /// pattern, with a tab between two: a pointer each would weigh as much as they do.
    pub texts: &'static str,
    pub country: Option<Country>,
    pub also: &'static [Country],
    pub category: Category,
    /// Claims its place and is not reported.
    pub suppressor: bool,
    /// Its letters are upper case only.
    pub upper: bool,
    /// Its letters stay as they stand, in the compact value too.
    pub exact: bool,
    /// Nothing inside it is reported.
    pub container: bool,
    /// Found by a literal beginning.
    pub token: bool,
    /// Separators that stay in the compact value.
    pub keep: &'static str,
    pub recogniser: Option<Recogniser>,
    pub parts: &'static [Part],
    pub regions: Option<&'static Regions>,
    pub check: Option<&'static Check>,
    pub rule: Option<Rule>,
    /// What the rule's module reads from what is found, beside its facts.
    pub details: Option<Details>,
    /// Its label begins a clause and its value ends one.
    pub alone: bool,
    /// What it adds to the log-odds when parts, check and rule hold.
    pub llr: f32,
    /// Hundredths of the log-odds of the file, for what is not found by its shape.
    pub prior: Option<i16>,
    /// It has check digits.
    pub checksummed: bool,
    /// Tells values that say nothing of a person.
    pub impersonal: Option<fn(&str) -> bool>,
}

impl Detector {
    /// The type that is reported.
    #[inline]
    pub fn kind(&self) -> &'static str {
        // a name is so short that a search for many bytes at a time takes longer
        let end = self.texts.bytes().position(|byte| byte == b'\t').unwrap_or(self.texts.len());
        self.texts.get(..end).unwrap_or_default()
    }

    /// Its own name, where several detectors have one type.
    pub fn name(&self) -> &'static str {
        Some(self.text(1)).filter(|name| !name.is_empty()).unwrap_or_else(|| self.kind())
    }

    pub fn description(&self) -> &'static str {
        self.text(2)
    }

    /// The code of its country, `EU` or `GLOBAL`.
    pub fn region(&self) -> &'static str {
        self.text(3)
    }

    /// Other names of the type.
    pub fn aliases(&self) -> impl Iterator<Item = &'static str> {
        self.text(4).lines()
    }

    /// How it is written.
    pub fn shapes(&self) -> impl Iterator<Item = &'static str> {
        self.text(5).lines().chain(self.text(6).lines())
    }

    pub fn pattern(&self) -> Option<&'static str> {
        Some(self.text(7)).filter(|pattern| !pattern.is_empty())
    }

    fn text(&self, index: usize) -> &'static str {
        self.texts.split('\t').nth(index).unwrap_or_default()
    }

    /// The log-odds of the file, for what is not found by its shape.
    pub fn prior(&self) -> Option<f32> {
        self.prior.map(|prior| f32::from(prior) / 100.0)
    }

    /// Whether a compact value of that length, without its literal beginning, has check digits.
    pub fn has_check_digits(&self, length: usize) -> bool {
        self.checksummed && (self.rule.is_some() || self.check.is_none_or(|check| check.applies(length)))
    }

    /// Whether a compact value says nothing of a person.
    #[inline]
    pub fn is_impersonal(&self, value: &str) -> bool {
        self.impersonal.is_some_and(|is_impersonal| is_impersonal(value))
    }

    /// Whether it is an identifier of this country.
    pub fn of(&self, country: Country) -> bool {
        self.country == Some(country) || self.also.contains(&country)
    }
}

/// The characters of a compact value that encode the region.
#[derive(Debug)]
pub(crate) struct Regions {
    pub at: u8,
    pub len: u8,
    /// As [`crate::rules::meaning`] reads it: codes, each with its ISO 3166-2 code or with nothing.
    pub codes: &'static str,
}

impl Regions {
    /// Returns the region code of a value.
    ///
    /// Empty for a listed code without a region; `None` for a code that is not listed.
    pub fn of(&self, value: &str) -> Option<&'static str> {
        let at = usize::from(self.at);
        crate::rules::meaning(self.codes, value.get(at..at + usize::from(self.len))?)
    }
}

/// The literal beginnings of tokens that start with these three bytes, and their detectors.
pub(crate) fn starts(head: [u8; 3]) -> impl Iterator<Item = (&'static str, u16)> {
    let begins = move |line: &str| line.as_bytes().first_chunk().map(|first: &[u8; 3]| first.cmp(&head));
    let rest = order::lower_bound(STARTS, b'\n', |line| begins(line).is_some_and(Ordering::is_lt));
    let lines = rest.split('\n').take_while(move |line| begins(line).is_some_and(Ordering::is_eq));
    lines.filter_map(|line| {
        line.split_once('\t').and_then(|(start, index)| Some((start, index.parse().ok()?)))
    })
}

/// What finds an identifier that its shape alone does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recogniser {
    Address,
    Birthplace,
    City,
    Date,
    Email,
    Geo,
    Iban,
    Ipv6,
    Labelled,
    Mrz,
    Name,
    Organization,
    Phone,
    Phrase,
    Url,
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

/// The table of layouts, made when it is first asked.
#[cfg(small)]
static LAYOUTS: std::sync::LazyLock<Layouts> = std::sync::LazyLock::new(layouts_of_detectors);

/// The layouts of the detectors, as the build makes them, too.
#[cfg(any(small, test))]
fn layouts_of_detectors() -> Layouts {
    let written = |detector: &Detector| {
        let mut texts = detector.texts.split('\t').skip(5);
        crate::layouts::Written {
            shapes: texts.next().unwrap_or_default(),
            labelled: texts.next().unwrap_or_default(),
            prior: detector.prior,
        }
    };
    Layouts::new(DETECTORS.iter().map(written))
}

/// How identifiers are written.
#[inline]
pub(crate) fn layouts() -> &'static Layouts {
    &LAYOUTS
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

/// Returns the languages that a word is common in, followed by the uses that [`spoken_for`] reads.
///
/// `written` is the text of the word.
#[inline]
pub(crate) fn languages(word: Phrase, written: &str) -> Option<&'static [u8]> {
    LANGUAGE_WORDS.get(word, written)
}

/// The tables of phrases, built from their lists when they are first asked: a page downloads the lists only.
#[cfg(small)]
static LABELS: std::sync::LazyLock<PhraseTable<u16>> = std::sync::LazyLock::new(|| LABEL_LIST.table());
#[cfg(small)]
static LANGUAGE_WORDS: std::sync::LazyLock<PhraseTable<u8>> =
    std::sync::LazyLock::new(|| LANGUAGE_WORD_LIST.table());

/// Phrases in alphabetical order, each with a list.
#[cfg(small)]
struct PhraseList<T: 'static> {
    /// One phrase a line.
    phrases: &'static str,
    /// The length of each list.
    lengths: &'static [u8],
    /// All lists.
    items: &'static [T],
}

#[cfg(small)]
impl<T: Copy + PartialEq> PhraseList<T> {
    /// Builds the table of these phrases.
    fn table(&self) -> PhraseTable<T> {
        let lists = self.lengths.iter().scan(0, |start, length| {
            let list = self.items.get(*start..*start + usize::from(*length));
            *start += usize::from(*length);
            list
        });
        PhraseTable::new(self.phrases.lines().zip(lists))
    }
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

/// Whether a label behind which an ordinary value is looked for may end with this word.
#[inline]
pub(crate) fn may_end_label(word: Phrase) -> bool {
    let bit = word.value() as usize % (64 * LAST_WORDS.len());
    LAST_WORDS.get(bit / 64).is_some_and(|bits| bits >> (bit % 64) & 1 == 1)
}

/// A type by its name or by a name that other tools know it by, in any case; the detectors that have it.
pub(crate) fn by_type(name: &str) -> impl Iterator<Item = &'static Detector> {
    numbered_by_type(name).map(|(_, detector)| detector)
}

/// As [`by_type`], each detector with its number.
pub(crate) fn numbered_by_type(name: &str) -> impl Iterator<Item = (u16, &'static Detector)> {
    let wanted = name.trim().to_ascii_lowercase();
    let likely = named_like(&wanted).filter_map(|index| Some((index, detector(index)?)));
    likely.filter(move |(_, detector)| has_name(detector, &wanted))
}

/// Whether a type, or its detector, has a name, in small letters.
fn has_name(detector: &Detector, name: &str) -> bool {
    detector.kind() == name
        || detector.name() == name
        || detector.aliases().any(|alias| alias == name)
        || has_country_in_front(detector, name)
}

/// The detectors whose type may have this name, maybe behind the code of its country, in their order.
#[cfg(not(small))]
fn named_like(name: &str) -> impl Iterator<Item = u16> + use<> {
    let behind_country = name.split_once('_').map(|(_, name)| name);
    let lists = [Some(name), behind_country].into_iter().flatten();
    let mut found: Vec<u16> =
        lists.filter_map(|name| TYPES.get(Phrase::EMPTY.with(name).value())).flatten().copied().collect();
    crate::order::sort(&mut found, Ord::cmp);
    found.dedup();
    found.into_iter()
}

/// As a small module has them: all.
#[cfg(small)]
fn named_like(_: &str) -> impl Iterator<Item = u16> + use<> {
    0..DETECTORS.len() as u16
}

/// Whether a name is that of the detector with its country in front of it: `cz_vat` for `vat_cz`, `pl_pesel` for
/// `pesel`. A type of several countries has no such name, which would mean all of them.
fn has_country_in_front(detector: &Detector, name: &str) -> bool {
    let Some((country, name)) = name.split_once('_') else { return false };
    let stem = |own: &'static str| own.strip_suffix(country).and_then(|own| own.strip_suffix('_'));
    let elsewhere = |other: &Detector| other.country != detector.country && other.kind() == detector.kind();
    detector.country.is_some()
        && detector.region().eq_ignore_ascii_case(country)
        && [detector.kind(), detector.name()].iter().any(|own| *own == name || stem(own) == Some(name))
        && !DETECTORS.iter().any(elsewhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::{
        hypothesis::Verdict,
        recognise,
        shape::{self, Layout, Symbol},
    };

    #[test]
    fn names_of_types() {
        for (name, want) in [
            ("vat_cz", &["dic_cz"][..]),
            ("pl_pesel", &["pesel"]),
            (" PL_PESEL ", &["pesel"]),
            ("us_passport", &["passport_us"]),
            ("cz_passport_us", &[]),
            ("global_email", &[]),
            ("pl_", &[]),
            ("pesel_pl", &[]),
            ("sk_rodne_cislo", &[]),
        ] {
            let found: Vec<&str> = by_type(name).map(Detector::name).collect();
            assert_eq!(found, want, "{name}");
        }
    }

    /// The table of types leads to all that have a name.
    #[test]
    fn every_name_of_a_type() {
        for detector in &DETECTORS {
            let region = detector.region().to_ascii_lowercase();
            let stem = |name: &str| name.strip_suffix(&format!("_{region}")).unwrap_or(name).to_owned();
            let own = [detector.kind(), detector.name()];
            let in_front = own.map(|name| format!("{region}_{}", stem(name)));
            let names = own.into_iter().chain(detector.aliases()).map(str::to_owned).chain(in_front);
            for name in names {
                let found: Vec<&str> = by_type(&name).map(Detector::name).collect();
                let all = DETECTORS.iter().filter(|detector| has_name(detector, &name));
                assert_eq!(found, all.map(Detector::name).collect::<Vec<_>>(), "{name}");
            }
        }
    }

    /// A small module finds what a fast one does.
    #[test]
    fn layouts_of_a_start_are_those_of_the_build() {
        let (made, built) = (layouts_of_detectors(), layouts());
        assert_eq!((made.literals, made.priors), (built.literals, built.priors));
        let of = |table: &Table<_>| {
            (table.bits, table.buckets, table.groups, table.slots, table.items, table.beginnings)
        };
        assert_eq!(of(&made.table), of(&built.table));
    }

    /// Numbers that look random and are the same each time (xorshift).
    struct Random(u64);

    impl Random {
        fn below(&mut self, most: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as usize % most
        }

        /// A value of a layout without its literal beginning: digits, capital letters, or either (with `exact`
        /// small letters, too). Separators that the detector keeps stay.
        fn value(&mut self, layout: &Layout, detector: &Detector) -> String {
            let any: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
            let mut value = String::new();
            for symbol in &layout.symbols {
                let (len, letters) = match *symbol {
                    Symbol::Digits(len) => (len, &any[..10]),
                    Symbol::Letters(len) => (len, &any[10..36]),
                    Symbol::Any(len) => (len, if detector.exact { any } else { &any[..36] }),
                    Symbol::Separator(byte) => {
                        if detector.keep.as_bytes().contains(&byte) {
                            value.push(char::from(byte));
                        }
                        continue;
                    }
                };
                for _ in 0..len {
                    value.push(char::from(letters[self.below(letters.len())]));
                }
            }
            value.split_off(layout.literal.len())
        }
    }

    /// The shares of random values of its shapes that a detector accepts, the least and the greatest of those of
    /// one length: where check digits may be left out, so many more pass.
    fn measured(detector: &Detector, draws: usize) -> (f64, f64) {
        let mut lengths: std::collections::BTreeMap<usize, Vec<Layout>> = std::collections::BTreeMap::new();
        for layout in detector.shapes().flat_map(|shape| shape::expand(shape).unwrap()) {
            lengths.entry(layout.len()).or_default().push(layout);
        }
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        // a few of many lengths
        let step = lengths.len().div_ceil(5);
        let shares = lengths.values().step_by(step).map(|layouts| {
            let accepts = |draw: &usize| {
                let value = random.value(&layouts[draw % layouts.len()], detector);
                let verdict = recognise::judge(detector, &value);
                matches!(verdict, Ok((Verdict::Valid | Verdict::Unchecked, _)))
            };
            (0..draws).filter(accepts).count() as f64 / draws as f64
        });
        shares.fold((1.0, 0.0), |(least, most), share| (share.min(least), share.max(most)))
    }

    /// Declared and measured pass rates of random values differ by a factor of at most 2.5.
    ///
    /// A rate too small to measure is replaced by the smallest measurable one.
    #[test]
    fn chances_are_as_declared() {
        const FACTOR: f64 = 2.5;
        const DRAWS: usize = 2_000;
        let mut wrong = Vec::new();
        let shaped = |detector: &&Detector| detector.shapes().next().is_some();
        for detector in DETECTORS.iter().filter(shaped) {
            let declared = 0.98 / f64::from(detector.llr).exp();
            // fewer values than that are luck; what hardly any value passes needs no more than a glance
            let draws = if declared < 0.001 { DRAWS / 10 } else { DRAWS };
            let floor = 20.0 / draws as f64;
            let (least, most) = measured(detector, draws);
            let share = declared.clamp(least, most);
            let (said, is) = (declared.max(floor), share.max(floor));
            if is > FACTOR * said || said > FACTOR * is {
                wrong.push(format!(
                    "{}: {declared:.6} declared, {least:.6} to {most:.6} measured",
                    detector.name()
                ));
            }
        }
        assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
    }
}
