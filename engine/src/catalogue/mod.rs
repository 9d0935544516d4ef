//! The catalogue as constant tables: the detectors, and their look-ups.
#![allow(clippy::approx_constant, reason = "the build writes the logarithms of chances")]

use std::{borrow::Cow, cmp::Ordering};

use textveil_schema::nearest;

#[cfg(any(not(small), test))]
use crate::lexicon::table::Table;
#[cfg(not(small))]
use crate::phrase::Phrase;
use crate::{
    api::{
        entity::{Category, Country, Metadata},
        facts::{Facts, Invalid},
        schema::Check,
    },
    catalogue::{
        layouts::Layouts,
        part::{Requirement, Test},
    },
    checks::structure::{self, Rule},
    text::order,
};

#[cfg_attr(not(any(small, test)), allow(dead_code, reason = "the build makes the table"))]
pub(crate) mod layouts;
pub(crate) mod part;
pub(crate) mod shape;

include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));

/// Adds metadata of a value beyond the facts of its rule.
pub(crate) type Details = fn(&str, &mut Metadata);

/// A detector of one identifier, from its catalogue file.
#[derive(Debug)]
pub(crate) struct Detector {
    /// Type, name (empty if equal to the type), description, region, aliases, shapes, shapes that need a
    /// label, and pattern, separated by tabs.
    ///
    /// One text instead of several saves the size of the pointers.
    pub texts: &'static str,
    pub country: Option<Country>,
    pub also: &'static [Country],
    pub category: Category,
    /// It competes for its place but is not reported.
    pub suppressor: bool,
    /// Its letters are upper case.
    pub upper: bool,
    /// Its letters keep their case, in the compact value too.
    pub exact: bool,
    /// Findings inside it are not reported.
    pub container: bool,
    /// It is found by a literal prefix.
    pub token: bool,
    /// Separators that stay in the compact value.
    pub keep: &'static str,
    pub recogniser: Option<Recogniser>,
    pub parts: &'static [Requirement],
    pub regions: Option<&'static Regions>,
    pub check: Option<&'static Check>,
    /// The values that may be without valid check digits.
    pub unchecked: Option<&'static Unchecked>,
    /// The rules for the structure of a value, and the facts in it.
    pub rules: &'static [Rule],
    /// Reads metadata from the value beyond the facts of the rules.
    pub details: Option<Details>,
    /// Its label begins a clause and its value ends one.
    pub alone: bool,
    /// Added to the log-odds if parts, check and rule hold.
    pub llr: f32,
    /// The file's log-odds in hundredths, for a detector without shapes.
    pub prior: Option<i16>,
    /// It has check digits.
    pub checksummed: bool,
    /// Whether a value is not about a person.
    pub impersonal: Option<fn(&str) -> bool>,
}

impl Detector {
    /// Returns the reported type.
    #[inline]
    pub fn kind(&self) -> &'static str {
        // names are so short that a vectorised search takes longer
        let end = self.texts.bytes().position(|byte| byte == b'\t').unwrap_or(self.texts.len());
        self.texts.get(..end).unwrap_or_default()
    }

    /// Returns the detector's name, if several detectors have one type; otherwise the type.
    pub fn name(&self) -> &'static str {
        Some(self.text(1)).filter(|name| !name.is_empty()).unwrap_or_else(|| self.kind())
    }

    pub fn description(&self) -> &'static str {
        self.text(2)
    }

    /// Returns the code of its country, `EU` or `GLOBAL`.
    pub fn region(&self) -> &'static str {
        self.text(3)
    }

    /// Returns other names of the type.
    pub fn aliases(&self) -> impl Iterator<Item = &'static str> {
        self.text(4).lines()
    }

    /// Returns its shapes.
    pub fn shapes(&self) -> impl Iterator<Item = &'static str> {
        self.text(5).lines().chain(self.text(6).lines())
    }

    pub fn pattern(&self) -> Option<&'static str> {
        Some(self.text(7)).filter(|pattern| !pattern.is_empty())
    }

    fn text(&self, index: usize) -> &'static str {
        self.texts.split('\t').nth(index).unwrap_or_default()
    }

    /// Returns the file's log-odds, for a detector without shapes.
    pub fn prior(&self) -> Option<f32> {
        self.prior.map(|prior| f32::from(prior) / 100.0)
    }

    /// Whether a compact value of that length, without its literal prefix, has check digits.
    pub fn has_check_digits(&self, length: usize) -> bool {
        self.checksummed && (!self.rules.is_empty() || self.check.is_none_or(|check| check.applies(length)))
    }

    /// Returns the facts of a compact value, or what is wrong with its structure; `None` without rules.
    #[inline]
    pub fn facts(&self, value: &str) -> Option<Result<Facts, Invalid>> {
        (!self.rules.is_empty()).then(|| structure::apply(self.rules, value))
    }

    /// Whether a compact value is not about a person.
    #[inline]
    pub fn is_impersonal(&self, value: &str) -> bool {
        self.impersonal.is_some_and(|is_impersonal| is_impersonal(value))
    }

    /// Whether it is an identifier of this country.
    pub fn of(&self, country: Country) -> bool {
        self.country == Some(country) || self.also.contains(&country)
    }
}

/// The characters of a compact value that may lack valid check digits, as newer values do.
#[derive(Debug)]
pub(crate) struct Unchecked {
    pub at: u8,
    pub len: u8,
    /// The entries, sorted.
    pub of: &'static str,
}

impl Unchecked {
    /// Whether a value may be without valid check digits.
    pub fn has(&self, value: &str) -> bool {
        let at = usize::from(self.at);
        value.get(at..at + usize::from(self.len)).is_some_and(|entry| order::has_word(self.of, entry))
    }
}

/// The characters of a compact value that encode the region.
#[derive(Debug)]
pub(crate) struct Regions {
    pub at: u8,
    pub len: u8,
    /// Codes, each with its ISO 3166-2 code or without one, as [`crate::checks::meaning`] reads them.
    pub codes: &'static str,
}

impl Regions {
    /// Returns the region code of a value.
    ///
    /// Empty for a listed code without a region; `None` for a code that is not listed.
    pub fn of(&self, value: &str) -> Option<&'static str> {
        let at = usize::from(self.at);
        crate::checks::meaning(self.codes, value.get(at..at + usize::from(self.len))?)
    }
}

/// Returns the literal prefixes of tokens that start with these three bytes, with their detectors.
pub(crate) fn starts(head: [u8; 3]) -> impl Iterator<Item = (&'static str, u16)> {
    let begins = move |line: &str| line.as_bytes().first_chunk().map(|first: &[u8; 3]| first.cmp(&head));
    let rest = order::lower_bound(STARTS, b'\n', |line| begins(line).is_some_and(Ordering::is_lt));
    let lines = rest.split('\n').take_while(move |line| begins(line).is_some_and(Ordering::is_eq));
    lines.filter_map(|line| {
        line.split_once('\t').and_then(|(start, index)| Some((start, index.parse().ok()?)))
    })
}

/// Returns the detector with that number.
pub(crate) fn detector(index: u16) -> Option<&'static Detector> {
    DETECTORS.get(usize::from(index))
}

/// The table of layouts, built on first use.
#[cfg(small)]
static LAYOUTS: std::sync::LazyLock<Layouts> = std::sync::LazyLock::new(layouts_of_detectors);

/// Returns the shapes of the detectors, as the build script does.
#[cfg(any(small, test))]
fn layouts_of_detectors() -> Layouts {
    let written = |detector: &Detector| {
        let mut texts = detector.texts.split('\t').skip(5);
        crate::catalogue::layouts::Written {
            shapes: texts.next().unwrap_or_default(),
            labelled: texts.next().unwrap_or_default(),
            prior: detector.prior,
        }
    };
    Layouts::new(DETECTORS.iter().map(written))
}

/// Returns the layouts of all detectors.
#[inline]
pub(crate) fn layouts() -> &'static Layouts {
    &LAYOUTS
}

/// Whether two detectors report the same type.
pub(crate) fn same_kind(a: u16, b: u16) -> bool {
    match (detector(a), detector(b)) {
        (Some(a), Some(b)) => a.kind() == b.kind(),
        _ => false,
    }
}

/// Whether the literal prefix of a token may start with these three bytes.
#[inline]
pub(crate) fn may_start(bytes: [u8; 3]) -> bool {
    let [a, b, c] = bytes.map(u32::from);
    let bit = (a | b << 8 | c << 16).wrapping_mul(0x9e37_79b1) >> 20;
    START_FILTER.get(bit as usize >> 6).is_some_and(|word| word >> (bit & 63) & 1 == 1)
}

/// Returns the detectors of a type, by its name or by an alias of other tools, ignoring case.
pub(crate) fn by_type(name: &str) -> impl Iterator<Item = &'static Detector> {
    numbered_by_type(name).map(|(_, detector)| detector)
}

/// Returns the same as [`by_type`], each detector with its number.
pub(crate) fn numbered_by_type(name: &str) -> impl Iterator<Item = (u16, &'static Detector)> {
    let wanted = name.trim().to_ascii_lowercase();
    let likely = named_like(&wanted).filter_map(|index| Some((index, detector(index)?)));
    likely.filter(move |(_, detector)| has_name(detector, &wanted))
}

/// Returns the type or the alias that an unknown name was probably meant to be.
pub(crate) fn nearest_type(name: &str) -> Option<&'static str> {
    let listed = DETECTORS.iter().filter(|detector| !detector.suppressor);
    nearest(
        name,
        listed.flat_map(|detector| [detector.kind(), detector.name()].into_iter().chain(detector.aliases())),
    )
}

/// Whether a type or its detector has this lower-case name.
fn has_name(detector: &Detector, name: &str) -> bool {
    detector.kind() == name
        || detector.name() == name
        || detector.aliases().any(|alias| alias == name)
        || has_country_in_front(detector, name)
}

/// Returns the detectors whose type may have this name, with or without the code of its country, in their
/// order.
#[cfg(not(small))]
fn named_like(name: &str) -> impl Iterator<Item = u16> + use<> {
    let behind_country = name.split_once('_').map(|(_, name)| name);
    let lists = [Some(name), behind_country].into_iter().flatten();
    let mut found: Vec<u16> =
        lists.filter_map(|name| TYPES.get(Phrase::EMPTY.with(name).value())).flatten().copied().collect();
    crate::text::order::sort(&mut found, Ord::cmp);
    found.dedup();
    found.into_iter()
}

/// Code optimised for size checks all detectors.
#[cfg(small)]
fn named_like(_: &str) -> impl Iterator<Item = u16> + use<> {
    0..DETECTORS.len() as u16
}

/// Whether a name is that of the detector with its country as a prefix: `cz_vat` for `vat_cz`, `pl_pesel` for
/// `pesel`.
///
/// A type of several countries has no such name, which would mean all of them.
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
        catalogue::shape::{self, Layout, Symbol},
        evidence::candidate::Verdict,
        recognise,
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

    /// The table of types finds all detectors that have a name.
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

    /// Code optimised for size finds the same as code optimised for speed.
    #[test]
    fn layouts_of_a_start_are_those_of_the_build() {
        let (made, built) = (layouts_of_detectors(), layouts());
        assert_eq!((made.literals, made.priors), (built.literals, built.priors));
        let of = |table: &Table<_>| {
            (table.bits, table.buckets, table.groups, table.slots, table.items, table.beginnings)
        };
        assert_eq!(of(&made.table), of(&built.table));
    }

    /// A reproducible pseudo-random generator (xorshift).
    struct RandomValues(u64);

    impl RandomValues {
        fn below(&mut self, most: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as usize % most
        }

        /// Returns a value of a layout without its literal prefix: digits, capital letters, or either (with
        /// `exact` also lower-case letters). Separators that the detector keeps stay.
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

    /// Returns the lowest and the highest pass rate of random values, over their lengths.
    ///
    /// They differ if check digits are optional: more values without them pass.
    fn measured(detector: &Detector, draws: usize) -> (f64, f64) {
        let mut lengths: std::collections::BTreeMap<usize, Vec<Layout>> = std::collections::BTreeMap::new();
        for layout in detector.shapes().flat_map(|shape| shape::expand(shape).unwrap()) {
            lengths.entry(layout.len()).or_default().push(layout);
        }
        let mut random = RandomValues(0x2545_f491_4f6c_dd1d);
        // some of many lengths
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
            // smaller counts are chance; a rate near zero needs fewer draws
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
