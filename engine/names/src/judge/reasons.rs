//! The evidence that the judge takes into account, in groups of features that people understand.

use super::{BITS, Features, INDEX, Script, Tag, Weights};

/// A group of features of a word, or of a character in a script without spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Reason {
    /// The word and its letters.
    Letters,
    /// Its capitals, or the kind of its characters.
    Case,
    /// Its entries in the lists of names and of other words.
    Lexicon,
    /// The words around it.
    Words,
    /// The signs and line ends around it.
    Signs,
    /// Whether it was recognised as a name before, here or elsewhere in the text.
    Repetition,
}

impl Reason {
    /// All groups.
    pub const ALL: [Self; REASONS] =
        [Self::Letters, Self::Case, Self::Lexicon, Self::Words, Self::Signs, Self::Repetition];

    /// The group of the features of a template. A feature of several words belongs to the group of the words around, unless
    /// it is about the judged one.
    fn of(template: u32) -> Self {
        match template {
            0 | 14..=18 | 41 | 150..=152 => Self::Case,
            2..=13 | 34..=40 | 44 | 45 => Self::Words,
            101..=106 | 110 | 111 | 114..=116 | 120 | 124 | 130 | 133 | 140..=142 | 168 | 169 => Self::Words,
            19..=24 | 165 | 166 => Self::Signs,
            25..=33 | 46..=48 | 154..=164 => Self::Lexicon,
            _ => Self::Letters,
        }
    }
}

/// The number of groups.
const REASONS: usize = 6;
/// The number of groups that a name shows at most.
const SHOWN: usize = 3;

/// The sums of the weights of each group, for the tags of a name, in steps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reasons([i32; REASONS]);

impl Reasons {
    /// Adds the weights of features for a tag.
    pub fn add(&mut self, weights: &Weights<'_>, features: &Features<'_>, tag: Tag) {
        // the other tag has no weights
        let Some(tag) = (tag as usize).checked_sub(1) else { return };
        for packed in features.packed() {
            let weight = weights.of(packed & INDEX).each().get(tag).copied().unwrap_or_default();
            let is_repeated = packed >> BITS & 1 == 1;
            let template = packed >> (BITS + 1);
            let reason = if is_repeated { Reason::Repetition } else { Reason::of(template) };
            if let Some(sum) = self.0.get_mut(reason as usize) {
                *sum += weight;
            }
        }
    }
}

impl Reasons {
    /// Returns the groups that matter most to a name of so many units, with their log-odds, the strongest first.
    ///
    /// A name is as sure as one of its units, so the log-odds are those of a unit on average.
    pub fn strongest(&self, weights: &Weights<'_>, script: Script, units: usize) -> Vec<(Reason, f32)> {
        let step = weights.calibration.get(script.line()).map_or(0, |(_, step)| *step);
        let scale = f32::from(step) / 1024.0 / units.max(1) as f32;
        let mut reasons: Vec<(Reason, f32)> =
            Reason::ALL.into_iter().zip(self.0).map(|(reason, sum)| (reason, sum as f32 * scale)).collect();
        reasons.sort_by(|(_, one), (_, two)| two.abs().total_cmp(&one.abs()));
        reasons.truncate(SHOWN);
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Of, learnt},
        *,
    };
    use crate::{Known, find};

    #[test]
    fn reasons_are_those_of_the_place() {
        for (text, name, want) in [
            ("Wir trafen gestern Herrn Quillbrook.", "Quillbrook", Reason::Words),
            (
                "Yesterday Professor Margaret Brenholt was elected president. Then Brenholt went home.",
                "Brenholt",
                Reason::Repetition,
            ),
            ("Yesterday Emily Carter went home.", "Emily Carter", Reason::Lexicon),
            ("Signed: Quillbrookovski", "Quillbrookovski", Reason::Letters),
            ("彼は山田太郎です", "山田太郎", Reason::Lexicon),
        ] {
            let candidates = find(text, &mut Known::default(), false);
            assert!(candidates.iter().all(|candidate| candidate.reasons.is_empty()));
            let candidates = find(text, &mut Known::default(), true);
            let written = |start: u32, end: u32| text.get(start as usize..end as usize).unwrap();
            let named =
                candidates.iter().rev().find(|candidate| written(candidate.start, candidate.end) == name);
            let reasons = &named.unwrap_or_else(|| panic!("{text}: {candidates:?}")).reasons;
            let strongest = reasons.iter().map(|(_, weight)| weight.abs());
            assert!(strongest.is_sorted_by(|one, two| one >= two), "{text}: {reasons:?}");
            assert!(
                reasons.len() <= SHOWN
                    && reasons.iter().any(|(reason, weight)| *reason == want && *weight > 0.0),
                "{text}: {reasons:?}"
            );
        }
    }

    #[test]
    fn the_groups_are_all_of_the_weights() {
        let [learnt, _] = learnt();
        let mut features = Features::new(learnt.present);
        for template in 0..30 {
            features.add(template, Of::Knowledge, [template % 3, 1, 0]);
            features.add(template, Of::known(template % 2 == 0), [template, 0, 0]);
        }
        for tag in Tag::ALL {
            let mut reasons = Reasons::default();
            reasons.add(&learnt, &features, tag);
            let all = learnt.sum(&features).each();
            let want = (tag as usize).checked_sub(1).map_or(0, |tag| all[tag]);
            assert_eq!(reasons.0.iter().sum::<i32>(), want, "{tag:?}");
        }
    }
}
