//! The evidence of the words around a candidate: labels of its type or of another one, and context words.

use textveil_weights::words as weights;

use super::{
    candidate::{Candidate, Extra, Signal},
    labels::{Contexts, NearLabel, Nearness},
    siblings::{Likeness, ListJoint},
};
use crate::catalogue::{self, Recogniser, same_kind};

/// Weight of a label, by its nearness.
const LABEL: [f32; 3] = [weights::DIRECT, weights::CLOSE, weights::NEARBY];
/// The length of a long number in groups, in bytes: few have the groups of a payment card.
const LONG: u32 = 16;

/// Adds the evidence of nearby labels and context words to a candidate, and that of the value before it in a list.
pub(crate) fn apply(candidate: &mut Candidate, index: u16, contexts: &Contexts<'_>) {
    let place = |context: NearLabel| (context.start as u32, context.end as u32);
    let own = contexts.label(index);
    let is_near = own.is_some_and(|label| label.nearness <= Nearness::Close);
    let sibling = if is_near { None } else { sibling(candidate, index, contexts) };
    match sibling {
        Some(SiblingEvidence { signal, named }) => (candidate.sibling, candidate.named) = (signal, named),
        None => {
            if let Some(label) = own {
                candidate.label = Signal { weight: weight(label), place: place(label) };
                candidate.named = is_near;
            }
        }
    }
    if !candidate.named && sibling.is_none() && !speaks_for_itself(candidate, index) {
        // a key of one letter tells no type: `?c=`
        let of_another_type = |context: &NearLabel| context.length > 1 && !same_kind(context.detector, index);
        let mut is_other = true;
        // the closest label is that of another type
        if let Some(other) = contexts.direct().find(of_another_type) {
            candidate.label =
                Signal { weight: candidate.label.weight + weights::OTHER_LABEL, place: place(other) };
        } else if let Some(other) = contexts.told().find(of_another_type) {
            candidate.sibling = Signal { weight: weights::OTHER_LABEL, place: place(other) };
        } else {
            is_other = false;
        }
        // its shape is then no evidence: keys look like digests and UUIDs
        if is_other && catalogue::detector(index).is_some_and(|detector| detector.suppressor) {
            candidate.shape = candidate.shape.min(0.0);
            candidate.check = candidate.check.min(0.0);
        }
    }
    if let Some(near) = contexts.word(index) {
        // a context word beside a label adds little
        let labelled = candidate.label.weight > 0.0 || candidate.sibling.weight > 0.0;
        let weight = if labelled { weights::CONTEXT_LABELLED } else { weights::CONTEXT };
        candidate.near = Signal { weight, place: place(near) };
    }
}

/// Returns the weight of a label: of two labels the longer one weighs more (`US passport number`).
fn weight(label: NearLabel) -> f32 {
    LABEL.get(label.nearness as usize).copied().unwrap_or_default()
        + (weights::LENGTH * label.length as f32).min(weights::MAX_LENGTH)
}

/// The evidence of the value before for a candidate of a list.
struct SiblingEvidence {
    signal: Signal,
    /// It tells the label of the candidate's type.
    named: bool,
}

/// Returns what the value before tells a candidate; `None` if a label of another type is next to the candidate.
fn sibling(candidate: &Candidate, index: u16, contexts: &Contexts<'_>) -> Option<SiblingEvidence> {
    let sibling = contexts.sibling()?;
    if contexts.direct().any(|context| !same_kind(context.detector, index)) {
        return None;
    }
    let is_phone = catalogue::PHONE.contains(&index);
    let is_alike = match sibling.likeness {
        Likeness::Same => true,
        Likeness::Close if is_phone => true,
        // check digits and the calendar tell what it is
        _ => candidate.is_checked() || is_date(index),
    };
    let is_joined = matches!(sibling.joint, ListJoint::Space | ListJoint::Tie);
    // of several dates after a comma, one is that of a birth, unless the label says otherwise
    let may_be = |label: &NearLabel| is_alike && (is_joined || label.plural || !is_date(index));
    if let Some(label) = contexts.told_label(index).filter(may_be) {
        let place = (label.start as u32, label.end as u32);
        return Some(SiblingEvidence {
            signal: Signal { weight: weight(label) + weights::SIBLING, place },
            named: true,
        });
    }
    let place = (sibling.before.0 as u32, sibling.before.1 as u32);
    let is_of_type = sibling.heard.known.checked.contains(&Some(index)) && candidate.is_checked();
    if is_of_type && sibling.likeness == Likeness::Same {
        return Some(SiblingEvidence {
            signal: Signal { weight: weights::SIBLING_CHECKED, place },
            named: false,
        });
    }
    // the plan of the country of `+420 601 123 456` tells whether `602 123 456` is a number
    let is_of_country =
        is_phone && sibling.likeness != Likeness::Other && sibling.heard.known.country.is_some();
    is_of_country
        .then_some(SiblingEvidence { signal: Signal { weight: weights::SIBLING_PHONE, place }, named: false })
}

fn is_date(index: u16) -> bool {
    catalogue::detector(index).is_some_and(|detector| detector.recogniser == Some(Recogniser::Date))
}

/// Whether a value is identified by its form, whatever precedes it: an address, a token, an IBAN, a telephone
/// number in international notation, a number in groups whose prefix and check digits few other numbers have.
fn speaks_for_itself(candidate: &Candidate, index: u16) -> bool {
    if candidate.in_groups
        && candidate.len() >= LONG
        && candidate.is_checked()
        && candidate.check >= weights::TELLING
    {
        return true;
    }
    let international = matches!(candidate.extra, Extra::Phone(_));
    catalogue::detector(index).is_some_and(|detector| match detector.recogniser {
        None | Some(Recogniser::Phone | Recogniser::Date) => detector.token || international,
        Some(_) => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        evidence::{candidate::Source, labels::Labels},
        lexicon::vocabulary::Vocabulary,
        phrase::work::Work,
    };

    /// Returns a candidate for the number of a text with the evidence of its words.
    fn applied(text: &str, detector: &str) -> Candidate {
        let work = Work::default();
        let start = text.find("44051401359").unwrap();
        let (index, _) = catalogue::numbered_by_type(detector).next().unwrap();
        let mut contexts = Contexts::default();
        let vocabulary = Vocabulary::default();
        Labels::new(text, &vocabulary, &work).around(start, start + 11, &mut contexts);
        let mut candidate = Candidate::new(Source::Catalogue(index), start, start + 11);
        apply(&mut candidate, index, &contexts);
        candidate
    }

    #[test]
    fn weights() {
        for (text, detector, named, label) in [
            ("PESEL: 44051401359", "pesel", true, weights::DIRECT + 0.1),
            // a longer label weighs more, up to half a unit
            ("numer ewidencyjny PESEL: 44051401359", "pesel", true, weights::DIRECT + 0.1),
            ("the PESEL of our client 44051401359", "pesel", true, weights::CLOSE + 0.1),
            ("SIREN: 44051401359", "pesel", false, weights::OTHER_LABEL),
            ("the number: 44051401359", "pesel", false, 0.0),
        ] {
            let candidate = applied(text, detector);
            assert_eq!(candidate.named, named, "{text}");
            assert!((candidate.label.weight - label).abs() < 0.01, "{text}: {}", candidate.label.weight);
        }
    }

    /// An address is identified by its form: the label of another type is no evidence against it.
    #[test]
    fn a_value_that_speaks_for_itself() {
        assert_eq!(applied("SIREN: 44051401359", "email").label.weight, 0.0);
        assert_eq!(applied("SIREN: 44051401359", "phone_number").label.weight, weights::OTHER_LABEL);
    }
}
