//! A candidate identifier at a place in the text, with its evidence.

use std::ops::RangeInclusive;

use textveil_weights::check as weights;

use crate::{
    api::{entity::Country, facts::Facts, limits::REFERENCE_YEAR},
    catalogue::{self, Detector},
    phone::{Phone, digits::Digits},
};

/// The maximum human age, in years.
const OLDEST: u16 = 120;

/// The origin of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    /// A detector of the catalogue, by its number.
    Catalogue(u16),
    /// A custom detector of the caller, by its place in the request.
    Custom(u16),
    /// An entry of the caller's deny list, by its place in the request.
    Denied(u16),
}

impl Source {
    /// Returns the detector of the catalogue.
    #[inline]
    pub fn detector(self) -> Option<&'static Detector> {
        if let Self::Catalogue(index) = self { catalogue::detector(index) } else { None }
    }
}

/// The result of checking the parts, check digits and rule of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// All checks pass.
    Valid,
    /// There are no checks beyond the shape.
    Unchecked,
    /// The check digits do not hold, as those of newer values need not.
    Exempt,
    /// A check fails: a typing error, or an unrelated number.
    Failed(crate::api::facts::Invalid),
}

/// Data about a candidate in addition to the facts of its rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Extra {
    /// Nothing.
    None,
    /// A telephone number.
    Phone(Phone),
    /// The country that the value itself names, such as that of an IBAN.
    Country(Country),
    /// A name or an address, by its place in the list of the scan.
    Named(u32),
    /// The length of the literal prefix of a custom detector's shape, in bytes.
    Literal(u8),
}

/// The weight of a word near a value, in log-odds, and the word's place in the copy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Signal {
    pub weight: f32,
    pub place: (u32, u32),
}

/// The name of a signal, its weight in log-odds, and its place in the copy if it is not the value itself.
pub(crate) type SignalAt = (&'static str, f32, Option<(u32, u32)>);

/// A candidate and its evidence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub source: Source,
    /// In the copy, in bytes.
    pub start: u32,
    pub end: u32,
    pub verdict: Verdict,
    pub facts: Facts,
    pub extra: Extra,
    /// The value has check digits.
    pub check_digits: bool,
    /// It is written in groups.
    pub in_groups: bool,
    /// A label is next to it, or next to the first value of its list.
    pub named: bool,
    /// It is reported only with a label.
    pub needs_label: bool,
    /// The prior of the shape: how rare it is in ordinary text.
    pub shape: f32,
    /// Check digits and structure.
    pub check: f32,
    /// A label of this type, or of another one.
    pub label: Signal,
    /// Context words.
    pub near: Signal,
    /// The value before it in a list: its label, or what it is.
    pub sibling: Signal,
    /// The country that the text is about.
    pub country: f32,
    /// Adjacent text: a longer number, a price, code.
    pub neighbour: f32,
    /// A model of the caller's.
    pub hint: f32,
    /// The penalty of a bare number without any evidence around it; 0 or less.
    pub unlabelled: f32,
    /// The value is not about a person: a public page, a loopback address, an organisation that only the judge of names tells.
    pub impersonal: bool,
}

impl Candidate {
    /// Creates a candidate without evidence.
    pub fn new(source: Source, start: usize, end: usize) -> Self {
        Self {
            source,
            start: start as u32,
            end: end as u32,
            verdict: Verdict::Unchecked,
            facts: Facts::default(),
            extra: Extra::None,
            check_digits: false,
            in_groups: false,
            named: false,
            needs_label: false,
            shape: 0.0,
            check: 0.0,
            label: Signal::default(),
            near: Signal::default(),
            sibling: Signal::default(),
            country: 0.0,
            neighbour: 0.0,
            hint: 0.0,
            unlabelled: 0.0,
            impersonal: false,
        }
    }

    /// Returns the sum of all evidence, in log-odds.
    pub fn odds(&self) -> f32 {
        let words = self.label.weight + self.near.weight + self.sibling.weight + self.unlabelled;
        self.shape + self.check + words + self.country + self.neighbour + self.hint
    }

    /// Whether its check digits hold.
    pub fn is_checked(&self) -> bool {
        self.verdict == Verdict::Valid && self.check_digits
    }

    /// Whether it consists of digits only, in a form that any number may have.
    pub fn is_bare(&self) -> bool {
        self.shape <= weights::BARE
    }

    /// Caps the odds of a bare number without evidence around it.
    ///
    /// The cap holds whatever checks the number passes: of many numbers, some pass by chance. The weight of
    /// the check stays; the cap is evidence of its own.
    pub fn temper(&mut self) {
        let weights = [self.label.weight, self.near.weight, self.sibling.weight, self.country, self.hint];
        let alone = weights.iter().all(|weight| *weight <= 0.0);
        if alone && self.is_bare() {
            self.unlabelled = -(self.odds() - self.country - weights::ALONE).max(0.0);
        }
    }

    /// Returns every signal by its name, with its place if it is not the value itself.
    pub fn evidence(&self) -> [SignalAt; 8] {
        [
            ("shape", self.shape, None),
            ("check", self.check, None),
            ("label", self.label.weight, Some(self.label.place)),
            // the penalty for the absence of words has no place
            match self.near.weight > 0.0 {
                true => ("context", self.near.weight, Some(self.near.place)),
                false => ("context", self.unlabelled, None),
            },
            ("sibling", self.sibling.weight, Some(self.sibling.place)),
            ("country", self.country, None),
            ("neighbour", self.neighbour, None),
            ("hint", self.hint, None),
        ]
    }

    /// Returns the length in the copy, in bytes.
    pub fn len(&self) -> u32 {
        self.end - self.start
    }
}

/// A telephone number in national notation: valid or not depending on the country.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalNumber {
    /// Its digits as dialled.
    pub digits: Digits,
    /// The number of its groups: countries differ in their usual grouping.
    pub groups: u8,
    /// It is written as in North America: `415-555-0132`, `(415) 555-0132`.
    pub north_american: bool,
    /// Its first group is in brackets.
    pub area_in_brackets: bool,
    /// It is written as in Russia: `8-916-123-45-67`, `8 (495) 123-45-67`.
    pub russian: bool,
    /// The candidate, without the evidence of the country.
    pub candidate: Candidate,
    /// The text has a label for it.
    pub named: bool,
    /// It directly follows a name.
    pub behind_name: bool,
    /// The country of a number in international notation before it in a list.
    pub told: Option<Country>,
}

/// The lengths of national numbers with their trunk prefix `0`, in digits.
pub(crate) const TRUNK_LENGTHS: RangeInclusive<usize> = 10..=12;

/// Returns the weight of the verdict on a value of this detector and length, in log-odds.
pub(crate) fn weight_of(verdict: Verdict, detector: &Detector, facts: &Facts, length: usize) -> f32 {
    match verdict {
        Verdict::Valid => {}
        Verdict::Unchecked => return detector.llr,
        Verdict::Exempt => return weights::EXEMPT,
        Verdict::Failed(_) => return weights::FAILED,
    }
    let checked = detector.check.as_ref().is_some_and(|check| check.applies(length));
    match facts.birth_date {
        // a birth date in the future, or longer ago than anyone lives
        Some(born) if born.year() > REFERENCE_YEAR || born.year() + OLDEST < REFERENCE_YEAR => {
            weights::FAILED
        }
        // a birth date in a number with a valid check is personal data to any reader
        Some(_) if checked => detector.llr + weights::BORN_CHECKED,
        Some(_) => detector.llr + weights::BORN,
        None => detector.llr,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cap on a bare number is evidence of its own: the weight of the check stays.
    #[test]
    fn a_check_keeps_its_weight() {
        let mut bare = Candidate { shape: -5.0, check: 8.0, ..Candidate::new(Source::Catalogue(0), 0, 11) };
        bare.temper();
        assert_eq!((bare.check, bare.odds()), (8.0, weights::ALONE));
        let evidence = bare.evidence();
        assert!(
            evidence.contains(&("check", 8.0, None)) && evidence.contains(&("context", -1.4, None)),
            "{evidence:?}"
        );
        let mut labelled = Candidate { label: Signal { weight: 9.0, place: (0, 5) }, ..bare };
        labelled.unlabelled = 0.0;
        labelled.temper();
        assert_eq!(labelled.odds(), 12.0);
    }
}
