//! The labels that a text is read with: those of the catalogue, and those of the caller's detectors.

use super::{
    label,
    table::{each_prefix, spells},
};
use crate::{
    phrase::{Phrase, letters},
    text::order,
};

/// The labels of a call.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    /// The caller's labels and their prefixes, sorted.
    own: Vec<OwnLabel>,
}

/// A label of the caller's, or a prefix of one.
#[derive(Debug)]
struct OwnLabel {
    phrase: Phrase,
    /// Its folded letters; empty for a prefix.
    letters: String,
    /// Its uses, with those that the catalogue has for it; empty for a prefix.
    uses: Vec<u16>,
}

impl Vocabulary {
    /// Creates it with labels of the caller's, each with one use.
    pub fn new<'l>(labels: impl Iterator<Item = (&'l str, u16)>) -> Self {
        let mut entries: Vec<(Phrase, Option<(&str, u16)>)> = Vec::new();
        for (written, packed) in labels {
            let phrase = each_prefix(written, |prefix| entries.push((prefix, None)));
            entries.push((phrase, Some((written, packed))));
        }
        order::sort(&mut entries, |(one, _), (other, _)| one.cmp(other));
        let same = entries.chunk_by(|(one, _), (other, _)| one == other);
        Self { own: same.filter_map(OwnLabel::new).collect() }
    }

    /// Returns the uses of a label, as [`label`] does for those of the catalogue.
    #[inline]
    pub fn get(&self, phrase: Phrase, written: &str) -> Option<&[u16]> {
        let known = label(phrase, written);
        if self.own.is_empty() { known } else { self.with_own(phrase, written, known) }
    }

    #[inline(never)]
    fn with_own<'v>(&'v self, phrase: Phrase, written: &str, known: Option<&'v [u16]>) -> Option<&'v [u16]> {
        let at = self.own.binary_search_by(|own| own.phrase.cmp(&phrase)).ok();
        let own = at.and_then(|at| self.own.get(at));
        match own {
            Some(own) if !own.uses.is_empty() && spells(&own.letters, written) => Some(&own.uses),
            Some(_) => known.or(Some(&[])),
            None => known,
        }
    }
}

impl OwnLabel {
    /// Creates the label or the prefix of a phrase, from all that is said of it.
    fn new(same: &[(Phrase, Option<(&str, u16)>)]) -> Option<Self> {
        let (phrase, _) = *same.first()?;
        let mut own = Self { phrase, letters: String::new(), uses: Vec::new() };
        for (written, packed) in same.iter().filter_map(|(_, label)| *label) {
            if own.uses.is_empty() {
                own.letters = letters(written).collect();
                own.uses = label(phrase, written).unwrap_or_default().to_vec();
            }
            own.uses.push(packed);
        }
        Some(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_the_caller_and_of_the_catalogue() {
        let of = |vocabulary: &Vocabulary, written: &str| {
            vocabulary.get(Phrase::EMPTY.with(written), written).map(<[u16]>::to_vec)
        };
        let known = |written: &str| label(Phrase::EMPTY.with(written), written).map(<[u16]>::to_vec);
        let labels = [("Locker number", 2_000), ("PESEL", 2_002), ("locker number", 2_004)];
        let own = Vocabulary::new(labels.into_iter());
        let pesel = [known("pesel").unwrap(), vec![2_002]].concat();
        for (written, want) in [
            ("locker-number", Some(vec![2_000, 2_004])),
            ("locker", Some(known("locker").unwrap_or_default())),
            ("number", known("number")),
            ("pesel", Some(pesel)),
            ("locker numbers", known("locker numbers")),
        ] {
            assert_eq!(of(&own, written), want, "{written}");
        }
        assert_eq!(of(&Vocabulary::default(), "pesel"), known("pesel"));
    }
}
