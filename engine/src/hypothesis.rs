//! A guess that a place of the text is an identifier, with everything that speaks for and against it.

use crate::{catalogue::Detector, entity::Country, facts::Facts, limits::REFERENCE_YEAR, phone::Phone};

/// What a failed check takes away: a typing error next to a label is still personal data.
const FAILED: f32 = -3.0;
/// A shape that says no more than this is digits without separators, or with those of any number.
const BARE: f32 = -4.0;
/// The most that such a number is without a word or a country that speaks for it.
const ALONE: f32 = 1.6;
/// The most years that people live.
const OLDEST: u16 = 120;

/// Where a guess comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    /// A detector of the catalogue, by its number.
    Catalogue(u16),
    /// A custom detector of the caller, by its place in the request.
    Custom(u16),
    /// An entry of the caller's deny list, by its place in the request.
    Denied(u16),
}

/// What parts, check and rule say of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// All that there is holds.
    Valid,
    /// There is nothing to hold but the shape.
    Unchecked,
    /// Something does not hold: a typing error, or another number altogether.
    Failed(crate::facts::Invalid),
}

/// What is known beside the facts of a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Extra {
    /// Nothing.
    None,
    /// A telephone number.
    Phone(Phone),
    /// The country that the value itself names, such as that of an IBAN.
    Country(Country),
    /// A name or an address, by its place in [`crate::scan::Scan::named`].
    Named(u32),
    /// The length of the literal prefix of a custom detector's shape, in bytes.
    Literal(u8),
}

/// What a word near a value adds, in log-odds, and where it stands in the copy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Signal {
    pub weight: f32,
    pub place: (u32, u32),
}

/// The name of a signal, its weight in log-odds, and its place in the copy where it stands elsewhere.
pub(crate) type Evidence = (&'static str, f32, Option<(u32, u32)>);

/// A guess, and its evidence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hypothesis {
    pub source: Source,
    /// In the copy, in bytes.
    pub start: u32,
    pub end: u32,
    pub verdict: Verdict,
    pub facts: Facts,
    pub extra: Extra,
    /// The value has check digits.
    pub check_digits: bool,
    /// A label stands directly at it.
    pub named: bool,
    /// It is nothing without a label.
    pub needs_label: bool,
    /// How rare the shape is in ordinary text.
    pub shape: f32,
    /// Check digits and structure.
    pub check: f32,
    /// A label of this type, or of another one.
    pub label: Signal,
    /// Words in the neighbourhood.
    pub near: Signal,
    /// The country that the text is about.
    pub country: f32,
    /// What touches it: a longer number, a price, code.
    pub neighbour: f32,
    /// What it loses as a bare number that nothing around it speaks for; 0 or less.
    pub unlabelled: f32,
    /// The value says nothing of a person: a public page, a loopback address.
    pub impersonal: bool,
}

impl Hypothesis {
    /// The sum of all evidence, in log-odds.
    pub fn odds(&self) -> f32 {
        let words = self.label.weight + self.near.weight + self.unlabelled;
        self.shape + self.check + words + self.country + self.neighbour
    }

    /// Whether its check digits hold.
    pub fn is_checked(&self) -> bool {
        self.verdict == Verdict::Valid && self.check_digits
    }

    /// Whether it is digits and nothing else, in a form that any number may have.
    pub fn is_bare(&self) -> bool {
        self.shape <= BARE
    }

    /// Caps the odds of a bare number that nothing around it speaks for, however many checks it passes: among many
    /// numbers some do by chance. The check keeps its weight; the cap is evidence of its own.
    pub fn temper(&mut self) {
        let alone = self.label.weight <= 0.0 && self.near.weight <= 0.0 && self.country <= 0.0;
        if alone && self.is_bare() {
            self.unlabelled = -(self.odds() - self.country - ALONE).max(0.0);
        }
    }

    /// Every signal by its name, with its place where it stands elsewhere.
    pub fn evidence(&self) -> [Evidence; 6] {
        [
            ("shape", self.shape, None),
            ("check", self.check, None),
            ("label", self.label.weight, Some(self.label.place)),
            // no word nearby is evidence, too, and stands nowhere
            match self.near.weight > 0.0 {
                true => ("context", self.near.weight, Some(self.near.place)),
                false => ("context", self.unlabelled, None),
            },
            ("country", self.country, None),
            ("neighbour", self.neighbour, None),
        ]
    }

    /// The length in the copy, in bytes.
    pub fn len(&self) -> u32 {
        self.end - self.start
    }
}

/// What the verdict on a value of this detector, of that length, adds to the log-odds.
pub(crate) fn weight_of(verdict: Verdict, detector: &Detector, facts: &Facts, length: usize) -> f32 {
    let Verdict::Valid = verdict else {
        return if verdict == Verdict::Unchecked { detector.llr } else { FAILED };
    };
    let checked = detector.check.as_ref().is_some_and(|check| check.applies(length));
    match facts.birth_date {
        // not born yet, or nobody who lives
        Some(born) if born.year() > REFERENCE_YEAR || born.year() + OLDEST < REFERENCE_YEAR => FAILED,
        // a date of birth inside a number that passes its check is personal data to anyone who reads it
        Some(_) if checked => detector.llr + 1.6,
        Some(_) => detector.llr + 0.2,
        None => detector.llr,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::hypothesis;

    /// A cap on a bare number is evidence of its own: the check says what it says.
    #[test]
    fn a_check_keeps_its_weight() {
        let mut bare = Hypothesis { shape: -5.0, check: 8.0, ..hypothesis(Source::Catalogue(0), 0, 11) };
        bare.temper();
        assert_eq!((bare.check, bare.odds()), (8.0, ALONE));
        let evidence = bare.evidence();
        assert!(
            evidence.contains(&("check", 8.0, None)) && evidence.contains(&("context", -1.4, None)),
            "{evidence:?}"
        );
        let mut labelled = Hypothesis { label: Signal { weight: 9.0, place: (0, 5) }, ..bare };
        labelled.unlabelled = 0.0;
        labelled.temper();
        assert_eq!(labelled.odds(), 12.0);
    }
}
