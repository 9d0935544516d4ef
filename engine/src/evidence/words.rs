//! The evidence of the words around a candidate: labels of its type or of another one, and context words.

use super::{
    hypothesis::{Extra, Hypothesis, Signal},
    labels::{Contexts, NearLabel, Nearness},
};
use crate::catalogue::{self, Recogniser, same_kind};

/// Weight of a label, by its nearness.
const LABEL: [f32; 3] = [9.0, 6.0, 3.0];
/// Weight of a context word.
const NEAR: f32 = 3.0;
/// Weight of a context word in addition to a label.
const NEAR_LABEL: f32 = 1.0;
/// Weight of a label of another type.
const OTHER_LABEL: f32 = -4.0;

/// Adds the evidence of nearby labels and context words to a candidate.
pub(crate) fn apply(hypothesis: &mut Hypothesis, index: u16, contexts: &Contexts<'_>) {
    let place = |context: NearLabel| (context.start as u32, context.end as u32);
    if let Some(label) = contexts.label(index) {
        // of two labels the longer one weighs more: `US passport number`
        let length = (label.end - label.start) as f32;
        let weight =
            LABEL.get(label.nearness as usize).copied().unwrap_or_default() + (0.02 * length).min(0.5);
        hypothesis.label = Signal { weight, place: place(label) };
        hypothesis.named = label.nearness <= Nearness::Close;
    }
    if !hypothesis.named {
        // the closest label is that of another type
        let other = contexts.direct().find(|context| !same_kind(context.detector, index));
        if let Some(other) = other.filter(|_| !speaks_for_itself(hypothesis, index)) {
            hypothesis.label = Signal { weight: hypothesis.label.weight + OTHER_LABEL, place: place(other) };
            // its shape is then no evidence: keys look like digests and UUIDs
            if catalogue::detector(index).is_some_and(|detector| detector.suppressor) {
                hypothesis.shape = hypothesis.shape.min(0.0);
                hypothesis.check = hypothesis.check.min(0.0);
            }
        }
    }
    if let Some(near) = contexts.word(index) {
        // a context word beside a label adds little
        let weight = if hypothesis.label.weight > 0.0 { NEAR_LABEL } else { NEAR };
        hypothesis.near = Signal { weight, place: place(near) };
    }
}

/// Whether a value is identified by its form, whatever precedes it: an address, a token, an IBAN, a telephone
/// number in international notation.
fn speaks_for_itself(hypothesis: &Hypothesis, index: u16) -> bool {
    let international = matches!(hypothesis.extra, Extra::Phone(_));
    catalogue::detector(index).is_some_and(|detector| match detector.recogniser {
        None | Some(Recogniser::Phone | Recogniser::Date) => detector.token || international,
        Some(_) => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        evidence::{
            hypothesis::{Source, hypothesis},
            labels::Labels,
        },
        lexicon::vocabulary::Vocabulary,
        phrase::work::Work,
    };

    /// Returns a candidate for the number of a text with the evidence of its words.
    fn applied(text: &str, detector: &str) -> Hypothesis {
        let work = Work::default();
        let start = text.find("44051401359").unwrap();
        let (index, _) = catalogue::numbered_by_type(detector).next().unwrap();
        let mut contexts = Contexts::default();
        let vocabulary = Vocabulary::default();
        Labels::new(text, &vocabulary, &work).around(start, start + 11, &mut contexts);
        let mut guess = hypothesis(Source::Catalogue(index), start, start + 11);
        apply(&mut guess, index, &contexts);
        guess
    }

    #[test]
    fn weights() {
        for (text, detector, named, label) in [
            ("PESEL: 44051401359", "pesel", true, 9.1),
            // a longer label weighs more, up to half a unit
            ("numer ewidencyjny PESEL: 44051401359", "pesel", true, 9.1),
            ("the PESEL of our client 44051401359", "pesel", true, 6.1),
            ("SIREN: 44051401359", "pesel", false, OTHER_LABEL),
            ("the number: 44051401359", "pesel", false, 0.0),
        ] {
            let guess = applied(text, detector);
            assert_eq!(guess.named, named, "{text}");
            assert!((guess.label.weight - label).abs() < 0.01, "{text}: {}", guess.label.weight);
        }
    }

    /// An address is identified by its form: the label of another type is no evidence against it.
    #[test]
    fn a_value_that_speaks_for_itself() {
        assert_eq!(applied("SIREN: 44051401359", "email").label.weight, 0.0);
        assert_eq!(applied("SIREN: 44051401359", "phone_number").label.weight, OTHER_LABEL);
    }
}
