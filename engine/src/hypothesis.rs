//! A guess that a place of the text is an identifier, with everything that speaks for and against it.

use crate::{catalogue::Detector, entity::Country, facts::Facts, phone::Phone};

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
}

/// One signal with its weight in log-odds and, where it stands elsewhere, its place in the copy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Signal {
    pub weight: f32,
    pub place: Option<(u32, u32)>,
}

impl Signal {
    /// A signal that lies in the value itself.
    pub fn own(weight: f32) -> Self {
        Self { weight, place: None }
    }
}

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
    /// A label stands directly at it.
    pub named: bool,
    /// It is nothing without a label.
    pub needs_label: bool,
    /// How rare the shape is in ordinary text.
    pub shape: Signal,
    /// Check digits and structure.
    pub check: Signal,
    /// A label of this type, or of another one.
    pub label: Signal,
    /// Words in the neighbourhood.
    pub near: Signal,
    /// The country that the text is about.
    pub country: Signal,
    /// What touches it: a longer number, a price, code.
    pub neighbour: Signal,
}

impl Hypothesis {
    /// The sum of all evidence, in log-odds.
    pub fn odds(&self) -> f32 {
        self.evidence().iter().map(|(_, signal)| signal.weight).sum()
    }

    /// Every signal by its name.
    pub fn evidence(&self) -> [(&'static str, Signal); 6] {
        [
            ("shape", self.shape),
            ("check", self.check),
            ("label", self.label),
            ("context", self.near),
            ("country", self.country),
            ("neighbour", self.neighbour),
        ]
    }

    /// The length in the copy, in bytes.
    pub fn len(&self) -> u32 {
        self.end - self.start
    }
}

/// What the verdict on a value of this detector adds to the log-odds.
pub(crate) fn weight_of(verdict: Verdict, detector: &Detector, facts: &Facts) -> f32 {
    match verdict {
        // a date of birth inside a number that passes its check is personal data to anyone who reads it
        Verdict::Valid if facts.birth_date.is_some() && detector.check.is_some() => detector.llr + 2.2,
        Verdict::Valid if facts.birth_date.is_some() => detector.llr + 0.7,
        Verdict::Valid | Verdict::Unchecked => detector.llr,
        Verdict::Failed(_) => -3.0,
    }
}
