//! The interface of a recogniser, and the calls of the table in [`super`].

use super::{
    Compact, judge,
    pattern::{pattern, whole},
    scan::{Atom, ScannedWord, Scanner},
};
use crate::{
    api::{
        entity::Country,
        facts::{Facts, Invalid},
    },
    catalogue::{
        Detector,
        shape::{self, Layout},
    },
    evidence::candidate::Verdict,
    phone::Phone,
};

/// A kind of value: where the scanner calls its recogniser, and how one value is judged.
///
/// The table of recognisers makes static calls, so that an anchor that a recogniser does not have costs nothing. From an
/// anchor on, it finds the ends of a value, and adds a candidate with [`Scanner::keep`]. It counts the bytes that it reads
/// with [`Scanner::count`]. A country that the candidate votes for is in [`Candidate::extra`](
/// crate::evidence::candidate::Candidate::extra), or follows from its domain.
pub(super) trait Recognise {
    /// Its state during a pass, such as the end of the text that it has read.
    type State: Default;

    /// The bytes between words at which it is called, all ASCII.
    const MARKS: &'static [u8] = &[];
    /// Whether the top-level domain of a value votes for a country.
    const HAS_DOMAIN: bool = false;

    /// Reads from a byte of [`Recognise::MARKS`].
    fn at_mark(_: &mut Scanner<'_>, _at: usize, _byte: u8) {}

    /// Reads from the start of a word.
    #[inline]
    fn at_start(_: &mut Scanner<'_>, _at: usize) {}

    /// Reads from a word.
    #[inline]
    fn at_word(_: &mut Scanner<'_>, _: ScannedWord) {}

    /// Reads from a part of a word that may be one of a chain: letters, digits or both.
    #[inline]
    fn at_atom(_: &mut Scanner<'_>, _: ScannedWord) {}

    /// Reads from a word of a chain, before its shapes are looked up.
    #[inline]
    fn before_shapes(_: &mut Scanner<'_>, _chain: &[Atom], _first: usize) {}

    /// Reads from a word of a chain, after its shapes were looked up.
    #[inline]
    fn after_shapes(_: &mut Scanner<'_>, _chain: &[Atom], _first: usize) {}

    /// Reads the text from `from` on, after all words.
    #[inline]
    fn at_end(_: &mut Scanner<'_>, _from: usize) {}

    /// Judges one value, which a caller validates.
    fn judge(value: &WrittenValue<'_>) -> Result<Read, Invalid> {
        value.in_pattern()
    }

    /// Returns the normal form of a value, if it has one.
    fn normalized(_: &Detector, _written: &str) -> Option<String> {
        None
    }
}

/// Returns for each ASCII byte the recognisers with that mark, a bit each.
#[allow(
    clippy::indexing_slicing,
    reason = "the compiler evaluates it, and a mark beyond ASCII does not compile"
)]
pub(super) const fn called_at<const ROWS: usize>(marks: [&[u8]; ROWS]) -> [u32; 128] {
    let (mut table, mut row) = ([0; 128], 0);
    while row < ROWS {
        let mut mark = 0;
        while mark < marks[row].len() {
            table[marks[row][mark] as usize] |= 1 << row;
            mark += 1;
        }
        row += 1;
    }
    table
}

/// Makes the calls of a table of recognisers, in its order.
///
/// Those of a word are inlined: a call for each takes a hundredth of the time that prose takes.
///
/// A row has the name of the module, the type that implements [`Recognise`], and the `recogniser` of catalogue files. The
/// build makes the type `catalogue::Recogniser` from those files, so that a row that is missing does not compile.
macro_rules! recognisers {
    ($($module:ident::$kind:ident [$($name:ident)*],)*) => {
        /// The states of the recognisers during a pass.
        #[derive(Default)]
        pub(crate) struct States {
            $(#[allow(dead_code, reason = "some recognisers have no state")] pub(in crate::recognise) $module: <$module::$kind as table::Recognise>::State,)*
        }

        /// Calls the recognisers with this mark.
        #[inline]
        fn at_mark(scanner: &mut Scanner<'_>, at: usize, byte: u8) {
            static CALLED: [u32; 128] = table::called_at([$($module::$kind::MARKS),*]);
            let called = CALLED.get(usize::from(byte)).copied().unwrap_or_default();
            // most bytes between words are spaces
            if called != 0 {
                call_at_mark(scanner, at, byte, called);
            }
        }

        fn call_at_mark(scanner: &mut Scanner<'_>, at: usize, byte: u8, mut called: u32) {
            $(
                if called & 1 == 1 {
                    $module::$kind::at_mark(scanner, at, byte);
                }
                called >>= 1;
            )*
            debug_assert_eq!(called, 0, "each bit is that of a row");
        }

        /// Calls the recognisers at the start of a word.
        #[inline(always)]
        fn at_start(scanner: &mut Scanner<'_>, at: usize) {
            $($module::$kind::at_start(scanner, at);)*
        }

        /// Calls the recognisers at a word.
        #[inline(always)]
        fn at_word(scanner: &mut Scanner<'_>, word: ScannedWord) {
            $($module::$kind::at_word(scanner, word);)*
        }

        /// Calls the recognisers at a part of a word.
        #[inline(always)]
        fn at_atom(scanner: &mut Scanner<'_>, word: ScannedWord) {
            $($module::$kind::at_atom(scanner, word);)*
        }

        /// Calls the recognisers at a word of a chain, before the shapes.
        #[inline]
        fn before_shapes(scanner: &mut Scanner<'_>, chain: &[Atom], first: usize) {
            $($module::$kind::before_shapes(scanner, chain, first);)*
        }

        /// Calls the recognisers at a word of a chain, after the shapes.
        #[inline]
        fn after_shapes(scanner: &mut Scanner<'_>, chain: &[Atom], first: usize) {
            $($module::$kind::after_shapes(scanner, chain, first);)*
        }

        /// Calls the recognisers at the end of the text.
        fn at_end(scanner: &mut Scanner<'_>, from: usize) {
            $($module::$kind::at_end(scanner, from);)*
        }

        /// Judges one value as the recogniser of its detector does.
        pub(crate) fn judge_one(value: &WrittenValue<'_>) -> Result<Read, Invalid> {
            match value.detector.recogniser {
                $($(Some(Recogniser::$name) => $module::$kind::judge(value),)*)*
                None => value.in_pattern_or_shapes(),
            }
        }

        /// Returns the normal form of a value, if it has one.
        pub(crate) fn normalized(detector: &Detector, written: &str) -> Option<String> {
            match detector.recogniser {
                $($(Some(Recogniser::$name) => $module::$kind::normalized(detector, written),)*)*
                None if detector.token => None,
                None => table::compact_form(detector, written),
            }
        }

        /// Whether the top-level domain of a detector's values votes for a country.
        pub(crate) fn has_domain(detector: &Detector) -> bool {
            match detector.recogniser {
                $($(Some(Recogniser::$name) => $module::$kind::HAS_DOMAIN,)*)*
                None => false,
            }
        }

        #[cfg(test)]
        #[test]
        fn marks_are_between_words() {
            for mark in [$($module::$kind::MARKS),*].concat() {
                assert_eq!(class_of(mark), 0, "the scan never calls at {}", char::from(mark));
            }
        }
    };
}

/// Returns a value without separators.
pub(super) fn compact_form(detector: &Detector, written: &str) -> Option<String> {
    Compact::of(written, detector.keep, detector.exact, &mut None).map(str::to_owned)
}

/// A value that a detector has read.
pub(crate) struct Read {
    pub verdict: Verdict,
    pub facts: Facts,
    pub check_digits: bool,
    pub country: Option<Country>,
    pub phone: Option<Phone>,
}

impl Read {
    pub fn new(verdict: Verdict, facts: Facts, check_digits: bool) -> Self {
        Self { verdict, facts, check_digits, country: None, phone: None }
    }
}

/// One value that a caller validates, and the detector to judge it.
pub(crate) struct WrittenValue<'t> {
    /// The number of the detector.
    pub index: u16,
    pub detector: &'static Detector,
    pub text: &'t str,
    /// The country that the caller gives.
    pub country: Option<Country>,
}

impl WrittenValue<'_> {
    /// Reads a value that is valid as a whole, or not of the form.
    pub fn valid_if(&self, is_whole: bool) -> Result<Read, Invalid> {
        let read = Read::new(Verdict::Valid, Facts::default(), self.detector.has_check_digits(0));
        if is_whole { Ok(read) } else { Err(Invalid::Format) }
    }

    /// Reads a value with the parts, the check and the rules of its detector, as it is written.
    pub fn as_written(&self) -> Result<Read, Invalid> {
        let (verdict, facts) = judge(self.detector, self.text)?;
        Ok(Read::new(verdict, facts, self.detector.has_check_digits(self.text.len())))
    }

    /// Reads a value of a detector without a recogniser.
    pub fn in_pattern_or_shapes(&self) -> Result<Read, Invalid> {
        let has_shapes = || self.detector.shapes().next().is_some();
        match self.detector.pattern() {
            Some(_) => self
                .in_pattern()
                .or_else(|refused| if has_shapes() { self.in_shapes() } else { Err(refused) }),
            None => self.in_shapes(),
        }
    }

    /// Reads a text of the detector's pattern.
    pub fn in_pattern(&self) -> Result<Read, Invalid> {
        let Self { index, detector, text: value, .. } = *self;
        if !pattern(index, detector).is_none_or(|pattern| whole(pattern, value)) {
            return Err(Invalid::Format);
        }
        let (verdict, facts) = match detector.facts(value) {
            None => (Verdict::Unchecked, Facts::default()),
            Some(Ok(facts)) => (Verdict::Valid, facts),
            Some(Err(reason @ (Invalid::Checksum | Invalid::Component))) => {
                (Verdict::Failed(reason), Facts::default())
            }
            Some(Err(reason)) => return Err(reason),
        };
        Ok(Read::new(verdict, facts, detector.has_check_digits(value.len())))
    }

    /// Reads a value in one of the layouts, with any separators.
    pub fn in_shapes(&self) -> Result<Read, Invalid> {
        let Self { detector, text: value, .. } = *self;
        let compact = Compact::new(value, detector.keep, detector.exact).ok_or(Invalid::Length)?;
        let separator = |letter: char| letter.is_ascii() && shape::SEPARATORS.contains(&(letter as u8));
        // `№` in `4510 № 123456` is omitted from the compact value
        if value.chars().any(|letter| !letter.is_alphanumeric() && !separator(letter) && letter != '№') {
            return Err(Invalid::Format);
        }
        let bare: String = compact.as_str().chars().filter(|letter| letter.is_ascii_alphanumeric()).collect();
        let layouts: Vec<Layout> = detector
            .shapes()
            .filter_map(|shape| shape::expand(shape).ok())
            .flatten()
            .map(|layout| layout.compact())
            .collect();
        // a rule's error about a matching layout is more specific than the mismatch of another layout
        let (mut refused, mut by_rule) = (Invalid::Length, None);
        let mut best: Option<Read> = None;
        for layout in &layouts {
            // the literal prefix may be omitted
            let (body, length) = match compact.as_str().strip_prefix(layout.literal.as_str()) {
                Some(body) => (body, bare.len()),
                None => (compact.as_str(), bare.len() + layout.literal.len()),
            };
            if length != layout.len() {
                continue;
            }
            if !layout.body_matches(body.bytes().filter(u8::is_ascii_alphanumeric)) {
                refused = Invalid::Format;
                continue;
            }
            match judge(detector, body) {
                Err(reason) => by_rule = Some(reason),
                Ok((verdict, facts)) => {
                    if best.as_ref().is_none_or(|known| matches!(known.verdict, Verdict::Failed(_))) {
                        best = Some(Read::new(verdict, facts, detector.has_check_digits(body.len())));
                    }
                }
            }
        }
        best.ok_or(by_rule.unwrap_or(refused))
    }
}
